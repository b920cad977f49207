"""The service loop of ``fifo``: who asked first is served first, for every point.

It is compiled when it is imported.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sweep.compiling.numba_options import fifo_batch, inlined

RESOURCE, DURATION, ASYNCHRONOUS, BEHIND, WAITS_FOR, LAG = range(6)
"""Columns of a program's table."""


@inlined
def _later(time: float, turn: int, other: float, other_turn: int) -> bool:
    """Whether the first of two (cycles, round) pairs is the later one."""
    return time > other or (time == other and turn > other_turn)


@inlined
def _find_request(
    agent: int, programs: Any, blocks: int, at: Any, ready: Any, asks: Any, ends: Any, rounds: Any
) -> None:
    """Move an agent to its next use, and note when it asks for it: inf when it is done."""
    depth = ends.shape[2]
    while True:
        at[agent, 0] += 1
        if at[agent, 0] == programs.shape[1] or programs[agent, at[agent, 0], RESOURCE] < 0:
            at[agent, 0] = 0
            at[agent, 1] += 1
        row = at[agent, 0]
        if at[agent, 1] >= blocks + depth:
            asks[agent, 0] = np.inf
            return
        block = at[agent, 1] - programs[agent, row, BEHIND]
        if block < 0 or block >= blocks:
            continue
        asks[agent, 0], asks[agent, 1] = ready[agent, 0], ready[agent, 1]
        needs = programs[agent, row, WAITS_FOR]
        needed = block - programs[agent, row, LAG]
        if needs >= 0 and needed >= 0:
            end, end_round = (
                ends[agent, needs, needed % depth],
                rounds[agent, needs, needed % depth],
            )
            if _later(end, end_round, asks[agent, 0], asks[agent, 1]):
                asks[agent, 0], asks[agent, 1] = end, end_round
        return


@inlined
def _first(asks: Any) -> int:
    """Return the agent that asks first; the lower one where two ask in the same round."""
    first = 0
    for agent in range(1, asks.shape[0]):
        if _later(asks[first, 0], asks[first, 1], asks[agent, 0], asks[agent, 1]):
            first = agent
    return first


@fifo_batch
def kernel(programs: Any, resources: int, durations: Any, steps: Any, cycles: Any) -> None:
    """Serve the earliest request again and again, for every point."""
    agents, rows = programs.shape[0], programs.shape[1]
    depth = programs[:, :, BEHIND].max() + programs[:, :, LAG].max() + 2
    at = np.empty((agents, 2), np.int64)  # row and step of each agent
    ready, asks, free = np.empty((agents, 2)), np.empty((agents, 2)), np.empty((resources, 2))
    ends, rounds = np.empty((agents, rows, depth)), np.empty((agents, rows, depth))
    for point in range(cycles.size):
        free[:] = 0.0
        ready[:] = 0.0
        at[:, 0] = -1
        at[:, 1] = 0
        last = 0.0
        for agent in range(agents):
            _find_request(agent, programs, steps[point], at, ready, asks, ends, rounds)
        while True:
            agent = _first(asks)
            start, turn = asks[agent, 0], asks[agent, 1]
            if start == np.inf:
                break
            row, step = at[agent, 0], at[agent, 1]
            on = programs[agent, row, RESOURCE]
            if _later(free[on, 0], free[on, 1], start, turn):
                start, turn = free[on, 0], free[on, 1]
            takes = durations[programs[agent, row, DURATION], point]
            end = start + takes
            turn = 0.0 if takes > 0.0 else turn + 1.0
            free[on, 0], free[on, 1] = end, turn
            block = (step - programs[agent, row, BEHIND]) % depth
            ends[agent, row, block], rounds[agent, row, block] = end, turn
            waits = programs[agent, row, ASYNCHRONOUS] == 0
            ready[agent, 0] = end if waits else asks[agent, 0]
            ready[agent, 1] = turn if waits else asks[agent, 1]
            last = max(last, end)
            _find_request(agent, programs, steps[point], at, ready, asks, ends, rounds)
        cycles[point] = last
