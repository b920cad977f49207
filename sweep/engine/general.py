"""Points of any description through the general engine, and what sets their pace."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sweep.description import Schedule
from sweep.engine.work import period_is_per_tile
from sweep.quantities.arrays import Array
from sweep.quantities.bottlenecks import BOTTLENECKS
from sweep.quantities.tile_table import Lines
from sweep.recurrence.general.kernels import GeneralKernel

_CODES = {name: code for code, name in enumerate(BOTTLENECKS)}
_BUSY = {row.resource: name for name, row in BOTTLENECKS.items() if row.resource}
"""What it is called where a resource is always busy, in the order of precedence."""


class GeneralPoints:
    """A schedule's points in a release mode, in program order or served as they ask.

    Parameters
    ----------
    schedule : Schedule
    release : {"consumer", "hardware"}
    first_come : bool
    """

    def __init__(self, schedule: Schedule, release: str, first_come: bool) -> None:
        self.kernel = GeneralKernel(schedule, release, first_come, period_is_per_tile(schedule))

    def run(
        self,
        points: Mapping[str, Array],
        tables: Mapping[str, Lines],
        held: Mapping[str, Array],
        cycles: Array,
        period: Array,
        flags: Array,
    ) -> None:
        """Run 1-D arrays of points; ``held`` is how long each resource is held in a period."""
        lines = {name: np.asarray(one.numbers) for name, one in tables.items()}
        self.kernel.run(points, lines, cycles, period)
        flags[...] = _CODES["waiting"]
        for resource in reversed(_BUSY):
            if resource in held:
                flags[held[resource] == period] = _CODES[_BUSY[resource]]
        flags[period == 0.0] = _CODES["no_work"]
        flags[np.isnan(period)] = _CODES["unordered" if self.kernel.first_come else "unsettled"]
        flags[np.isnan(cycles)] = _CODES["none"]
        period[np.isnan(cycles)] = np.nan
