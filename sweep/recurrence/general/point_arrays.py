"""A block of points as the arrays that the compiled engine takes, with room for its runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweep.quantities.arrays import Array
from sweep.recurrence.general.row_tables import (
    BEHIND,
    DRAIN_AFTER,
    FIRST_NEED,
    FLAT,
    KIND,
    LAG,
    LAST_NEED,
    OF_USE,
    SAME_OF,
    Tables,
)
from sweep.recurrence.general.run_state import Point, State


class Work(NamedTuple):
    """Snapshots of a run, and what is noted of them.

    Attributes
    ----------
    depths, lowest, edge : int64 (rows)
        How many ends a loop reads again; the first end, and the first tile, still to be read.
    runs : int64 (2, tiles)
        First and past-the-last tile with the same entries in all tables; empty without tables.
    loop_was, tile_was, now : float64
        States as lists of times.
    loop_mark, tile_mark : int64
        See ``jumps``.
    """

    depths: Any
    lowest: Any
    edge: Any
    runs: Any
    loop_was: Any
    tile_was: Any
    now: Any
    loop_mark: Any
    tile_mark: Any


class Block(NamedTuple):
    """Points as arrays with one column each, see ``service.kernel``."""

    counts: NDArray[np.int64]
    takes: NDArray[np.float64]
    lines: NDArray[np.int64]
    sizes: NDArray[np.int64]
    starts: NDArray[np.float64]


def arrays_of(
    tables: Tables, points: Mapping[str, Array], varying: Mapping[str, Array], size: int
) -> tuple[Block, Point, State, Work]:
    """Lay points out for the compiled engine.

    Parameters
    ----------
    tables : Tables
    points : mapping of str to numpy.ndarray
        Durations in cycles and counts, residency among them (``single`` as 0 or 1), one value a
        point; of a parameter in ``varying`` the line of its table.
    varying : mapping of str to numpy.ndarray
        Tables over tiles: lines x tiles.
    size : int
        How many points.
    """
    counts = tables.evaluated({n: v for n, v in points.items() if n not in varying}, size)
    block = _block(tables, points, varying, counts)
    largest = {
        name: int(varying[name].max() if name in varying else np.max(points[name]))
        for name in points
        if np.size(points[name])
    }
    copies = int(block.sizes[0].max())
    depth, edges = depths_of(tables, counts, largest, _loops(tables))
    state = _state(tables, copies, depth, edges)
    tiles = max((table.shape[1] for table in varying.values()), default=0)
    return block, _point(tables, varying, copies, tiles), state, _work(state, tiles)


def _loops(tables: Tables) -> list[str]:
    return [str(loop.count) for loop in tables.schedule.loops]


def _block(
    tables: Tables, points: Mapping[str, Array], varying: Mapping[str, Array], counts: Array
) -> Block:
    """Lay out what differs by point."""
    size, durations, loops = counts.shape[1], tables.schedule.durations, _loops(tables)
    sizes = np.empty((3, size), np.int64)
    for at, name in enumerate(("ctas_per_sm", "output_tiles", "single")):
        sizes[at] = points[name]
    takes = np.empty((len(durations), size))
    for at, name in enumerate(durations):
        takes[at] = points[name]
    looped = np.zeros((len(loops), size), np.int64)
    for at, name in enumerate(loops):
        if name in varying:
            looped[at] = points[name]
    starts = np.stack([_full(points[name], size) for name in _STARTS])
    return Block(counts, takes, looped, sizes, starts)


def _point(tables: Tables, varying: Mapping[str, Array], copies: int, tiles: int) -> Point:
    """Make room for one point's numbers, and lay out the tables that all share."""
    names, loops, durations = list(varying), _loops(tables), tables.schedule.durations
    lines = max((table.shape[0] for table in varying.values()), default=0)
    stacked = np.zeros((len(names), lines, tiles))
    for at, table in enumerate(varying.values()):
        stacked[at, : table.shape[0], : table.shape[1]] = table
    return Point(
        counts=np.empty(len(tables.counts), np.int64),
        takes=np.empty(len(durations)),
        lags=np.empty(tables.program.needs.shape[0], np.int64),
        takes_table=_numbers(durations, names),
        loop_table=_numbers(loops, names),
        loop_line=np.empty(len(loops), np.int64),
        tables=stacked,
        before=np.zeros((len(loops), copies, tiles + 2), np.int64),
        sizes=np.empty(3, np.int64),
        starts=np.empty(2),
    )


def _state(tables: Tables, copies: int, depth: int, edges: int) -> State:
    """Make room for what is known of a run."""
    program = tables.program
    rows, roles, turns = program.rows.shape[0], program.turns.size, int(program.turns.max())
    return State(
        free=np.zeros((copies, roles, turns, 2)),
        units=np.zeros((len(tables.schedule.resources), 2)),
        ends=np.zeros((copies, rows, depth, 2)),
        whose=np.full((copies, rows, depth), -1, np.int64),
        edges=np.zeros((2, copies, rows, edges, 2)),
        edge_whose=np.full((2, copies, rows, edges), -1, np.int64),
        upto=np.zeros((copies, rows), np.int64),
        where=np.zeros((copies, 4), np.int64),
        over=np.zeros(copies),
        since=np.zeros((copies, 4)),
        marks=np.zeros(6),
    )


def _work(state: State, tiles: int) -> Work:
    """Make room for snapshots of a state."""
    copies, rows, depth = state.whose.shape
    edges, turned = state.edge_whose.shape[3], state.free[0, :, :, 0].size
    listed = copies * (turned + rows * (depth + 2 * edges + 2)) + state.units.shape[0]
    return Work(
        depths=np.zeros(rows, np.int64),
        lowest=np.zeros(rows, np.int64),
        edge=np.zeros(rows, np.int64),
        runs=np.zeros((2, tiles), np.int64),
        loop_was=np.zeros(listed),
        tile_was=np.zeros(listed),
        now=np.zeros(listed),
        loop_mark=np.zeros(5, np.int64),
        tile_mark=np.zeros(5, np.int64),
    )


_STARTS = ("t_launch", "t_stagger")


def depths_of(
    tables: Tables, counts: NDArray[np.int64], largest: Mapping[str, int], loops: list[str]
) -> tuple[int, int]:
    """Return how many ends of a row are kept, and how many tiles' first and last: powers of two.

    In program order a reader is behind what it reads by its lag and its skew.
    """
    rows, needs = tables.program.rows, tables.program.needs
    most = counts.max(axis=1, initial=0)
    iterations = max((largest.get(name, 1) for name in loops if not name.isdigit()), default=1)
    iterations = max([iterations, *(int(name) for name in loops if name.isdigit())])
    depth, edges = 2, 2
    for row in rows:
        for need in needs[row[FIRST_NEED] : row[LAST_NEED]]:
            lag = int(most[need[LAG]])
            if need[KIND] == FLAT:
                depth = max(depth, lag + int(most[row[BEHIND]]) + 2)
            elif need[KIND] == SAME_OF:
                depth = max(depth, (lag + 2) * iterations)
            elif need[KIND] == OF_USE:
                edges = depth = max(edges, depth, lag + 2)
            else:
                edges, depth = max(edges, lag + 2), max(depth, lag + 2)
        if row[DRAIN_AFTER] >= 0:
            edges = max(edges, 2)
    return _power_of_two(depth), _power_of_two(edges)


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


def _full(values: Any, size: int) -> Array:
    return np.broadcast_to(np.asarray(values, np.float64), (size,))


def _numbers(names: Any, tables: list[str]) -> NDArray[np.int64]:
    return np.array([tables.index(n) if n in tables else -1 for n in names], np.int64)
