"""What cannot exist: refused in a line where all alike, flagged as a cell of a grid."""

from __future__ import annotations

import doctest
import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep
from sweep.errors import InputError
from sweep.hardware.gpu import GPUS
from sweep.inputs.space import resolve
from sweep.inputs.space_file import read_space
from sweep.quantities.variables import GPU_FIELDS, OUTPUTS, VARIABLES
from sweep.storage.store import write_sweep

REASONS = VARIABLES["infeasible_reason"].flag_meanings
RING = "warp_specialized"


def refused(schedule: Any, **parameters: Any) -> str:
    with pytest.raises(InputError) as caught:
        sweep.simulate(schedule, **parameters)
    message = str(caught.value)
    assert "\n" not in message
    return message


def reasons(ds: xr.Dataset) -> list[Any]:
    return np.array(REASONS)[ds.infeasible_reason.values].tolist()


@pytest.mark.parametrize(
    ("schedule", "parameters", "told"),
    [
        ("multistage", {"gpu": "h100_sxm", "cluster": "2x1"}, "cluster=2x1: multicast needs TMA"),
        ("multistage", {"gpu": "a100_sxm", "cluster": "2x1"}, "cluster=2x1: a cluster needs"),
        (RING, {"gpu": "a100_sxm", "cluster": "1x2"}, "capability 9.0, here it is 8.0"),
        (RING, {"compute_capability": 8.9, "cluster": "1x2"}, "capability 9.0, here it is 8.9"),
        (RING, {"cluster": "2x1", "loader": "cp_async"}, "loads with cp_async"),
        (RING, {"gpu": "a100_sxm", "loader": "tma"}, "loader='tma': TMA needs"),
        (RING, {"cluster": "100x100"}, "cluster=100x100: no GPU"),
        (RING, {"cluster": "3x3"}, "cluster=3x3: must be at most max_cluster_ctas=8"),
        (RING, {"cluster": "3x3", "max_cluster_ctas": 8}, "max_cluster_ctas=16"),
        (RING, {"cluster": "17x1", "max_cluster_ctas": 16}, "no GPU"),
        (RING, {"max_cluster_ctas": 17}, "max_cluster_ctas=17: must be at most 16"),
        ("sync", {"tile": "100x200x50"}, "tile=100x200x50: no MMA instruction for bf16"),
        ("sync", {"tile": "16x8x8", "element_type": "fp8"}, "K of 16"),
        ("sync", {"tile": "8x8x8"}, "give M a multiple of 16"),
        ("sync", {"tile": "16x4x8"}, "N of 8"),
        ("sync", {"tile": "16x32x128", "element_type": "fp4", "gpu": "b200"}, "M a multiple of 64"),
        ("multistage", {"k": 100, "k_tiles": 4}, "k_tiles=4 and k=100 contradict each other"),
        ("multistage", {"k": [64, 256], "k_tiles": 4}, "k_tiles=4 and k=64 contradict"),
        (
            "sync",
            {"tile": "2147483647x2147483647x2", "cluster": "2147483647x2147483647"},
            "from 1 to 65,536",
        ),
        ("sync", {"mem_bytes_per_cycle": 1e308}, "mem_bytes_per_cycle=1e+308 byte/cycle: must be"),
        ("sync", {"fma_lanes": 1e308}, "fma_lanes=1e+308 1/cycle: must be at most"),
        ("sync", {"fma_lanes": 1e-300, "mem_bytes_per_cycle": 1e-300}, "t_epilogue (from fma"),
    ],
)  # fmt: skip
def test_one_line(schedule: str, parameters: dict[str, Any], told: str) -> None:
    assert told in refused(schedule, **parameters)


@pytest.mark.parametrize(
    ("schedule", "parameters"),
    [
        ("multistage", {"cluster": "2x1", "loader": "tma"}),
        (RING, {"cluster": "4x2", "gpu": "b200"}),
        (RING, {"cluster": "4x4", "max_cluster_ctas": 16}),
        ("sync", {"tile": "16x32x128", "element_type": "fp8", "gpu": "h100_sxm"}),
        ("sync", {"tile": "16x8x4", "element_type": "tf32", "gpu": "a100_sxm"}),
        ("sync", {"tile": "8x8x16", "element_type": "int8", "gpu": "a100_sxm"}),
        (
            "sync",
            {
                "tile": "8x8x4",
                "element_type": "fp16",
                "gpu": "v100_sxm2",
                "mem_bytes_per_cycle": 24,
            },
        ),
        ("multistage", {"k": 250, "k_tiles": 4}),
        ("sync", {"t_mma": 100, "t_transfer": 50}),
    ],
)
def test_what_can_exist_is_answered(schedule: str, parameters: dict[str, Any]) -> None:
    resolve(schedule, parameters)


def test_a_gpu_too_old_for_tma_loads_with_cp_async() -> None:
    assert sweep.simulate(RING, gpu="a100_sxm").loader == "cp_async"
    found = sweep.run(RING, gpu=["a100_sxm", "h100_sxm"])
    assert found.loader.values.tolist() == ["cp_async", "tma"]
    assert found.t_issue.values.tolist() == [100, 10]


def test_an_unsupported_type_is_a_cell() -> None:
    ds = sweep.run("multistage", gpu=["a100_sxm", "h100_sxm"], element_type=["bf16", "fp8"])
    assert reasons(ds)[0][1] == "unsupported_element_type"
    assert np.isnan(ds.cycles.values).tolist() == [[False, True], [False, False]]
    for gpu, kind in (("a100_sxm", "bf16"), ("h100_sxm", "bf16"), ("h100_sxm", "fp8")):
        one = sweep.simulate("multistage", gpu=gpu, element_type=kind)
        cell = ds.sel(gpu=gpu, element_type=kind)
        assert all(cell[name] == one[name] for name in OUTPUTS)
    counts = json.loads(ds.attrs["infeasible_points"])
    assert counts["unsupported_element_type"] == 1


def test_flagged_cells_have_no_numbers() -> None:
    ds = sweep.run("multistage", gpu=["v100_sxm2", "h100_sxm"])
    for name in OUTPUTS:
        value = ds[name].sel(gpu="v100_sxm2").item()
        if VARIABLES[name].kind == "output":
            assert np.isnan(value)
    assert ds.feasible.values.tolist()[0] == 0
    assert ds.bottleneck.values.tolist()[0] == 0
    assert np.isnan(ds.t_mma.values).tolist() == [True, False]


def test_an_unknown_field_is_a_cell() -> None:
    ds = sweep.run("sync", gpu=["v100_sxm2", "h100_sxm"], element_type="fp16")
    assert reasons(ds) == ["unknown_gpu_field", "none"]
    mine = replace(GPUS["h100_sxm"], name="mine", smem_per_block_bytes=None)
    assert reasons(sweep.run("sync", gpu=[mine, "h100_sxm"])) == ["unknown_gpu_field", "none"]
    given = sweep.run(
        "sync", gpu=["v100_sxm2", "h100_sxm"], element_type="fp16", mem_bytes_per_cycle=24
    )
    assert reasons(given) == ["none", "none"]


def test_clusters_are_cells() -> None:
    ds = sweep.run(["multistage", RING], cluster=["1x1", "2x1", "3x3"], stages=3)
    assert reasons(ds) == [["none", "cluster", "cluster"], ["none", "none", "cluster"]]
    schedules = sweep.run(["multistage", RING], cluster="2x1")
    assert reasons(schedules) == ["cluster", "none"]
    assert reasons(sweep.run(RING, cluster="2x1", loader=["tma", "cp_async"])) == [
        "none",
        "cluster",
    ]
    assert reasons(sweep.run(RING, gpu=["a100_sxm", "h100_sxm"], loader="tma", stages=3)) == [
        "loader",
        "none",
    ]


def test_tiles_are_cells() -> None:
    ds = sweep.run("sync", tile=["64x64x64", "100x200x50", "16x8x8"], element_type=["bf16", "fp8"])
    assert reasons(ds) == [["none"] * 2, ["tile_shape"] * 2, ["none", "tile_shape"]]


def test_an_axis_that_is_not_involved_changes_nothing() -> None:
    with pytest.raises(InputError, match="tile=100x200x50"):
        sweep.run("multistage", tile="100x200x50", stages=[2, 3])
    with pytest.raises(InputError, match="'fp8': not supported"):
        sweep.run(["sync", "multistage"], gpu="a100_sxm", element_type="fp8")


def test_each_cell_is_its_point() -> None:
    """A flagged cell is a point that is refused, any other has the point's own numbers."""
    axes: dict[str, list[Any]] = {
        "gpu": ["v100_sxm2", "a100_sxm", "h100_sxm", "b200"],
        "element_type": ["bf16", "fp8", "fp4"],
        "cluster": ["1x1", "2x1", "3x3"],
        "tile": ["64x64x64", "16x8x8"],
        "loader": ["tma", "cp_async"],
    }
    ds = sweep.run("multistage", **axes)
    flagged = ds.infeasible_reason.values > REASONS.index("registers")
    for at in product(*(range(len(values)) for values in axes.values())):
        point = {name: values[i] for i, (name, values) in zip(at, axes.items(), strict=True)}
        cell = {name: ds[name].values[at] for name in OUTPUTS}
        try:
            one = sweep.simulate("multistage", **point)
        except InputError:
            assert flagged[at], point
            assert np.isnan(cell["cycles"])
            assert (cell["feasible"], cell["unknown_reason"]) == (0, 0)
        else:
            assert cell == {name: one[name] for name in OUTPUTS}, point
            assert not flagged[at]


def test_a_capability_may_vary() -> None:
    ds = sweep.run(RING, compute_capability=[8.0, 9.0, 10.0], cluster="2x1", stages=3)
    assert reasons(ds) == ["cluster", "none", "none"]
    assert ds.feasible.values.tolist() == [0, 1, 2]
    assert ds.loader.values.tolist() == ["cp_async", "tma", "tma"]


def test_a_store_flags_cells_too(tmp_path: Path) -> None:
    space = tmp_path / "space.toml"
    space.write_text(
        'schedule = "multistage"\n[parameters]\ngpu = ["v100_sxm2", "h100_sxm"]\nstages = [2, 3]\n'
    )
    written = write_sweep(resolve(*read_space(space)), tmp_path / "out.zarr")
    assert written.infeasible == {"unsupported_element_type": 2}
    assert np.isnan(xr.open_zarr(tmp_path / "out.zarr").cycles.values).tolist() == [
        [True, True],
        [False, False],
    ]


def test_the_fields_of_a_card_are_taken_together() -> None:
    """A field that no schedule uses is refused alone, and taken as part of a card."""
    card: dict[str, Any] = {name: GPUS["h100_sxm"].value(name) for name in GPU_FIELDS}
    one = sweep.simulate("multistage", **card, stages=3)
    assert one.cycles == sweep.simulate("multistage", gpu="h100_sxm", stages=3).cycles
    assert one.l2_bytes == card["l2_bytes"]
    without = {name: value for name, value in card.items() if name != "compute_capability"}
    assert sweep.simulate("multistage", **without, stages=3).cycles == one.cycles
    assert refused("multistage", l2_bytes=1).startswith("l2_bytes: has no effect on multistage")
    partly = {name: value for name, value in card.items() if name != "clock_hz"}
    assert "has no effect" in refused("multistage", **partly)


def test_the_page_on_feasibility() -> None:
    page = Path(__file__).parents[3] / "docs" / "feasibility.md"
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert (failed, tried > 5) == (0, True)
    text = page.read_text()
    for flag in ("infeasible_reason", "unknown_reason"):
        assert all(f"`{meaning}`" in text for meaning in VARIABLES[flag].flag_meanings)
