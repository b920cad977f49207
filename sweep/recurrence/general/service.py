"""The loop over points in program order: compiled once, for every description."""

from __future__ import annotations

import math
from typing import Any

from sweep.compiling.numba_options import function
from sweep.recurrence.general.leaps import (
    LATEST,
    LOOP_MOVED,
    LOOP_PERIOD,
    TILE_MOVED,
    TILE_PERIOD,
    leap_steps,
    leap_tiles,
)
from sweep.recurrence.general.ordered import ENDED, STUCK, go_on
from sweep.recurrence.general.run_state import (
    TILE,
    TILES,
    clear,
    duration,
    loop_steps,
    run_tile,
    set_lags,
)
from sweep.recurrence.general.snapshots import set_depths

FEW_TILES = 8
"""Fewer tiles of a copy are run without looking for what repeats."""


@function
def begin(t: Any, p: Any, s: Any) -> None:
    """Put every copy at its start."""
    copies, tiles = p.sizes[0], p.sizes[1]
    s.units[:] = 0.0
    s.marks[:] = 0.0
    s.since[:] = 0.0
    for copy in range(s.where.shape[0]):
        s.where[copy] = 0
        s.over[copy] = 0.0
        if copy < copies and copy < tiles:
            s.where[copy, TILES] = (tiles - copy + copies - 1) // copies
            start = copy * p.starts[1] + p.starts[0]
            s.over[copy] = start
            clear(t, s, copy, start)


@function
def set_tables(t: Any, p: Any, w: Any) -> None:
    """Work out the iterations before each tile, and where the entries of all tables are equal."""
    copies, tiles = p.sizes[0], p.sizes[1]
    for loop in range(t.loop_counts.size):
        if p.loop_table[loop] < 0:
            continue
        for copy in range(min(copies, tiles)):
            p.before[loop, copy, 0] = 0
            for tile in range((tiles - copy + copies - 1) // copies):
                steps = loop_steps(t, p, loop, run_tile(p, copy, tile))
                p.before[loop, copy, tile + 1] = p.before[loop, copy, tile] + steps
    if w.runs.shape[1] == 0:
        return
    first = 0
    for tile in range(tiles):
        if tile > 0 and not _like(t, p, tile, tile - 1):
            w.runs[1, first:tile] = tile
            first = tile
        w.runs[0, tile] = first
    w.runs[1, first:tiles] = tiles


@function
def _like(t: Any, p: Any, tile: int, other: int) -> bool:
    """Whether all tables have the same entries for two tiles."""
    for loop in range(t.loop_counts.size):
        if loop_steps(t, p, loop, tile) != loop_steps(t, p, loop, other):
            return False
    for which in range(p.takes.size):
        if duration(p, which, tile) != duration(p, which, other):
            return False
    return True


@function
def run(t: Any, p: Any, s: Any, w: Any, leaps: bool) -> float:
    """Run one point in program order; NaN where it deadlocks."""
    set_lags(t, p)
    set_depths(t, p, w.depths)
    begin(t, p, s)
    w.loop_mark[:] = -1
    w.tile_mark[:] = -1
    while True:
        going = False
        before = s.where[0, TILE]
        for copy in range(p.sizes[0]):
            outcome = go_on(t, p, s, copy)
            if outcome == STUCK:
                return math.nan
            going = going or outcome != ENDED
        if not going:
            return s.marks[LATEST]
        if leaps:
            if s.where[0, TILE] > before and s.where[0, TILES] >= FEW_TILES:
                leap_tiles(t, p, s, w.runs, w.lowest, w.edge, w.tile_was, w.now, w.tile_mark)
            leap_steps(t, p, s, w.depths, w.loop_was, w.now, w.loop_mark)


def kernel(t: Any, p: Any, s: Any, w: Any, counts: Any, takes: Any, lines: Any, sizes: Any,
           starts: Any, per_tile: bool, cycles: Any, period: Any) -> None:  # fmt: skip
    """Run every point into ``cycles``, and what its loop or its tiles advance by, if it shows."""
    for point in range(cycles.size):
        p.counts[:] = counts[:, point]
        p.takes[:] = takes[:, point]
        p.loop_line[:] = lines[:, point]
        p.sizes[:] = sizes[:, point]
        p.starts[:] = starts[:, point]
        set_tables(t, p, w)
        cycles[point] = run(t, p, s, w, True)
        period[point] = math.nan
        if per_tile and s.marks[TILE_PERIOD] > 0.0:
            period[point] = s.marks[TILE_MOVED] / (s.marks[TILE_PERIOD] * p.sizes[0])
        elif not per_tile and s.marks[LOOP_PERIOD] > 0.0:
            period[point] = s.marks[LOOP_MOVED] / s.marks[LOOP_PERIOD]
