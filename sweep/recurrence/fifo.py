"""First come, first served: the batch kernel for ``arbitration="fifo"``.

Who asked first decides, inside the point's own recurrence. An agent's next request is always
known (it waits for nothing but its own work and the resources), so serving the earliest request
of all agents, again and again, is a complete event-driven simulation. A time is a pair of cycles
and round: what a use of 0 cycles sets off happens in a further round at the same time, and within
a round the lower agent is served first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.compiling.kept import once
from sweep.description import Schedule
from sweep.description.counts import linear
from sweep.errors import InputError
from sweep.quantities.bottlenecks import bottleneck_code

UNORDERED = bottleneck_code("unordered")


@cache
def fifo_programs(schedule: Schedule) -> NDArray[np.int64]:
    """Return each agent's program as a table: agents x rows x columns, -1 where there is no row.

    Columns: index of the resource, index of the duration in ``schedule.durations``, whether the
    use is asynchronous, steps behind, the row of the same agent that it waits for (or -1), and
    how many blocks back.

    Raises
    ------
    InputError
        For a schedule whose agents wait for each other: its service order is fixed anyway.
    """
    events = schedule.events("consumer")
    programs = [[row for row in events if row.agent == agent] for agent in schedule.agent_names]
    table = np.full((len(programs), max(map(len, programs)), 6), -1, dtype=np.int64)
    for agent, rows in enumerate(programs):
        names = [row.name for row in rows]
        for index, row in enumerate(rows):
            others = [one for one in row.after if one.event not in names]
            lags = [one.lag for one in row.after if not isinstance(one.lag, int)]
            if others or lags or len(row.after) > 1 or not row.on or row.place != "k_tile":
                raise InputError(
                    f"arbitration='fifo': {schedule.name}'s {row.name!r} waits for another agent"
                )
            table[agent, index] = (
                schedule.resources.index(row.on),
                schedule.durations.index(row.takes),
                int(row.asynchronous),
                dict(linear(row.behind)).get("", 0),
                names.index(row.after[0].event) if row.after else -1,
                row.after[0].lag if row.after else 0,
            )
    return table


@dataclass(frozen=True)
class FifoKernel:
    """The service loop with the programs of a schedule."""

    schedule: Schedule

    def __post_init__(self) -> None:
        """Compile the loop, if need be, before it is run on several threads."""
        service()

    def run(self, points: Mapping[str, Any], cycles: Any, period: Any, flags: Any) -> None:
        """Run 1-D arrays of points; there is no period that a fixed order would have."""
        takes = np.stack(
            [np.broadcast_to(points[name], cycles.size) for name in self.schedule.durations]
        )
        programs, resources = fifo_programs(self.schedule), len(self.schedule.resources)
        service()(programs, resources, takes, points[self.schedule.loop], cycles)
        period[...] = np.nan
        flags[...] = UNORDERED


@once
def service() -> Any:
    """Return the compiled loop: (programs, resources, durations, steps, cycles)."""
    from sweep.recurrence.fifo_service import kernel

    return kernel
