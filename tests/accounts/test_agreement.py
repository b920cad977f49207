"""The central test: independent accounts of every schedule agree, exactly, event by event.

The event lists (run as written by the interpreter, compiled by the generator) against the agents'
programs on the event-driven simulator, and both against hand-written recurrences.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from sweep.catalogue.schedules import SCHEDULES
from sweep.description import Schedule
from sweep.description.interpreter import NeverHappens, interpret
from sweep.description.trace_rows import EventResult
from sweep.quantities.variables import VARIABLES
from sweep.simulator.simulation import Deadlock, run_events
from tests.support.one_loop import ONE_LOOP
from tests.support.points import (
    ATTENTION,
    COMPILED,
    RINGS,
    Array,
    Columns,
    extensions_off,
    point,
    random_points,
    recurrence_cycles,
    run_points,
    scaled,
    size,
    taken,
)

POINTS = scaled(2_100, pure=10)
DEADLOCK = VARIABLES["infeasible_reason"].flag_meanings.index("deadlock")
UNORDERED = VARIABLES["bottleneck"].flag_meanings.index("unordered")


def by_list(schedule: Schedule, p: dict[str, object]) -> EventResult | None:
    try:
        return interpret(schedule, p)
    except NeverHappens:
        return None


def by_agents(schedule: Schedule, p: dict[str, object]) -> EventResult | None:
    try:
        return run_events(schedule, p)
    except Deadlock:
        return None


@cache
def traced(name: str) -> tuple[Columns, Array, dict[str, Array]]:
    """Compare whole traces; return the points, their makespans, and the time resources are held."""
    schedule = SCHEDULES[name]
    p = random_points(schedule, POINTS, seed=11)
    cycles = np.full(POINTS, np.nan)
    held = {resource: np.full(POINTS, np.nan) for resource in schedule.resources}
    for i in range(POINTS):
        here = point(p, i)
        listed, simulated = by_list(schedule, here), by_agents(schedule, here)
        if listed is None or simulated is None:
            assert listed is simulated, f"one of two deadlocks at {here}"
            continue
        if listed.rows != simulated.rows:
            pairs = zip(listed.rows, simulated.rows, strict=True)
            pytest.fail(f"{next((a, b) for a, b in pairs if a != b)} at {here}")
        assert (listed.cycles, listed.held) == (simulated.cycles, simulated.held), here
        assert simulated.cycles == max(row.end for row in simulated.rows)
        cycles[i] = simulated.cycles
        for resource, time in simulated.held.items():
            held[resource][i] = time
    return p, cycles, held


@pytest.mark.parametrize("name", ONE_LOOP)
def test_whole_traces(name: str) -> None:
    p, cycles, _ = traced(name)
    most = {one: column.max() for one, column in p.items() if column.dtype.kind == "i"}
    if COMPILED:
        assert most.get("k_tiles", most.get("kv_blocks")) == 70
        assert most.get("output_tiles", 9) == 9
        assert most.get("stages", 8) == 8
    assert np.isnan(cycles).any() == (name in RINGS)
    assert np.isnan(cycles).mean() < 0.25
    assert extensions_off(p).mean() > 0.2 or "release" in p


@pytest.mark.parametrize("name", ONE_LOOP)
def test_batch_kernel(name: str) -> None:
    p, cycles, held = traced(name)
    found = run_points(name, p)
    np.testing.assert_array_equal(found["cycles"], cycles)
    dead = np.isnan(cycles)
    np.testing.assert_array_equal(found["infeasible_reason"] == DEADLOCK, dead)
    assert not found["feasible"][dead].any()
    assert np.isnan(found["period"][dead]).all()
    for resource in ("TC", "MEM", "SFU", "FMA"):
        utilization = found[f"{resource.lower()}_utilization"]
        if resource in held:
            with np.errstate(invalid="ignore"):
                np.testing.assert_array_equal(utilization, held[resource] / cycles)
        else:
            np.testing.assert_array_equal(utilization, np.where(dead, np.nan, 0))


@pytest.mark.parametrize("name", ONE_LOOP)
def test_batch_kernel_with_extensions_folded_away(name: str) -> None:
    p, cycles, _ = traced(name)
    off = extensions_off(p)
    assert off.sum() > POINTS / 20
    np.testing.assert_array_equal(run_points(name, taken(p, off))["cycles"], cycles[off])


@pytest.mark.parametrize("name", ONE_LOOP)
def test_hand_written_recurrence(name: str) -> None:
    p, cycles, _ = traced(name)
    np.testing.assert_array_equal(recurrence_cycles(name, p), cycles)
    off = extensions_off(p)
    np.testing.assert_array_equal(recurrence_cycles(name, taken(p, off), plain=True), cycles[off])


@pytest.mark.parametrize("name", ATTENTION)
def test_first_come_first_served(name: str) -> None:
    p = random_points(SCHEDULES[name], POINTS, seed=12)
    ordered = run_points(name, p)["cycles"]
    p["arbitration"][:] = "fifo"
    found = run_points(name, p)
    simulated = [by_agents(SCHEDULES[name], point(p, i)) for i in range(POINTS)]
    cycles = np.array([one.cycles for one in simulated if one is not None])
    np.testing.assert_array_equal(found["cycles"], cycles)
    assert np.isnan(found["period"]).all()
    assert np.isnan(found["steady_tc_utilization"]).all()
    assert (found["bottleneck"] == UNORDERED).all()
    assert (ordered != cycles).any() == ("pingpong" in name)


@pytest.mark.parametrize("name", ATTENTION)
def test_first_come_first_served_where_everything_ties(name: str) -> None:
    """Uses of 0, 1 or 2 cycles: who asked first is often a matter of rounds at one time."""
    rng = np.random.default_rng(16)
    points = scaled(3_000, pure=4)
    p: Columns = {one: rng.integers(0, 3, points) * 1.0 for one in SCHEDULES[name].durations}
    p |= {"kv_blocks": rng.integers(1, 7, points), "arbitration": np.full(points, "fifo")}
    cycles = run_points(name, p)["cycles"]
    for i in range(points):
        simulated = by_agents(SCHEDULES[name], point(p, i))
        assert simulated is not None
        assert cycles[i] == simulated.cycles, point(p, i)


@pytest.mark.parametrize("name", ATTENTION)
def test_ordered_and_fifo_points_mixed(name: str) -> None:
    p = random_points(SCHEDULES[name], 60, seed=13)
    fifo = {**p, "arbitration": np.full(60, "fifo")}
    mixed = {**p, "arbitration": np.resize(["ordered", "fifo", "fifo"], 60)}
    cycles = np.where(
        mixed["arbitration"] == "fifo",
        run_points(name, fifo)["cycles"],
        run_points(name, p)["cycles"],
    )
    np.testing.assert_array_equal(run_points(name, mixed)["cycles"], cycles)


@pytest.mark.parametrize("name", RINGS)
def test_what_holds_all_slots_deadlocks(name: str) -> None:
    """Dead iff mma_in_flight >= stages and a tile has more k-tiles than stages."""
    p = random_points(SCHEDULES[name], scaled(20_000), seed=14)
    p["release"][:] = "consumer"
    p["mma_in_flight"] = np.random.default_rng(15).integers(0, 10, size(p))
    found = run_points(name, p)
    dead = (p["mma_in_flight"] >= p["stages"]) & (p["k_tiles"] > p["stages"])
    assert dead.any()
    np.testing.assert_array_equal(np.isnan(found["cycles"]), dead)
    np.testing.assert_array_equal(found["infeasible_reason"] == DEADLOCK, dead)
    # A tile that fits the ring runs, but has no steady state of its own.
    unsteady = dead if SCHEDULES[name].tile_level else p["mma_in_flight"] >= p["stages"]
    np.testing.assert_array_equal(np.isnan(found["period"]), unsteady)
    named = np.array(VARIABLES["bottleneck"].flag_meanings)[found["bottleneck"]]
    assert set(named[dead]) <= {"none"}
    assert set(named[unsteady & ~dead]) <= {"no_steady_state"}
    assert found["bottleneck"][~unsteady].all()
