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
from sweep.compiled import fifo_batch
from sweep.description import Schedule

RESOURCE, DURATION, ASYNCHRONOUS, BEHIND, WAITS_FOR = range(5)
"""Columns of a program's table."""


@cache
def fifo_programs(schedule: Schedule) -> NDArray[np.int64]:
    """Return each agent's program as a table: agents x rows x columns, -1 where there is no row.

    Columns: index of the resource, index of the duration in ``schedule.durations``, whether the
    use is asynchronous, steps behind, and the row of the same agent that it waits for (or -1).

    Raises
    ------
    ValueError
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
                raise ValueError(f"{schedule.name}: {row.name!r} cannot be served by arrival")
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


def _serve(
    programs: Any, resources: int, durations: Any, steps: Any, cycles: Any
) -> None:  # pragma: no cover - compiled
    agents, rows = programs.shape[0], programs.shape[1]
    deepest = programs[:, :, BEHIND].max() + 2
    ready = np.empty(agents)
    ready_round = np.empty(agents, np.int64)
    asks = np.empty(agents)
    asks_round = np.empty(agents, np.int64)
    row_of = np.empty(agents, np.int64)
    step_of = np.empty(agents, np.int64)
    free = np.empty(resources)
    free_round = np.empty(resources, np.int64)
    ends = np.empty((agents, rows, deepest))
    ends_round = np.empty((agents, rows, deepest), np.int64)
    for point in range(cycles.size):
        blocks = steps[point]
        free[:] = 0.0
        free_round[:] = 0
        ready[:] = 0.0
        ready_round[:] = 0
        row_of[:] = -1
        step_of[:] = 0
        last = 0.0
        served = -1
        while True:
            # Who has just been served (at first: everybody) finds its next request.
            for agent in range(agents):
                if served >= 0 and agent != served:
                    continue
                while True:
                    row_of[agent] += 1
                    if row_of[agent] == rows or programs[agent, row_of[agent], RESOURCE] < 0:
                        row_of[agent] = 0
                        step_of[agent] += 1
                    behind = programs[agent, row_of[agent], BEHIND]
                    if step_of[agent] >= blocks + deepest:
                        asks[agent] = np.inf
                        break
                    block = step_of[agent] - behind
                    if 0 <= block < blocks:
                        asks[agent] = ready[agent]
                        asks_round[agent] = ready_round[agent]
                        waits_for = programs[agent, row_of[agent], WAITS_FOR]
                        if waits_for >= 0:
                            end = ends[agent, waits_for, block % deepest]
                            end_round = ends_round[agent, waits_for, block % deepest]
                            if end > asks[agent] or (
                                end == asks[agent] and end_round > asks_round[agent]
                            ):
                                asks[agent] = end
                                asks_round[agent] = end_round
                        break
            served = 0
            for agent in range(1, agents):
                if asks[agent] < asks[served] or (
                    asks[agent] == asks[served] and asks_round[agent] < asks_round[served]
                ):
                    served = agent
            if asks[served] == np.inf:
                break
            row = row_of[served]
            on = programs[served, row, RESOURCE]
            start, start_round = asks[served], asks_round[served]
            if free[on] > start or (free[on] == start and free_round[on] > start_round):
                start, start_round = free[on], free_round[on]
            takes = durations[programs[served, row, DURATION], point]
            end = start + takes
            end_round = 0 if takes > 0.0 else start_round + 1
            free[on] = end
            free_round[on] = end_round
            block = step_of[served] - programs[served, row, BEHIND]
            ends[served, row, block % deepest] = end
            ends_round[served, row, block % deepest] = end_round
            if programs[served, row, ASYNCHRONOUS] == 0:
                ready[served] = end
                ready_round[served] = end_round
            else:
                ready[served] = asks[served]
                ready_round[served] = asks_round[served]
            last = max(last, end)
        cycles[point] = last
