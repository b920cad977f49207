"""Cycles from a tile's last MMA until its result is on the way."""

from __future__ import annotations

import numpy as np

from analysis.prediction.kernels import ASYNC, NAIVE, Kernel, Machine
from sweep.quantities.arrays import Array

NAIVE_PER_ELEMENT, NAIVE_BASE = 0.28, 300.0
STORE_RATE = 32.0
"""byte/cycle of a TMA epilogue."""
NOT_WAITED = 0.4
"""Part of it that is left where the stores are not waited for."""


def epilogue_time(kernel: Kernel, machine: Machine) -> Array:
    """Return the cycles of an epilogue; twice as many where stores fill half a sector."""
    elements = kernel.tile_m * kernel.tile_n
    naive = NAIVE_PER_ELEMENT * elements + NAIVE_BASE
    tma = machine.store_base + elements * kernel.output_bytes / STORE_RATE
    tma = np.where(kernel.epilogue == ASYNC, NOT_WAITED * tma, tma)
    cycles = np.where(kernel.epilogue == NAIVE, naive, tma)
    return np.asarray(cycles * np.where(kernel.half_sectors > 0, 2.0, 1.0))
