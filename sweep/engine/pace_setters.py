"""What sets the pace of points of any description: a busy resource, or what it responds to.

The period is the largest ratio of a circuit, so it is convex in each duration, and grows with one
exactly where a circuit that binds contains it (Baccelli, Cohen, Olsder, Quadrat, *Synchronization
and Linearity*, 1992, section 3.2). Points are run again with that duration a trifle longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sweep.quantities.arrays import Array
from sweep.quantities.bottlenecks import Bottleneck
from sweep.recurrence.general.general_kernel import GeneralKernel

TRIFLE = 2.0**-24
"""Cycles: circuits whose ratios differ do so by more, however many steps they have."""
COARSE = 2.0**-10
EXACT = 2.0**18
"""Periods up to which hundreds of them are summed exactly on that grid; above it is ``COARSE``."""


class PaceSetters:
    """Some points that have run.

    Parameters
    ----------
    kernel : GeneralKernel
    points : mapping of str to numpy.ndarray
    lines : mapping of str to numpy.ndarray
        Tables over tiles.
    period : numpy.ndarray
    """

    def __init__(
        self,
        kernel: GeneralKernel,
        points: Mapping[str, Array],
        lines: Mapping[str, Any],
        period: Array,
    ) -> None:
        self.kernel, self.points, self.period = kernel, points, period
        self.schedule, self.varying = kernel.schedule, bool(lines)

    def named_by(self, row: Bottleneck, at: Array, held: Mapping[str, Array]) -> Array:
        """Return where a meaning applies.

        Parameters
        ----------
        row : Bottleneck
        at : numpy.ndarray
            The points that are asked for, by index.
        held : mapping of str to numpy.ndarray
            How long each resource is held in a period.
        """
        if row.resource:
            busy = held.get(row.resource)
            never = np.zeros(at.size, bool)
            return never if busy is None else np.asarray(busy[at] == self.period[at])
        if self.varying:
            return np.zeros(at.size, bool)
        if row.duration:
            return self._on_a_circuit(row, at)
        return np.full(at.size, row.name == "serial_chain")

    def _on_a_circuit(self, row: Bottleneck, at: Array) -> Array:
        """Return where the period responds to a duration."""
        found = np.zeros(at.size, bool)
        asked = row.duration in self.schedule.durations
        slots = self.schedule.ring or bool(self.schedule.rings)
        if (row.ring_only or row.through_slot) and not (self.kernel.per_tile or slots):
            asked = False
        given = self.points[row.duration][at] if asked else np.zeros(at.size)
        there = np.flatnonzero((given > 0.0) | row.through_slot) if asked else at[:0]
        if there.size:
            chosen = at[there]
            more = COARSE if self.period[chosen].max() > EXACT else TRIFLE
            longer = {name: np.asarray(values)[chosen] for name, values in self.points.items()}
            longer[row.duration] = longer[row.duration] + more
            cycles, period = np.empty(chosen.size), np.empty(chosen.size)
            self.kernel.run(longer, {}, cycles, period)
            found[there] = period != self.period[chosen]  # unsettled: two circuits were equal
        return found
