"""A schedule's circuits: what its steady period is the largest ratio of.

In steady state the k-th firing of event f starts no earlier than the firing of event e, m steps
back, plus the time e takes. A circuit of such arcs bounds the period from below by its time over
its steps, and the largest ratio is attained (maximum cycle ratio of a timed event graph;
Baccelli, Cohen, Olsder, Quadrat, *Synchronization and Linearity*, 1992, section 3.2).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement

from sweep.description import Count, Event, Schedule

Linear = tuple[tuple[str, int], ...]
"""A number of steps as (parameter, coefficient) pairs; the constant has the name ""."""


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


def linear(count: Count) -> Linear:
    """Read a count such as 1, "stages" or "stages - 1" as a linear form.

    Examples
    --------
    >>> linear("stages - 1")
    (('', -1), ('stages', 1))
    """
    if isinstance(count, int):
        return _tidy({"": count})
    match = re.fullmatch(r"([a-z]\w*)(?: ([-+]) (\d+))?", count)
    if match is None:
        raise ValueError(f"count {count!r}: write an integer, 'NAME' or 'NAME - 1'")
    name, sign, number = match.groups()
    return _tidy({name: 1, "": int(f"{sign}{number}") if number else 0})


def add(*terms: Linear, minus: Linear = ()) -> Linear:
    """Return the sum of linear forms, less ``minus``."""
    total: Counter[str] = Counter()
    for term in terms:
        total.update(dict(term))
    total.subtract(dict(minus))
    return _tidy(total)


def linear_text(form: Linear) -> str:
    """Write a linear form as an expression of its parameters.

    Examples
    --------
    >>> linear_text((('', 1), ('mma_in_flight', 1)))
    'mma_in_flight + 1'
    """
    text = ""
    for name, coefficient in sorted(form, key=lambda pair: (pair[0] == "", pair[1] < 0)):
        size = abs(coefficient)
        factor = str(size) if name == "" else name if size == 1 else f"{size} * {name}"
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {factor}" if text else factor if coefficient > 0 else f"-{factor}"
    return text or "0"


def steady_arcs(events: tuple[Event, ...]) -> list[Arc]:
    """List the arcs between the k-tile events, in steps.

    List order gives an event the previous one of its agent and of its resource: in the same step
    if there is one, else the last one of the step before.
    """
    rows = [event for event in events if event.place == "k_tile"]
    behind = {event.name: linear(event.behind) for event in rows}
    arcs = []
    for index, event in enumerate(rows):
        on_line = [
            [row for row in rows if row.agent == event.agent and not row.asynchronous]
            if event.agent
            else [],
            [row for row in rows if row.on == event.on] if event.on else [],
        ]
        for line in on_line:
            earlier = [row for row in line if rows.index(row) < index]
            if line:
                tail = (earlier or line)[-1]
                arcs.append(Arc(tail.name, event.name, linear(0 if earlier else 1)))
        for after in event.after:
            if after.event in behind:
                steps = add(linear(after.lag), behind[event.name], minus=behind[after.event])
                arcs.append(Arc(after.event, event.name, steps))
    return list(dict.fromkeys(arcs))


def simple_circuits(events: tuple[Event, ...]) -> tuple[Circuit, ...]:
    """Enumerate the simple circuits of a list of events, those that can bind.

    A circuit whose durations are part of another's with the same steps, or part of a weighted mean
    of circuits of one step, never exceeds them, whatever the durations, and is left out.
    """
    takes = {event.name: event.takes for event in events}
    arcs: dict[str, list[Arc]] = {name: [] for name in takes}
    for arc in steady_arcs(events):
        arcs[arc.tail].append(arc)
    names = list(takes)
    found: dict[Circuit, None] = {}
    for first, start in enumerate(names):
        allowed = set(names[first:])
        for path in _closed_walks(start, arcs, allowed):
            time = sorted(takes[arc.tail] for arc in path if takes[arc.tail])
            circuit = Circuit(tuple(time), add(*(arc.steps for arc in path)))
            found[circuit] = None
    circuits = [one for one in found if not any(_covers(other, one) for other in found)]
    one_step = [one for one in circuits if one.steps == linear(1)]
    return tuple(one for one in circuits if one in one_step or not _averaged(one, one_step))


@cache
def circuits_of(schedule: Schedule, release: str = "consumer") -> tuple[Circuit, ...]:
    """Return the circuits of a schedule's main loop in a release mode."""
    return simple_circuits(schedule.events(release))


def work_per_step(events: tuple[Event, ...], resource: str) -> tuple[str, ...]:
    """Return the durations for which a resource is held in every step, with repeats."""
    return tuple(event.takes for event in events if event.on == resource)


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


def _averaged(circuit: Circuit, one_step: list[Circuit]) -> bool:
    """Whether circuits of one step cover it on average (weights in units of half its steps)."""
    if [name for name, _ in circuit.steps] != [""]:
        return False
    twice = Counter(circuit.takes * 2)
    picks = combinations_with_replacement(one_step, 2 * dict(circuit.steps)[""])
    return any(not twice - Counter(t for one in pick for t in one.takes) for pick in picks)


def _tidy(form: dict[str, int]) -> Linear:
    return tuple(sorted((name, value) for name, value in form.items() if value))
