"""The small compiled functions that a kernel written out for one description calls."""

from __future__ import annotations

import math

from sweep.compiling.numba_options import Array, inlined

NEVER = -math.inf
"""The end of an instance that does not exist."""
LEFT = 1
"""A point that the kernel leaves to the table-driven engine."""


@inlined
def advanced_by(now: Array, was: Array, moved: float, size: int) -> bool:
    """Whether all times have advanced by ``moved``; what never happens stays."""
    for index in range(size):
        if now[index] != was[index] + moved:
            return False
    return True


@inlined
def advanced(now: Array, was: Array, size: int) -> float:
    """Return by how much all times have advanced, NaN if not equally."""
    moved = now[0] - was[0]
    return moved if advanced_by(now, was, moved, size) else math.nan
