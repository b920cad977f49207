"""Whether a schedule's description makes sense, told in one line if not."""

from __future__ import annotations

from collections.abc import Iterator

from sweep.circuits import linear, simple_circuits, steady_arcs
from sweep.description import Event, Schedule
from sweep.errors import InputError
from sweep.plan import plan
from sweep.variables import VARIABLES

COUNTS = ("stages", "mma_in_flight")
RESOURCES = ("TC", "MEM", "SFU", "FMA")


def validate(schedule: Schedule) -> None:
    """Check a schedule's events against each other and against the registry.

    Raises
    ------
    InputError
        Naming the schedule, the event and what is wrong with it.
    """
    if not schedule.name.isidentifier():
        raise InputError(f"schedule {schedule.name!r}: the name must be an identifier")
    for release in schedule.release_modes or ("consumer",):
        events = schedule.events(release)
        for fault in _faults(schedule, events):
            raise InputError(f"schedule {schedule.name!r}: {fault}")
        try:
            plan(schedule, release, plain=False)
        except ValueError as error:
            raise InputError(f"schedule {error}") from None
        for circuit in simple_circuits(events):
            if not circuit.steps:
                raise InputError(
                    f"schedule {schedule.name!r} deadlocks: a circuit without tokens"
                    f" ({' + '.join(circuit.takes) or 'no durations'})"
                )


def _faults(schedule: Schedule, events: tuple[Event, ...]) -> Iterator[str]:
    names = [event.name for event in events]
    turns = {agent.rsplit("_", 1)[0] for agent in schedule.agents} if schedule.turns > 1 else set()
    if not any(event.place == "k_tile" for event in events):
        yield "has no event once per k-tile"
    for event in events:
        where = f"event {event.name!r}"
        if names.count(event.name) > 1:
            yield f"{where} is there twice"
        if not event.name.isidentifier():
            yield f"{where}: the name must be an identifier"
        if event.agent and event.agent not in (*schedule.agents, *turns):
            yield f"{where}: unknown agent {event.agent!r}; agents: {', '.join(schedule.agents)}"
        if event.on and event.on not in RESOURCES:
            yield f"{where}: unknown resource {event.on!r}; resources: {', '.join(RESOURCES)}"
        if event.on and not event.agent:
            yield f"{where}: holds {event.on} but no agent performs it"
        if event.takes and _kind(event.takes) != "duration":
            yield f"{where}: takes {event.takes!r}, which is no cycle parameter"
        for after in event.after:
            if after.event not in names:
                yield f"{where}: comes after {after.event!r}, which is no event"
        for count in (event.behind, event.starts_at, *(after.lag for after in event.after)):
            unknown = [name for name, _ in linear(count) if name not in ("", *COUNTS)]
            if unknown:
                yield f"{where}: counts {unknown[0]!r}; counts: {', '.join(COUNTS)}"
    if not [arc for arc in steady_arcs(events) if arc.tail != arc.head] and len(events) > 1:
        yield "no event depends on another"


def _kind(name: str) -> str:
    return VARIABLES[name].kind if name in VARIABLES else ""
