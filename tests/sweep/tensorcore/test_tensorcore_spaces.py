"""The sweeps equal their functions point by point and say what their numbers are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep.tensorcore as tc
from sweep.errors import InputError
from sweep.quantities.attributes import attributes
from sweep.quantities.data_path import DATA_PATH
from sweep.quantities.variables import VARIABLES
from sweep.tensorcore import (
    dram_traffic,
    feeding,
    ldmatrix_wavefronts,
    stage_budget,
    sweep_feeding,
    sweep_layouts,
    sweep_stages,
    sweep_traffic,
)
from sweep.tensorcore.data_path_tables import TABLES, tensorcore_table


def labelled(ds: xr.Dataset) -> None:
    for name in ds.data_vars:
        if ds[name].dtype.kind not in "OUT":
            assert ds[name].attrs["units"], name
            assert ds[name].attrs["long_name"], name
        if "flag_values" in ds[name].attrs:
            assert set(np.unique(ds[name])) <= set(ds[name].attrs["flag_values"])
    assert ds.attrs["source"].startswith("warpsweep ")


def test_layouts() -> None:
    rows, sizes, pads = range(4, 140, 4), [1, 2, 4], [0, 4, 8, 16]
    swizzles: list[Any] = [None, "xor", (3, 3, 3), (2, 4, 3)]
    ds = sweep_layouts(rows, sizes, swizzles, pads)
    labelled(ds)
    assert dict(ds.sizes) == {
        "swizzle": 4, "element_bytes": 3, "row_elements": 34, "pad_elements": 4,
    }  # fmt: skip
    for s, swizzle in enumerate(swizzles):
        for size in sizes:
            for row in rows:
                for pad in pads:
                    one = ds.isel(swizzle=s).sel(
                        element_bytes=size, row_elements=row, pad_elements=pad
                    )
                    check_layout(one, swizzle, size, row, pad)


def check_layout(one: xr.Dataset, swizzle: Any, size: int, row: int, pad: int) -> None:
    meanings = one.refused.attrs["flag_meanings"].split()
    try:
        taken, ideal = ldmatrix_wavefronts(row, size, swizzle, pad)
    except InputError as error:
        assert np.isnan(one.wavefronts)
        assert np.isnan(one.ways)
        reason = "split_rows" if "splits" in str(error) else "unaligned_rows"
        assert meanings[int(one.refused)] == reason
    else:
        assert (one.wavefronts, one.ideal_wavefronts) == (taken, ideal)
        assert one.ways == taken / ideal
        assert one.refused == 0
        assert one.row_bytes == row * size


def test_traffic() -> None:
    m, tiles, groups, clusters = [1000, 4096], ["64x64", (128, 256)], [1, 8], ["1x1", "2x1"]
    gpus, kinds = ["h100_sxm", "b200"], ["fp16", "fp8"]
    ds = sweep_traffic(
        m, 4096, 512, tiles, gpus, group=groups, cluster=clusters, element_type=kinds
    )
    labelled(ds)
    assert ds.bytes.dims == ("gpu", "element_type", "m", "tile", "group", "cluster")
    assert ds.tile.values.tolist() == ["64x64", "128x256"]
    assert ds.n == 4096
    for index in np.ndindex(ds.bytes.shape):
        g, e, i, t, o, c = index
        one = dram_traffic(
            m[i],
            4096,
            512,
            tiles[t],
            gpus[g],
            "grouped",
            groups[o],
            clusters[c],
            element_type=kinds[e],
        )
        for name in one:
            assert ds[name].values[index] == one[name], name


def test_feeding_and_stages() -> None:
    gpus, tiles = ["a100_sxm", "h100_sxm"], ["32x64", "64x128", "64x256"]
    ds = sweep_feeding(gpus, tiles)
    labelled(ds)
    for g, gpu in enumerate(gpus):
        for t, tile in enumerate(tiles):
            one = feeding(gpu, tile)
            assert ds.verdict.values[g, t] == one.verdict
            assert ds.reuse.values[g, t] == one.reuse
    latency = [0.3e-6, 1e-6]
    depth = sweep_stages(gpus, "128x128x64", ["bf16", "int8"], latency)
    labelled(depth)
    assert depth.stages_needed.dims == ("gpu", "element_type", "latency_seconds")
    for index in np.ndindex(depth.stages_needed.shape):
        g, e, i = index
        alone = stage_budget(gpus[g], "128x128x64", ["bf16", "int8"][e], latency[i])
        for name in alone:
            assert depth[name].values[index] == alone[name]


def test_a_cell_that_cannot_exist_is_flagged() -> None:
    ds = sweep_feeding(["a100_sxm", "h100_sxm", "b200"], ["64x256", "32x32"], ["ss", "rs"])
    there = (ds.impossible == "").values
    assert there.tolist() == [
        [[True, True], [False, False]],
        [[True, True], [True, False]],
        [[False, False], [False, False]],
    ]
    assert np.array_equal(np.isnan(ds.reuse.values), ~there)
    assert np.array_equal(ds.verdict.values == "", ~there)
    assert not ds.feeds.values[~there].any()
    assert ds.reuse.sel(gpu="h100_sxm", operands="ss", tile="64x256") == 25.6
    stages = sweep_stages(["a100_sxm", "h100_sxm"], "128x128x128", ["bf16", "fp8"])
    assert np.isnan(stages.stage_cycles.values).tolist() == [[False, True], [False, False]]
    assert "not supported by gpu='a100_sxm'" in str(stages.impossible.values[0, 1])
    moved = sweep_traffic(4096, 4096, 64, gpu=["a100_sxm", "h100_sxm"], cluster=["1x1", "2x1"])
    assert (moved.impossible == "").values.tolist() == [[True, False], [True, True]]
    assert np.isnan(moved.seconds.values).tolist() == [[False, True], [False, False]]


def test_nothing_that_can_exist_is_refused() -> None:
    with pytest.raises(InputError, match="wgmma takes multiples of 64 rows"):
        sweep_feeding("h100_sxm", ["32x32", "32x64"], "rs")
    with pytest.raises(InputError, match="unknown operands 'sr'"):
        sweep_feeding("h100_sxm", ["64x64"], ["ss", "sr"])
    with pytest.raises(InputError, match="'fp61'"):
        sweep_feeding("h100_sxm", ["64x64"], element_type=["fp16", "fp61"])


def test_fixed_parameters_are_coordinates() -> None:
    ds = sweep_layouts(64, swizzle="xor")
    assert ds.wavefronts.dims == ()
    assert ds.wavefronts == 4
    assert ds.swizzle == "xor"
    assert ds.row_elements.attrs["units"] == "element"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sweep_layouts([]), "row_elements: an empty axis"),
        (lambda: sweep_layouts([[1, 2], [3, 4]]), "row_elements=[1, 2]: must be a whole number"),
        (lambda: sweep_layouts(np.ones((2, 2), int)), "row_elements: an array of 2 dimensions"),
        (lambda: sweep_layouts([16, -1]), "row_elements=-1 element: must be at least 1"),
        (lambda: sweep_layouts(16, [2, 3]), "element_bytes=3 byte"),
        (lambda: sweep_layouts(16, swizzle=["xor", "yor"]), "'yor'"),
        (lambda: sweep_layouts(16, swizzle=[]), "swizzle: is empty"),
        (lambda: sweep_traffic(1, 1, 1, ["64x64", "64"]), "tile="),
        (lambda: sweep_traffic(1, 1, 1, ["64x64", (64, 64)]), "tile: '64x64' is there twice"),
        (lambda: sweep_feeding(["a100_sxm"] * 2), "gpu: 'a100_sxm' is there twice in one axis"),
        (lambda: sweep_traffic(1, 1, 1, gpu=["h100_sxm", "h101"]), "unknown GPU 'h101'"),
        (lambda: sweep_traffic(*[range(1, 10**5)] * 3), "points need about"),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        call()
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_round_trip(tmp_path: Path) -> None:
    ds = sweep_traffic([512, 1024], 512, 512, ["64x64", "128x128"])
    ds.to_netcdf(tmp_path / "traffic.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "traffic.nc", engine="h5netcdf") as back:
        assert np.array_equal(back.bytes, ds.bytes)
        assert back.tile.values.tolist() == ds.tile.values.tolist()


def test_a_store_of_texts_is_silent(tmp_path: Path) -> None:
    """Texts are kept as zarr specifies them; a warning would be an error here."""
    pytest.importorskip("zarr")
    ds = sweep_feeding("h100_sxm", ["64x256", "32x32"], ["ss", "rs"])
    ds.to_zarr(tmp_path / "feeding.zarr", consolidated=False)
    with xr.open_zarr(tmp_path / "feeding.zarr", consolidated=False) as back:
        assert back.verdict.values.tolist() == ds.verdict.values.tolist()
        assert back.tile.values.tolist() == ds.tile.values.tolist()


def test_quantities_are_rows_of_the_registry() -> None:
    """What a schedule has too is the same row; the others are no parameters of a run."""
    ds = sweep_stages(["a100_sxm", "h100_sxm"], "128x128x64", ["bf16", "int8"])
    for name in ("gpu", "tile", "element_type"):
        assert ds[name].attrs["long_name"] == VARIABLES[name].long_name
    assert ds.stages_fit.attrs == attributes("stages_fit", DATA_PATH)
    assert not {"m", "bytes", "group", "index"} & set(VARIABLES)
    for name in ("k", "k_tiles", "output_tiles"):
        assert DATA_PATH[name].long_name == VARIABLES[name].long_name
        assert DATA_PATH[name].upper <= VARIABLES[name].upper


def test_a_dimension_that_is_shared_is_zipped() -> None:
    both = [xr.DataArray(one, dims="point", coords={"point": [3, 5]}) for one in ([8, 16], [1, 2])]
    ds = sweep_traffic(*both, 64)
    assert ds.bytes.dims == ("point",)
    assert ds.point.values.tolist() == [3, 5]
    assert ds.m.dims == ds.n.dims == ("point",)
    apart = both[1].assign_coords(point=[3, 6])
    with pytest.raises(InputError, match="n: its coordinate along 'point' differs from that of m"):
        sweep_traffic(both[0], apart, 64)
    with pytest.raises(InputError, match="n: length 3 along dimension 'point', but another has 2"):
        sweep_traffic(both[0], xr.DataArray([1, 2, 3], dims="point"), 64)


def test_results_read_as_attributes_and_as_items() -> None:
    one = dram_traffic(4096, 4096, 4096)
    assert one["bytes"] == one.bytes
    assert len(one) == len(list(one)) == len(dict(one))
    assert f"{one.bytes:,} byte" in repr(one)
    with pytest.raises(KeyError):
        one["byte"]


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_aligned_text(name: str) -> None:
    text = tensorcore_table(name)
    assert text == text.strip()
    assert all(len(line) <= 140 and line == line.rstrip() for line in text.splitlines())


def test_tables_show_the_figures() -> None:
    banks = tensorcore_table("banks")
    held = [line.split() for line in banks.splitlines()]
    assert ["m16n8k16", "fp16", "2,048", "8", "4", "4"] in held
    assert ["m8n8k4", "fp16", "1,024", "4", "4", "8"] in held
    assert ["m16n8k64", "int4", "8,192", "32", "16", "4"] in held
    assert ["m64n256k32", "fp8", "524,288", "16", "-", "128"] in held
    assert " 64        128     8    1               4               2               1" in banks
    stages = [line.split() for line in tensorcore_table("stages").splitlines()]
    assert ["128x128x32", "16,384", "0.140", "5", "9", "14", "117", "15.5"] in stages
    traffic = [line.split() for line in tensorcore_table("traffic").splitlines()]
    assert ["128x256", "row", "1x1", "4", "0.970", "204", "61", "1,611", "0"] in traffic
    rows = [line.split() for line in tensorcore_table("feeding").splitlines()]
    assert ["h100_sxm", "2,048", "16"] in rows
    assert ["64x256", "ss", "wgmma", "25.6", "128", "128", "-", "-", "fed", "-"] in rows
    assert tensorcore_table("traffic", "b200") != tensorcore_table("traffic")


def test_unknown_tables() -> None:
    with pytest.raises(InputError, match="did you mean 'banks'"):
        tensorcore_table("bank")
    with pytest.raises(InputError, match="unknown GPU"):
        tensorcore_table("banks", "h101")


def test_public_names_are_functions_whatever_was_imported() -> None:
    for name in tc.__all__:
        assert callable(getattr(tc, name))
    assert set(tc.__all__) <= set(dir(tc))
    with pytest.raises(AttributeError, match="no attribute 'mmma'"):
        _ = tc.mmma  # type: ignore[attr-defined]


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = (
        "import sys, sweep.tensorcore; sys.exit('numba' in sys.modules or 'xarray' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
