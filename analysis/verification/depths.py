"""Claims about the depth of a ring: deadlock, the corrected stage rule, the textbook rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from analysis.rings.design_space import over_provisioning, stage_rules
from analysis.rings.stages import corrected_stages, saturated_period, textbook_stages
from analysis.verification.claim import Claim, Outcome, Points, distance, excess
from analysis.verification.draws import Columns, Where, hardware, size
from analysis.verification.makespans import built_in
from analysis.verification.periods import EVERYWHERE
from sweep.catalogue.validation import beyond_generated
from sweep.description import Schedule
from sweep.description.circuits import circuits_of
from sweep.quantities.arrays import Array

DEEPEST = 128
"""Rings deeper than this are not simulated: a point with next to no work asks for any depth."""


def depth_claims(schedule: Schedule) -> Iterator[Claim]:
    """Yield the claims about a ring's depth."""
    if schedule.release_modes and built_in(schedule):
        yield Claim(
            schedule,
            "deadlock rule",
            "exact",
            "deadlock where release = consumer, mma_in_flight >= stages and k_tiles > stages,"
            " and nowhere else",
            EVERYWHERE,
            _deadlock,
        )
        yield Claim(
            schedule,
            "no steady state",
            "exact",
            "no period where it deadlocks, and none per k-tile where release = consumer and"
            " mma_in_flight >= stages",
            EVERYWHERE,
            _no_period,
        )
    if beyond_generated(schedule, schedule.events("consumer")):
        return  # rules of stages come from the circuits of one loop
    if schedule.ring and not schedule.tile_level:
        yield from _stage_rules(schedule)
    elif schedule.ring:
        yield Claim(
            schedule,
            "corrected stage rule, over tiles",
            "rule",
            "with the stages that the main loop needs (up to 4) the period per output tile is what"
            " 4 more stages reach: not where copies bind, for then the ring refills in epilogues",
            Where(),
            _suffices_over_tiles,
        )


def _stage_rules(schedule: Schedule) -> Iterator[Claim]:
    yield Claim(
        schedule,
        "corrected stage rule suffices",
        "asymptotic",
        "with that many stages (up to 128) the period is what any number of stages reaches",
        EVERYWHERE,
        _suffices,
    )
    yield Claim(
        schedule,
        "corrected stage rule is necessary",
        "asymptotic",
        "with one stage less the period is longer (2 to 128 stages)",
        EVERYWHERE,
        _necessary,
        units="stage",
    )
    if not built_in(schedule):
        return
    beat = "max(t_issue, t_transfer, t_mma)"
    beat = beat if schedule.producer else "max(t_issue + t_mma, t_transfer)"
    yield Claim(
        schedule,
        "saturating depth",
        "exact",
        f"the corrected rule is ceil((t_issue + t_transfer + t_latency + t_mma) / {beat}),"
        " at least 1",
        Where(),
        _saturating,
        units="stage",
    )
    if not schedule.producer:
        yield from _textbook(schedule)


def _textbook(schedule: Schedule) -> Iterator[Claim]:
    rule = "1 + ceil((t_issue + t_transfer + t_latency) / (t_mma + t_issue)) stages"
    yield Claim(
        schedule,
        "textbook stage rule suffices",
        "bound",
        f"with {rule} (up to 128) the period is what any number of stages reaches",
        Where(),
        _textbook_suffices,
    )
    yield Claim(
        schedule,
        "textbook stage rule",
        "rule",
        f"{rule} (up to 128) are as few as reach that period",
        Where(),
        _textbook_excess,
        units="stage",
        remark=_textbook_price,
    )


def _deadlock(points: Points) -> Outcome:
    p, cycles = points.p, points.timing.cycles
    stuck = _all_held(p) & (p["k_tiles"] > p["stages"])
    return Outcome(np.where(stuck == np.isinf(cycles), 0.0, np.inf))


def _no_period(points: Points) -> Outcome:
    p, missing = points.p, np.isnan(points.timing.period)
    without = _all_held(p)
    if points.schedule.tile_level:
        without &= p["k_tiles"] > p["stages"]
    return Outcome(np.where(without == missing, 0.0, np.inf))


def _all_held(p: Columns) -> Array:
    """Whether MMAs in flight can hold every slot."""
    return ~hardware(p) & (p["mma_in_flight"] >= p["stages"])


def _suffices(points: Points) -> Outcome:
    wanted = _corrected(points)
    runs = ({"stages": wanted}, {"stages": 2 * wanted + 3})
    found, deeper = (_period(points, changes) for changes in runs)
    return Outcome(np.where(wanted > DEEPEST, np.nan, distance(found, deeper)), runs)


def _suffices_over_tiles(points: Points) -> Outcome:
    wanted = _corrected(points)
    stages = np.minimum(wanted, 4)
    runs = ({"stages": stages}, {"stages": stages + 4})
    found, deeper = (points.run(changes).period for changes in runs)
    return Outcome(np.where(wanted > 4, np.nan, distance(found, deeper)), runs)


def _necessary(points: Points) -> Outcome:
    wanted = _corrected(points)
    tested = (wanted > 1) & (wanted <= DEEPEST)
    runs = ({"stages": np.maximum(wanted - 1, 1)}, {"stages": wanted})
    shallower, found = (_period(points, changes) for changes in runs)
    return Outcome(np.where(tested, np.where(shallower > found, 0.0, 1.0), np.nan), runs)


def _corrected(points: Points) -> Array:
    """Return the corrected rule's stages; more than `DEEPEST` for anything deeper."""
    found = corrected_stages(points.schedule, **_durations(points))
    if points.schedule.release_modes:
        late = _durations(points, "hardware")
        by_hardware = corrected_stages(points.schedule, "hardware", **late)
        found = np.where(hardware(points.p), by_hardware, found)
    return np.asarray(np.minimum(found, DEEPEST + 1), np.int64)


def _durations(points: Points, release: str = "consumer") -> dict[str, Any]:
    """Return what the depth of a ring depends on: what its circuits use."""
    circuits = circuits_of(points.schedule, release)
    used = {name for one in circuits for name in one.takes}
    used |= {name for one in circuits for name, _ in one.steps} - {"", "stages"}
    used -= {"mma_in_flight"} if release == "hardware" else set()
    return {name: column for name, column in points.p.items() if name in used}


def _period(points: Points, changes: dict[str, Array]) -> Array:
    """Return the simulated period, inf where there is none: all slots are held in flight."""
    stages = {"stages": np.minimum(changes["stages"], 2 * DEEPEST + 3)}
    period = points.run({**stages, points.schedule.loop: 1}).period
    return np.where(np.isnan(period), np.inf, period)


def _saturating(points: Points) -> Outcome:
    p = points.p
    trip = p["t_issue"] + p["t_transfer"] + p["t_latency"] + p["t_mma"]
    beat = np.maximum(p["t_issue"] + p["t_mma"], p["t_transfer"])
    if points.schedule.producer:
        beat = np.maximum(np.maximum(p["t_issue"], p["t_transfer"]), p["t_mma"])
    with np.errstate(divide="ignore", invalid="ignore"):
        claimed = np.where(trip == 0, 1.0, np.maximum(np.ceil(trip / beat), 1.0))
    found = corrected_stages(points.schedule, **_durations(points))
    return Outcome(distance(claimed, found))


def _asked(points: Points) -> Array:
    takes = ("t_issue", "t_transfer", "t_latency", "t_mma")
    found = textbook_stages(*(points.p[name] for name in takes))
    return np.asarray(np.minimum(found, DEEPEST + 1), np.int64)


def _textbook_suffices(points: Points) -> Outcome:
    asked = _asked(points)
    best = saturated_period(points.schedule, **_durations(points))
    gap = excess(_period(points, {"stages": asked}), np.broadcast_to(best, size(points.p)))
    return Outcome(np.where(asked > DEEPEST, np.nan, gap), ({"stages": asked},))


def _textbook_excess(points: Points) -> Outcome:
    """Count only where the simulation with one stage less is as fast."""
    asked = _asked(points)
    runs = ({"stages": asked}, {"stages": np.maximum(asked - 1, 1)})
    same = np.equal(*(_period(points, changes) for changes in runs)) & (asked > 1)
    gap = np.where(same, asked - _corrected(points), 0.0)
    return Outcome(np.where(asked > DEEPEST, np.nan, gap), runs)


def _textbook_price() -> str:
    found = over_provisioning(stage_rules())
    return (
        f"In a plain space of tiles, bandwidths, issue costs and latencies ({found.points:,}"
        f" points) it asks for too many stages at {found.share:.1%}, by {found.mean_extra:.2f} on"
        f" average and {found.most_extra:.0f} at most: {found.mean_extra_bytes / 1024:.0f} KiB of"
        f" shared memory on average; at {found.refused:.1%} of the points its stages don't fit"
        " and those of the corrected rule do"
    )
