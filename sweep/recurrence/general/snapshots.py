"""The state as a list of times, so that two moments of a run can be compared, and one moved on.

Only what can still matter is listed: agents, resources, and the ends that some row has yet to
read, counted back from the instance that comes next. So a state that repeats does so in every
entry, whatever the slots of a ring or the depth of a lag.
"""

from __future__ import annotations

import math
from typing import Any

from sweep.compiling.numba_options import function, inlined
from sweep.recurrence.general.finding import find_need
from sweep.recurrence.general.row_tables import (
    BEHIND,
    DRAIN_AFTER,
    FIRST_NEED,
    FLAT,
    KIND,
    LAST_NEED,
    ONCE,
    PLACE,
    SAME_OF,
    WRITTEN,
)
from sweep.recurrence.general.run_state import (
    HAPPENED,
    NEVER,
    NOT_THIS,
    TILE,
    TILES,
    own_tile,
    steps_before,
    tile_of,
)

INWARD, OUTWARD = 0, 1
"""Whether times go from the state into the list, or back."""


@function
def set_depths(t: Any, p: Any, depths: Any) -> None:
    """Work out how many of a loop row's latest ends its loop still reads, in steady steps."""
    depths[:] = 0
    for row in range(t.rows.shape[0]):
        for need in range(t.rows[row, FIRST_NEED], t.rows[row, LAST_NEED]):
            if t.needs[need, KIND] == FLAT and p.lags[need] != NOT_THIS:
                written = t.needs[need, WRITTEN]
                ahead = p.counts[t.rows[row, BEHIND]] - p.counts[t.rows[written, BEHIND]]
                depths[written] = max(depths[written], ahead + p.lags[need])


@inlined
def _entry(s: Any, copy: int, row: int, flat: int, listed: Any, at: int, way: int,
           shift: float) -> None:  # fmt: skip
    """Move one end into the list, or out of it."""
    slot = flat & (s.whose.shape[2] - 1)
    if way == INWARD:
        kept = flat >= 0 and s.whose[copy, row, slot] == flat
        listed[at] = s.ends[copy, row, slot, 0] if kept else NEVER
    elif flat >= 0:
        s.ends[copy, row, slot, 0] = listed[at] + shift
        s.ends[copy, row, slot, 1] = 0.0
        s.whose[copy, row, slot] = flat


@function
def move_loop(
    t: Any, p: Any, s: Any, place: int, depths: Any, listed: Any, way: int, shift: float
) -> int:
    """List what a loop's steady steps move, or put it back later by ``shift``; its length."""
    at = 0
    for copy in range(s.where.shape[0]):
        if s.where[copy, TILE] >= s.where[copy, TILES]:
            continue
        for role in range(t.turns.size):
            if t.role_in[place, role]:
                turn = own_tile(p, s.where[copy, TILE]) % t.turns[role]
                if way == INWARD:
                    listed[at] = s.free[copy, role, turn, 0]
                else:
                    s.free[copy, role, turn, 0] = listed[at] + shift
                at += 1
        for index in range(t.starts[place], t.starts[place + 1]):
            row = t.order[index]
            for back in range(1, depths[row] + 1):
                _entry(s, copy, row, s.upto[copy, row] - back, listed, at, way, shift)
                at += 1
    for unit in range(s.units.shape[0]):
        if t.unit_in[place, unit]:
            if way == INWARD:
                listed[at] = s.units[unit, 0]
            else:
                s.units[unit, 0] = listed[at] + shift
            at += 1
    return at


@function
def earliest_free(t: Any, p: Any, s: Any, place: int) -> float:
    """Return when the first of a loop's agents is free."""
    earliest = -NEVER
    for copy in range(s.where.shape[0]):
        for role in range(t.turns.size):
            if t.role_in[place, role] and s.where[copy, TILE] < s.where[copy, TILES]:
                turn = own_tile(p, s.where[copy, TILE]) % t.turns[role]
                earliest = min(earliest, s.free[copy, role, turn, 0])
    return earliest


@function
def latest_constant(t: Any, p: Any, s: Any, place: int) -> float:
    """Return the latest that a loop's rows wait for outside the loop, the same in every step."""
    latest = NEVER
    for copy in range(s.where.shape[0]):
        if s.where[copy, TILE] >= s.where[copy, TILES]:
            continue
        real = s.where[copy, TILE]
        for index in range(t.starts[place], t.starts[place + 1]):
            row = t.order[index]
            for need in range(t.rows[row, FIRST_NEED], t.rows[row, LAST_NEED]):
                if t.needs[need, KIND] != FLAT:
                    found = find_need(t, p, s, copy, need, own_tile(p, real), real, 0, 0)
                    latest = max(latest, found[1]) if found[0] == HAPPENED else -NEVER
    return latest


@function
def set_lowest(t: Any, p: Any, s: Any, copy: int, lowest: Any, edge: Any) -> None:
    """Find the first end of each row, and the first tile, that some row has yet to read."""
    real = s.where[copy, TILE]
    tile = own_tile(p, real)
    loops = t.loop_counts.size
    for row in range(t.rows.shape[0]):
        lowest[row] = s.upto[copy, row]
        edge[row] = tile + 1
    for row in range(t.rows.shape[0]):
        if t.rows[row, DRAIN_AFTER] >= 0:
            edge[t.rows[row, DRAIN_AFTER]] = min(edge[t.rows[row, DRAIN_AFTER]], tile)
        for need in range(t.rows[row, FIRST_NEED], t.rows[row, LAST_NEED]):
            lag = p.lags[need]
            if lag == NOT_THIS:
                continue
            kind, written = t.needs[need, KIND], t.needs[need, WRITTEN]
            loop = t.rows[written, PLACE] - 1
            back = tile - lag
            if kind == FLAT:
                lowest[written] = min(lowest[written], s.upto[copy, row] - lag)
            elif kind == ONCE:
                lowest[written] = min(lowest[written], back)
            elif kind == SAME_OF:
                before = steps_before(t, p, loop, copy, max(back, 0))
                lowest[written] = min(lowest[written], before)
            else:
                if kind > SAME_OF:
                    flat = max(s.upto[copy, row] - lag, 0)
                    back = min(tile, tile_of(t, p, t.rows[row, PLACE] - 1, copy, flat))
                if 0 <= loop < loops:
                    edge[written] = min(edge[written], back)
                else:
                    lowest[written] = min(lowest[written], back)


@function
def move_all(t: Any, p: Any, s: Any, lowest: Any, edge: Any, listed: Any, way: int,
             shift: float) -> int:  # fmt: skip
    """List the whole state, or put it back later by ``shift``; return its length."""
    at = 0
    earliest = -NEVER
    for copy in range(s.where.shape[0]):
        if s.where[copy, TILES] == 0:
            continue
        tile = s.where[copy, TILE]
        for role in range(t.turns.size):
            for later in range(t.turns[role]):
                turn = (own_tile(p, tile) + later) % t.turns[role]
                if way == INWARD:
                    listed[at] = s.free[copy, role, turn, 0]
                    earliest = min(earliest, listed[at])
                else:
                    s.free[copy, role, turn, 0] = listed[at] + shift
                at += 1
        set_lowest(t, p, s, copy, lowest, edge)
        own = own_tile(p, tile)
        for row in range(t.rows.shape[0]):
            for flat in range(max(lowest[row], 0), s.upto[copy, row]):
                _entry(s, copy, row, flat, listed, at, way, shift)
                at += 1
            for back in range(max(edge[row], 0), own + 1):
                at = _edges(s, copy, row, back, listed, at, way, shift)
        if way == OUTWARD:
            s.over[copy] += shift
    for unit in range(s.units.shape[0]):
        if way == INWARD:
            listed[at] = max(s.units[unit, 0], earliest)
        else:
            s.units[unit, 0] += shift
        at += 1
    return at


@inlined
def _edges(s: Any, copy: int, row: int, tile: int, listed: Any, at: int, way: int,
           shift: float) -> int:  # fmt: skip
    """Move the ends of the last and first iterations in a tile."""
    slot = tile & (s.edge_whose.shape[3] - 1)
    for first in range(2):
        if way == INWARD:
            kept = s.edge_whose[first, copy, row, slot] == tile
            listed[at] = s.edges[first, copy, row, slot, 0] if kept else NEVER
        else:
            s.edges[first, copy, row, slot, 0] = listed[at] + shift
            s.edge_whose[first, copy, row, slot] = tile if listed[at] > NEVER else -1
        at += 1
    return at


@function
def advance(now: Any, was: Any, size: int) -> float:
    """Return by how much all times have advanced, NaN if not equally; what never happens stays."""
    moved = 0.0
    known = False
    for at in range(size):
        if not known and was[at] > NEVER:
            moved, known = now[at] - was[at], True
        if now[at] != was[at] + moved:
            return math.nan
    return moved


@function
def fill_between(s: Any, copy: int, row: int, first: int, period: int, moved: float) -> None:
    """Fill in the ends that a jump passed over, for a loop that reads each of them."""
    for flat in range(first, s.upto[copy, row]):
        here, before = flat & (s.whose.shape[2] - 1), (flat - period) & (s.whose.shape[2] - 1)
        s.ends[copy, row, here, 0] = s.ends[copy, row, before, 0] + moved
        s.ends[copy, row, here, 1] = 0.0
        s.whose[copy, row, here] = flat
