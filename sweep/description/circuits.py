"""A schedule's circuits: what its steady period is the largest ratio of.

In steady state the k-th firing of event f starts no earlier than the firing of event e, m steps
back, plus the time e takes. A circuit of such arcs bounds the period from below by its time over
its steps, and the largest ratio is attained (maximum cycle ratio of a timed event graph;
Baccelli, Cohen, Olsder, Quadrat, *Synchronization and Linearity*, 1992, section 3.2).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement

from sweep.description.counts import Linear, add, least, linear, linear_text
from sweep.description.rows import Event
from sweep.description.schedule import Schedule

MOST_CIRCUITS = 2000


@dataclass(frozen=True)
class Arc:
    """``head`` starts no earlier than ``tail`` ends, ``steps`` steps before."""

    tail: str
    head: str
    steps: Linear


@dataclass(frozen=True)
class Circuit:
    """A circuit of the steady graph: its durations, with repeats, over its steps."""

    takes: tuple[str, ...]
    steps: Linear

    @property
    def through_slot(self) -> bool:
        """Whether it goes through a slot of the ring: its steps depend on the stages."""
        return any(name == "stages" for name, _ in self.steps)

    def __str__(self) -> str:
        time = " + ".join(self.takes) or "0"
        over = linear_text(self.steps)
        return time if over == "1" else f"({time}) / {over if over.isidentifier() else f'({over})'}"


def steady_arcs(events: tuple[Event, ...]) -> list[Arc]:
    """List the arcs between the k-tile events, in steps.

    List order gives an event the previous one of its agent and of its resource: in the same step
    if there is one, else the last one of the step before. An asynchronous one before it holds the
    agent only until what that comes after has happened.
    """
    rows = [event for event in events if event.place == "k_tile"]
    behind = {event.name: linear(event.behind) for event in rows}
    arcs = []
    for index, event in enumerate(rows):
        if event.on:
            line = [row for row in rows if row.on == event.on]
            earlier = [row for row in line if rows.index(row) < index]
            tail = (earlier or line)[-1]
            arcs.append(Arc(tail.name, event.name, linear(0 if earlier else 1)))
        for before, steps in _before(rows, index) if event.agent else ():
            if not before.asynchronous:
                arcs.append(Arc(before.name, event.name, steps))
            else:
                arcs += _dependencies(before, event.name, behind, steps)
        arcs += _dependencies(event, event.name, behind, ())
    return list(dict.fromkeys(arcs))


def _dependencies(
    event: Event, head: str, behind: dict[str, Linear], steps: Linear
) -> Iterator[Arc]:
    """Yield arcs to ``head`` from what an event comes after, ``steps`` steps before it."""
    for after in event.after:
        if after.event in behind:
            lag = add(linear(after.lag), behind[event.name], minus=behind[after.event])
            yield Arc(after.event, head, add(lag, steps))


def _before(rows: list[Event], index: int) -> Iterator[tuple[Event, Linear]]:
    """Yield the agent's rows before one, back to the last that it was held by, with the steps."""
    order = [(row, linear(0)) for row in rows[:index]][::-1]
    order += [(row, linear(1)) for row in rows[index:]][::-1]
    for row, steps in order:
        if row.agent == rows[index].agent:
            yield row, steps
            if not row.asynchronous:
                return


def simple_circuits(events: tuple[Event, ...]) -> tuple[Circuit, ...]:
    """Enumerate the simple circuits of a list of events, those that can bind.

    A circuit whose durations are part of another's with the same steps, or part of a weighted mean
    of circuits of one step, never exceeds them, whatever the durations, and is left out; so is one
    that two others make up between them, durations and steps.

    Raises
    ------
    ValueError
        If there are more than ``MOST_CIRCUITS``.
    """
    return _binding(list(dict.fromkeys(circuit for circuit, _ in circuits_with_events(events))))


def regime_steps(events: tuple[Event, ...]) -> tuple[Linear, ...]:
    """Return after how many steps each part of a schedule may repeat its regime.

    Parts are events that wait for each other (strongly connected); each has circuits of its own
    that may bind it, also where another part is slower.
    """
    parts: list[tuple[set[str], list[Circuit]]] = []
    for circuit, on in circuits_with_events(events):
        touched = [part for part in parts if part[0] & on]
        parts = [part for part in parts if part not in touched]
        joined = on.union(*(names for names, _ in touched))
        circuits = [one for _, own in touched for one in own]
        parts.append((set(joined), list(dict.fromkeys([*circuits, circuit]))))
    return tuple(dict.fromkeys(one.steps for _, own in parts for one in _binding(own)))


@cache
def circuits_with_events(
    events: tuple[Event, ...],
) -> tuple[tuple[Circuit, frozenset[str]], ...]:
    """List the simple circuits, and the events on each."""
    takes = {event.name: event.takes for event in events}
    arcs: dict[str, list[Arc]] = {name: [] for name in takes}
    for arc in steady_arcs(events):
        arcs[arc.tail].append(arc)
    names = list(takes)
    found: dict[tuple[Circuit, frozenset[str]], None] = {}
    for first, start in enumerate(names):
        allowed = set(names[first:])
        for number, path in enumerate(_closed_walks(start, arcs, allowed)):
            if number > MOST_CIRCUITS:
                raise ValueError(f"more than {MOST_CIRCUITS} circuits: its rows wait too often")
            time = sorted(takes[arc.tail] for arc in path if takes[arc.tail])
            circuit = Circuit(tuple(time), add(*(arc.steps for arc in path)))
            found[circuit, frozenset(arc.tail for arc in path)] = None
    return tuple(found)


def _binding(found: list[Circuit]) -> tuple[Circuit, ...]:
    """Leave out the circuits that others exceed, whatever the durations."""
    circuits = [one for one in found if not any(_covers(other, one) for other in found)]
    circuits = [one for one in circuits if not _made_up(one, circuits)]
    one_step = [one for one in circuits if one.steps == linear(1)]
    return tuple(one for one in circuits if one in one_step or not _averaged(one, one_step))


@cache
def circuits_of(schedule: Schedule, release: str = "consumer") -> tuple[Circuit, ...]:
    """Return the circuits of a schedule's main loop in a release mode."""
    return simple_circuits(schedule.events(release))


def uses_of(events: tuple[Event, ...], resource: str, *, per_step: bool) -> tuple[Event, ...]:
    """Return the events that hold a resource for some time, in every step or once per tile."""
    return tuple(
        event
        for event in events
        if event.on == resource and event.takes and (event.place == "k_tile") == per_step
    )


def work_per_step(events: tuple[Event, ...], resource: str) -> tuple[str, ...]:
    """Return the durations for which a resource is held in every step, with repeats."""
    return tuple(event.takes for event in uses_of(events, resource, per_step=True))


def work_per_tile(events: tuple[Event, ...], resource: str) -> tuple[str, ...]:
    """Return the durations for which a resource is held once per output tile, with repeats."""
    return tuple(event.takes for event in uses_of(events, resource, per_step=False))


def _closed_walks(
    start: str, arcs: dict[str, list[Arc]], allowed: set[str]
) -> Iterator[tuple[Arc, ...]]:
    """Yield the simple circuits through ``start`` that stay within ``allowed``."""

    def extend(path: tuple[Arc, ...], at: str, seen: frozenset[str]) -> Iterator[tuple[Arc, ...]]:
        for arc in arcs[at]:
            if arc.head == start:
                yield (*path, arc)
            elif arc.head in allowed and arc.head not in seen:
                yield from extend((*path, arc), arc.head, seen | {arc.head})

    yield from extend((), start, frozenset({start}))


def _covers(larger: Circuit, smaller: Circuit) -> bool:
    if larger == smaller or larger.steps != smaller.steps:
        return False
    return not Counter(smaller.takes) - Counter(larger.takes)


def _made_up(circuit: Circuit, circuits: list[Circuit]) -> bool:
    """Whether two circuits together take as long over as many steps: one has the larger ratio."""
    takes = Counter(circuit.takes)
    for one in circuits:
        rest = add(circuit.steps, minus=one.steps)
        if one != circuit and rest and least(rest) > 0:
            left = takes - Counter(one.takes)
            if any(other.steps == rest and not left - Counter(other.takes) for other in circuits):
                return True
    return False


def _averaged(circuit: Circuit, one_step: list[Circuit]) -> bool:
    """Whether circuits of one step cover it on average (weights in units of half its steps)."""
    if [name for name, _ in circuit.steps] != [""]:
        return False
    twice = Counter(circuit.takes * 2)
    number = 2 * dict(circuit.steps)[""]
    if math.comb(number + len(one_step) - 1, number) > MOST_CIRCUITS:
        return False
    picks = combinations_with_replacement(one_step, number)
    return any(not twice - Counter(t for one in pick for t in one.takes) for pick in picks)
