"""Limits on combinations of parameters, checked without an array as large as the grid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from sweep.description import Schedule
from sweep.description.chains import chain_counts
from sweep.description.circuits import regime_steps
from sweep.description.program_order import instances_at_most
from sweep.errors import InputError
from sweep.hardware.durations import k_tiles
from sweep.inputs.derivation import Derivation, depends_on
from sweep.quantities.arrays import Array
from sweep.quantities.variables import EXACT_CYCLES
from sweep.recurrence.plan import plan

MOST_EVENTS = 5_000_000
"""A kept event takes some 180 bytes."""
MOST_STEPPED, SECONDS_PER_STEP, ROUNDS_STEPPED = 10**10, 5e-9, 12
"""Steps of a point without a jump, what one of them takes (measured), and rounds looked at."""
MOST_SERVED, SECONDS_PER_SERVED = 10**8, 2e-7
"""Blocks of keys of a point under fifo, and what one of them takes (measured)."""


def check_release(schedule: Schedule, values: Mapping[str, Array]) -> None:
    """Refuse MMAs in flight where the hardware releases the slots: it has no meaning there."""
    if not schedule.release_modes:
        return
    hardware = values["release"] == schedule.release_modes.index("hardware")
    in_flight = values["mma_in_flight"] > 0
    if hardware.any() and in_flight.any() and _meet(hardware, in_flight):
        worst = values["mma_in_flight"].max()
        raise InputError(
            f"mma_in_flight={worst}: has no meaning with release='hardware', where it must be 0"
        )


def _meet(one: Array, other: Array) -> bool:
    """Whether two masks hold at one point of the grid, looking along shared dimensions only."""
    axes = range(one.ndim)
    left = one.any(axis=tuple(i for i in axes if other.shape[i] == 1), keepdims=True)
    right = other.any(axis=tuple(i for i in axes if one.shape[i] == 1), keepdims=True)
    return bool(np.any(left & right))


def check_warpgroups(schedule: Schedule, values: Mapping[str, Array]) -> None:
    """Refuse warpgroups that cannot be shared out among consumers that take turns."""
    groups = values.get("consumer_warpgroups")
    if groups is None or schedule.turns == 1:
        return
    uneven = groups % schedule.turns != 0
    if uneven.any():
        raise InputError(
            f"consumer_warpgroups={groups[uneven][0]}: must be a multiple of {schedule.turns} in"
            f" {schedule.name}, whose {schedule.turns} consumers take turns"
        )


def check_served_blocks(schedule: Schedule, values: Mapping[str, Array]) -> None:
    """Refuse runs under ``arbitration="fifo"`` that would take minutes: nothing is jumped there."""
    if "arbitration" not in schedule.parameters:
        return
    loop = values[schedule.loop]
    long = loop > MOST_SERVED
    if long.any() and _meet(values["arbitration"] == 1, long):
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


def check_k_tiles(derivation: Derivation) -> None:
    """Refuse ``k_tiles`` that are not those of ``k``, where both are given."""
    given = derivation.given
    if "k" not in given or "k_tiles" not in given:
        return
    count, k, size = (derivation.get(name).array for name in ("k_tiles", "k", "tile_k"))
    right = k_tiles(k, size)
    wrong = count != right
    if wrong.any():
        at = int(np.argmax(wrong))
        asked, depth, step, needed = (
            int(np.broadcast_to(one, wrong.shape).flat[at]) for one in (count, k, size, right)
        )
        raise InputError(
            f"k_tiles={asked} and k={depth} contradict each other: ceil({depth} / BK={step}) is"
            f" {needed} k-tiles; give one of them"
        )


def check_run_length(
    schedule: Schedule, values: Mapping[str, Array], given: Iterable[str] = ()
) -> None:
    """Refuse runs whose durations sum to 2**43 cycles or more.

    float64 holds multiples of 1/1024 cycle exactly below that. The sum of all durations of a chain
    bounds the makespan and everything a kernel adds up on the way. Steps are limited alike. A
    duration that follows from what was ``given`` is named with it.
    """
    weights = _event_counts(schedule)
    for name in weights:
        if not np.isfinite(values[name]).all():
            raise InputError(
                f"{name}{_origin(name, given)}: is no finite number of cycles; the limit is"
                f" 2**43 = {EXACT_CYCLES} cycle"
            )
    loop, tiles = values[schedule.loop], values.get("output_tiles", np.ones(1))
    if float(loop.max()) * float(tiles.max()) > EXACT_CYCLES:
        _check_steps(schedule, loop, tiles)
    arrays = {name: values[name] for name in weights}
    if _total(weights, arrays.__getitem__, np.max, loop, tiles) < EXACT_CYCLES:
        return
    for loops, tile_counts, *durations in _blocks(loop, tiles, *arrays.values()):
        block = dict(zip(weights, durations, strict=True))
        total = _total(weights, block.__getitem__, np.asarray, loops, tile_counts)
        if np.max(total) >= EXACT_CYCLES:
            at = int(np.argmax(total))
            worst = {name: float(one[at]) for name, one in block.items()}
            counts = int(loops[at]), int(tile_counts[at])
            _raise_too_long(schedule, weights, worst, counts, float(total[at]), given)


def _origin(name: str, given: Iterable[str]) -> str:
    """Return what a duration follows from among the parameters given, for a message."""
    used = [one for one in given if one != name and depends_on(name, frozenset({one}))]
    return f" (from {', '.join(used)})" if used else ""


@lru_cache(maxsize=64)
def _event_counts(schedule: Schedule) -> dict[str, tuple[int, int]]:
    """Return how often a chain meets each duration: per step of the loop, and per output tile."""
    return chain_counts(schedule.events("consumer"))


def _total(
    weights: Mapping[str, tuple[int, int]], get: Any, reduce: Any, loop: Array, tiles: Array
) -> Any:
    loops, tile_count = reduce(loop).astype(float), reduce(tiles).astype(float)
    total: Any = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        for name, (per_step, per_tile) in weights.items():
            total = total + reduce(get(name)) * (per_step * loops + per_tile) * tile_count
    return total


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
    weights: Mapping[str, tuple[int, int]],
    durations: Mapping[str, float],
    counts: tuple[int, int],
    total: float,
    given: Iterable[str],
) -> None:
    """Name the duration that adds most, and how often it occurs."""
    loops, tiles = counts
    shares = {name: durations[name] * (n * loops + m) for name, (n, m) in weights.items()}
    largest = max(shares, key=shares.__getitem__)
    often = f"{schedule.loop}={loops}" + (f", output_tiles={tiles}" if schedule.tile_level else "")
    origin = _origin(largest, given)
    raise InputError(
        f"{largest}={durations[largest]:.6g} cycle{origin} with {often}: the durations of"
        f" {schedule.name} sum to {total:.3g} cycle; the limit is 2**43 = {EXACT_CYCLES} cycle, up"
        " to which steps of 1/1024 cycle are exact"
    )
