"""Points of any description through the general engine, and what sets their pace."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sweep.description import Schedule
from sweep.engine.held_work import period_is_per_tile
from sweep.engine.pace_setters import PaceSetters
from sweep.quantities.arrays import Array
from sweep.quantities.bottlenecks import BOTTLENECKS
from sweep.quantities.tile_table import Lines
from sweep.recurrence.general.general_kernel import GeneralKernel

_CODES = {name: code for code, name in enumerate(BOTTLENECKS)}


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
        flags[period == 0.0] = _CODES["no_work"]
        flags[np.isnan(period)] = _CODES["unordered" if self.kernel.first_come else "unsettled"]
        flags[np.isnan(cycles)] = _CODES["none"]
        period[np.isnan(cycles)] = np.nan
        pace = PaceSetters(self.kernel, points, lines, period)
        for name, row in BOTTLENECKS.items():
            unnamed = np.flatnonzero(flags == _CODES["waiting"])
            if unnamed.size == 0:
                return
            flags[unnamed[pace.named_by(row, unnamed, held)]] = _CODES[name]
