"""Hand-written recurrences of the GEMM schedules that compute one output tile.

One scalar function is one point, stepped k-tile by k-tile without jumps or closed forms; its
``*_batch`` is the same over 1-D arrays of points, in parallel. ``*_extended`` adds the
synchronisation cost and asynchronous MMAs. Durations are in cycles. Helpers stay in the file that
calls them: Numba's disk cache does not notice an edit in another file.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit, prange

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

CHUNK = 256  # points that share one scratch ring


@njit(cache=True)
def sync(
    t_issue: float,
    t_transfer: float,
    t_latency: float,
    t_mma: float,
    t_epilogue: float,
    k_tiles: int,
) -> float:
    """Copy, wait and multiply in turn."""
    round_trip = t_issue + t_transfer + t_latency + t_mma
    warp = 0.0
    for _ in range(k_tiles):
        warp += round_trip
    return warp + t_epilogue


@njit(parallel=True, cache=True)
def sync_batch(
    t_issue: Floats,
    t_transfer: Floats,
    t_latency: Floats,
    t_mma: Floats,
    t_epilogue: Floats,
    k_tiles: Ints,
) -> Floats:
    """`sync` for every point."""
    cycles = np.empty(k_tiles.size)
    for i in prange(k_tiles.size):
        cycles[i] = sync(
            t_issue[i], t_transfer[i], t_latency[i], t_mma[i], t_epilogue[i], k_tiles[i]
        )
    return cycles


@njit(cache=True)
def sync_extended(
    t_issue: float,
    t_transfer: float,
    t_latency: float,
    t_mma: float,
    t_epilogue: float,
    k_tiles: int,
    t_sync: float,
) -> float:
    """`sync` with `t_sync` after each wait for a copy."""
    warp = 0.0
    for _ in range(k_tiles):
        arrival = warp + t_issue + t_transfer + t_latency
        warp = arrival + t_sync + t_mma
    return warp + t_epilogue


@njit(parallel=True, cache=True)
def sync_extended_batch(
    t_issue: Floats,
    t_transfer: Floats,
    t_latency: Floats,
    t_mma: Floats,
    t_epilogue: Floats,
    k_tiles: Ints,
    t_sync: Floats,
) -> Floats:
    """`sync_extended` for every point."""
    cycles = np.empty(k_tiles.size)
    for i in prange(k_tiles.size):
        cycles[i] = sync_extended(
            t_issue[i],
            t_transfer[i],
            t_latency[i],
            t_mma[i],
            t_epilogue[i],
            k_tiles[i],
            t_sync[i],
        )
    return cycles


@njit(cache=True)
def register_staged(
    t_issue: float,
    t_transfer: float,
    t_latency: float,
    t_store: float,
    t_mma: float,
    t_epilogue: float,
    k_tiles: int,
) -> float:
    """Copy k+1 flies to registers during MMA k and is then stored to shared memory."""
    flight = t_transfer + t_latency
    warp = t_issue + flight + t_store
    for _ in range(k_tiles - 1):
        warp += t_issue
        arrival = warp + flight
        multiplied = warp + t_mma
        warp = (arrival if arrival > multiplied else multiplied) + t_store
    return warp + t_mma + t_epilogue


@njit(parallel=True, cache=True)
def register_staged_batch(
    t_issue: Floats,
    t_transfer: Floats,
    t_latency: Floats,
    t_store: Floats,
    t_mma: Floats,
    t_epilogue: Floats,
    k_tiles: Ints,
) -> Floats:
    """`register_staged` for every point."""
    cycles = np.empty(k_tiles.size)
    for i in prange(k_tiles.size):
        cycles[i] = register_staged(
            t_issue[i],
            t_transfer[i],
            t_latency[i],
            t_store[i],
            t_mma[i],
            t_epilogue[i],
            k_tiles[i],
        )
    return cycles


@njit(cache=True)
def register_staged_extended(
    t_issue: float,
    t_transfer: float,
    t_latency: float,
    t_store: float,
    t_mma: float,
    t_epilogue: float,
    k_tiles: int,
    t_sync: float,
) -> float:
    """`register_staged` with `t_sync` after each wait for a copy."""
    warp = t_issue + t_transfer + t_latency + t_sync + t_store
    for _ in range(k_tiles - 1):
        warp += t_issue
        arrival = warp + t_transfer + t_latency
        multiplied = warp + t_mma
        warp = (arrival if arrival > multiplied else multiplied) + t_sync + t_store
    return warp + t_mma + t_epilogue


@njit(parallel=True, cache=True)
def register_staged_extended_batch(
    t_issue: Floats,
    t_transfer: Floats,
    t_latency: Floats,
    t_store: Floats,
    t_mma: Floats,
    t_epilogue: Floats,
    k_tiles: Ints,
    t_sync: Floats,
) -> Floats:
    """`register_staged_extended` for every point."""
    cycles = np.empty(k_tiles.size)
    for i in prange(k_tiles.size):
        cycles[i] = register_staged_extended(
            t_issue[i],
            t_transfer[i],
            t_latency[i],
            t_store[i],
            t_mma[i],
            t_epilogue[i],
            k_tiles[i],
            t_sync[i],
        )
    return cycles


@njit(cache=True)
def multistage(
    t_issue: float,
    t_transfer: float,
    t_latency: float,
    t_mma: float,
    t_epilogue: float,
    stages: int,
    k_tiles: int,
    arrivals: Floats,
) -> float:
    """The computing warp keeps ``stages - 1`` copies ahead; `arrivals` holds one time a slot."""
    warp = 0.0
    mem = 0.0
    ahead = stages - 1 if stages - 1 < k_tiles else k_tiles
    for k in range(ahead):
        warp += t_issue
        mem = (warp if warp > mem else mem) + t_transfer
        arrivals[k] = mem + t_latency
    tail = ahead
    head = 0
    for _ in range(k_tiles - ahead):
        warp += t_issue
        mem = (warp if warp > mem else mem) + t_transfer
        arrivals[tail] = mem + t_latency
        tail += 1
        if tail == stages:
            tail = 0
        arrival = arrivals[head]
        warp = (arrival if arrival > warp else warp) + t_mma
        head += 1
        if head == stages:
            head = 0
    for _ in range(ahead):
        arrival = arrivals[head]
        warp = (arrival if arrival > warp else warp) + t_mma
        head += 1
        if head == stages:
            head = 0
    return warp + t_epilogue


@njit(parallel=True, cache=True)
def multistage_batch(
    t_issue: Floats,
    t_transfer: Floats,
    t_latency: Floats,
    t_mma: Floats,
    t_epilogue: Floats,
    stages: Ints,
    k_tiles: Ints,
) -> Floats:
    """`multistage` for every point."""
    points = k_tiles.size
    most_stages = stages.max()
    cycles = np.empty(points)
    for chunk in prange((points + CHUNK - 1) // CHUNK):
        arrivals = np.empty(most_stages)
        for i in range(chunk * CHUNK, min(points, (chunk + 1) * CHUNK)):
            cycles[i] = multistage(
                t_issue[i],
                t_transfer[i],
                t_latency[i],
                t_mma[i],
                t_epilogue[i],
                stages[i],
                k_tiles[i],
                arrivals,
            )
    return cycles


@njit(cache=True)
def multistage_extended(
    t_issue: float,
    t_transfer: float,
    t_latency: float,
    t_mma: float,
    t_epilogue: float,
    stages: int,
    k_tiles: int,
    t_sync: float,
    arrivals: Floats,
) -> float:
    """`multistage` with `t_sync` after each wait for a copy."""
    warp = 0.0
    mem = 0.0
    tail = 0
    head = 0
    for step in range(1 - stages, k_tiles):
        if step + stages - 1 < k_tiles:
            warp += t_issue
            mem = (warp if warp > mem else mem) + t_transfer
            arrivals[tail] = mem + t_latency
            tail += 1
            if tail == stages:
                tail = 0
        if step >= 0:
            arrival = arrivals[head]
            warp = (arrival if arrival > warp else warp) + t_sync + t_mma
            head += 1
            if head == stages:
                head = 0
    return warp + t_epilogue


@njit(parallel=True, cache=True)
def multistage_extended_batch(
    t_issue: Floats,
    t_transfer: Floats,
    t_latency: Floats,
    t_mma: Floats,
    t_epilogue: Floats,
    stages: Ints,
    k_tiles: Ints,
    t_sync: Floats,
) -> Floats:
    """`multistage_extended` for every point."""
    points = k_tiles.size
    most_stages = stages.max()
    cycles = np.empty(points)
    for chunk in prange((points + CHUNK - 1) // CHUNK):
        arrivals = np.empty(most_stages)
        for i in range(chunk * CHUNK, min(points, (chunk + 1) * CHUNK)):
            cycles[i] = multistage_extended(
                t_issue[i],
                t_transfer[i],
                t_latency[i],
                t_mma[i],
                t_epilogue[i],
                stages[i],
                k_tiles[i],
                t_sync[i],
                arrivals,
            )
    return cycles
