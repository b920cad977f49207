"""First come, first served: the batch kernel for ``arbitration="fifo"``.

Who asked first decides, inside the point's own recurrence. An agent's next request is always
known (it waits for nothing but its own work and the resources), so serving the earliest request
of all agents, again and again, is a complete event-driven simulation. A time is a pair of cycles
and round: what a use of 0 cycles sets off happens in a further round at the same time, and within
a round the lower agent is served first.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.circuits import linear
from sweep.compiled import fifo_batch, inlined
from sweep.description import Schedule
from sweep.errors import InputError

RESOURCE, DURATION, ASYNCHRONOUS, BEHIND, WAITS_FOR = range(5)
"""Columns of a program's table."""


@cache
def fifo_programs(schedule: Schedule) -> NDArray[np.int64]:
    """Return each agent's program as a table: agents x rows x columns, -1 where there is no row.

    Columns: index of the resource, index of the duration in ``schedule.durations``, whether the
    use is asynchronous, steps behind, and the row of the same agent that it waits for (or -1).

    Raises
    ------
    InputError
        For a schedule whose agents wait for each other: its service order is fixed anyway.
    """
    events = schedule.events("consumer")
    programs = [[row for row in events if row.agent == agent] for agent in schedule.agents]
    table = np.full((len(programs), max(map(len, programs)), 5), -1, dtype=np.int64)
    for agent, rows in enumerate(programs):
        names = [row.name for row in rows]
        for index, row in enumerate(rows):
            others = [one for one in row.after if one.event not in names or one.lag != 0]
            if others or len(row.after) > 1 or not row.on or row.place != "k_tile":
                raise InputError(
                    f"arbitration='fifo': {schedule.name}'s {row.name!r} waits for another agent"
                )
            table[agent, index] = (
                schedule.resources.index(row.on),
                schedule.durations.index(row.takes),
                int(row.asynchronous),
                dict(linear(row.behind)).get("", 0),
                names.index(row.after[0].event) if row.after else -1,
            )
    return table


@cache
def fifo_kernel() -> Any:
    """Return the compiled kernel: (programs, resources, durations, steps, cycles)."""
    return fifo_batch(_serve)


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
        if needs >= 0:
            end, end_round = ends[agent, needs, block % depth], rounds[agent, needs, block % depth]
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


def _serve(programs: Any, resources: int, durations: Any, steps: Any, cycles: Any) -> None:
    """Serve the earliest request again and again, for every point."""
    agents, rows = programs.shape[0], programs.shape[1]
    depth = programs[:, :, BEHIND].max() + 2
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
