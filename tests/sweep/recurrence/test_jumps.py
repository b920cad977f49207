"""Jumps through the periodic regime change nothing: long runs against stepped recurrences.

Near ties and unthrottled producers drift for thousands of rounds before they settle, so half of
the points are in a tie or 1/1024 cycle off one.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
import pytest

from sweep.catalogue.schedules import SCHEDULES
from tests.support.one_loop import ONE_LOOP
from tests.support.points import (
    COMPILED,
    GRID,
    RINGS,
    TILE_LEVEL,
    Columns,
    random_points,
    recurrence_cycles,
    run_points,
    scaled,
    size,
    taken,
    variant_points,
)

LONG: dict[str, int] = (
    {"stages": 12, "k_tiles": 5_000, "output_tiles": 300, "kv_blocks": 5_000, "mma_in_flight": 9}
    if COMPILED
    else {"stages": 8, "k_tiles": 300, "output_tiles": 12, "kv_blocks": 300, "mma_in_flight": 5}
)


def longest(name: str) -> dict[str, int]:
    """Many short tiles or one long one."""
    return LONG | ({"k_tiles": 60} if SCHEDULES[name].tile_level else {})


def check(name: str, variant: str, p: Columns) -> None:
    expected = recurrence_cycles(name, p, plain=variant == "plain")
    found = run_points(name, p)["cycles"]
    wrong = np.flatnonzero((found != expected) & ~(np.isnan(found) & np.isnan(expected)))
    worst = taken(p, wrong[:1])
    assert not wrong.size, f"{wrong.size} of {size(p)}: {worst}, {found[wrong]}, {expected[wrong]}"


@pytest.mark.parametrize("name", ONE_LOOP)
def test_long_runs(name: str) -> None:
    for variant, p in variant_points(name, scaled(10_000, pure=500), seed=21, most=longest(name)):
        check(name, variant, p)


@pytest.mark.parametrize("name", ONE_LOOP)
def test_long_runs_in_ties(name: str) -> None:
    points = scaled(5_000, pure=500)
    for variant, p in variant_points(name, points, seed=23, most=longest(name), ties=1.0):
        check(name, variant, p)


@pytest.mark.parametrize("name", ONE_LOOP)
def test_every_remainder(name: str) -> None:
    """Runs that end at every place of a round: one point at all counts up to some hundred."""
    loop = "output_tiles" if SCHEDULES[name].tile_level else SCHEDULES[name].loop
    counts = np.arange(1, 131 if COMPILED else 30)
    for variant, some in variant_points(name, scaled(60, pure=30), seed=25):
        repeated = {one: np.repeat(column, counts.size) for one, column in some.items()}
        check(name, variant, repeated | {loop: np.tile(counts, size(some))})


@pytest.mark.parametrize("name", RINGS)
def test_rings_deeper_than_many_tiles(name: str) -> None:
    """Slots are first reused, and waited for, after tens of output tiles."""
    deep = {"stages": 100, "k_tiles": 4, "output_tiles": 200, "mma_in_flight": 3}
    if name not in TILE_LEVEL:
        deep["k_tiles"] = 2_000 if COMPILED else 300
    for variant, p in variant_points(name, scaled(4_000, pure=60), seed=26, most=deep):
        p["stages"] = np.maximum(p["stages"], p["mma_in_flight"] + 1)
        check(name, variant, p)


@pytest.mark.parametrize("name", ONE_LOOP)
def test_very_long_runs(name: str) -> None:
    long = {"k_tiles": 65_536, "kv_blocks": 65_536}
    if name in TILE_LEVEL:
        long = {"output_tiles": 4_096}
    if not COMPILED:
        long = dict.fromkeys(long, 2000)
    most = longest(name) | {"k_tiles": 30 if COMPILED else 3}
    for variant, p in variant_points(name, scaled(150, pure=50), seed=27, most=most):
        given = {one: np.full(size(p), count) for one, count in long.items() if one in p}
        check(name, variant, p | given)


@pytest.mark.parametrize("name", RINGS)
@pytest.mark.parametrize("seed", range(3))
def test_a_linear_axis_through_a_near_tie(name: str, seed: int) -> None:
    """One duration sweeps through the others in steps of 1/1024 cycle."""
    rng = np.random.default_rng(seed)
    points = 41 if COMPILED else 5
    base = random_points(SCHEDULES[name], 40, seed=29 + seed, extensions=False, ties=0)
    middle = int(np.argmax(base["t_mma"] > 1))
    p = {one: np.repeat(column[middle], points) for one, column in base.items()}
    axis = ("t_transfer", "t_issue", "t_latency")[seed]
    p[axis] = p["t_mma"] + GRID * (np.arange(points) - points // 2)
    p["k_tiles"] = np.full(points, 20_000 if COMPILED else 400)
    p["stages"] = rng.integers(1, 6, points)
    if name in TILE_LEVEL:
        p |= {"k_tiles": np.full(points, 50), "output_tiles": np.full(points, 400)}
    if not COMPILED and name in TILE_LEVEL:
        p |= {"k_tiles": np.full(points, 5), "output_tiles": np.full(points, 40)}
    check(name, "plain", p)


@pytest.mark.parametrize("name", ONE_LOOP)
def test_drift_of_a_million_steps(name: str) -> None:
    """A run so long that nothing could step through it: the slope is the period, exactly.

    The two parts in a near tie differ by 1/1024 of some hundred cycles, so the regime settles
    only after some hundred thousand rounds.
    """
    schedule = SCHEDULES[name]
    loop = "output_tiles" if schedule.tile_level else schedule.loop
    tie: dict[str, Any] = {"t_mma": 300.0, "t_transfer": 300.0 - GRID, "t_issue": 300.0 - 2 * GRID}
    tie |= {"t_latency": 40_000.0, "t_store": 3.0, "t_epilogue": 17.0, "stages": 5, "k_tiles": 2}
    tie |= {"t_gemm0": 256.0, "t_exp": 512.0 - GRID, "t_softmax": GRID, "t_gemm1": 256.0}
    given = {one: np.full(2, tie[one]) for one in schedule.parameters if one in tie}
    steps = np.array([10**7, 10**7 + 5040])
    found = run_points(name, given | {loop: steps})
    assert np.diff(found["cycles"]) == 5040 * found["period"][0]


@pytest.mark.parametrize("name", TILE_LEVEL)
def test_the_bottleneck_of_a_tie_of_large_durations_takes_no_time(name: str) -> None:
    """A perturbation of 2**-20 in 655,360 cycles drifts for 10**11 tiles: leaps stay exact."""
    large = 655_360.0
    tie = {"t_transfer": large, "t_epilogue": large, "t_issue": 0.0, "t_latency": 0.0}
    tie |= {"t_mma": 0.0, "stages": 7, "k_tiles": 1, "output_tiles": 9}
    given = {one: np.array([value]) for one, value in tie.items()}
    run_points(name, given | {"t_transfer": np.ones(1)})  # compiles
    start = perf_counter()
    assert run_points(name, given)["period"] == large
    assert perf_counter() - start < (2 if COMPILED else 60)
