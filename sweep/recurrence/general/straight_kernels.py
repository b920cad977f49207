"""The kernel written for one description, compiled when it is first needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.compiling.kept import once
from sweep.description.counts import linear
from sweep.quantities.arrays import Array
from sweep.recurrence.general.space import depths_of
from sweep.recurrence.general.straight_code import StraightCode
from sweep.recurrence.general.tables import Tables
from sweep.recurrence.kernels import load


class StraightKernel:
    """A description's own kernel.

    Parameters
    ----------
    tables : Tables
    per_tile : bool
    """

    def __init__(self, tables: Tables, per_tile: bool) -> None:
        self.tables = tables
        self.code = StraightCode(tables, per_tile)
        name = f"{tables.schedule.name}_rows"
        self._function: Any = load(name, self.code.source()).kernel

    def run(self, points: Mapping[str, Array], cycles: Array, period: Array) -> Array:
        """Run points into ``cycles`` and ``period``; return which it leaves to others."""
        size = cycles.size
        largest = {name: int(np.max(points[name])) for name in self.code.counts}
        counts = self._largest_counts(points, largest)
        loops = [str(loop.count) for loop in self.tables.schedule.loops]
        depth = max(depths_of(self.tables, counts, largest, loops))
        turns = max((role.turns for role in self.tables.roles), default=1)
        scratch = np.empty((self.code.scratch_rows, max(depth, 1 << (turns - 1).bit_length())))
        flags = np.empty(size, np.int8)
        given = [np.asarray(points[name], np.float64) for name in self.code.durations]
        given += [np.asarray(points[name], np.int64) for name in self.code.counts]
        self._function(*given, scratch, cycles, period, flags)
        return flags != 0

    def _largest_counts(
        self, points: Mapping[str, Array], largest: Mapping[str, int]
    ) -> NDArray[np.int64]:
        """Return the largest that every count can be, as a column."""
        found = np.zeros((len(self.tables.counts), 1), np.int64)
        for count, row in self.tables.counts.items():
            for name, factor in linear(count):
                most = largest[name] if name and factor > 0 else 1
                most = int(np.min(points[name])) if name and factor < 0 else most
                found[row] += factor * most
        return found


@once
def straight_kernel(tables: Tables, per_tile: bool) -> StraightKernel | None:
    """Return a description's own kernel, None where one cannot be written; compiled once."""
    if not StraightCode(tables, per_tile).supported:
        return None
    return StraightKernel(tables, per_tile)
