"""Steady periods per output tile as largest circuit ratios, by graphs of their own.

The graph of one output tile is built from what each event waits for (``translated_programs``), with
arcs that reach back over tiles. A period is right if no circuit has more than it, and some circuit
has as much; a duration binds if lengthening it by less than any gap makes a circuit too long. All
of that is asked of whole numbers, by Bellman and Ford's relaxation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from sweep.description import Schedule
from sweep.description.program_order import Instance, Key
from tests.accounts.translated_programs import Translation

Ints = NDArray[np.int64]
FINER = 1 << 15
"""More than the tiles that a circuit can span, and than the times a duration can be on it."""
MOST_GROUP = 400


@dataclass(frozen=True)
class TileGraph:
    """Arcs between the events of a tile: tail, head, tiles between, and the duration at the head.

    ``takes`` is an index into ``durations``, or -1 for an arc of no length.
    """

    durations: tuple[str, ...]
    nodes: int
    tail: Ints
    head: Ints
    tiles: Ints
    takes: Ints


@cache
def tile_graph(schedule: Schedule, release: str, k_tiles: int, stages: int, late: int) -> TileGraph:
    """Build the graph of a tile far from the start of the run."""
    p = {"k_tiles": k_tiles, "stages": stages, "mma_in_flight": late, "release": release}
    here = stages // k_tiles + 4
    nodes: dict[tuple[str, int, str], int] = {}
    arcs: dict[tuple[int, int, int, int], None] = {}
    last: dict[str, Instance] = {}
    takes_of = schedule.durations.index

    def node(one: Instance, what: str) -> int:
        return nodes.setdefault((one.row.name, one.iteration, what), len(nodes))

    def arc(one: Instance, what: str, at: Instance, end: str) -> None:
        takes = takes_of(at.row.takes) if end == "end" and at.row.takes else -1
        arcs.setdefault((node(one, what), node(at, end), at.tile - one.tile, takes))

    seen: dict[Key, Instance] = {}
    run = Translation(schedule, p | {"output_tiles": here + 1})
    for one in run.instances:
        seen[one.key] = one
        lines = [f"agent {run.agent(one)}"] * bool(one.row.agent)
        lines += [f"on {one.row.on}"] * bool(one.row.on)
        if one.tile == here:
            first = "issue" if one.row.asynchronous else "end"
            for needed in run.needs[one.key]:
                arc(seen[needed], "end", one, first)
            for line in lines:
                before = last[line]
                waits = before.row.asynchronous and line.startswith("agent")
                start = first if line.startswith("agent") else "end"
                arc(before, "issue" if waits else "end", one, start)
            if one.row.asynchronous:
                arc(one, "issue", one, "end")
        last |= dict.fromkeys(lines, one)
    columns = np.array(list(arcs), dtype=np.int64).T.copy()
    return TileGraph(schedule.durations, len(nodes), *columns)


def check_periods(
    graph: TileGraph, p: Mapping[str, NDArray[Any]], period: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], dict[str, NDArray[np.bool_]]]:
    """Return whether each period is the largest ratio, and which durations bind there.

    Parameters
    ----------
    graph : TileGraph
    p : mapping of str to numpy.ndarray
        The durations, multiples of 1/1024 cycle.
    period : numpy.ndarray
        Below 2**22 cycles, so that the fraction that was rounded can be told.
    """
    times = np.array([np.round(p[one] * 1024) for one in graph.durations]).astype(np.int64)
    right = np.zeros(period.size, bool)
    binds = np.zeros((len(graph.durations), period.size), bool)
    _check(
        graph.nodes, graph.tail, graph.head, graph.tiles, graph.takes, times, period, right, binds
    )
    return right, dict(zip(graph.durations, binds, strict=True))


@numba.njit(cache=True)
def _check(nodes, tail, head, tiles, takes, times, period, right, binds):  # type: ignore[no-untyped-def]
    weights = np.empty(tail.size, np.int64)
    for point in range(period.size):
        if np.isnan(period[point]):
            continue
        scaled = period[point] * 1024
        group = 1
        while group < MOST_GROUP and abs(scaled * group - np.round(scaled * group)) > 1e-6 * group:
            group += 1
        whole = np.int64(np.round(scaled * group))
        for arc in range(tail.size):
            takes_here = times[takes[arc], point] if takes[arc] >= 0 else 0
            weights[arc] = takes_here * group - whole * tiles[arc]
        if _gains(nodes, tail, head, weights):
            continue
        for arc in range(tail.size):
            weights[arc] = weights[arc] * FINER + tiles[arc]
        right[point] = _gains(nodes, tail, head, weights)
        for duration in range(times.shape[0]):
            for arc in range(tail.size):
                weights[arc] = weights[arc] // FINER * FINER + (takes[arc] == duration)
            binds[duration, point] = _gains(nodes, tail, head, weights)


@numba.njit(cache=True)
def _gains(nodes, tail, head, weights):  # type: ignore[no-untyped-def]
    """Whether a circuit has a positive weight: relaxation would go on for ever."""
    longest = np.zeros(nodes, np.int64)
    for _ in range(nodes + 1):
        changed = False
        for arc in range(tail.size):
            length = longest[tail[arc]] + weights[arc]
            if length > longest[head[arc]]:
                longest[head[arc]] = length
                changed = True
        if not changed:
            return False
    return True
