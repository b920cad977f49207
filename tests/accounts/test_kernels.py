"""Each published kernel twice: its rows, and its program on the event-driven simulator.

The rows are run as written by the interpreter; the program is written as the kernel's pseudo-code.
Both must do the same at the same times, every operation of every agent, or both deadlock.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from sweep.description import Schedule
from sweep.description.interpreter import NeverHappens, interpret
from sweep.description.trace_rows import EventResult
from sweep.simulator.simulation import Deadlock, run_events
from tests.support.kernels import KERNELS, Point, random_point
from tests.support.points import scaled

POINTS = int(os.environ.get("WARPSWEEP_KERNEL_POINTS", "125"))
FIFO_POINTS = RESIDENT_POINTS = max(POINTS * 2 // 5, 1)
DEADLOCKING = {"fa4_forward": "kv_stages", "fa4_backward": "q_stages"}
"""Kernels that deadlock with one slot of a ring where a tile has more than one block."""
Row = tuple[object, ...]


def spans(result: EventResult) -> list[Row]:
    """Return who did what, holding what, in which tile and step, from when to when."""
    return [
        (*row[:5], row.start, row.end)
        for row in sorted(result.rows, key=lambda row: (row.agent, row.start, row.end))
    ]


def by_rows(schedule: Schedule, p: Point) -> EventResult | None:
    try:
        return interpret(schedule, p)
    except NeverHappens:
        return None


def by_program(schedule: Schedule, p: Point) -> EventResult | None:
    try:
        return run_events(schedule, p)
    except Deadlock:
        return None


def difference(schedule: Schedule, p: Point) -> str:
    """Say where the two accounts differ; "dead" where both deadlock, "" where they agree."""
    listed, simulated = by_rows(schedule, p), by_program(schedule, p)
    if listed is None or simulated is None:
        return "dead" if listed is simulated else f"one of two deadlocks at {p}"
    ours, theirs = sorted(spans(listed)), sorted(spans(simulated))
    if ours != theirs:
        return f"{sorted(set(ours) ^ set(theirs))[:4]} at {p}"
    held = {name: time for name, time in simulated.held.items() if time}
    if (listed.cycles, {name: time for name, time in listed.held.items() if time}) != (
        simulated.cycles,
        held,
    ):
        return f"{listed.cycles, listed.held} and {simulated.cycles, held} at {p}"
    return ""


@pytest.mark.parametrize("name", KERNELS)
def test_program_and_rows_agree_at_every_event(name: str) -> None:
    rng = np.random.default_rng([31, *name.encode()])
    found = [difference(KERNELS[name], random_point(KERNELS[name], rng)) for _ in range(POINTS)]
    assert set(found) <= {"", "dead"}, next(one for one in found if one not in ("", "dead"))
    assert ("dead" in found) == (name in DEADLOCKING)
    assert found.count("") > POINTS / 2


@pytest.mark.parametrize("name", KERNELS)
def test_program_and_rows_agree_first_come_first_served(name: str) -> None:
    rng = np.random.default_rng([32, *name.encode()])
    points = (random_point(KERNELS[name], rng, arbitration="fifo") for _ in range(FIFO_POINTS))
    found = [difference(KERNELS[name], p) for p in points]
    assert set(found) <= {"", "dead"}, next(one for one in found if one not in ("", "dead"))


@pytest.mark.parametrize("name", KERNELS)
def test_program_and_rows_agree_with_several_ctas_on_an_sm(name: str) -> None:
    """Each tile a CTA of its own, or CTAs that keep theirs; launched late, one after another."""
    rng = np.random.default_rng([34, *name.encode()])
    found = []
    for _ in range(RESIDENT_POINTS):
        copies = int(rng.integers(1, 4))
        residency = {
            "ctas_per_sm": copies,
            "tile_scheduler": str(rng.choice(["single", "static_persistent"])),
            "t_launch": float(rng.choice([0, 0, 3, 20])),
            "t_stagger": float(rng.choice([0, 0, 1, 7])),
            "arbitration": "fifo" if copies > 1 else "ordered",
        }
        p = random_point(KERNELS[name], rng, **residency)
        found.append(difference(KERNELS[name], p))
    assert set(found) <= {"", "dead"}, next(one for one in found if one not in ("", "dead"))
    assert found.count("") > RESIDENT_POINTS / 2


@pytest.mark.parametrize("name", DEADLOCKING)
def test_one_slot_deadlocks_where_a_tile_has_two_blocks(name: str) -> None:
    schedule, slots = KERNELS[name], DEADLOCKING[name]
    rng = np.random.default_rng(33)
    for _ in range(scaled(200)):
        p = random_point(schedule, rng)
        count = p[schedule.loop]
        most = max(count) if isinstance(count, tuple) else count
        dead = by_program(schedule, p) is None
        assert dead == (p[slots] == 1 and most > 1), p
