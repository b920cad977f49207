"""What a tile takes of an SM's shared memory and registers, and how many stages fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sweep.hardware.capabilities import MAX_REGISTERS_PER_THREAD, REGISTERS_PER_SM
from sweep.quantities.arrays import Array

BARRIER_BYTES = 16
"""A full and an empty mbarrier per stage, 8 bytes each."""


CARVEOUT_GRANULE = 128


WARPGROUP_THREADS = 128


OTHER_REGISTERS = 32


PRODUCER_REGISTERS = 24


MOST_CONSUMER_REGISTERS = 240


def carveout_bytes(smem_carveout_bytes: ArrayLike) -> Array:
    """Round what is kept from the ring up to 128 bytes."""
    granules = -(-np.asarray(smem_carveout_bytes) // CARVEOUT_GRANULE)
    return np.asarray(granules * CARVEOUT_GRANULE)


def ring_bytes(stages: ArrayLike, stage_bytes: ArrayLike, producer: bool) -> Array:
    """Return the bytes of a ring: stages, each with its two barriers where there is a producer."""
    barriers = BARRIER_BYTES if producer else 0
    return np.asarray(np.asarray(stages) * (np.asarray(stage_bytes) + barriers))


def stages_that_fit(
    stage_bytes: ArrayLike,
    smem_per_block_bytes: ArrayLike,
    smem_carveout_bytes: ArrayLike = 0,
    producer: bool = True,
) -> Array:
    """Return the most stages that a block's shared memory holds, 0 where not even one fits.

    floor((capacity - roundup128(carveout)) / (stage bytes + 16)), CUTLASS StageCountAuto.

    Examples
    --------
    >>> int(stages_that_fit(49_152, 232_448))
    4
    """
    room = np.asarray(smem_per_block_bytes) - carveout_bytes(smem_carveout_bytes)
    most = np.floor_divide(room, ring_bytes(1, stage_bytes, producer))
    return np.asarray(np.maximum(most, 0), dtype=np.int64)


def accumulator_registers(tile_m: ArrayLike, tile_n: ArrayLike, warpgroups: ArrayLike) -> Array:
    """Return accumulators per thread of a tile that this many warpgroups share.

    BM BN / (128 warpgroups), in 32-bit registers.
    """
    elements = np.asarray(tile_m) * np.asarray(tile_n)
    return np.asarray(elements / (WARPGROUP_THREADS * np.asarray(warpgroups)))


def register_limit(
    consumer_warpgroups: ArrayLike,
    producer: bool,
    registers_per_sm: ArrayLike = REGISTERS_PER_SM,
    max_registers_per_thread: ArrayLike = MAX_REGISTERS_PER_THREAD,
) -> Array:
    """Return the registers that a computing thread can get, one CTA per SM.

    Without a producer floor8(65,536 / threads), at most 255. With a producer warpgroup at 24
    registers, what it gives up goes to the consumers:
    floor8((threads floor8(65,536 / threads) - 128 x 24) / (128 consumers)), at most 240.

    Examples
    --------
    >>> register_limit([1, 2, 3], producer=True).tolist()
    [240, 240, 160]
    """
    consumers = WARPGROUP_THREADS * np.asarray(consumer_warpgroups)
    file, most = np.asarray(registers_per_sm), np.asarray(max_registers_per_thread)
    if not producer:
        return np.asarray(np.minimum(_floor8(file // consumers), most))
    threads = consumers + WARPGROUP_THREADS
    left = threads * _floor8(file // threads) - WARPGROUP_THREADS * PRODUCER_REGISTERS
    most = np.minimum(most, MOST_CONSUMER_REGISTERS)
    return np.asarray(np.clip(_floor8(left // consumers), 0, most))


def _floor8(registers: Array) -> Array:
    return registers // 8 * 8


def staged_registers(stage_bytes: ArrayLike, warpgroups: ArrayLike) -> Array:
    """Return registers per thread of a stage that passes through registers, 4 bytes each."""
    threads = WARPGROUP_THREADS * np.asarray(warpgroups)
    return np.asarray(np.asarray(stage_bytes) / (4 * threads))
