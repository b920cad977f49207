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
from sweep.description import Schedule
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
    if schedule.ring and (built_in(schedule) or _only_tokens(schedule)):
        yield Claim(
            schedule,
            "antitone in stages",
            "bound",
            "more stages never make the makespan longer",
            EVERYWHERE,
            _antitone,
        )


def _only_tokens(schedule: Schedule) -> bool:
    """Whether stages never change the order in which an agent works, of which theory says nothing.

    Of multistage, where they do, it is tested.
    """
    events = [event for mode in ("consumer", "hardware") for event in schedule.events(mode)]
    return not any(dict(linear(event.behind)).get("stages") for event in events)


def _monotone(duration: str, points: Points) -> Outcome:
    """Lengthen by 1/1024 cycle, by one, by some, and by as much again and one."""
    value = points.p[duration]
    index = np.arange(size(points.p)) % 4
    longer = value + np.choose(index, [GRID, 1.0, index * 7.0 + 3, value + 1])
    runs: tuple[Changes, ...] = ({}, {duration: longer})
    return Outcome(excess(points.timing.cycles, points.run(runs[1]).cycles), runs)


def _antitone(points: Points) -> Outcome:
    more = points.p["stages"] + 1 + np.arange(size(points.p)) % 3
    runs: tuple[Changes, ...] = ({}, {"stages": more})
    return Outcome(excess(points.run(runs[1]).cycles, points.timing.cycles), runs)
