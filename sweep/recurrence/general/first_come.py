"""Points of any description served first come, first served: grouped by their counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.compiling.kept import once
from sweep.description import Schedule
from sweep.description.dependencies import NeverHappens
from sweep.quantities.arrays import Array
from sweep.recurrence.general.graph import Graph, graph_of


@once
def service() -> Any:
    """Return the compiled service and the tuples that it takes."""
    from sweep.recurrence.general import queues

    return queues.kernel, queues.Run, queues.Times


class FirstCome:
    """A schedule's points where resources serve who asked first.

    The run of a point is laid out once for all points of the same counts and residency.

    Parameters
    ----------
    schedule : Schedule
    """

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        service()

    def run(
        self,
        points: Mapping[str, Array],
        described: Any,
        varying: Mapping[str, NDArray[Any]],
        cycles: Array,
    ) -> None:
        """Run 1-D arrays of points into ``cycles``, NaN where a point deadlocks.

        Parameters
        ----------
        points : mapping of str to numpy.ndarray
        described : callable
            Returns the parameters of a point by its index, as the interpreter takes them.
        varying : mapping of str to numpy.ndarray
            Tables over tiles, lines x tiles.
        """
        durations = {*self.schedule.durations, "t_launch", "t_stagger"}
        names = [name for name in points if name not in durations]
        keys = np.stack([np.asarray(points[name]).astype(np.int64) for name in names])
        _, first, group = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        for number, at in enumerate(first.tolist()):
            chosen = np.flatnonzero(group.reshape(-1) == number)
            try:
                graph = graph_of(self.schedule, described(at))
            except NeverHappens:
                cycles[chosen] = np.nan
                continue
            found = np.empty(chosen.size)
            kernel, run, times = service()
            given = times(*self._times(points, varying, chosen))
            kernel(graph, run(*_room(graph)), given, found)
            cycles[chosen] = found

    def _times(
        self, points: Mapping[str, Array], varying: Mapping[str, NDArray[Any]], chosen: Array
    ) -> tuple[Any, ...]:
        """Return the durations of some points, and the tables of those that have one."""
        durations = self.schedule.durations
        takes = np.zeros((chosen.size, len(durations)))
        for at, name in enumerate(durations):
            takes[:, at] = np.asarray(points[name])[chosen]
        tables = [name for name in durations if name in varying]
        lines = max((varying[name].shape[0] for name in tables), default=1)
        tiles = max((varying[name].shape[1] for name in tables), default=1)
        stacked = np.zeros((len(tables), lines, tiles))
        for at, name in enumerate(tables):
            stacked[at, : varying[name].shape[0], : varying[name].shape[1]] = varying[name]
        which = [tables.index(name) if name in tables else -1 for name in durations]
        starts = [np.asarray(points[name])[chosen] for name in ("t_launch", "t_stagger")]
        return takes, stacked, np.array(which, np.int64), np.array(starts, np.float64)


def _room(graph: Graph) -> tuple[Any, ...]:
    """Return the arrays that a run of a graph needs."""
    instances, lines, ctas = (len(of) for of in (graph.instances, graph.lines, graph.ctas))
    units = graph.queued.size
    return (
        np.empty((instances, 2)),
        np.empty((instances, 2)),
        np.empty((instances, 2), np.int64),
        np.empty((lines, 2)),
        np.empty((lines, 2)),
        np.empty((lines, 2), np.int64),
        np.empty(instances, np.int64),
        np.empty(lines, np.int64),
        np.empty(2, np.int64),
        np.empty((units, 2)),
        np.empty(units, np.int64),
        np.empty((ctas, 2)),
        np.empty(ctas, np.int64),
        np.empty(1),
    )
