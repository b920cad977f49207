"""Cycles of a whole grid of tiles from the period of a k-tile: waves, prologue and epilogue."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.prediction.kernels import OVERLAP, PINGPONG, Kernel, Machine
from analysis.prediction.terms.k_tile_period import Period, barrier_cycles
from analysis.prediction.terms.k_tile_work import Work
from analysis.prediction.terms.l2_supply import Supply
from analysis.prediction.terms.smooth_maximum import smooth_maximum
from sweep.quantities.arrays import Array


class Grid(NamedTuple):
    """What does not depend on the clock.

    Attributes
    ----------
    rows, columns, tiles : Array
        Output tiles along M and N, and all of them.
    k_tiles : Array
    slots : Array
        CTAs that run at once with one CTA per SM, whole clusters.
    ctas : Array
        CTAs per SM.
    """

    rows: Array
    columns: Array
    tiles: Array
    k_tiles: Array
    slots: Array
    ctas: Array

    @property
    def waves(self) -> Array:
        """Rounds of tiles, the last one perhaps partial."""
        return np.asarray(np.ceil(self.tiles / (self.slots * self.ctas)))


def grid_of(kernel: Kernel, ctas: Array) -> Grid:
    """Return the tiles of a problem and the slots they are dealt to."""
    together = np.maximum(kernel.cluster_m * kernel.cluster_n, kernel.cta_pair)
    slots = np.maximum(1, np.floor(kernel.sms_used / together)) * together
    rows, columns = np.ceil(kernel.m / kernel.tile_m), np.ceil(kernel.n / kernel.tile_n)
    return Grid(rows, columns, rows * columns, np.ceil(kernel.k / kernel.tile_k), slots, ctas)


def grid_cycles(
    kernel: Kernel,
    machine: Machine,
    grid: Grid,
    work: Work,
    supply: Supply,
    period: Period,
    epilogue: Array,
) -> Array:
    """Return the cycles from the first CTA's start to the last one's end."""
    ready = machine.prologue + supply.latency + supply.transfer
    best = smooth_maximum(work.mma, supply.transfer)
    bounded = smooth_maximum(period.cycles, supply.transfer)  # the period contains the MMAs
    alone = np.where(grid.ctas == 1, bounded, period.cycles)
    main = grid.k_tiles * alone
    shared = grid.k_tiles * best
    persistent = _persistent(kernel, machine, grid, main, shared, epilogue) + ready
    return np.where(
        kernel.persistent > 0, persistent, _one_tile_each(grid, ready + main + epilogue, shared)
    )


def _persistent(
    kernel: Kernel, machine: Machine, grid: Grid, main: Array, shared: Array, epilogue: Array
) -> Array:
    sync = 2 * barrier_cycles(kernel, machine)
    plain = main + epilogue
    beside = smooth_maximum(main + sync, epilogue) + machine.handover
    turns = np.maximum(main + sync, plain / 2)
    overlap, pingpong = kernel.epilogue == OVERLAP, kernel.schedule == PINGPONG
    tile = np.where(pingpong, turns, np.where(overlap, beside, plain))
    tile = np.where(grid.ctas == 1, tile, grid.ctas * smooth_maximum(tile / grid.ctas, shared))
    return np.asarray(grid.waves * tile + np.where(overlap | pingpong, epilogue, 0.0))


def _one_tile_each(grid: Grid, first: Array, shared: Array) -> Array:
    """Waves of CTAs of one tile; those that share an SM hide each other's waits."""
    one = grid.ctas == 1
    tile = np.where(one, first, smooth_maximum(first / grid.ctas, shared))
    filled = grid.tiles / (grid.slots * grid.ctas)
    whole = np.floor(filled)
    left = np.ceil(np.round((filled - whole) * grid.ctas, 9))
    last = np.where(one, tile, np.minimum(grid.ctas * tile, np.maximum(first, left * shared)))
    return np.asarray(whole * grid.ctas * tile + np.where(left == 0, 0.0, last))
