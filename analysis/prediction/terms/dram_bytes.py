"""Bytes that a grid of tiles moves to and from DRAM."""

from __future__ import annotations

import numpy as np

from analysis.prediction.kernels import Kernel, Machine
from analysis.prediction.terms.grid_waves import Grid
from sweep.quantities.arrays import Array

RESIDENT = 0.8
"""Operands below this share of the L2 are read once."""


def dram_bytes(kernel: Kernel, machine: Machine, grid: Grid) -> Array:
    """Return operand bytes, read once or once per wave of tiles, and the output's.

    A wave of W tiles in raster groups of g rows covers about ``W/g`` columns of tiles.
    """
    wave = grid.slots * np.where(kernel.persistent > 0, 1.0, grid.ctas)
    group = kernel.raster_group
    columns = np.minimum(grid.columns, np.ceil(wave / group))
    rows = np.minimum(grid.rows, np.maximum(group, group * np.ceil(wave / (group * grid.columns))))
    depth = kernel.k * machine.element_bytes
    once = (kernel.m + kernel.n) * depth
    per_wave = (rows * kernel.tile_m + columns * kernel.tile_n) * depth
    moved = np.maximum(once, grid.tiles / wave * per_wave)
    moved = np.where(once < RESIDENT * machine.l2_bytes, once, moved)
    return np.asarray(moved + kernel.m * kernel.n * kernel.output_bytes)
