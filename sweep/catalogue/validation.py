"""Whether a schedule's description makes sense, told in one line if not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from sweep.catalogue.declared_faults import declared_faults
from sweep.catalogue.names import is_name, name_rule, shown, wrong_kinds
from sweep.catalogue.role_faults import role_faults
from sweep.description import (
    DRAIN,
    END,
    MAIN,
    RESOURCES,
    START,
    After,
    Count,
    Duration,
    Event,
    Resource,
    Schedule,
    count_names,
)
from sweep.description.circuits import simple_circuits, steady_arcs
from sweep.description.counts import LOWEST, linear
from sweep.description.delays import absent_delays
from sweep.errors import InputError
from sweep.quantities.variables import RESIDENCY, VARIABLES
from sweep.recurrence.evaluation_order import delay_faults, order_faults
from sweep.recurrence.generator import generate
from sweep.recurrence.plan import plan

MOST_COUNT = 64
"""The largest number that a lag, a skew or a start may be or add."""
MOST_EVENTS = 200
PLACES = (MAIN, START, DRAIN, END)
ATTENTION_DURATIONS = frozenset({"t_gemm0", "t_gemm1", "t_exp", "t_softmax"})
GEMM_DURATIONS = frozenset(
    name
    for name, row in VARIABLES.items()
    if row.kind == "duration" and name not in {*ATTENTION_DURATIONS, "t_gemm"}
)
OTHER_FAMILY = {"gemm": ATTENTION_DURATIONS | {"t_gemm"}, "attention": GEMM_DURATIONS | {"t_gemm"}}


def validate(schedule: Schedule) -> None:
    """Check a schedule's events against each other and against the registry.

    What the recurrence cannot express is refused too, naming the event and the remedy: every
    account of a description that passes gives the same cycles.

    Raises
    ------
    InputError
        Naming the schedule, the event and what is wrong with it.
    """
    for fault in _schedule_faults(schedule):
        raise InputError(f"schedule {shown(schedule.name)}: {fault}")
    seen: list[tuple[Event, ...]] = []
    for release in ("consumer", "hardware"):
        events = schedule.events(release)
        if events in seen:
            continue
        seen.append(events)
        for fault in _list_faults(schedule, events):
            raise InputError(f"schedule {schedule.name!r}: {fault}")
        for name in absent_delays(schedule, release):
            raise InputError(
                f"schedule {schedule.name!r}: event {name!r} has no agent, and at times nothing to"
                " come after; let it start later (starts_at) or give it an agent"
            )
        if beyond_generated(schedule, events):
            continue
        for circuit in simple_circuits(events):
            if not circuit.steps:
                raise InputError(
                    f"schedule {schedule.name!r} deadlocks: a circuit without tokens"
                    f" ({' + '.join(circuit.takes) or 'no durations'})"
                )
        try:
            for plain in (True, False):
                ast.parse(generate(plan(schedule, release, plain)))
        except ValueError as error:
            raise InputError(f"schedule {schedule.name!r}: {error}") from None


def beyond_generated(schedule: Schedule, events: tuple[Event, ...]) -> bool:
    """Whether a description says what the generated kernel of one loop cannot."""
    return (
        len(schedule.loops) > 1
        or bool(schedule.rings)
        or any(role.turns > 1 for role in schedule.roles)
        or any(event.on and event.on not in RESOURCES for event in events)
        or any(event.skips != 0 or event.every != 1 for event in events)
        or any(name not in LOWEST for event in events for name in _counts_of(event))
    )


def _counts_of(event: Event) -> Iterator[str]:
    for count in (event.behind, event.starts_at, *(after.lag for after in event.after)):
        yield from count_names(count)


def _schedule_faults(schedule: Schedule) -> Iterator[str]:
    if not is_name(schedule.name):
        yield f"the name {name_rule()}"
    yield from wrong_kinds(
        schedule,
        ("summary", str),
        ("reference", str),
        ("agents", tuple),
        ("producer", bool),
        ("tile_level", bool),
        ("consumer_warpgroups", int),
        ("turns", int),
        ("fixed_stages", int),
        ("kv_blocks", int),
    )
    if schedule.family not in ("gemm", "attention"):
        yield f"family={shown(schedule.family)}: must be 'gemm' or 'attention'"
    if schedule.loader not in ("tma", "cp_async", ""):
        yield f"loader={shown(schedule.loader)}: must be 'tma', 'cp_async' or ''"
    if not callable(schedule.events):
        yield "events must be a function of the release mode"
    if schedule.program is not None and not callable(schedule.program):
        yield "program must be a function, or None"
    yield from role_faults(schedule)
    yield from declared_faults(schedule)
    least = {"consumer_warpgroups": 1, "fixed_stages": 0, "kv_blocks": 0}
    for name, lowest in least.items():
        value = getattr(schedule, name)
        if not lowest <= value <= 1024:
            yield f"{name}={value}: must be from {lowest} to 1024"
    yield from _turn_faults(schedule)


def _turn_faults(schedule: Schedule) -> Iterator[str]:
    if schedule.turns not in (1, 2):
        yield f"turns={schedule.turns}: one consumer, or two that take turns"
    elif schedule.turns == 2:
        if not {"consumer_0", "consumer_1"} <= set(schedule.agent_names):
            yield "turns=2: the two must be the agents consumer_0 and consumer_1"
        if "consumer" in schedule.agent_names:
            yield "turns=2: 'consumer' stands for the one whose turn it is; it is no agent"
        if not schedule.tile_level:
            yield "turns=2: needs tile_level=True, or there is one tile and nobody to take turns"


def _list_faults(schedule: Schedule, events: Any) -> Iterator[str]:
    if not isinstance(events, tuple) or not all(isinstance(row, Event) for row in events):
        yield f"events must return a tuple of Event, not {shown(events)}"
        return
    if len(events) > MOST_EVENTS:
        yield f"{len(events)} events; the limit is {MOST_EVENTS}"
        return
    names = [event.name for event in events]
    for event in events:
        for fault in _event_faults(schedule, event, names):
            yield f"event {shown(event.name)}: {fault}"
    if not any(schedule.place(event) == schedule.main for event in events):
        yield "has no event once per k-tile"
    if schedule.turns == 2 and not any(event.agent == "consumer" for event in events):
        yield "turns=2, but no event is the consumer's"
    if not any(event.agent for event in events):
        yield "no event has an agent"
    sized = any(ring.size != "" for ring in schedule.rings)
    if schedule.family == "gemm" and not (schedule.ring or schedule.fixed_stages > 0 or sized):
        yield "has neither a lag of 'stages' nor fixed_stages: its shared memory is not known"
    if schedule.family == "attention" and schedule.loop == "kv_blocks" and not _kv_blocks(schedule):
        yield "kv_blocks=0: an attention schedule needs a default of at least 1"
    if beyond_generated(schedule, events):
        return
    yield from order_faults(events)
    yield from delay_faults(events)
    if not [arc for arc in steady_arcs(events) if arc.tail != arc.head] and len(events) > 1:
        yield "no event depends on another"


def _event_faults(schedule: Schedule, event: Event, names: list[str]) -> Iterator[str]:
    """Yield what is wrong with one row, whatever the others say."""
    if not is_name(event.name):
        yield f"the name {name_rule()}"
        return
    texts = ("agent", "on", "takes", "drain_after", "place", "operation", "signals")
    for fault in wrong_kinds(
        event, *((name, str) for name in texts), ("after", tuple), ("asynchronous", bool)
    ):
        yield fault
        return
    if names.count(event.name) > 1:
        yield "is there twice"
    yield from _line_faults(schedule, event)
    places = (*PLACES, *(loop.name for loop in schedule.loops if loop.name != MAIN))
    if event.place not in places:
        yield f"place={shown(event.place)}; places: {', '.join(places)}"
    if event.drain_after and event.drain_after not in names:
        yield f"drains after {shown(event.drain_after)}, which is no event"
    yield from _duration_faults(schedule, event)
    for after in event.after:
        if not isinstance(after, After):
            yield f"comes after {shown(after)}; write After(event, lag)"
        elif after.event not in names:
            yield f"comes after {shown(after.event)}, which is no event"
        else:
            yield from _count_faults(schedule, "lag", after.lag)
    for name in ("behind", "starts_at", "skips", "every"):
        yield from _count_faults(schedule, name, getattr(event, name))
    if event.every == 0:
        yield "every=0: must be at least 1"


def _duration_faults(schedule: Schedule, event: Event) -> Iterator[str]:
    own = {one.name for one in schedule.declares if isinstance(one, Duration)}
    if not event.takes or event.takes in own:
        return
    if not schedule.shape and event.takes in OTHER_FAMILY[schedule.family]:
        yield f"takes {event.takes!r}, which a {schedule.family} schedule has not"
    elif event.takes in RESIDENCY or _kind(event.takes) not in ("", "duration"):
        yield f"takes {shown(event.takes)}, which is no cycle parameter"
    elif not _kind(event.takes):
        name = event.takes if is_name(event.takes) else "t_..."
        yield (
            f"takes {shown(event.takes)}, which is no cycle parameter; declare"
            f" Duration({name!r}, ...)"
        )


def _kv_blocks(schedule: Schedule) -> bool:
    own = {one.name for one in schedule.declares if isinstance(one, Count)}
    return schedule.kv_blocks > 0 or "kv_blocks" in own


def _line_faults(schedule: Schedule, event: Event) -> Iterator[str]:
    agents = schedule.agent_names
    agents = (*agents, *(role.name for role in schedule.roles if role.turns > 1))
    if schedule.turns == 2:
        agents = (*(one for one in agents if not one.startswith("consumer_")), "consumer")
    if event.agent and event.agent not in agents:
        yield f"unknown agent {shown(event.agent)}; agents: {', '.join(agents)}"
    own = (one.name for one in schedule.declares if isinstance(one, Resource))
    resources = (*RESOURCES, *own)
    if event.on and event.on not in resources:
        yield f"unknown resource {shown(event.on)}; resources: {', '.join(resources)}"
    if event.on and not event.agent:
        yield f"holds {event.on} but no agent performs it"
    if event.asynchronous and not event.on:
        yield "asynchronous without a resource"


def _count_faults(schedule: Schedule, what: str, count: Any) -> Iterator[str]:
    if isinstance(count, bool) or not isinstance(count, int | str):
        yield f"{what}={shown(count)}: must be a number or the name of a count"
        return
    try:
        form = dict(linear(count))
    except ValueError:
        yield f"{what}={shown(count)}: write a number, 'stages' or 'stages - 1'"
        return
    constant = form.pop("", 0)
    counts = (*LOWEST, *(one.name for one in schedule.declares if isinstance(one, Count)))
    unknown = [name for name in form if name not in counts]
    if unknown:
        yield f"{what}={shown(count)}: counts {shown(unknown[0])}; counts: {', '.join(counts)}"
    elif not (0 if not form else -MOST_COUNT) <= constant <= MOST_COUNT:
        yield f"{what}={shown(count)}: a number must be between 0 and {MOST_COUNT}"


def _kind(name: str) -> str:
    return VARIABLES[name].kind if VARIABLES.is_built_in(name) else ""
