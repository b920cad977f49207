"""Claims that a bound is one: makespans, utilisations, bandwidth by Little's law."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from analysis.bounds import lower_bounds, utilization_bounds
from analysis.generic_bounds import can_be_any, held
from analysis.memory.littles_law import ring_bandwidth
from analysis.verification.claim import Claim, Outcome, Points, excess
from analysis.verification.draws import Columns, Where, hardware, numbers
from analysis.verification.makespans import built_in
from analysis.verification.periods import EVERYWHERE
from sweep.description import Schedule
from sweep.quantities.arrays import Array

STAGE_BYTES = 49_152
"""Of the default tile; a bandwidth and its bound are both proportional to it."""


def limit_claims(schedule: Schedule) -> Iterator[Claim]:
    """Yield a claim for every bound, in every service order that the schedule can have."""
    yield from _bound_claims(schedule, EVERYWHERE, "")
    if can_be_any(schedule):
        yield from _bound_claims(schedule, Where(arbitration="fifo"), ", fifo")
    if schedule.ring and built_in(schedule):
        yield Claim(
            schedule,
            "ring bandwidth",
            "bound",
            "bytes copied / cycles <= stages * stage bytes / round trip (Little's law)",
            EVERYWHERE,
            _bandwidth,
            units="byte/cycle",
        )


def _bound_claims(schedule: Schedule, where: Where, suffix: str) -> Iterator[Claim]:
    choices = {"release", "arbitration"}
    one: dict[str, Any] = {
        name: np.ones(1, np.int64) for name in schedule.parameters if name not in choices
    }
    for cause in lower_bounds(schedule, **one):
        yield Claim(
            schedule,
            f"{cause}{suffix}",
            "bound",
            f"cycles >= {cause}",
            where,
            partial(_lower_bound, cause),
        )
    for share in utilization_bounds(schedule, **one):
        yield Claim(
            schedule,
            f"{share}{suffix}",
            "bound",
            f"{share} <= its work / the tightest bound on cycles",
            where,
            partial(_utilization, share),
            units="1",
        )


Bounds = Callable[..., dict[str, Array]]


def _evaluated(bounds: Bounds, points: Points) -> dict[str, Array]:
    """Evaluate all bounds in both release modes, each for the points that have it."""
    p: dict[str, Any] = numbers(points.p)
    found = bounds(points.schedule, **p)
    if not points.schedule.release_modes:
        return found
    late, mask = bounds(points.schedule, release="hardware", **p), hardware(points.p)
    return {name: np.where(mask, late[name], one) for name, one in found.items()}


def _lower_bound(cause: str, points: Points) -> Outcome:
    found = points.once("lower bounds", lambda: _evaluated(lower_bounds, points))
    return Outcome(excess(found[cause], points.timing.cycles))


def _utilization(share: str, points: Points) -> Outcome:
    """Both shares are one division of the same work, so that rounding keeps their order."""
    schedule, p = points.schedule, points.p
    wanted = share.removesuffix("_utilization")
    resource = next(one for one in schedule.resources if one.lower() == wanted)
    work = held(schedule, resource, p)
    cycles = points.timing.cycles
    reached = work / np.where(cycles > 0, cycles, np.inf)
    most = points.once("utilization bounds", lambda: _evaluated(utilization_bounds, points))
    return Outcome(excess(reached, most[share]))


def _steps(schedule: Schedule, p: Columns) -> Array:
    return p[schedule.loop] * p.get("output_tiles", np.ones(1, np.int64))


def _bandwidth(points: Points) -> Outcome:
    p, cycles = points.p, points.timing.cycles
    round_trip = p["t_issue"] + p["t_transfer"] + p["t_latency"] + p["t_mma"]
    with np.errstate(divide="ignore"):
        reached = _steps(points.schedule, p) * STAGE_BYTES / cycles
        bound = ring_bandwidth(p["stages"], STAGE_BYTES, round_trip)
    return Outcome(excess(reached, bound))
