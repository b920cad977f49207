"""The small compiled functions on states that every generated kernel calls."""

from __future__ import annotations

import math

from sweep.compiling.jump_settings import BEFORE_MARK, HISTORY, KEPT, MARK, SHORT, STRIDE
from sweep.compiling.numba_options import Array, function, inlined

EXACT = 2.0**42
"""Half the cycles up to which float64 holds multiples of 1/1024 cycle."""


@inlined
def as_count(value: int) -> int:
    """Return an integer whose value is no part of its type.

    Numba types the literal 0 apart from a count and would compile every function twice.
    """
    return value + 0


@inlined
def latest(a: float, b: float) -> float:
    """Return the larger of two times."""
    return a if a > b else b


@inlined
def common_multiple(a: int, b: int) -> int:
    """Return the least common multiple; ``a`` where ``b`` is no number of steps."""
    return a if b < 1 else a // math.gcd(a, b) * b


@inlined
def uniform(now: Array, was: Array, size: int) -> bool:
    """Whether all components have advanced equally."""
    moved = now[0] - was[0]
    for index in range(1, size):
        if now[index] - was[index] != moved:
            return False
    return True


@inlined
def repeats(now: Array, was: Array, advance: Array, size: int) -> bool:
    """Whether every component has advanced as before."""
    for index in range(size):
        if now[index] - was[index] != advance[index]:
            return False
    return True


@inlined
def ring_moved(ring: Array, was: Array, offset: int, size: int, moved: float) -> bool:
    """Whether every entry of a ring has advanced by ``moved``."""
    for index in range(size):
        if ring[index] - was[offset + index] != moved:
            return False
    return True


@function
def uniform_group(history: Array, done: int, size: int) -> int:
    """Return the smallest group of tiles over which all components advanced equally, or 0."""
    now = history[(done - 1) % HISTORY]
    for group in range(1, min(done - 1, SHORT) + 1):
        if uniform(now, history[(done - 1 - group) % HISTORY], size):
            return group
    return 0


@function
def repeating(history: Array, done: int, marked: int, size: int) -> tuple[int, bool]:
    """Return after how many tiles the state repeats, 0 if unknown, and whether it spreads.

    It spreads where every component advances as it did at the mark, each at its own rate; its
    stride and its state are kept.
    """
    group = uniform_group(history, done, size)
    if group > 0 or marked == 0 or done <= marked + SHORT:
        return group, False
    now, before = history[(done - 1) % HISTORY], history[(done - 2) % HISTORY]
    if not same_advance(now, before, history[MARK], history[BEFORE_MARK], size):
        return 0, False
    subtract(history[STRIDE], now, history[MARK], size)
    copy(history[KEPT], now, size)
    return done - marked, not uniform(now, history[MARK], size)


@inlined
def advance_of(history: Array, done: int, group: int) -> float:
    """Return how far the first component advanced over the last group of tiles."""
    before = history[MARK] if group > SHORT else history[(done - 1 - group) % HISTORY]
    moved: float = history[(done - 1) % HISTORY, 0] - before[0]
    return moved


@inlined
def renewed_mark(history: Array, done: int, marked: int, size: int) -> int:
    """Return the tile of the snapshot, which is renewed at powers of two."""
    if done < 2 * marked + 2:
        return marked
    copy(history[BEFORE_MARK], history[(done - 2) % HISTORY], size)
    copy(history[MARK], history[(done - 1) % HISTORY], size)
    return done


@function
def drifting(history: Array, done: int, size: int) -> int:
    """Return the smallest group of tiles whose last two advances agree, and keep its stride.

    0 if there is none.
    """
    now = history[(done - 1) % HISTORY]
    for group in range(1, min((done - 1) // 2, SHORT) + 1):
        middle = history[(done - 1 - group) % HISTORY]
        first = history[(done - 1 - 2 * group) % HISTORY]
        if now[0] - middle[0] == middle[0] - first[0] and same_advance(
            now, middle, middle, first, size
        ):
            subtract(history[STRIDE], now, middle, size)
            return group
    return 0


@inlined
def same_advance(now: Array, before: Array, mark: Array, before_mark: Array, size: int) -> bool:
    """Whether every component advanced from ``before`` to ``now`` as it did at the mark."""
    for index in range(size):
        if now[index] - before[index] != mark[index] - before_mark[index]:
            return False
    return True


@inlined
def subtract(into: Array, now: Array, before: Array, size: int) -> None:
    """Write how far every component has advanced."""
    for index in range(size):
        into[index] = now[index] - before[index]


@inlined
def extrapolate(into: Array, start: Array, advance: Array, leap: int, size: int) -> None:
    """Write where every component is after further advances of its own."""
    for index in range(size):
        into[index] = start[index] + leap * advance[index]


@inlined
def copy(into: Array, source: Array, size: int) -> None:
    """Copy the first entries of an array."""
    for index in range(size):
        into[index] = source[index]


@inlined
def rotated(into: Array, offset: int, ring: Array, position: int, size: int) -> None:
    """Write a ring from its oldest entry on."""
    for index in range(size):
        at = position + index
        into[offset + index] = ring[at - size if at >= size else at]


@inlined
def rotate_back(ring: Array, source: Array, offset: int, position: int, size: int) -> None:
    """Read a ring from its oldest entry on."""
    for index in range(size):
        at = position + index
        ring[at - size if at >= size else at] = source[offset + index]


@inlined
def shift_ring(ring: Array, size: int, shift: float) -> None:
    """Add to every entry of a ring."""
    for index in range(size):
        ring[index] += shift


@inlined
def fill(array: Array, size: int, value: float) -> None:
    """Set the first entries of an array."""
    for index in range(size):
        array[index] = value
