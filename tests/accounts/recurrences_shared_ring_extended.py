"""Hand-written recurrences of the shared-ring schedules with `t_sync` and asynchronous MMAs.

Same conventions as `recurrences_single_tile`; a point that deadlocks gives NaN. `completed` and
`released` hold one time a slot: a slot is not refilled before it is released, so the completion of
MMA k - P can still be read when MMA k is issued.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit, prange

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

CHUNK = 16  # points that share one scratch ring


@njit(cache=True)
def later(x: float, y: float) -> float:
    """The larger one; Numba's own ``max`` of floats is slower."""
    return x if x > y else y


@njit(cache=True)
def persistent_extended(
    t_issue: float,
    t_transfer: float,
    t_latency: float,
    t_mma: float,
    t_epilogue: float,
    stages: int,
    k_tiles: int,
    output_tiles: int,
    t_sync: float,
    t_mma_latency: float,
    mma_in_flight: int,
    hardware_release: bool,
    completed: Floats,
    released: Floats,
) -> float:
    """`persistent` with all extensions."""
    if not hardware_release and mma_in_flight >= stages and k_tiles > stages:
        return np.nan
    producer = 0.0
    mem = 0.0
    tc = 0.0
    consumer = 0.0
    slot = 0
    oldest = 0  # slot of the next release
    filled = 0  # slots ever filled
    for _ in range(output_tiles):
        for k in range(k_tiles):
            if filled == stages:
                producer = later(producer, released[slot]) + t_sync
            else:
                filled += 1
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
        consumer = later(consumer, tc + t_mma_latency)
        if not hardware_release:
            for _ in range(min(mma_in_flight, k_tiles)):
                released[oldest] = consumer
                oldest += 1
                if oldest == stages:
                    oldest = 0
        consumer += t_epilogue
    return consumer


@njit(parallel=True, cache=True)
def persistent_extended_batch(
    t_issue: Floats,
    t_transfer: Floats,
    t_latency: Floats,
    t_mma: Floats,
    t_epilogue: Floats,
    stages: Ints,
    k_tiles: Ints,
    output_tiles: Ints,
    t_sync: Floats,
    t_mma_latency: Floats,
    mma_in_flight: Ints,
    hardware_release: Bools,
) -> Floats:
    """`persistent_extended` for every point."""
    points = k_tiles.size
    most_stages = stages.max()
    cycles = np.empty(points)
    for chunk in prange((points + CHUNK - 1) // CHUNK):
        completed = np.empty(most_stages)
        released = np.empty(most_stages)
        for i in range(chunk * CHUNK, min(points, (chunk + 1) * CHUNK)):
            cycles[i] = persistent_extended(
                t_issue[i],
                t_transfer[i],
                t_latency[i],
                t_mma[i],
                t_epilogue[i],
                stages[i],
                k_tiles[i],
                output_tiles[i],
                t_sync[i],
                t_mma_latency[i],
                mma_in_flight[i],
                hardware_release[i],
                completed,
                released,
            )
    return cycles


@njit(cache=True)
def cooperative_extended(
    t_issue: float,
    t_transfer: float,
    t_latency: float,
    t_mma: float,
    t_epilogue: float,
    stages: int,
    k_tiles: int,
    output_tiles: int,
    t_sync: float,
    t_mma_latency: float,
    mma_in_flight: int,
    hardware_release: bool,
    completed: Floats,
    released: Floats,
) -> float:
    """Two consumers meet at every MMA and each release every slot."""
    if not hardware_release and mma_in_flight >= stages and k_tiles > stages:
        return np.nan
    producer = 0.0
    mem = 0.0
    tc = 0.0
    consumer_0 = 0.0
    consumer_1 = 0.0
    slot = 0
    oldest = 0  # slot of the next release
    filled = 0  # slots ever filled
    for _ in range(output_tiles):
        for k in range(k_tiles):
            if filled == stages:
                producer = later(producer, released[slot]) + t_sync
            else:
                filled += 1
            producer += t_issue
            mem = later(mem, producer) + t_transfer
            full = mem + t_latency
            consumer_0 = later(consumer_0, full) + t_sync
            consumer_1 = later(consumer_1, full) + t_sync
            tc = later(tc, later(consumer_0, consumer_1)) + t_mma
            completed[slot] = tc + t_mma_latency
            if hardware_release:
                released[slot] = completed[slot]
            elif k >= mma_in_flight:
                consumer_0 = later(consumer_0, completed[oldest])
                consumer_1 = later(consumer_1, completed[oldest])
                released[oldest] = later(consumer_0, consumer_1)
                oldest += 1
                if oldest == stages:
                    oldest = 0
            slot += 1
            if slot == stages:
                slot = 0
        consumer_0 = later(consumer_0, tc + t_mma_latency)
        consumer_1 = later(consumer_1, tc + t_mma_latency)
        if not hardware_release:
            for _ in range(min(mma_in_flight, k_tiles)):
                released[oldest] = later(consumer_0, consumer_1)
                oldest += 1
                if oldest == stages:
                    oldest = 0
        consumer_0 += t_epilogue
        consumer_1 += t_epilogue
    return later(consumer_0, consumer_1)


@njit(parallel=True, cache=True)
def cooperative_extended_batch(
    t_issue: Floats,
    t_transfer: Floats,
    t_latency: Floats,
    t_mma: Floats,
    t_epilogue: Floats,
    stages: Ints,
    k_tiles: Ints,
    output_tiles: Ints,
    t_sync: Floats,
    t_mma_latency: Floats,
    mma_in_flight: Ints,
    hardware_release: Bools,
) -> Floats:
    """`cooperative_extended` for every point."""
    points = k_tiles.size
    most_stages = stages.max()
    cycles = np.empty(points)
    for chunk in prange((points + CHUNK - 1) // CHUNK):
        completed = np.empty(most_stages)
        released = np.empty(most_stages)
        for i in range(chunk * CHUNK, min(points, (chunk + 1) * CHUNK)):
            cycles[i] = cooperative_extended(
                t_issue[i],
                t_transfer[i],
                t_latency[i],
                t_mma[i],
                t_epilogue[i],
                stages[i],
                k_tiles[i],
                output_tiles[i],
                t_sync[i],
                t_mma_latency[i],
                mma_in_flight[i],
                hardware_release[i],
                completed,
                released,
            )
    return cycles


@njit(cache=True)
def pingpong_extended(
    t_issue: float,
    t_transfer: float,
    t_latency: float,
    t_mma: float,
    t_epilogue: float,
    stages: int,
    k_tiles: int,
    output_tiles: int,
    t_sync: float,
    t_mma_latency: float,
    mma_in_flight: int,
    hardware_release: bool,
    completed: Floats,
    released: Floats,
) -> float:
    """`pingpong` with all extensions; the turn passes before the drain."""
    if not hardware_release and mma_in_flight >= stages and k_tiles > stages:
        return np.nan
    producer = 0.0
    mem = 0.0
    tc = 0.0
    turn = 0.0
    mine = 0.0  # end of the previous epilogue of the consumer whose turn it is, and of the other
    other = 0.0
    slot = 0
    oldest = 0  # slot of the next release
    filled = 0  # slots ever filled
    for tile in range(output_tiles):
        consumer = mine
        if tile > 0:
            consumer = later(consumer, turn) + t_sync
        for k in range(k_tiles):
            if filled == stages:
                producer = later(producer, released[slot]) + t_sync
            else:
                filled += 1
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
        turn = consumer
        consumer = later(consumer, tc + t_mma_latency)
        if not hardware_release:
            for _ in range(min(mma_in_flight, k_tiles)):
                released[oldest] = consumer
                oldest += 1
                if oldest == stages:
                    oldest = 0
        mine, other = other, consumer + t_epilogue
    return later(mine, other)


@njit(parallel=True, cache=True)
def pingpong_extended_batch(
    t_issue: Floats,
    t_transfer: Floats,
    t_latency: Floats,
    t_mma: Floats,
    t_epilogue: Floats,
    stages: Ints,
    k_tiles: Ints,
    output_tiles: Ints,
    t_sync: Floats,
    t_mma_latency: Floats,
    mma_in_flight: Ints,
    hardware_release: Bools,
) -> Floats:
    """`pingpong_extended` for every point."""
    points = k_tiles.size
    most_stages = stages.max()
    cycles = np.empty(points)
    for chunk in prange((points + CHUNK - 1) // CHUNK):
        completed = np.empty(most_stages)
        released = np.empty(most_stages)
        for i in range(chunk * CHUNK, min(points, (chunk + 1) * CHUNK)):
            cycles[i] = pingpong_extended(
                t_issue[i],
                t_transfer[i],
                t_latency[i],
                t_mma[i],
                t_epilogue[i],
                stages[i],
                k_tiles[i],
                output_tiles[i],
                t_sync[i],
                t_mma_latency[i],
                mma_in_flight[i],
                hardware_release[i],
                completed,
                released,
            )
    return cycles
