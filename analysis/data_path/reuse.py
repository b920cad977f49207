"""How much reuse a tile has, in formulas, and what tile a Tensor Core asks for."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from analysis.checked import read
from sweep.quantities.arrays import Array


def warp_tile_reuse(rows: ArrayLike, columns: ArrayLike, element_bytes: ArrayLike = 2) -> Array:
    """Return multiply-adds per shared-memory byte, M N / ((M + N) element bytes): **exact**.

    Half the harmonic mean of the sides over the element's bytes: a long tile has little more than
    its short side.

    Examples
    --------
    >>> warp_tile_reuse([32, 64, 64], [32, 64, 256]).tolist()
    [8.0, 16.0, 25.6]
    """
    m, n, size = read(rows=rows, columns=columns, element_bytes=element_bytes)
    return np.asarray(m * n / ((m + n) * size))


def register_a_reuse(rows: ArrayLike, element_bytes: ArrayLike = 2) -> Array:
    """Return multiply-adds per shared-memory byte where A is in registers: M / element bytes.

    **Exact**: every byte of B meets M rows, however many columns there are.

    Examples
    --------
    >>> float(register_a_reuse(64))
    32.0
    """
    m, size = read(rows=rows, element_bytes=element_bytes)
    return np.asarray(m / size)


def square_tile(needed: ArrayLike, element_bytes: ArrayLike = 2) -> Array:
    """Return the side of the square warp tile whose reuse is just what is needed.

    2 element bytes x needed multiply-adds per byte: **exact**. Its accumulators, side^2 / 32 per
    thread, grow with the square of the Tensor Core's rate.

    Examples
    --------
    V100, A100, H100 and B200; B200's would take 512 accumulators per thread:

    >>> square_tile([4, 8, 16, 32]).tolist()
    [16.0, 32.0, 64.0, 128.0]
    """
    per_byte, size = read(needed=needed, element_bytes=element_bytes)
    return np.asarray(2 * size * per_byte)


def wgmma_columns(
    macs_per_cycle: ArrayLike, smem_bytes_per_cycle: ArrayLike, element_bytes: ArrayLike = 2
) -> Array:
    """Return the fewest columns N of a 64 x N wgmma, A and B from shared memory, that keep up.

    64 N / ((64 + N) element bytes) >= needed, so N >= 64 e needed / (64 - e needed): **exact**;
    infinity where no N does.

    Examples
    --------
    >>> wgmma_columns([2048, 4096], 128).tolist()
    [64.0, inf]
    """
    macs, smem, size = read(
        macs_per_cycle=macs_per_cycle,
        smem_bytes_per_cycle=smem_bytes_per_cycle,
        element_bytes=element_bytes,
    )
    held = size * macs / smem
    left = np.maximum(64 - held, 0)
    with np.errstate(divide="ignore"):
        return np.asarray(64 * held / left)
