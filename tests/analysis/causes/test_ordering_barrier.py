"""The ordering barrier's value: both orders against the simulator, and the study's findings."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import sweep
from analysis.causes.ordering_barrier import (
    ORDERING_SPACE,
    PINGPONG,
    BarrierValue,
    barrier_value,
    ordering_barrier,
)
from sweep.catalogue.schedules import SCHEDULES
from sweep.errors import InputError
from sweep.simulator.simulation import run_events
from tests.support.points import COMPILED, GRID, point, random_points, scaled, size

SPACE = (
    ORDERING_SPACE
    if COMPILED
    else {**ORDERING_SPACE, "kv_blocks": (2, 4)}
    | {name: values[::4] for name, values in ORDERING_SPACE.items() if name != "kv_blocks"}
)


@pytest.fixture(scope="module")
def study() -> xr.Dataset:
    return ordering_barrier(**SPACE)


@pytest.mark.skipif(not COMPILED, reason="the whole space is for compiled kernels")
def test_default_space(study: xr.Dataset) -> None:
    assert study.slowdown.sel(schedule="attention_pingpong").size == 103_680
    xr.testing.assert_identical(ordering_barrier(), study)
    alone, other = barrier_value(study)
    assert round(alone.slower, 3) == 0.204
    assert round(alone.mean_loss, 2) == 0.13
    assert round(alone.most_loss, 3) == 0.444
    assert (alone.faster, alone.best) == (0, "")
    # Where GEMM0 of the next block is issued once the last scores are there, as the kernel does.
    assert (other.slower, other.worst) == (0, "")
    assert 0.13 < other.faster < 0.14
    assert 0.13 < other.most_gain < 0.14


def test_pays_only_where_gemm0_is_the_shorter(study: xr.Dataset) -> None:
    slowdown = study.slowdown.sel(schedule="attention_pingpong")
    shorter = study.t_gemm0 < study.t_gemm1
    assert bool((slowdown >= 1).all())
    assert bool((slowdown.where(~shorter, 1) == 1).all())
    assert bool((slowdown.where(shorter) > 1).any())


def test_never_faster_at_random_points() -> None:
    """Ties, fractions and zero lengths included; with the overlap it is at times."""
    p = random_points(SCHEDULES["attention_pingpong"], scaled(100_000, 500), seed=51)
    p.pop("arbitration")
    axes = {name: xr.DataArray(column, dims="point") for name, column in p.items()}
    alone, other = barrier_value(ordering_barrier(**axes))
    assert alone.faster == 0
    assert alone.slower > 0.05
    assert other.faster > 0 or not COMPILED


@pytest.mark.parametrize("name", PINGPONG)
def test_against_the_simulator(name: str) -> None:
    p = random_points(SCHEDULES[name], scaled(200, 10), seed=52, most={"kv_blocks": 12})
    p.pop("arbitration")
    axes = {key: xr.DataArray(column, dims="point") for key, column in p.items()}
    ds = ordering_barrier(name, **axes)
    for i in range(size(p)):
        for order in ("ordered", "fifo"):
            cycles = run_events(SCHEDULES[name], {**point(p, i), "arbitration": order}).cycles
            assert ds[f"{order}_cycles"].values[i] == cycles
    slower = (ds.fifo_cycles > ds.ordered_cycles).values
    value = barrier_value(ds)[0]
    assert value.slower == slower.mean()
    assert value.most_loss == pytest.approx(ds.slowdown.max() - 1)


def simulated(line: str) -> float:
    """Run a line that a summary prints."""
    program, command, schedule, *given = line.split()
    assert (program, command) == ("warpsweep", "simulate")
    p = {name: text for name, _, text in (one.partition("=") for one in given)}
    numbers = {name: float(text) for name, text in p.items() if name.startswith("t_")}
    blocks = int(p["kv_blocks"])
    one = sweep.simulate(schedule, kv_blocks=blocks, arbitration=p["arbitration"], **numbers)
    ordered = sweep.simulate(schedule, kv_blocks=blocks, **numbers)
    return float(one.cycles / ordered.cycles)


def test_extremes_can_be_typed(study: xr.Dataset) -> None:
    for value in barrier_value(study):
        if value.worst:
            assert simulated(value.worst) == pytest.approx(1 + value.most_loss, abs=1e-12)
        if value.best:
            assert simulated(value.best) == pytest.approx(1 - value.most_gain, abs=1e-12)


def test_fractions_are_typed_in_full() -> None:
    where = {"t_gemm1": 1600 + GRID, "t_exp": 600, "t_softmax": 1100, "kv_blocks": 4}
    value = barrier_value(ordering_barrier("attention_pingpong", t_gemm0=[100 + GRID], **where))[0]
    assert "t_gemm0=100.0009765625 " in value.worst
    assert simulated(value.worst) == pytest.approx(1 + value.most_loss, abs=1e-12)


def test_text() -> None:
    value = BarrierValue("it", 2000, 0.25, 0.1, 0.125, "this", 0, 0, 0, "")
    assert str(value).splitlines() == [
        "it, 2,000 points, first come first served is",
        "  slower at 25.0%, by 10.0% on average and 12.5% at most:",
        "    this",
        "  faster at none",
    ]


def test_labels(study: xr.Dataset) -> None:
    assert study.slowdown.attrs["units"] == "1"
    assert study.fifo_cycles.attrs["units"] == "cycle"
    assert "arbitration" not in study.coords


def test_what_it_refuses() -> None:
    with pytest.raises(InputError, match="arbitration: both are compared"):
        ordering_barrier(arbitration="fifo")
    with pytest.raises(InputError, match="has no effect on sync"):
        ordering_barrier("sync", t_exp=[3, 4])


def test_where_nothing_takes_time() -> None:
    nothing = {"t_gemm": [0], "t_exp": 0, "t_softmax": 0}
    ds = ordering_barrier("attention_pingpong", **nothing)
    assert np.isnan(ds.slowdown).all()
    assert barrier_value(ds)[0].slower == 0
