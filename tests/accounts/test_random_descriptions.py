"""Random descriptions of the whole language: rows and translated program agree at every event.

How many is set by ``WARPSWEEP_DESCRIPTIONS``; each is run in every service order that it can have.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numba
import pytest

from sweep.description.dependencies import Dependencies, Need
from sweep.description.interpreter import NeverHappens, ends_of
from sweep.description.program_order import ONCE, Instance
from tests.accounts.deadlocks import Elimination
from tests.accounts.random_descriptions import Drawn, attempts, draw, services
from tests.accounts.translated_programs import Translation

DRAWS = int(os.environ.get("WARPSWEEP_DESCRIPTIONS", "500"))
CHUNK = 250
Patch = pytest.MonkeyPatch
pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing compiled in it: the same as in the compiled run"
)


def difference(one: Drawn, service: str) -> str:
    """Say where the two accounts of a description differ first, or nothing."""
    p = {**one.parameters, "arbitration": service}
    cycles, listed = ends_of(one.schedule, p)
    run = Translation(one.schedule, p)
    performed = run.perform()
    if performed.deadlock:
        return performed.deadlock
    simulated = {key: end for key, (_, end) in performed.spans.items()}
    if listed != simulated:
        apart = {
            key for key in listed.keys() | simulated.keys() if listed.get(key) != simulated.get(key)
        }
        first = min(apart, key=lambda key: listed.get(key, float("inf")))
        return f"{first}: {listed.get(first)} by the rows, {simulated.get(first)} by the program"
    latest = max(end for key, end in simulated.items() if run.row(key).agent)
    return "" if latest == cycles else f"{cycles} cycles by the rows, {latest} by the program"


@pytest.mark.parametrize("first", range(0, DRAWS, CHUNK))
def test_rows_and_program_agree_at_every_event(first: int) -> None:
    for seed in range(first, min(first + CHUNK, DRAWS)):
        one = draw(seed)
        for service in services(one.parameters):
            found = difference(one, service)
            assert not found, f"draw({seed}), {service}: {found}"


def test_deadlocks_are_the_same_and_at_the_same_row() -> None:
    """A row that comes after a later one deadlocks; so does the program, where that is a circle.

    The program performs all that is on no circle nor after one: at least all before the first such
    row. Where there is no circle it goes on, but the list is none that can be evaluated in order.
    """
    stuck_there = beyond = 0
    for seed in range(DRAWS // 4):
        for one in attempts(seed):
            if Translation(*one).in_order():
                break
            for service in services(one.parameters):
                p = {**one.parameters, "arbitration": service}
                with pytest.raises(NeverHappens) as caught:
                    ends_of(one.schedule, p)
                waiting, awaited = caught.value.waiting.key, caught.value.awaited.key
                run = Translation(one.schedule, p)
                assert run.first_out_of_order() == (waiting, awaited), seed
                performed, possible = run.perform(), Elimination(run).ended
                assert performed.spans.keys() == possible, seed
                assert bool(performed.deadlock) == (len(possible) < len(run.instances)), seed
                earlier = {key for key in run.needs if run.number[key] < run.number[waiting]}
                assert possible >= earlier or service == "fifo", seed
                stuck_there += waiting not in possible
                beyond += waiting in possible
    assert stuck_there > beyond > 0


# Planted faults, in the account that reads lags and rings for the interpreter.


def rates(patch: Patch, fault: Callable[..., Iterator[Need]], draws: int = 400) -> float:
    """Return the share of descriptions in which a fault of ``Dependencies.of`` shows."""
    right = Dependencies.of

    def wrong(self: Dependencies, one: Instance) -> Iterator[Need]:
        return fault(self, one, right)

    patch.setattr(Dependencies, "of", wrong)
    shown = 0
    for seed in range(draws):
        one = draw(seed)
        try:
            shown += bool(difference(one, services(one.parameters)[0]))
        except NeverHappens:
            shown += 1
    return shown / draws


Of = Callable[[Dependencies, Instance], Iterator[Need]]


def as_lag_1(self: Dependencies, one: Instance, right: Of) -> Iterator[Need]:
    """Read every deeper lag between rows once per tile as 1."""
    layout, after = self.layout, []
    for need in one.row.after:
        tile_level = one.iteration == ONCE and layout.place[need.event] not in layout.loops
        deep = tile_level and layout.values.count(need.lag, one.tile) > 1
        after.append(replace(need, lag=1) if deep else need)
    changed = one._replace(row=replace(one.row, after=tuple(after)))
    return without_rings(self, changed, one, right)


def without_rings(
    self: Dependencies, changed: Instance, one: Instance, right: Of
) -> Iterator[Need]:
    """Yield what a changed row comes after, with the rings of the row as it is."""
    yield from (need for need in right(self, changed) if not need.ring)
    yield from (need for need in right(self, one) if need.ring)


def once_per_tile_dropped(self: Dependencies, one: Instance, right: Of) -> Iterator[Need]:
    for need in right(self, one):
        if one.iteration == ONCE or need.ring or need.instance.iteration != ONCE:
            yield need


def drain_ignored(self: Dependencies, one: Instance, right: Of) -> Iterator[Need]:
    return without_rings(self, one._replace(draining=False), one, right)


def odd_ring_ignored(self: Dependencies, one: Instance, right: Of) -> Iterator[Need]:
    for need in right(self, one):
        rings = [ring for ring in self.layout.schedule.rings if ring.name == need.ring]
        odd = [
            r for r in rings if len(r.uses) == 2 and self.layout.values.count(r.slots, one.tile) % 2
        ]
        if not odd:
            yield need


@pytest.mark.parametrize(
    ("fault", "least"),
    [
        (as_lag_1, 0.05),
        (once_per_tile_dropped, 0.08),
        (drain_ignored, 0.03),
        (odd_ring_ignored, 0.01),
    ],
)
def test_a_planted_fault_is_noticed(monkeypatch: Patch, fault: Any, least: float) -> None:
    assert rates(monkeypatch, fault) >= least
