"""Hand-written recurrences of the schedules whose output tiles share one ring.

Same conventions as `recurrences_single_tile`. The producer runs ahead across tile boundaries, so
the slot index carries on from tile to tile.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit, prange

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

CHUNK = 16  # points that share one scratch ring


@njit(cache=True)
def persistent(
    t_issue: float,
    t_transfer: float,
    t_latency: float,
    t_mma: float,
    t_epilogue: float,
    stages: int,
    k_tiles: int,
    output_tiles: int,
    released: Floats,
) -> float:
    """One consumer, its epilogue between tiles. Cooperative's two consumers keep the same times."""
    for slot in range(stages):
        released[slot] = 0.0
    producer = 0.0
    mem = 0.0
    consumer = 0.0
    slot = 0
    for _ in range(output_tiles):
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
        consumer += t_epilogue
    return consumer


@njit(parallel=True, cache=True)
def persistent_batch(
    t_issue: Floats,
    t_transfer: Floats,
    t_latency: Floats,
    t_mma: Floats,
    t_epilogue: Floats,
    stages: Ints,
    k_tiles: Ints,
    output_tiles: Ints,
) -> Floats:
    """`persistent` for every point."""
    points = k_tiles.size
    most_stages = stages.max()
    cycles = np.empty(points)
    for chunk in prange((points + CHUNK - 1) // CHUNK):
        released = np.empty(most_stages)
        for i in range(chunk * CHUNK, min(points, (chunk + 1) * CHUNK)):
            cycles[i] = persistent(
                t_issue[i],
                t_transfer[i],
                t_latency[i],
                t_mma[i],
                t_epilogue[i],
                stages[i],
                k_tiles[i],
                output_tiles[i],
                released,
            )
    return cycles


@njit(cache=True)
def pingpong(
    t_issue: float,
    t_transfer: float,
    t_latency: float,
    t_mma: float,
    t_epilogue: float,
    stages: int,
    k_tiles: int,
    output_tiles: int,
    released: Floats,
) -> float:
    """Two consumers take alternate tiles; the turn passes after a tile's last MMA."""
    for slot in range(stages):
        released[slot] = 0.0
    producer = 0.0
    mem = 0.0
    turn = 0.0
    mine = 0.0  # end of the previous epilogue of the consumer whose turn it is, and of the other
    other = 0.0
    slot = 0
    for _ in range(output_tiles):
        consumer = mine if mine > turn else turn
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
        turn = consumer
        mine = other
        other = consumer + t_epilogue
    return other


@njit(parallel=True, cache=True)
def pingpong_batch(
    t_issue: Floats,
    t_transfer: Floats,
    t_latency: Floats,
    t_mma: Floats,
    t_epilogue: Floats,
    stages: Ints,
    k_tiles: Ints,
    output_tiles: Ints,
) -> Floats:
    """`pingpong` for every point."""
    points = k_tiles.size
    most_stages = stages.max()
    cycles = np.empty(points)
    for chunk in prange((points + CHUNK - 1) // CHUNK):
        released = np.empty(most_stages)
        for i in range(chunk * CHUNK, min(points, (chunk + 1) * CHUNK)):
            cycles[i] = pingpong(
                t_issue[i],
                t_transfer[i],
                t_latency[i],
                t_mma[i],
                t_epilogue[i],
                stages[i],
                k_tiles[i],
                output_tiles[i],
                released,
            )
    return cycles
