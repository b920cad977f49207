"""Limits on combinations of parameters, checked without an array as large as the grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.derived import Derivation
from sweep.description import Schedule
from sweep.errors import InputError
from sweep.tile import k_tiles
from sweep.variables import EXACT_CYCLES

Array = NDArray[Any]


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


def check_run_length(schedule: Schedule, values: Mapping[str, Array]) -> None:
    """Refuse runs whose durations sum to 2**43 cycles or more.

    float64 holds multiples of 1/1024 cycle exactly below that. The sum of all durations bounds the
    makespan and everything a kernel adds up on the way. Steps are limited alike.
    """
    weights = _event_counts(schedule)
    for name in weights:
        if not np.isfinite(values[name]).all():
            raise InputError(
                f"{name}: its tile and GPU figures give no finite number of cycles; the limit is"
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
            _raise_too_long(schedule, weights, worst, counts, float(total[at]))


def _event_counts(schedule: Schedule) -> dict[str, tuple[int, int]]:
    """Return how often each duration occurs: per step of the main loop, and per output tile."""
    counts: dict[str, tuple[int, int]] = {}
    for event in schedule.events("consumer"):
        if event.takes:
            per_step, per_tile = counts.get(event.takes, (0, 0))
            inner = event.place == "k_tile"
            counts[event.takes] = (per_step + inner, per_tile + (not inner))
    return counts


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
) -> None:
    """Name the duration that adds most, and how often it occurs."""
    loops, tiles = counts
    shares = {name: durations[name] * (n * loops + m) for name, (n, m) in weights.items()}
    largest = max(shares, key=shares.__getitem__)
    often = f"{schedule.loop}={loops}" + (f", output_tiles={tiles}" if schedule.tile_level else "")
    raise InputError(
        f"{largest}={durations[largest]:.6g} cycle with {often}: the durations of {schedule.name}"
        f" sum to {total:.3g} cycle; the limit is 2**43 = {EXACT_CYCLES} cycle, up to which steps"
        " of 1/1024 cycle are exact"
    )
