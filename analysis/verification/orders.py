"""Claims that more of a delay never gains and more stages never cost (fixed service order).

Timed event graphs are monotone in their delays and antitone in their tokens (Baccelli et al.,
1992). First come, first served is neither: Graham's anomalies.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from analysis.verification.claim import Changes, Claim, Outcome, Points, excess
from analysis.verification.draws import GRID, size
from analysis.verification.makespans import built_in
from analysis.verification.periods import EVERYWHERE
from sweep.description import Schedule, count_names
from sweep.description.counts import linear


def order_claims(schedule: Schedule) -> Iterator[Claim]:
    """Yield one claim for every duration, and one for the stages."""
    for duration in schedule.durations:
        yield Claim(
            schedule,
            f"monotone in {duration}",
            "bound",
            f"a longer {duration} never makes the makespan shorter",
            EVERYWHERE,
            partial(_monotone, duration),
        )
    for count, slots in _slot_counts(schedule):
        yield Claim(
            schedule,
            f"antitone in {count}",
            "bound",
            f"more {slots} never make the makespan longer",
            EVERYWHERE,
            partial(_antitone, count),
        )


def _slot_counts(schedule: Schedule) -> Iterator[tuple[str, str]]:
    """Yield the counts of slots of which more are only more tokens, and what they are.

    Where rows of several kinds take slots by turns, another number of them gives each to others.
    """
    if schedule.ring and not schedule.rings and (built_in(schedule) or _only_tokens(schedule)):
        yield "stages", "stages"
    alone: dict[str, list[bool]] = {}
    for ring in schedule.rings:
        for name in count_names(ring.slots):
            alone.setdefault(name, []).append(ring.slots == name and len(ring.uses) <= 1)
    for name, plain in alone.items():
        if all(plain) and _only_tokens(schedule, name):
            yield name, f"slots ({name})"


def _only_tokens(schedule: Schedule, count: str = "stages") -> bool:
    """Whether a count never changes the order in which an agent works.

    Where it does, theory says nothing; of multistage's stages it is tested.
    """
    events = [event for mode in ("consumer", "hardware") for event in schedule.events(mode)]
    return not any(dict(linear(event.behind)).get(count) for event in events)


def _monotone(duration: str, points: Points) -> Outcome:
    """Lengthen by 1/1024 cycle, by one, by some, and by as much again and one."""
    value = points.p[duration]
    index = np.arange(size(points.p)) % 4
    longer = value + np.choose(index, [GRID, 1.0, index * 7.0 + 3, value + 1])
    runs: tuple[Changes, ...] = ({}, {duration: longer})
    return Outcome(excess(points.timing.cycles, points.run(runs[1]).cycles), runs)


def _antitone(count: str, points: Points) -> Outcome:
    more = points.p[count] + 1 + np.arange(size(points.p)) % 3
    runs: tuple[Changes, ...] = ({}, {count: more})
    return Outcome(excess(points.run(runs[1]).cycles, points.timing.cycles), runs)
