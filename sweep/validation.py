"""Whether a schedule's description makes sense, told in one line if not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from sweep.circuits import linear, simple_circuits, steady_arcs
from sweep.description import RESOURCES, Event, Place, Schedule
from sweep.errors import InputError
from sweep.plan import plan
from sweep.variables import VARIABLES

COUNTS = ("stages", "mma_in_flight")
ATTENTION_DURATIONS = frozenset({"t_gemm0", "t_gemm1", "t_exp", "t_softmax"})
GEMM_DURATIONS = frozenset(
    name
    for name, row in VARIABLES.items()
    if row.kind == "duration" and name not in {*ATTENTION_DURATIONS, "t_gemm"}
)
OTHER_FAMILY = {"gemm": ATTENTION_DURATIONS | {"t_gemm"}, "attention": GEMM_DURATIONS | {"t_gemm"}}


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
    if schedule.family not in ("gemm", "attention"):
        yield f"family={schedule.family!r}: must be 'gemm' or 'attention'"
    if schedule.turns not in (1, 2):
        yield f"turns={schedule.turns}: one consumer, or two that take turns"
    if schedule.turns == 2 and not {"consumer_0", "consumer_1"} <= set(schedule.agents):
        yield "turns=2: the two must be the agents consumer_0 and consumer_1"
    if schedule.family == "gemm" and not (schedule.ring or schedule.fixed_stages > 0):
        yield "has neither a lag of 'stages' nor fixed_stages: its shared memory is not known"
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
        if event.place not in get_args(Place):
            yield f"{where}: place={event.place!r}; places: {', '.join(get_args(Place))}"
        if event.asynchronous and not event.on:
            yield f"{where}: asynchronous without a resource"
        if event.drain_after and event.drain_after not in names:
            yield f"{where}: drains after {event.drain_after!r}, which is no event"
        if event.takes in OTHER_FAMILY[schedule.family]:
            yield f"{where}: takes {event.takes!r}, which a {schedule.family} schedule has not"
        if event.takes and _kind(event.takes) != "duration":
            yield f"{where}: takes {event.takes!r}, which is no cycle parameter"
        for after in event.after:
            if after.event not in names:
                yield f"{where}: comes after {after.event!r}, which is no event"
        for count in (event.behind, event.starts_at, *(after.lag for after in event.after)):
            if isinstance(count, bool) or (isinstance(count, int) and not 0 <= count <= 64):
                yield f"{where}: counts {count!r}; a number must be between 0 and 64"
                return
            unknown = [name for name, _ in linear(count) if name not in ("", *COUNTS)]
            if unknown:
                yield f"{where}: counts {unknown[0]!r}; counts: {', '.join(COUNTS)}"
    if not [arc for arc in steady_arcs(events) if arc.tail != arc.head] and len(events) > 1:
        yield "no event depends on another"


def _kind(name: str) -> str:
    return VARIABLES[name].kind if name in VARIABLES else ""
