"""What users get: labels, provenance, grids, round trips, masks, points and traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep
import sweep.engine.outputs
import sweep.engine.run
import sweep.results.datasets
import sweep.results.runs
from sweep.catalogue.schedules import SCHEDULES
from sweep.errors import InputError
from sweep.inputs.space import resolve
from sweep.quantities.variables import OUTPUTS, VARIABLES
from sweep.results.flag import Flag
from sweep.results.points import Point
from sweep.version import __version__
from tests.support.labels import assert_labelled, short
from tests.support.points import ATTENTION, COMPILED, RINGS, point, random_points, scaled, size


@pytest.fixture(scope="module")
def mixed() -> xr.Dataset:
    """Three schedules over two axes, one of them text, with a deadlock and a point too large."""
    return sweep.run(
        ["multistage", "warp_specialized", "attention_pingpong"],
        stages=[1, 4, 6],
        gpu=["lecture", "h100_sxm"],
        mma_in_flight=1,
        arbitration="fifo",
        k_tiles=7,
    )


@pytest.mark.parametrize("name", SCHEDULES)
def test_every_variable_says_its_unit_and_meaning(name: str) -> None:
    ds = sweep.run(name, **short(name))
    assert list(ds.data_vars) == list(resolve(name, short(name)).outputs)
    assert_labelled(ds)
    assert set(SCHEDULES[name].parameters) <= set(ds.coords)
    for output in OUTPUTS:
        assert ds[output].dtype == VARIABLES[output].dtype


def test_flags_are_cf(mixed: xr.Dataset) -> None:
    for name in ("bottleneck", "feasible", "infeasible_reason"):
        found = mixed[name]
        assert found.dtype == np.int8
        assert found.attrs["flag_values"].dtype == np.int8
        assert len(found.attrs["flag_values"]) == len(found.attrs["flag_meanings"].split())
        assert set(np.unique(found)) <= set(found.attrs["flag_values"].tolist())
    reasons = VARIABLES["infeasible_reason"].flag_meanings
    told = {"gpu": "lecture", "schedule": "warp_specialized"}
    assert [reasons[one] for one in mixed.infeasible_reason.sel(told).values] == [
        "deadlock",
        "none",
        "shared_memory",
    ]
    unordered = VARIABLES["bottleneck"].flag_meanings.index("unordered")
    assert (mixed.bottleneck.sel(schedule="attention_pingpong") == unordered).all()


def test_dimensions_are_in_the_order_given(mixed: xr.Dataset) -> None:
    assert dict(mixed.sizes) == {"schedule": 3, "stages": 3, "gpu": 2}
    assert mixed.cycles.dims == ("schedule", "stages", "gpu")
    assert sweep.run("sync", k_tiles=[1, 2], t_mma=[1, 2, 3]).cycles.dims == ("k_tiles", "t_mma")
    assert sweep.run("sync", t_mma=[1, 2, 3], k_tiles=[1, 2]).cycles.dims == ("t_mma", "k_tiles")


def test_defaults_of_each_schedule_become_coordinates_over_it() -> None:
    ds = sweep.run(["sync", "warp_specialized"], k_tiles=4)
    assert ds.t_issue.dims == ("schedule",)
    assert ds.t_issue.values.tolist() == [100, 10]
    ds = sweep.run(["attention_serial", "attention_pingpong"])
    assert ds.kv_blocks.values.tolist() == [32, 16]
    assert sweep.run(["sync", "multistage"]).t_issue.dims == ()


def test_provenance(mixed: xr.Dataset) -> None:
    attrs = mixed.attrs
    assert attrs["source"] == f"warpsweep {__version__}"
    assert attrs["schedules"].split() == list(mixed.schedule.values)
    assert json.loads(attrs["axes"]) == {"schedule": 3, "stages": 3, "gpu": 2}
    assert json.loads(attrs["parameters"])["mma_in_flight"] == 1
    assert set(json.loads(attrs["gpu_sources"])) == {"lecture", "h100_sxm"}
    counts = json.loads(attrs["infeasible_points"])
    codes = mixed.infeasible_reason.values
    reasons = VARIABLES["infeasible_reason"].flag_meanings
    assert counts == {
        reason: int((codes == code).sum())
        for code, reason in enumerate(reasons)
        if code and (codes == code).any()
    }
    assert counts["deadlock"] == 2


@pytest.mark.parametrize("form", ["zarr", "netcdf"])
def test_round_trip(mixed: xr.Dataset, tmp_path: Path, form: str) -> None:
    path = tmp_path / f"results.{form}"
    if form == "zarr":
        pytest.importorskip("zarr")
        mixed.to_zarr(path, zarr_format=2)
        with xr.open_zarr(path) as back:
            back.load()
    else:
        pytest.importorskip("h5netcdf")
        mixed.to_netcdf(path, engine="h5netcdf")
        with xr.open_dataset(path, engine="h5netcdf") as back:
            back.load()
    assert back.attrs == mixed.attrs
    xr.testing.assert_equal(back, mixed)
    for name, variable in mixed.variables.items():
        assert back[name].dtype.kind in variable.dtype.kind + "OT", name
        for attribute, value in variable.attrs.items():
            np.testing.assert_array_equal(back[name].attrs[attribute], value)


def test_where_feasible_masks_what_does_not_fit(mixed: xr.Dataset) -> None:
    masked = sweep.where_feasible(mixed)
    no = (mixed.feasible == 0).values
    assert 0 < no.sum() < no.size
    for name, variable in mixed.data_vars.items():
        if variable.dtype.kind == "f":
            assert np.isnan(masked[name].values[no]).all()
            np.testing.assert_array_equal(masked[name].values[~no], variable.values[~no])
        else:
            xr.testing.assert_identical(masked[name], variable)
    assert_labelled(masked)
    assert not np.isnan(mixed.cycles.sel(stages=6)).any()  # budgets never change the timing
    unknown = sweep.run("sync", t_mma=5, k_tiles=2)
    xr.testing.assert_identical(sweep.where_feasible(unknown), unknown)
    with pytest.raises(InputError, match="feasible"):
        sweep.where_feasible(xr.Dataset())


@pytest.mark.parametrize("name", ["pingpong", "attention_pingpong_overlap"])
def test_same_bytes_for_any_threads_and_blocks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    schedule = SCHEDULES[name]
    p = random_points(schedule, scaled(3_000), seed=51)
    if name in ATTENTION:
        p["arbitration"] = np.resize(["ordered", "fifo"], size(p))
    given: dict[str, Any] = {
        one: xr.DataArray(column.reshape(2, -1), dims=("row", "column"))
        for one, column in p.items()
    }
    given["clock_hz"] = [1e9, 2e9]
    whole = sweep.engine.run.run_space(resolve(name, given), threads=1)
    assert whole["cycles"].shape == (1, 2, size(p) // 2, 2)
    for block in (1 << 16, 4_096, 700, 64, 7) if COMPILED else (64,):
        monkeypatch.setattr(sweep.engine.run, "BLOCK_POINTS", block)
        for threads in (1, 2, 5):
            found = sweep.engine.run.run_space(resolve(name, given), threads=threads)
            assert {one: a.tobytes() for one, a in found.items()} == {
                one: a.tobytes() for one, a in whole.items()
            }


@pytest.mark.parametrize("name", SCHEDULES)
def test_grid_is_its_points_one_by_one(name: str) -> None:
    schedule = SCHEDULES[name]
    axes: dict[str, Any] = {schedule.durations[-1]: [3, 700], schedule.loop: [1, 5]}
    for one, values in {
        "stages": [1, 3],
        "release": ["consumer", "hardware"],
        "t_sync": [0, 2],
        "output_tiles": [1, 4],
        "arbitration": ["ordered", "fifo"],
    }.items():
        if one in schedule.parameters:
            axes[one] = values
    ds = sweep.run(name, **axes)
    assert ds.cycles.dims == tuple(axes)
    shape = ds.cycles.shape
    for index in np.ndindex(*shape):
        here = {one: axes[one][i] for (one, i) in zip(axes, index, strict=True)}
        single = sweep.simulate(name, **here)
        for output in OUTPUTS:
            np.testing.assert_equal(single[output], ds[output].values[index].item())


@pytest.mark.parametrize("name", SCHEDULES)
def test_both_engines_give_the_same_point(name: str) -> None:
    p = random_points(SCHEDULES[name], scaled(40), seed=53)
    if name in ATTENTION:
        p["arbitration"] = np.resize(["ordered", "fifo"], size(p))
    for i in range(size(p)):
        here = point(p, i) | ({"tile": "128x128x64"} if name in RINGS else {})
        batch, events = sweep.simulate(name, **here), sweep.simulate(name, engine="events", **here)
        assert list(batch) == list(events)
        for output, value in batch.items():
            if output == "tflops":
                np.testing.assert_allclose(events[output], value, rtol=1e-14)
            else:
                np.testing.assert_equal(events[output], value)


def test_a_point_is_a_mapping_with_attributes() -> None:
    one = sweep.simulate("warp_specialized", stages=4, k_tiles=64)
    assert isinstance(one, Point)
    assert one.cycles == one["cycles"] == 68_294
    assert one.schedule == "warp_specialized"
    assert one.stages == 4
    assert isinstance(one.stages, int)
    assert {*OUTPUTS, *SCHEDULES["warp_specialized"].parameters} <= set(one)
    assert dict(one)["tc_utilization"] == one.tc_utilization
    assert len(one) == len(dict(one))
    assert "cycles" in dir(one)
    assert "68294 cycle" in repr(one)
    with pytest.raises(AttributeError, match="no 'cylces'"):
        _ = one.cylces
    assert one.bottleneck == "tensor_core"
    assert one.bottleneck == VARIABLES["bottleneck"].flag_meanings.index("tensor_core")
    assert one.bottleneck != "ring_depth"
    assert {one.bottleneck: 1}[Flag(2, "bottleneck")] == 1
    assert json.loads(json.dumps({"cycles": one.cycles})) == {"cycles": 68_294}


def test_throughput_counts_useful_work() -> None:
    one = sweep.simulate("warp_specialized", k_tiles=64)
    flop = 2 * 128 * 256 * 64 * 64
    np.testing.assert_allclose(one.tflops, flop / (one.cycles / 1.83e9) * 132 / 1e12, rtol=1e-14)
    both = sweep.simulate("attention_pingpong", kv_blocks=16)
    flop = 4 * 64 * 128 * 128 * 2 * 16
    np.testing.assert_allclose(both.tflops, flop / (both.cycles / 1.83e9) * 132 / 1e12, rtol=1e-14)
    three = sweep.simulate("persistent", output_tiles=3, k_tiles=5)
    flop = 2 * 128 * 256 * 64 * 5 * 3
    np.testing.assert_allclose(three.tflops, flop / (three.cycles / 1.83e9) * 132e-12, rtol=1e-14)
    assert np.isnan(sweep.simulate("sync", t_mma=5).tflops)


def test_one_point_has_no_axes() -> None:
    for function in (sweep.simulate, sweep.trace):
        with pytest.raises(InputError, match=r"stages \(2 values\); use sweep.run"):
            function("multistage", stages=[1, 2])
        with pytest.raises(InputError, match="engine"):
            function("multistage", engine="simpy")


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_bad_threads(threads: Any) -> None:
    with pytest.raises(InputError, match=r"^threads="):
        sweep.run("sync", threads=threads)


def test_a_result_too_large_for_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    axes: dict[str, Any] = {"k_tiles": range(1, 11), "t_mma": np.arange(1.0, 101.0)}
    needed = int(sweep.engine.outputs.result_bytes(1000) * sweep.results.runs.PEAK_OVER_RESULT)
    monkeypatch.setattr(sweep.results.runs, "available_bytes", lambda: needed)
    sweep.run("sync", **axes)
    monkeypatch.setattr(sweep.results.runs, "available_bytes", lambda: needed - 1)
    with pytest.raises(InputError) as caught:
        sweep.run("sync", **axes)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("1,000 points need ")
    assert "KiB" in message
    assert "sweep --out" in message


def test_progress_counts_every_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep.engine.run, "BLOCK_POINTS", 10)
    for threads in (1, 2):
        seen: list[tuple[int, int]] = []

        def note(done: int, points: int, seen: list[tuple[int, int]] = seen) -> None:
            seen.append((done, points))

        sweep.run("sync", threads=threads, k_tiles=range(1, 46), progress=note)
        assert [done for done, _ in seen] == sorted(done for done, _ in seen)
        assert seen[-1] == (45, 45)
        assert len(seen) == 5


@pytest.mark.parametrize(("given", "held"), [(0.4, 0), (0.5, 0), (0.7, 1), (1.5, 2), (2.5, 2)])
def test_durations_are_rounded_once_to_the_nearest_1_1024_cycle(given: float, held: int) -> None:
    """Half to even, the same for a number, an axis and an array; labels stay as they were given."""
    t_mma = given / 1024
    expected = sweep.simulate("sync", t_mma=0, k_tiles=4).cycles + 4 * held / 1024
    points = xr.DataArray([t_mma], dims="point")
    for value in (t_mma, [t_mma, 7], points):
        ds = sweep.run("sync", t_mma=value, k_tiles=4)
        assert ds.t_mma.values.flat[0] == t_mma
        assert ds.t_mma.attrs["rounding"] == "held inside on a grid of 1/1024 cycle"
        assert ds.cycles.values.flat[0] == expected
    one = sweep.simulate("sync", t_mma=t_mma, k_tiles=4)
    assert (one.t_mma, one.cycles) == (t_mma, expected)
