"""Leaps over what repeats: steps of a loop, and output tiles.

The state is compared with a snapshot, renewed at powers of two (Brent 1980). Where every time has
advanced equally, what comes does the same, and the whole periods that remain are added at once;
the last iteration of a loop and the last tile of a run are always performed.
"""

from __future__ import annotations

import math
from typing import Any

from sweep.compiling.numba_options import function
from sweep.recurrence.general.row_tables import BEHIND, EVERY, PLACE, READ_SAME, SKIPS, STARTS
from sweep.recurrence.general.run_state import (
    AT_PLACE,
    STEP,
    TILE,
    TILES,
    loop_steps,
    own_tile,
    run_tile,
    steps_before,
)
from sweep.recurrence.general.snapshots import (
    INWARD,
    OUTWARD,
    advance,
    earliest_free,
    fill_between,
    latest_constant,
    move_all,
    move_loop,
)

MARKED, POWER, MARK_TILE, MARK_PLACE, MARK_SIZE = range(5)
"""What is noted of a snapshot: the step (tile), when it is renewed, where, its length."""
LATEST, LOOP_MOVED, LOOP_PERIOD, TILE_MOVED, TILE_PERIOD, FLOOR = range(6)
"""What is noted of a run: the latest end, and what a period advances."""


@function
def steady_from(t: Any, p: Any, place: int, before: int) -> int:
    """Return the step from which every row of a loop has its instance."""
    first = 0
    for index in range(t.starts[place], t.starts[place + 1]):
        row = t.order[index]
        late = max(p.counts[t.rows[row, SKIPS]], p.counts[t.rows[row, STARTS]] - before)
        first = max(first, p.counts[t.rows[row, BEHIND]] + late)
    return first


@function
def _whole(t: Any, p: Any, place: int, period: int) -> bool:
    """Whether rows that are left out at times are so in each period alike."""
    for index in range(t.starts[place], t.starts[place + 1]):
        if period % p.counts[t.rows[t.order[index], EVERY]] != 0:
            return False
    return True


@function
def leap_steps(t: Any, p: Any, s: Any, depths: Any, was: Any, now: Any, mark: Any) -> None:
    """Leap over steps of a loop that all copies are in, if they repeat."""
    copies = p.sizes[0]
    place, step, tile = s.where[0, AT_PLACE], s.where[0, STEP], s.where[0, TILE]
    if not 1 <= place <= t.loop_counts.size or t.varies[place]:
        return
    left = 1 << 60
    for copy in range(copies):
        if s.where[copy, TILE] >= s.where[copy, TILES]:
            continue
        if s.where[copy, AT_PLACE] != place or s.where[copy, STEP] != step:
            return
        steps = loop_steps(t, p, place - 1, run_tile(p, copy, s.where[copy, TILE]))
        own = own_tile(p, s.where[copy, TILE])
        if step < steady_from(t, p, place, steps_before(t, p, place - 1, copy, own)):
            return
        left = min(left, steps - 1 - step)
    if left < 1 or (mark[MARK_TILE] == tile and mark[MARK_PLACE] == place and mark[POWER] < 0):
        return
    fresh = mark[MARK_TILE] != tile or mark[MARK_PLACE] != place
    period = step - mark[MARKED]
    if not fresh:
        size = move_loop(t, p, s, place, depths, now, INWARD, 0.0)
        moved = advance(now, was, size)
        same = not math.isnan(moved) and _whole(t, p, place, period)
        if same and latest_constant(t, p, s, place) <= s.marks[FLOOR]:
            _leap_over(t, p, s, place, period, left // period, moved, depths, now)
            mark[POWER] = -1
            return
        if period < mark[POWER]:
            return
    mark[POWER] = 1 if fresh else 2 * mark[POWER]
    mark[MARKED], mark[MARK_TILE], mark[MARK_PLACE] = step, tile, place
    move_loop(t, p, s, place, depths, was, INWARD, 0.0)
    s.marks[FLOOR] = earliest_free(t, p, s, place)
    s.since[:, :2] = 0.0


@function
def _leap_over(t: Any, p: Any, s: Any, place: int, period: int, periods: int, moved: float,
               depths: Any, now: Any) -> None:  # fmt: skip
    shift = periods * moved
    for copy in range(s.where.shape[0]):
        if s.where[copy, TILE] >= s.where[copy, TILES]:
            continue
        s.where[copy, STEP] += periods * period
        s.over[copy] = max(s.over[copy], s.since[copy, 1] + shift)
        s.marks[LATEST] = max(s.marks[LATEST], s.since[copy, 0] + shift)
        for index in range(t.starts[place], t.starts[place + 1]):
            row = t.order[index]
            first = s.upto[copy, row]
            s.upto[copy, row] += periods * period
            if t.rows[row, READ_SAME]:
                fill_between(s, copy, row, first, period, moved)
    move_loop(t, p, s, place, depths, now, OUTWARD, shift)
    s.marks[LOOP_MOVED], s.marks[LOOP_PERIOD] = moved, period


@function
def leap_tiles(t: Any, p: Any, s: Any, runs: Any, lowest: Any, edge: Any, was: Any, now: Any,
               mark: Any) -> None:  # fmt: skip
    """Leap over output tiles, if they repeat; called where the first copy has begun a tile."""
    copies = p.sizes[0]
    tile = s.where[0, TILE]
    left = 1 << 60
    for copy in range(copies):
        if s.where[copy, TILES] == 0:
            continue
        for at in (TILE, AT_PLACE, STEP):
            if s.where[copy, at] != s.where[0, at]:
                return
        left = min(left, s.where[copy, TILES] - 1 - tile)
    if runs.shape[1] > 0:  # only within a run of equal entries of all tables
        left = min(left, (runs[1, tile * copies] - copies) // copies - tile)
    if left < 1:
        return
    fresh = mark[MARKED] < 0 or (
        runs.shape[1] > 0 and mark[MARKED] * copies < runs[0, tile * copies]
    )
    period = tile - mark[MARKED]
    size = move_all(t, p, s, lowest, edge, now, INWARD, 0.0)
    if not fresh:
        moved = advance(now, was, size) if size == mark[MARK_SIZE] else math.nan
        if not math.isnan(moved):
            _leap_over_tiles(t, p, s, period, left // period, moved, lowest, edge, now)
            mark[MARKED] = -1
            return
        if period < mark[POWER]:
            return
    for row in range(t.rows.shape[0]):
        if p.sizes[2] == 0 and s.upto[0, row] < p.counts[t.rows[row, STARTS]]:
            return
    mark[POWER] = 1 if fresh else 2 * mark[POWER]
    mark[MARKED], mark[MARK_SIZE] = tile, size
    for at in range(size):
        was[at] = now[at]
    s.since[:, 2:] = 0.0


@function
def _leap_over_tiles(t: Any, p: Any, s: Any, period: int, periods: int, moved: float,
                     lowest: Any, edge: Any, now: Any) -> None:  # fmt: skip
    shift = periods * moved
    for copy in range(s.where.shape[0]):
        if s.where[copy, TILES] == 0:
            continue
        tiles = period * periods
        for row in range(t.rows.shape[0]):
            if p.sizes[2] == 1:
                continue
            loop = t.rows[row, PLACE] - 1
            more = tiles
            if 0 <= loop < t.loop_counts.size:
                real = s.where[copy, TILE]
                more = tiles * loop_steps(t, p, loop, run_tile(p, copy, real))
            s.upto[copy, row] += more
        s.where[copy, TILE] += tiles
        s.marks[LATEST] = max(s.marks[LATEST], s.since[copy, 2] + shift)
    move_all(t, p, s, lowest, edge, now, OUTWARD, shift)
    s.marks[TILE_MOVED], s.marks[TILE_PERIOD] = moved, period
