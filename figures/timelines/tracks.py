"""A trace as tracks: what each resource and each agent does when.

A resource's track holds its uses. An agent's track holds what the agent itself does, and what it
waits for in between: a use that it requests and goes on from at once (a copy; an asynchronous
MMA) is on the resource's track alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sweep.catalogue.schedules import SCHEDULES
from sweep.description import RESOURCES

if TYPE_CHECKING:
    import xarray as xr

COPY_PATH = "MEM"
"""Copies are always asynchronous."""


class Span(NamedTuple):
    """A stretch of a track, times in cycles.

    ``name`` is an operation, or what is waited for where ``waiting``; ``event`` is the index of
    the trace's row that it comes from.
    """

    name: str
    start: float
    end: float
    waiting: bool
    event: int


@dataclass(frozen=True)
class Track:
    """A resource or an agent with its spans by start."""

    name: str
    resource: bool
    spans: tuple[Span, ...]

    @property
    def busy(self) -> float:
        """Cycles in which it does not wait."""
        return sum(span.end - span.start for span in self.spans if not span.waiting)


class _Row(NamedTuple):
    agent: str
    resource: str
    operation: str
    waits_for: str
    since: float
    start: float
    end: float


def tracks(trace: xr.Dataset) -> list[Track]:
    """Return a track per resource used, then one per agent, the producer first.

    The resources of every SM come before a schedule's own; agents are in the schedule's order, by
    name where it is not known.

    Parameters
    ----------
    trace : xarray.Dataset
        From ``sweep.trace``.
    """
    columns = (trace[name].values.tolist() for name in _Row._fields)
    rows = [_Row(*row) for row in zip(*columns, strict=True)]
    own = dict.fromkeys(row.resource for row in rows if row.resource not in ("", *RESOURCES))
    found = [_resource_track(name, rows) for name in (*RESOURCES, *own)]
    agents = _agents(trace, {row.agent for row in rows})
    asynchronous = asynchronous_operations(trace)
    found += [_agent_track(name, rows, asynchronous) for name in agents]
    return [track for track in found if track.spans or not track.resource]


def _agents(trace: xr.Dataset, names: set[str]) -> list[str]:
    """Put the producer, which feeds the others, first; the CTAs of an SM one after another."""
    schedule = SCHEDULES.get(trace.attrs.get("schedules", ""))
    order = schedule.agent_names if schedule is not None else ()

    def place(name: str) -> tuple[int, bool, int, str]:
        agent, _, cta = name.partition("@")
        rank = order.index(agent) if agent in order else len(order)
        return int(cta or 0), agent != "producer", rank, name

    return sorted(names, key=place)


def _resource_track(name: str, rows: list[_Row]) -> Track:
    spans = (
        Span(row.operation, row.start, row.end, False, event)
        for event, row in enumerate(rows)
        if row.resource == name
    )
    return Track(name, True, tuple(spans))


def _agent_track(name: str, rows: list[_Row], asynchronous: set[str]) -> Track:
    spans = []
    for event, row in enumerate(rows):
        if row.agent != name or row.operation in asynchronous:
            continue
        if row.start > row.since and row.waits_for:
            spans.append(Span(row.waits_for, row.since, row.start, True, event))
        spans.append(Span(row.operation, row.start, row.end, False, event))
    return Track(name, False, tuple(sorted(spans, key=lambda span: (span.start, span.end))))


def asynchronous_operations(trace: xr.Dataset) -> set[str]:
    """Return the uses of a resource that an agent requests and goes on from at once.

    The trace's schedule says; copies are asynchronous in every schedule.
    """
    found = set(trace.operation.values[trace.resource.values == COPY_PATH].tolist())
    schedule = SCHEDULES.get(trace.attrs.get("schedules", ""))
    if schedule is not None:
        release = str(trace.coords["release"].item()) if "release" in trace.coords else "consumer"
        found |= {event.label for event in schedule.events(release) if event.asynchronous}
    return found
