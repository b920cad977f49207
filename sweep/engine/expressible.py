"""What the generated kernels of one loop can run, and what asks for the general engine."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sweep.catalogue.validation import beyond_generated
from sweep.description import Schedule
from sweep.inputs.values import TABLE
from sweep.quantities.arrays import Array, Values
from sweep.quantities.variables import SERVICES, TILE_SCHEDULERS

SINGLE = TILE_SCHEDULERS.index("single")
FIFO = SERVICES.index("fifo")


def needs_general_engine(schedule: Schedule, values: Values) -> bool:
    """Whether points are more than a kernel generated for one loop and one CTA can run."""
    if beyond_generated(schedule, schedule.events("consumer")):
        return True
    return any(True for _ in _beyond(schedule, values))


def _beyond(schedule: Schedule, values: Values) -> Iterator[str]:
    """Yield the parameters that take a schedule beyond one CTA in program order.

    What is not there is what the schedule has by default.
    """
    yield from (name.removeprefix(TABLE) for name in values if name.startswith(TABLE))
    single = np.full(1, SINGLE if not schedule.tile_level else SINGLE + 1)
    alone = np.asarray(values.get("tile_scheduler", single)) == SINGLE
    if schedule.tile_level:
        if (alone & _above(values, "output_tiles", 1)).any():
            yield "tile_scheduler"
    elif _above(values, "output_tiles", 1).any():
        yield "output_tiles"
    for name, limit in (("ctas_per_sm", 1), ("t_launch", 0)):
        if _above(values, name, limit).any():
            yield name
    served = "arbitration" in schedule.parameters or not _shared(schedule)
    if not served and (np.asarray(values.get("arbitration", 0)) == FIFO).any():
        yield "arbitration"


def _above(values: Values, name: str, limit: float) -> Array:
    return np.asarray(values.get(name, np.full(1, limit)) > limit)


def _shared(schedule: Schedule) -> bool:
    """Whether agents share a resource: one that asks alone is served in program order anyway."""
    events = schedule.events("consumer")
    users = ({row.agent for row in events if row.on == name} for name in schedule.resources)
    return any(len(agents) > 1 for agents in users)
