"""The small compiled functions on rings of ends that kernels of any description call."""

from __future__ import annotations

import math

from sweep.compiling.numba_options import Array, inlined


@inlined
def advanced(ends: Array, was: Array, upto: int, size: int, moved: float) -> bool:
    """Whether the last ends have all advanced by ``moved``; what never happens stays."""
    for back in range(1, size + 1):
        if ends[(upto - back) & (ends.size - 1)] != was[back] + moved:
            return False
    return True


@inlined
def note_last(ends: Array, was: Array, upto: int, size: int) -> None:
    """Note the last ends, the latest first."""
    for back in range(1, size + 1):
        was[back] = ends[(upto - back) & (ends.size - 1)]


@inlined
def put_later(ends: Array, upto: int, size: int, shift: float) -> None:
    """Put the last ends later."""
    for back in range(1, size + 1):
        ends[(upto - back) & (ends.size - 1)] += shift


@inlined
def earliest_of_last(ends: Array, upto: int, size: int, earliest: float) -> float:
    """Return the earliest of the last ends that exist, or ``earliest``."""
    for back in range(1, size + 1):
        end = ends[(upto - back) & (ends.size - 1)]
        if -math.inf < end < earliest:
            earliest = end
    return earliest
