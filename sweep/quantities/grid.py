"""The grid of times: multiples of 1/1024 cycle, so that sums are exact."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sweep.quantities.arrays import Array

GRID = 1024.0
"""Steps per cycle of every duration."""


def to_grid(cycles: ArrayLike) -> Array:
    """Round to the nearest 1/1024 cycle, half to even."""
    exact = np.array(cycles, dtype=np.float64)
    with np.errstate(over="ignore"):
        exact *= GRID
    np.rint(exact, out=exact)
    exact /= GRID
    exact += 0.0
    return exact
