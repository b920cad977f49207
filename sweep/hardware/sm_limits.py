"""What an SM holds at most beside bytes and registers, and how many CTAs fit it.

Sources: CUDA C++ Programming Guide 12.8, "Technical Specifications per Compute Capability" (8.0,
9.0 and 10.0: threads of a block, threads and CTAs of an SM; 1 KiB of shared memory is reserved per
CTA from 8.0 on); PTX ISA 8.7, ``tcgen05.alloc`` (512 columns of 128 lanes, allocated in powers of
two, at least 32); ``cuda_occupancy.h`` of CUDA 12.8 (a warp's registers in units of 256).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from sweep.quantities.arrays import Array

LIMITS: Mapping[str, int] = MappingProxyType(
    {
        "max_threads_per_cta": 1024,
        "max_threads_per_sm": 2048,
        "max_ctas_per_sm": 32,
        "reserved_smem_bytes": 1024,
        "tmem_columns": 512,
    }
)
"""By name; a GPU that has a field of that name says it itself. Bytes are reserved per CTA."""
FEWEST_COLUMNS, TENSOR_LANES = 32, 128
"""Of Tensor Memory: the columns that are allocated at least, and the lanes of a column."""
WARP_THREADS, WARP_REGISTERS_UNIT = 32, 256


def allocated_columns(columns: ArrayLike) -> Array:
    """Return the columns of Tensor Memory that are allocated: a power of two, at least 32.

    Examples
    --------
    >>> allocated_columns([0, 20, 256, 300]).tolist()
    [0, 32, 256, 512]
    """
    asked = np.asarray(columns, dtype=np.float64)
    power = 2.0 ** np.ceil(np.log2(np.maximum(asked, FEWEST_COLUMNS)))
    return np.asarray(np.where(asked > 0, power, 0).astype(np.int64))


def accumulator_columns(tile_m: ArrayLike, tile_n: ArrayLike) -> Array:
    """Return the columns of an FP32 accumulator: one of BN for each 128 rows of the tile."""
    blocks = -(-np.asarray(tile_m) // TENSOR_LANES)
    return np.asarray(blocks * np.asarray(tile_n))


def warp_registers(registers: ArrayLike) -> Array:
    """Return the registers of a warp whose threads have so many: in units of 256."""
    threads = np.asarray(registers) * WARP_THREADS
    return np.asarray(-(-threads // WARP_REGISTERS_UNIT) * WARP_REGISTERS_UNIT)


def ctas_that_fit(
    smem_bytes: ArrayLike,
    smem_per_sm_bytes: ArrayLike,
    threads: ArrayLike,
    registers: ArrayLike = 0,
    registers_per_sm: ArrayLike = 65_536,
    columns: ArrayLike = 0,
    limits: Mapping[str, ArrayLike] = LIMITS,
) -> Array:
    """Return how many CTAs an SM takes in.

    The least of floor(smem_per_sm / (smem + 1,024)), floor(registers_per_sm / registers),
    floor(2,048 / threads), 32 and floor(512 / columns).

    Parameters
    ----------
    smem_bytes, threads, registers, columns : array_like
        Of a CTA: ``registers`` of all its warps, ``columns`` as they are allocated; 0 for what
        does not limit.
    smem_per_sm_bytes, registers_per_sm : array_like
    limits : mapping of str to array_like
        Every entry of ``LIMITS``.

    Examples
    --------
    >>> ctas_that_fit([32_768, 65_536, 131_072], 233_472, 128, columns=128).tolist()
    [4, 3, 1]
    """
    fits = [
        _share(smem_per_sm_bytes, np.asarray(smem_bytes) + limits["reserved_smem_bytes"]),
        _share(registers_per_sm, registers),
        _share(limits["max_threads_per_sm"], threads),
        _share(limits["tmem_columns"], columns),
    ]
    least: Array = np.asarray(limits["max_ctas_per_sm"])
    for one in fits:
        least = np.minimum(least, one)
    return np.asarray(least, dtype=np.int64)


def _share(there: ArrayLike, needed: ArrayLike) -> Array:
    """Return how often what is needed is there; what is not needed does not limit."""
    asked = np.asarray(needed)
    return np.where(asked > 0, np.floor_divide(there, np.maximum(asked, 1)), np.inf)
