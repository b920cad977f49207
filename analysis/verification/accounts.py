"""The first claim about every schedule: its independent accounts agree.

A schedule is simulated by its kernel, which was generated from the list of events; by the list
itself, interpreted as written; and, where it has one, by its program for the event-driven
simulator. A makespan is the same in all of them, and so is every operation that takes time in the
last two. Kernels with and without extensions take turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from analysis.generic_bounds import can_be_any
from analysis.verification.claim import Claim, Outcome, Points, distance, simulate
from analysis.verification.draws import Columns, Where, size
from analysis.verification.periods import EVERYWHERE
from sweep.catalogue.validation import beyond_generated
from sweep.description import Schedule
from sweep.description.interpreter import NeverHappens, interpret
from sweep.description.trace_rows import EventResult, TraceRow
from sweep.quantities.arrays import Array
from sweep.quantities.variables import VARIABLES
from sweep.recurrence.folding import EXTENSIONS
from sweep.simulator.simulation import Deadlock, run_events

TESTED = 128
"""Points of every chunk that are tested: they run in plain Python, a millisecond or two each."""
TESTED_BEYOND = 24
"""Of a schedule with more than one loop, whose points take some hundred times longer."""
ACCOUNTS, ACCOUNTS_FIFO = "accounts agree", "accounts agree, fifo"


def account_claims(schedule: Schedule) -> Iterator[Claim]:
    """Yield the claim for the fixed order of service, and for a free one that has a program."""
    program = schedule.program is not None
    yield Claim(
        schedule,
        ACCOUNTS,
        "exact",
        "kernel = list of events" + (" = event-driven program, operation by operation" * program),
        EVERYWHERE,
        _agree,
    )
    if program and can_be_any(schedule):
        yield Claim(
            schedule,
            ACCOUNTS_FIFO,
            "exact",
            "kernel = event-driven program, first come, first served",
            Where(arbitration="fifo"),
            _agree_fifo,
        )


def _agree(points: Points) -> Outcome:
    schedule, gap = points.schedule, np.full(size(points.p), np.nan)
    plain = np.arange(gap.size) % 2 == 1
    changes = {one: np.where(plain, 0, points.p[one]) for one in EXTENSIONS if one in points.p}
    p = points.changed(changes)
    for turn in (0, 1):
        for index, cycles in _simulated(schedule, p, _tested(schedule, gap.size)[turn::2]):
            here = one_point(p, index)
            listed = _listed(schedule, here)
            gap[index] = distance(_makespan(listed), cycles)
            if schedule.program is not None:
                apart = operations_apart(listed, _programmed(schedule, here))
                gap[index] = max(gap[index], apart)
    return Outcome(gap, (changes,))


def _agree_fifo(points: Points) -> Outcome:
    gap = np.full(size(points.p), np.nan)
    first = _tested(points.schedule, gap.size)
    for index, cycles in _simulated(points.schedule, points.p, first):
        programmed = _programmed(points.schedule, one_point(points.p, index))
        gap[index] = distance(_makespan(programmed), cycles)
    return Outcome(gap)


def _tested(schedule: Schedule, points: int) -> Array:
    """Return the indices of the points that are tested."""
    beyond = beyond_generated(schedule, schedule.events("consumer"))
    return np.arange(min(points, TESTED_BEYOND if beyond else TESTED))


def _simulated(schedule: Schedule, p: Columns, some: Array) -> Iterator[tuple[int, Array]]:
    """Yield the points of these indices with their makespans by the kernel."""
    if some.size:
        part = {name: column[some] for name, column in p.items()}
        yield from zip(some.tolist(), simulate(schedule, part).cycles, strict=True)


def one_point(p: Columns, index: int) -> dict[str, Any]:
    """Return a point as the event list and the simulator take it, choices by their names."""
    found = {name: column[index].item() for name, column in p.items()}
    for name in found:
        if VARIABLES[name].kind == "choice":
            found[name] = VARIABLES[name].choices[found[name]]
    return found


def _listed(schedule: Schedule, p: dict[str, Any]) -> EventResult | None:
    try:
        return interpret(schedule, p)
    except NeverHappens:
        return None


def _programmed(schedule: Schedule, p: dict[str, Any]) -> EventResult | None:
    try:
        return run_events(schedule, p)
    except Deadlock:
        return None


def _makespan(result: EventResult | None) -> Array:
    return np.array(np.inf if result is None else result.cycles)


def operations_apart(one: EventResult | None, other: EventResult | None) -> float:
    """Return by how many cycles two runs differ, infinity where they do not do the same.

    Examples
    --------
    >>> row = TraceRow("warp", "TC", "mma", 0, 0, 0.0, 0.0, 4.0, "")
    >>> late = row._replace(end=6.0)
    >>> operations_apart(EventResult(4.0, [row], {}), EventResult(6.0, [late], {}))
    2.0
    >>> operations_apart(EventResult(4.0, [row], {}), None)
    inf
    """
    if one is None or other is None:
        return 0.0 if one is other else np.inf
    mine, theirs = _operations(one.rows), _operations(other.rows)
    if [what for what, _ in mine] != [what for what, _ in theirs]:
        return np.inf
    times = zip((at for _, at in mine), (at for _, at in theirs), strict=True)
    apart = (abs(a - b) for ours, others in times for a, b in zip(ours, others, strict=True))
    return max(abs(one.cycles - other.cycles), *apart, 0.0)


Operation = tuple[tuple[str, str, str, int, int], tuple[float, float]]


def _operations(rows: list[TraceRow]) -> list[Operation]:
    """List who did what, and when, as far as it took time."""
    return sorted(
        (
            (row.agent, row.resource, row.operation, row.output_tile, row.k_tile),
            (row.start, row.end),
        )
        for row in rows
        if row.end > row.start
    )
