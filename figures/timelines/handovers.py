"""Barrier hand-overs of a traced run: which operation let which other one go on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from analysis.causes.happenings import Before, Happening, linked
from analysis.causes.traced_run import parameters_of, rows_of
from sweep.catalogue.schedules import SCHEDULES

if TYPE_CHECKING:
    import xarray as xr


class Handover(NamedTuple):
    """One arrow.

    Attributes
    ----------
    barrier : str
        As traces name it: full, empty, turn, copy, ...
    source, target : int
        Indices of the trace's rows: the operation that completed the barrier (a copy, through its
        latency), and the first one that takes time behind the wait.
    """

    barrier: str
    source: int
    target: int


def handovers(trace: xr.Dataset) -> list[Handover]:
    """Return the hand-overs between agents and resources, also those that nobody had to wait for.

    Parameters
    ----------
    trace : xarray.Dataset
        From ``sweep.trace``.

    Returns
    -------
    list of Handover
        Empty for a schedule that is not known by its name.

    Examples
    --------
    >>> import sweep
    >>> trace = sweep.trace("warp_specialized", k_tiles=2, stages=1)
    >>> what = trace.operation.values
    >>> for barrier, source, target in handovers(trace):
    ...     print(f"{barrier:5} {what[source]} -> {what[target]}")
    full  transfer -> mma
    empty mma -> issue
    full  transfer -> mma
    mma   mma -> epilogue
    """
    schedule = SCHEDULES.get(trace.attrs.get("schedules", ""))
    if schedule is None:
        return []
    happenings = linked(schedule, parameters_of(trace, schedule), rows_of(trace))
    return list(_arrows(happenings, schedule.resources))


def _arrows(happenings: list[Happening], resources: Sequence[str]) -> Iterator[Handover]:
    """Yield each pair of source and target once, in the order of the targets."""
    following = _first_with_length(happenings)
    told = set()
    for one in happenings:
        target = following.get(id(one))
        if target is None or not _same_step(one, target):
            continue
        for before in one.after:
            barrier = before.name != "" and before.name not in resources
            source = _with_length(before) if barrier else None
            if source is None or _in_program_order(source, target):
                continue
            arrow = Handover(before.name, source.row, target.row)
            if arrow[1:] not in told:
                told.add(arrow[1:])
                yield arrow


def _same_step(wait: Happening, target: Happening) -> bool:
    """Whether an operation belongs to the wait before it, not to a later k-tile or tile."""
    return wait.output_tile == target.output_tile and wait.k_tile in (-1, target.k_tile)


def _in_program_order(source: Happening, target: Happening) -> bool:
    """Whether one agent does both, the first before it goes on."""
    return source.agent == target.agent and not source.event.asynchronous


def _with_length(before: Before) -> Happening | None:
    """Go back through latencies and operations of no length to one that takes time."""
    at = before.happening
    while at is not None and not (at.agent and at.end > at.start):
        latest = max(at.after, key=lambda one: one.end, default=None)
        at = latest.happening if latest else None
    return at


def _first_with_length(happenings: list[Happening]) -> dict[int, Happening]:
    """Return, for each operation of an agent, the first from there on that takes time."""
    by_agent: dict[str, list[Happening]] = defaultdict(list)
    for one in happenings:
        if one.agent:
            by_agent[one.agent].append(one)
    found: dict[int, Happening] = {}
    for operations in by_agent.values():
        upcoming: Happening | None = None
        for one in reversed(operations):
            if one.end > one.start:
                upcoming = one
            if upcoming is not None:
                found[id(one)] = upcoming
    return found
