"""What has happened so far, and one row of it: the state that every service order shares.

Ends are kept by flat index in arrays used round and round; beside each stands whose it is, so
that an instance that has not happened, or has been overwritten, is never taken for another.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from sweep.compiling.numba_options import function, inlined
from sweep.recurrence.general.row_tables import (
    DIVISOR,
    EVERY,
    LAG,
    OFFSET,
    PLACE,
    SKIPS,
    STARTS,
)

NEVER = -math.inf
"""The end of an instance that does not exist."""
HAPPENED, MISSING, OVERWRITTEN = 0, 1, 2
"""What looking for an instance can find out."""
TILE, AT_PLACE, STEP, TILES = range(4)
"""Where a copy is: its tile, the place in it, the step there; and how many tiles it has."""
NOT_THIS = -(1 << 40)
"""The lag of a ring's use that takes another slot."""


class Point(NamedTuple):
    """One point's numbers.

    Attributes
    ----------
    counts : int64 (counts)
    takes : float64 (durations)
        In cycles; of a table, the number of its line.
    lags : int64 (needs)
        In iterations or tiles; ``NOT_THIS`` where a ring's slots make it another use's.
    takes_table, loop_table : int64 (durations), (loops)
        Which table a duration or a loop has, -1 for none.
    loop_line : int64 (loops)
        The line of that table.
    tables : float64 (tables, lines, tiles)
    before : int64 (loops, copies, tiles + 1)
        Of loops with a table: iterations before each tile of a copy.
    sizes : int64 (copies, tiles, whether each tile is a CTA)
    starts : float64 (launch, stagger)
    """

    counts: Any
    takes: Any
    lags: Any
    takes_table: Any
    loop_table: Any
    loop_line: Any
    tables: Any
    before: Any
    sizes: Any
    starts: Any


class State(NamedTuple):
    """What is known of a run.

    Attributes
    ----------
    free : float64 (copies, roles, turns, 2)
        Since when an agent is free, and in which round of that time.
    units : float64 (resources, 2)
    ends : float64 (copies, rows, depth, 2)
    whose : int64 (copies, rows, depth)
        Flat index of each end.
    edges : float64 (2, copies, rows, tiles, 2)
        Ends of the last and of the first iteration in a tile.
    edge_whose : int64 (2, copies, rows, tiles)
    upto : int64 (copies, rows)
        Instances passed.
    where : int64 (copies, 4)
    over : float64 (copies)
        Latest end of anything in a copy.
    since : float64 (copies, 4)
        Latest end since a loop's snapshot and since one of tiles, each of rows with an agent and
        of anything.
    marks : float64
        See ``jumps``.
    """

    free: Any
    units: Any
    ends: Any
    whose: Any
    edges: Any
    edge_whose: Any
    upto: Any
    where: Any
    over: Any
    since: Any
    marks: Any


@inlined
def loop_steps(t: Any, p: Any, loop: int, tile: int) -> int:
    """Return the iterations of a loop in a tile of the run."""
    table = p.loop_table[loop]
    if table < 0:
        return p.counts[t.loop_counts[loop]] + 0
    return int(p.tables[table, p.loop_line[loop], tile])


@inlined
def duration(p: Any, which: int, tile: int) -> float:
    """Return how long something takes in a tile of the run."""
    table = p.takes_table[which]
    if table < 0:
        return p.takes[which] + 0.0
    return p.tables[table, int(p.takes[which]), tile] + 0.0


@inlined
def steps_before(t: Any, p: Any, loop: int, copy: int, tile: int) -> int:
    """Return the iterations of a loop in a copy's tiles before one of them."""
    if p.sizes[2] == 1:
        return 0
    if p.loop_table[loop] < 0:
        return p.counts[t.loop_counts[loop]] * tile
    return p.before[loop, copy, tile] + 0


@inlined
def run_tile(p: Any, copy: int, tile: int) -> int:
    """Return the number in the run of a copy's tile."""
    return copy + p.sizes[0] * tile


@inlined
def own_tile(p: Any, tile: int) -> int:
    """Return the number of a copy's tile as rows count: each starts anew where it is a CTA."""
    return 0 if p.sizes[2] == 1 else tile


@inlined
def tiles_of(p: Any, copy: int) -> int:
    """Return how many tiles a copy runs."""
    return (p.sizes[1] - copy + p.sizes[0] - 1) // p.sizes[0]


@function
def tile_of(t: Any, p: Any, loop: int, copy: int, flat: int) -> int:
    """Return the copy's tile that an iteration of a loop belongs to; past the last if to none."""
    if p.sizes[2] == 1:
        return 0
    tiles = tiles_of(p, copy)
    if p.loop_table[loop] < 0:
        steps = p.counts[t.loop_counts[loop]]
        return min(flat // steps, tiles) if steps > 0 else tiles
    tile = 0
    while tile < tiles and p.before[loop, copy, tile + 1] <= flat:
        tile += 1
    return tile


@inlined
def takes_part(t: Any, p: Any, row: int, flat: int, step: int, steps: int) -> bool:
    """Whether a row has an instance in an iteration of its loop; once per tile, ``steps`` is 1."""
    every = p.counts[t.rows[row, EVERY]]
    if flat < p.counts[t.rows[row, STARTS]] or step < p.counts[t.rows[row, SKIPS]]:
        return False
    return every == 1 or step == steps - 1 or (step + 1) % every == 0


@inlined
def keep(t: Any, s: Any, copy: int, row: int, tile: int, flat: int, step: int, steps: int,
         end: float, turn: float) -> None:  # fmt: skip
    """Note the end of an instance, ``NEVER`` if it does not exist."""
    slot = flat & (s.whose.shape[2] - 1)
    s.ends[copy, row, slot, 0] = end
    s.ends[copy, row, slot, 1] = turn
    s.whose[copy, row, slot] = flat
    loop = t.rows[row, PLACE] - 1
    if 0 <= loop < t.loop_counts.size:
        slot = tile & (s.edge_whose.shape[3] - 1)
        if step == steps - 1:
            s.edges[0, copy, row, slot, 0] = end
            s.edges[0, copy, row, slot, 1] = turn
            s.edge_whose[0, copy, row, slot] = tile
        if step == 0:
            s.edges[1, copy, row, slot, 0] = end
            s.edges[1, copy, row, slot, 1] = turn
            s.edge_whose[1, copy, row, slot] = tile


@function
def set_lags(t: Any, p: Any) -> None:
    """Work out every lag of a point: a ring's is whole for the uses that share a slot."""
    for need in range(t.needs.shape[0]):  # of a ring, a whole lag is at least 0
        lag = p.counts[t.needs[need, LAG]] + t.needs[need, OFFSET]
        whole = lag % t.needs[need, DIVISOR] == 0
        p.lags[need] = lag // t.needs[need, DIVISOR] if whole else NOT_THIS


@function
def clear(t: Any, s: Any, copy: int, time: float) -> None:
    """Put a copy at the start of a CTA."""
    s.free[copy, :, :, 0] = time
    s.free[copy, :, :, 1] = 0.0
    s.whose[copy] = -1
    s.edge_whose[:, copy] = -1
    s.upto[copy] = 0
