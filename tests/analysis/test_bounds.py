"""Lower bounds never exceed the makespan, and meet it where a cause stands alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep
from analysis.bound_rules import RULES
from analysis.bounds import bound_dataset, lower_bounds, tightest, utilization_bounds
from analysis.memory.roofline import (
    exposed_epilogue_utilization,
    hidden_epilogue_utilization,
    ridge_point,
    roofline,
)
from sweep.errors import InputError
from tests.accounts.recurrences import RECURRENCES
from tests.accounts.test_recurrences import random_points
from tests.support.points import scaled

POINTS = scaled(20_000, 60)
SCHEDULES = list(RECURRENCES)
LECTURE: dict[str, Any] = {
    "t_issue": 10,
    "t_transfer": 768,
    "t_latency": 700,
    "t_mma": 1024,
    "t_epilogue": 1280,
}


def assert_below(schedule: str, p: dict[str, Any], cycles: Any, release: str = "consumer") -> Any:
    bounds = lower_bounds(schedule, release=release, **p)
    runs = ~np.isnan(cycles)
    for name, bound in bounds.items():
        late = runs & (np.broadcast_to(bound, cycles.shape) > cycles)
        where = {key: column[late][:1].tolist() for key, column in p.items()}
        assert not late.any(), (name, bound[late][:1], cycles[late][:1], where)
    return tightest(bounds)[runs] / np.maximum(cycles[runs], 1e-9)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_below_the_recurrence(schedule: str) -> None:
    recurrence = RECURRENCES[schedule]
    p = random_points(recurrence.parameters, POINTS, seed=21)
    ratio = assert_below(schedule, p, recurrence.batch_cycles(p))
    # A bound of 0 would be below too; those that know no rule of the schedule are less tight.
    assert ratio.mean() > (0.95 if schedule in RULES else 0.8)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("release", ["consumer", "hardware"])
def test_below_with_extensions(schedule: str, release: str) -> None:
    recurrence = RECURRENCES[schedule]
    if release == "hardware" and "release" not in recurrence.extensions:
        return
    names = recurrence.parameters + recurrence.extensions
    p = random_points(names, POINTS, seed=22)
    if release == "hardware":
        p["mma_in_flight"] = np.zeros(POINTS, np.int64)
    p.pop("release", None)
    cycles = recurrence.extended_batch_cycles({**p, "release": release})
    tight = 0.9 if schedule in RULES else 0.8
    assert assert_below(schedule, p, cycles, release).mean() > tight


@pytest.mark.parametrize("schedule", [name for name in SCHEDULES if name.startswith("attention")])
def test_below_without_an_order(schedule: str) -> None:
    p = random_points(RECURRENCES[schedule].parameters, scaled(2_000), seed=23)
    axes = {name: xr.DataArray(column, dims="point") for name, column in p.items()}
    ds = sweep.run(schedule, arbitration="fifo", **axes)
    assert_below(schedule, p, ds.cycles.values)


@pytest.mark.parametrize("schedule", ["sync", "register_staged", "attention_serial"])
def test_exact_where_everything_is_in_series(schedule: str) -> None:
    recurrence = RECURRENCES[schedule]
    p = random_points(recurrence.parameters, scaled(2_000), seed=24)
    assert np.array_equal(tightest(lower_bounds(schedule, **p)), recurrence.batch_cycles(p))


@pytest.mark.parametrize(
    ("cause", "schedule", "changed"),
    [
        ("tensor_core", "warp_specialized", {}),
        ("copy_bandwidth", "warp_specialized", {"t_transfer": 1536}),
        ("copy_issue", "warp_specialized", {"t_issue": 3000}),
        ("copy_issue", "multistage", {"t_issue": 100}),
        ("latency", "warp_specialized", {"t_latency": 20_000}),
        ("latency", "multistage", {"t_latency": 20_000}),
        ("epilogue", "persistent", {}),
        ("epilogue", "pingpong", {"t_epilogue": 200_000}),
        ("mma_latency", "persistent", {"t_mma_latency": 5_000}),
    ],
)
def test_each_cause_meets_the_makespan(
    cause: str, schedule: str, changed: dict[str, float]
) -> None:
    p = {**LECTURE, **changed, "stages": 4, "k_tiles": 64}
    if schedule in ("persistent", "pingpong"):
        p["output_tiles"] = 6
    bounds = lower_bounds(schedule, **p)
    assert bounds[f"bound_{cause}"] == tightest(bounds)
    cycles = RECURRENCES[schedule].extended_cycles(p)
    assert float(tightest(bounds)) == pytest.approx(cycles, rel=0.01)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_utilizations_stay_below_theirs(schedule: str) -> None:
    resolved = sweep.run(
        schedule, gpu=["lecture", "h100_sxm", "b200"], element_type=["bf16", "fp8"]
    )
    names = [name for name in RECURRENCES[schedule].parameters if name != "release"]
    p = {name: resolved[name].broadcast_like(resolved.cycles).values for name in names}
    for name, most in utilization_bounds(schedule, **p).items():
        assert np.all(resolved[name].values <= most * (1 + 1e-12)), name
        assert np.all(most <= 1)


def test_no_utilization_of_nothing() -> None:
    idle = dict.fromkeys(LECTURE, 0)
    found = utilization_bounds("sync", k_tiles=3, **idle)
    assert {name: float(share) for name, share in found.items()} == {
        "tc_utilization": 0,
        "mem_utilization": 0,
    }


def test_dataset_of_bounds() -> None:
    ds = sweep.run(
        ["sync", "multistage", "pingpong"], stages=[2, 4], t_latency=[300, 700], mma_in_flight=1
    )
    found = bound_dataset(ds)
    assert found.bound.dims == ds.cycles.dims
    assert bool((found.bound <= ds.cycles).all())
    assert bool(found.bound_mma_latency.sel(schedule="sync").isnull().all())
    assert found.bound.attrs["units"] == "cycle"
    one = bound_dataset(ds.sel(schedule="multistage"))
    assert np.array_equal(one.bound, found.bound.sel(schedule="multistage"))


def test_dataset_over_release_modes() -> None:
    ds = sweep.run("persistent", release=["consumer", "hardware"], t_mma_latency=[0, 3000])
    assert bool((bound_dataset(ds).bound <= ds.cycles).all())


def test_roofline() -> None:
    assert roofline([32, 64, 128], 4096, 64).tolist() == [2048, 4096, 4096]
    assert ridge_point(4096, 64) == 64
    with pytest.raises(InputError, match="bytes_per_cycle=0 byte/cycle"):
        ridge_point(4096, 0)


def test_epilogue_ceilings() -> None:
    assert float(exposed_epilogue_utilization(4096, 1280)) == pytest.approx(0.762, abs=5e-4)
    assert float(hidden_epilogue_utilization(16_384, 10_240, 8)) == pytest.approx(0.928, abs=5e-4)


def test_wrong_domains_are_refused() -> None:
    with pytest.raises(InputError, match=r"stages=0.*at least 1"):
        lower_bounds("multistage", stages=0, k_tiles=4, **LECTURE)
    with pytest.raises(InputError, match=r"t_mma.*needs it; give t_mma=... in cycle"):
        lower_bounds("sync", t_issue=1, t_transfer=2, t_latency=3, t_epilogue=4, k_tiles=5)
