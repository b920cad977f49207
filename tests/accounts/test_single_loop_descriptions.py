"""Random descriptions of one loop: the generated kernel agrees with the event list and the event
program at every event, or they are refused.

The kernel is the generated text, run as plain Python and recorded; see ``plain_kernels``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import sweep.recurrence.plan
from sweep.catalogue.schedules import SCHEDULES
from sweep.catalogue.validation import validate
from sweep.description import After, Event, Schedule
from sweep.description.counts import add, linear
from sweep.description.delays import absent_delays
from sweep.errors import InputError
from sweep.recurrence.state import Names
from tests.accounts.description_checks import difference
from tests.accounts.plain_kernels import PlainKernel
from tests.accounts.single_loop_descriptions import draw
from tests.support.points import COMPILED

DRAWS = int(os.environ.get("WARPSWEEP_SINGLE_LOOPS", "5000"))
CHUNK = 1_000
Patch = pytest.MonkeyPatch


def sound(seeds: range) -> Iterator[tuple[int, Any]]:
    """Yield the descriptions that are not refused; a refusal is one line that names a place."""
    for seed in seeds:
        schedule = draw(seed).schedule
        try:
            validate(schedule)
        except InputError as refusal:
            assert "\n" not in str(refusal)
            assert str(refusal).startswith("schedule 'drawn'")
            continue
        if not absent_delays(schedule):  # the generator has no delay that does not happen
            yield seed, schedule


# The kernels' text does not depend on whether anything is compiled: once is enough.
@pytest.mark.skipif(not COMPILED, reason="the same text as in the compiled run")
@pytest.mark.parametrize("first", range(0, DRAWS, CHUNK))
def test_all_accounts_agree(first: int) -> None:
    accepted = 0
    for seed, schedule in sound(range(first, first + CHUNK)):
        accepted += 1
        found = difference(schedule, seed)
        assert not found, f"draw({seed}): {found}"
    assert accepted > CHUNK / 5


def noticed(seeds: range, **how: Any) -> bool:
    """Whether some description shows a planted fault, as a difference or as an error."""
    for seed, schedule in sound(seeds):
        try:
            if difference(schedule, seed, **how):
                return True
        except (NameError, IndexError):
            return True
    return False


def test_a_lag_ignored_is_noticed(monkeypatch: Patch) -> None:
    monkeypatch.setattr(sweep.recurrence.plan.Ring, "start", lambda self, lag=0: "0")
    assert noticed(range(400))


def test_a_ring_one_too_long_is_noticed(monkeypatch: Patch) -> None:
    """Its slots would be read one k-tile too late."""
    right = sweep.recurrence.plan.ring_size
    monkeypatch.setattr(sweep.recurrence.plan, "ring_size", lambda *a: add(right(*a), linear(1)))
    monkeypatch.setattr(sweep.recurrence.plan.Ring, "start", lambda self, lag=0: "0")
    assert noticed(range(400))


def test_a_makespan_without_its_asynchronous_tail_is_noticed(monkeypatch: Patch) -> None:
    agents = property(
        lambda self: [
            line
            for line in [*self.plan.lines, *self.plan.idle_lines, *self.outer_times]
            if line.startswith(("agent_", "other_"))
        ]
    )
    monkeypatch.setattr(Names, "all_lines", agents)
    assert noticed(range(400))


def edited(change: Callable[[str], str]) -> Callable[..., PlainKernel]:
    """Make kernels from changed source."""
    return lambda schedule, release, plain: PlainKernel(schedule, release, plain, change)


def replaced(pattern: str, by: str) -> Callable[[str], str]:
    return lambda source: re.sub(pattern, by, source)


@pytest.mark.parametrize(
    ("pattern", "by"),
    [
        (r"agent_consumer, other_consumer = .*", "pass"),
        (r"k_tile \+= 1", "k_tile += 2"),
        (r"tiles_done >= 1", "tiles_done >= 0"),
        (r"(free_\w+ = .*) \+ t_\w+  #", r"\1  #"),
    ],
    ids=["turn kept", "late by half", "never late", "takes nothing"],
)
def test_a_fault_in_the_text_is_noticed(pattern: str, by: str) -> None:
    assert noticed(range(600), make=edited(replaced(pattern, by)))


def near_ties(points: int) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Draw points whose parts drift apart slowly, so that leaps over many tiles are tried."""
    rng = np.random.default_rng(77)
    for name in ("persistent", "pingpong"):
        schedule = SCHEDULES[name]
        for _ in range(points):
            tie, k_tiles, stages = (int(rng.integers(*span)) for span in ((2, 9), (1, 5), (1, 12)))
            sums = [0, tie, tie, 2 * tie, k_tiles * tie, stages * tie, (stages - 1) * tie]
            p: dict[str, Any] = {
                one: abs(float(rng.choice(sums) + rng.integers(-3, 4) / 64))
                for one in schedule.durations
            }
            p |= {"stages": stages, "mma_in_flight": int(rng.integers(stages))}
            yield schedule, p | {"k_tiles": k_tiles, "output_tiles": int(rng.integers(100, 600))}


def chain(release: str) -> tuple[Event, ...]:
    """One agent overtakes another's head start, and three more hear of it four steps later each."""
    return (
        Event("head", "b", takes="t_epilogue", place="tile_start"),
        Event("lead", "a", takes="t_issue"),
        Event("follow", "b", takes="t_mma", after=(After("lead"),)),
        Event("third", "c", takes="t_store", after=(After("follow", lag=4),)),
        Event("fourth", "d", takes="t_store", after=(After("third", lag=4),)),
        Event("fifth", "e", takes="t_store", after=(After("fourth", lag=4),)),
        Event("last", "e", takes="t_transfer", place="tile_end"),
    )


CHAIN = Schedule(
    name="chain",
    family="gemm",
    summary="a change of regime that spreads slowly",
    reference="a test",
    agents=("a", "b", "c", "d", "e"),
    events=chain,
    fixed_stages=1,
)


def overtaking() -> Iterator[tuple[Any, dict[str, Any]]]:
    """Draw runs of the chain that end around the time of the overtaking."""
    takes = {"t_issue": 5.0, "t_mma": 3.0, "t_store": 1.0, "t_transfer": 400.0}
    for head in (200.0, 300.0, 401.0):
        for k_tiles in range(90, 260, 7):
            yield CHAIN, takes | {"t_epilogue": head, "k_tiles": k_tiles}


def missed(change: Callable[[str], str], loop: str, points: int = 40) -> int:
    """Count the leaps that land elsewhere than stepping does, with a fault planted."""
    kernels: dict[str, PlainKernel] = {}
    landings = []
    for schedule, p in near_ties(points) if loop == "tiles_loop" else overtaking():
        if schedule.name not in kernels:
            kernels[schedule.name] = PlainKernel(schedule, "consumer", False, change)
        landings += kernels[schedule.name].landings(p, loop)
    assert landings
    return landings.count(False)


LEAPS = {
    "tiles_loop": (
        r"repeats\(reached, ahead, stride, size\)",
        "repeats(reached, ahead, stride, 1)",
    ),
    "drift": (r"repeats\(trial, now, advance, size\)", "repeats(trial, now, advance, 1)"),
}
"""How each loop checks a leap, and a weaker check: of one component only."""


@pytest.mark.parametrize("loop", LEAPS)
def test_every_leap_accepted_is_noticed(loop: str) -> None:
    assert missed(replaced(LEAPS[loop][0], "True"), loop)


@pytest.mark.parametrize("loop", LEAPS)
def test_a_weaker_check_of_leaps_is_noticed(loop: str) -> None:
    assert missed(replaced(*LEAPS[loop]), loop)


@pytest.mark.parametrize("loop", LEAPS)
def test_every_leap_lands_where_stepping_does(loop: str) -> None:
    assert not missed(lambda source: source, loop, points=150)
