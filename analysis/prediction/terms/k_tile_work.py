"""Work of a k-tile: bytes into shared memory, bytes from the L2, cycles of the Tensor Core."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.prediction.kernels import Kernel, Machine
from sweep.quantities.arrays import Array

WIDEST = 256
"""Columns of the widest wgmma."""
NARROW, SHORT = 128, 64
"""Tiles with fewer columns, or with as few rows, leave Blackwell's Tensor Core partly idle."""
NARROW_FACTOR, SHORT_FACTOR = 1.3, 2.0


class Work(NamedTuple):
    """Of one k-tile of one CTA.

    Attributes
    ----------
    full, copied : Array
        Bytes that its stage holds; bytes that the SM draws from the L2, multicast shared out.
    mma : Array
        Cycles of the Tensor Core.
    """

    full: Array
    copied: Array
    mma: Array


def k_tile_work(kernel: Kernel, machine: Machine) -> Work:
    """Return the work of a k-tile.

    Hopper's wgmma m64nN takes ``max(N/2, (2048 + 32 N)/128)`` cycles with both operands in shared
    memory. Blackwell's MMA takes as long for 64 rows as for 128, and 1.3 times its share below
    128 columns.
    """
    per_row = kernel.tile_k * machine.element_bytes
    full = (kernel.tile_m + kernel.tile_n / kernel.cta_pair) * per_row
    sharers = np.maximum(kernel.cluster_m, kernel.cta_pair)
    copied = (kernel.tile_m / kernel.cluster_n + kernel.tile_n / sharers) * per_row
    flop = 2.0 * kernel.tile_m * kernel.tile_n * kernel.tile_k
    columns = np.minimum(kernel.tile_n, WIDEST)
    hopper = np.maximum(1.0, (2048 + 32 * columns) / (64 * columns))
    blackwell = np.where(kernel.tile_m <= SHORT, SHORT_FACTOR, 1.0) * np.where(
        kernel.tile_n < NARROW, NARROW_FACTOR, 1.0
    )
    factor = np.where(machine.blackwell, blackwell, hopper)
    return Work(full, copied, flop / machine.flop_per_cycle * factor)
