"""Hand-written recurrences of warp_specialized: a producer and a consumer around one ring.

Same conventions as `recurrences_single_tile`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit, prange

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

CHUNK = 256  # points that share one scratch ring


@njit(cache=True)
def later(x: float, y: float) -> float:
    """The larger one; Numba's own ``max`` of floats is slower."""
    return x if x > y else y


@njit(cache=True)
def warp_specialized(
    t_issue: float,
    t_transfer: float,
    t_latency: float,
    t_mma: float,
    t_epilogue: float,
    stages: int,
    k_tiles: int,
    released: Floats,
) -> float:
    """A producer fills the ring, a consumer empties it; `released` holds one time a slot."""
    for slot in range(stages):
        released[slot] = 0.0
    producer = 0.0
    mem = 0.0
    consumer = 0.0
    slot = 0
    for _ in range(k_tiles):
        empty = released[slot]
        producer = (empty if empty > producer else producer) + t_issue
        mem = (producer if producer > mem else mem) + t_transfer
        full = mem + t_latency
        consumer = (full if full > consumer else consumer) + t_mma
        released[slot] = consumer
        slot += 1
        if slot == stages:
            slot = 0
    return consumer + t_epilogue


@njit(parallel=True, cache=True)
def warp_specialized_batch(
    t_issue: Floats,
    t_transfer: Floats,
    t_latency: Floats,
    t_mma: Floats,
    t_epilogue: Floats,
    stages: Ints,
    k_tiles: Ints,
) -> Floats:
    """`warp_specialized` for every point."""
    points = k_tiles.size
    most_stages = stages.max()
    cycles = np.empty(points)
    for chunk in prange((points + CHUNK - 1) // CHUNK):
        released = np.empty(most_stages)
        for i in range(chunk * CHUNK, min(points, (chunk + 1) * CHUNK)):
            cycles[i] = warp_specialized(
                t_issue[i],
                t_transfer[i],
                t_latency[i],
                t_mma[i],
                t_epilogue[i],
                stages[i],
                k_tiles[i],
                released,
            )
    return cycles


@njit(cache=True)
def warp_specialized_extended(
    t_issue: float,
    t_transfer: float,
    t_latency: float,
    t_mma: float,
    t_epilogue: float,
    stages: int,
    k_tiles: int,
    t_sync: float,
    t_mma_latency: float,
    mma_in_flight: int,
    hardware_release: bool,
    completed: Floats,
    released: Floats,
) -> float:
    """`warp_specialized` with `t_sync` and asynchronous MMAs; NaN for a deadlock.

    `completed` and `released` hold one time a slot. MMA k - P is the last that can still be read
    from `completed`: its slot is not refilled before it is released, so ``stages`` entries do.
    """
    if not hardware_release and mma_in_flight >= stages and k_tiles > stages:
        return np.nan
    producer = 0.0
    mem = 0.0
    tc = 0.0
    consumer = 0.0
    slot = 0
    oldest = 0  # slot of the next release
    for k in range(k_tiles):
        if k >= stages:
            producer = later(producer, released[slot]) + t_sync
        producer += t_issue
        mem = later(mem, producer) + t_transfer
        consumer = later(consumer, mem + t_latency) + t_sync
        tc = later(tc, consumer) + t_mma
        completed[slot] = tc + t_mma_latency
        if hardware_release:
            released[slot] = completed[slot]
        elif k >= mma_in_flight:
            consumer = later(consumer, completed[oldest])
            released[oldest] = consumer
            oldest += 1
            if oldest == stages:
                oldest = 0
        slot += 1
        if slot == stages:
            slot = 0
    return later(consumer, tc + t_mma_latency) + t_epilogue


@njit(parallel=True, cache=True)
def warp_specialized_extended_batch(
    t_issue: Floats,
    t_transfer: Floats,
    t_latency: Floats,
    t_mma: Floats,
    t_epilogue: Floats,
    stages: Ints,
    k_tiles: Ints,
    t_sync: Floats,
    t_mma_latency: Floats,
    mma_in_flight: Ints,
    hardware_release: Bools,
) -> Floats:
    """`warp_specialized_extended` for every point."""
    points = k_tiles.size
    most_stages = stages.max()
    cycles = np.empty(points)
    for chunk in prange((points + CHUNK - 1) // CHUNK):
        completed = np.empty(most_stages)
        released = np.empty(most_stages)
        for i in range(chunk * CHUNK, min(points, (chunk + 1) * CHUNK)):
            cycles[i] = warp_specialized_extended(
                t_issue[i],
                t_transfer[i],
                t_latency[i],
                t_mma[i],
                t_epilogue[i],
                stages[i],
                k_tiles[i],
                t_sync[i],
                t_mma_latency[i],
                mma_in_flight[i],
                hardware_release[i],
                completed,
                released,
            )
    return cycles
