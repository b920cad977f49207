"""Limits on combinations of parameters, checked without an array as large as the grid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from sweep.catalogue.validation import beyond_generated
from sweep.description import Schedule
from sweep.description.chains import chain_counts
from sweep.description.circuits import regime_steps
from sweep.description.counts import linear
from sweep.description.program_order import instances_at_most
from sweep.errors import InputError
from sweep.inputs.combinations import meet
from sweep.inputs.rules import depends_on
from sweep.quantities.arrays import Array
from sweep.quantities.variables import EXACT_CYCLES
from sweep.recurrence.plan import plan

MOST_EVENTS = 5_000_000
"""A kept event takes some 180 bytes."""
MOST_STEPPED, SECONDS_PER_STEP, ROUNDS_STEPPED = 10**10, 5e-9, 12
"""Steps of a point without a jump, what one of them takes (measured), and rounds looked at."""
MOST_SERVED, SECONDS_PER_SERVED = 10**8, 2e-7
"""Blocks of keys of a point under fifo, and what one of them takes (measured)."""
_ONE: Array = np.ones(1, np.int64)


def check_served_blocks(schedule: Schedule, values: Mapping[str, Array]) -> None:
    """Refuse runs under ``arbitration="fifo"`` that would take minutes: nothing is jumped there."""
    if "arbitration" not in schedule.parameters:
        return
    loop = values[schedule.loop]
    long = loop > MOST_SERVED
    if long.any() and meet(values["arbitration"] == 1, long):
        worst = loop.max()
        raise InputError(
            f"{schedule.loop}={worst}: arbitration='fifo' serves every block of every point, here"
            f" for about {worst * SECONDS_PER_SERVED:.0f} s a point; the limit is"
            f" {MOST_SERVED} blocks"
        )


def check_rounds(schedule: Schedule, values: Mapping[str, Array]) -> None:
    """Refuse runs that step for minutes before their regime can repeat.

    It repeats after a common multiple of the rings' sizes, and a dozen such rounds are looked at.
    """
    loop, tiles = values[schedule.loop], values.get("output_tiles", np.ones(1, np.int64))
    if float(loop.max()) * float(tiles.max()) <= MOST_STEPPED:
        return
    if beyond_generated(schedule, schedule.events("consumer")):
        return
    rounds = plan(schedule, "consumer", not np.any(values.get("mma_in_flight", 0)))
    forms = {ring.size_form for ring in rounds.rings} | set(regime_steps(rounds.events))
    names = sorted({name for form in forms for name, _ in form if name})
    if not names:  # it repeats after as many steps whatever the counts
        return
    for loops, *counts in _blocks(loop, *(values[name] for name in names)):
        given: dict[str, Any] = dict(zip(names, counts, strict=True)) | {"": 1}
        repeat = np.ones(1, np.int64)
        for form in forms:
            size = sum(factor * given[name] for name, factor in form)
            repeat = np.minimum(np.lcm(repeat, np.maximum(size, 1)), 2**40)
        steps = np.minimum(loops, ROUNDS_STEPPED * repeat)
        if steps.max() > MOST_STEPPED:
            at = int(steps.argmax())
            often = ", ".join(f"{name}={given[name][at]}" for name in names)
            raise InputError(
                f"{schedule.loop}={loops[at]}: with {often} the run repeats only after"
                f" {np.broadcast_to(repeat, steps.shape)[at]} steps, and would take about"
                f" {steps[at] * SECONDS_PER_STEP:.0f} s; the limit is {MOST_STEPPED} such steps"
            )


def check_events(schedule: Schedule, point: Mapping[str, Any], what: str) -> None:
    """Refuse to keep more events of a point than memory holds.

    Parameters
    ----------
    schedule : Schedule
    point : mapping of str to float, int, str or tuple
        Its parameters; a tuple is a table over output tiles.
    what : str
        Who keeps them, for the message.
    """
    events = instances_at_most(schedule, point)
    if events > MOST_EVENTS:
        steps = point.get(schedule.loop, schedule.loop)
        steps = f"at most {max(steps)}" if isinstance(steps, tuple) else steps
        raise InputError(
            f"{schedule.loop}={steps}: {what} keeps every event, here {events:,};"
            f" the limit is {MOST_EVENTS:,} events"
        )


def check_run_length(
    schedule: Schedule, values: Mapping[str, Array], given: Iterable[str] = ()
) -> None:
    """Refuse runs whose durations sum to 2**43 cycles or more.

    float64 holds multiples of 1/1024 cycle exactly below that. The sum of all durations of a chain
    bounds the makespan and everything a kernel adds up on the way. Steps are limited alike. A
    duration that follows from what was ``given`` is named with it.
    """
    often = _Often(schedule)
    durations = {name: values[name] for name in often.names if name in values}
    for name, array in durations.items():
        if not np.isfinite(array).all():
            raise InputError(
                f"{name}{_origin(schedule, name, given)}: is no finite number of cycles; the limit"
                f" is 2**43 = {EXACT_CYCLES} cycle"
            )
    counts = {name: values.get(name, _ONE) for name in often.counts}
    loop, tiles = counts[schedule.loop], counts["output_tiles"]
    if float(loop.max()) * float(tiles.max()) > EXACT_CYCLES:
        _check_steps(schedule, loop, tiles)
    largest = {name: float(array.max()) for name, array in counts.items()}
    most = {name: float(array.max()) for name, array in durations.items()}
    if _total(often.of_run(largest), most) < EXACT_CYCLES:
        return
    for block in _blocks(*counts.values(), *durations.values()):
        some = {name: one.astype(float) for name, one in zip(counts, block, strict=False)}
        takes = dict(zip(durations, block[len(counts) :], strict=True))
        total = np.asarray(_total(often.of_run(some), takes))
        if np.max(total) >= EXACT_CYCLES:
            at = int(np.argmax(total))
            point = {name: float(one[at]) for name, one in some.items()}
            worst = {name: float(one[at]) for name, one in takes.items()}
            _raise_too_long(schedule, often, point, worst, float(np.ravel(total)[at]), given)


class _Often:
    """How often a chain of a schedule's events meets each duration, by the counts of a run."""

    def __init__(self, schedule: Schedule) -> None:
        self.per_tile, self.per_step = _event_counts(schedule)
        self.loops = [(loop.name, linear(loop.count)) for loop in schedule.loops]
        self.names = (*self.per_tile, "t_launch", "t_stagger")
        named = (name for _, form in self.loops for name, _ in form if name)
        self.counts = tuple(dict.fromkeys((*named, "output_tiles", "ctas_per_sm")))

    def of_run(self, counts: Mapping[str, Any]) -> dict[str, Any]:
        """Return how often each duration occurs in a run of these counts."""
        found: dict[str, Any] = {}
        steps = {
            place: sum(factor * (counts[name] if name else 1) for name, factor in form)
            for place, form in self.loops
        }
        for name, once in self.per_tile.items():
            times: Any = float(once)
            for place, often in self.per_step[name].items():
                times = times + often * np.maximum(steps[place], 0)
            found[name] = times * counts["output_tiles"]
        return found | {"t_launch": counts["output_tiles"], "t_stagger": counts["ctas_per_sm"]}


@lru_cache(maxsize=64)
def _event_counts(schedule: Schedule) -> tuple[dict[str, int], dict[str, dict[str, int]]]:
    """Return how often each duration occurs per output tile, and per step of each loop."""
    events = schedule.events("consumer")
    if not beyond_generated(schedule, events):
        pairs = chain_counts(events)
        tiles = {name: per_tile for name, (_, per_tile) in pairs.items()}
        return tiles, {name: {schedule.main: per_step} for name, (per_step, _) in pairs.items()}
    loops = [loop.name for loop in schedule.loops]
    once = dict.fromkeys(schedule.durations, 0)
    steps: dict[str, dict[str, int]] = {name: dict.fromkeys(loops, 0) for name in once}
    for event in events:
        place = schedule.place(event)
        if event.takes and place in loops:
            steps[event.takes][place] += 1
        elif event.takes:
            once[event.takes] += 1
    return once, steps


def _total(often: Mapping[str, Any], durations: Mapping[str, Any]) -> Any:
    total: Any = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        for name, takes in durations.items():
            total = total + takes * often[name]
    return total


def _origin(schedule: Schedule, name: str, given: Iterable[str]) -> str:
    """Return what a duration follows from among the parameters given, for a message."""
    given = tuple(given)
    if name in given:
        return ""
    used = [one for one in given if one != name and depends_on(schedule, name, frozenset({one}))]
    return f" (from {', '.join(used)})" if used else ""


def _blocks(*arrays: Array) -> Iterator[tuple[Array, ...]]:
    """Walk over the broadcast arrays in blocks of some thousand points."""
    blocks: Any = np.nditer(
        arrays, flags=["external_loop", "buffered"], op_flags=[["readonly"]] * len(arrays)
    )
    return iter(blocks)


def _check_steps(schedule: Schedule, loop: Array, tiles: Array) -> None:
    for loops, tile_counts in _blocks(loop, tiles):
        steps = loops.astype(float) * tile_counts
        if steps.max() > EXACT_CYCLES:
            raise InputError(
                f"{schedule.loop}={loops[steps.argmax()]}: a run of {steps.max():.3g} steps is"
                f" longer than the limit of 2**43 = {EXACT_CYCLES} steps"
            )


def _raise_too_long(
    schedule: Schedule,
    often: _Often,
    counts: Mapping[str, float],
    durations: Mapping[str, float],
    total: float,
    given: Iterable[str],
) -> None:
    """Name the duration that adds most, and how often it occurs."""
    times = often.of_run(counts)
    largest = max(durations, key=lambda name: durations[name] * times[name])
    tiles = int(counts["output_tiles"])
    loops = (name for name in counts if name not in ("output_tiles", "ctas_per_sm"))
    said = ", ".join(f"{name}={int(counts[name])}" for name in loops)
    said += f", output_tiles={tiles}" if schedule.tile_level or tiles > 1 else ""
    raise InputError(
        f"{largest}={durations[largest]:.6g} cycle{_origin(schedule, largest, given)} with {said}:"
        f" the durations of {schedule.name} sum to {total:.3g} cycle; the limit is"
        f" 2**43 = {EXACT_CYCLES} cycle, up to which steps of 1/1024 cycle are exact"
    )
