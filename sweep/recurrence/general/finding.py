"""Whether what a row waits for has happened, and when: what each kind of need looks for."""

from __future__ import annotations

from typing import Any

from sweep.compiling.numba_options import function, inlined
from sweep.recurrence.general.row_tables import (
    DRAIN_AFTER,
    FIRST_NEED,
    FIRST_OF,
    FLAT,
    KIND,
    LAST_NEED,
    OF_USE,
    ONCE,
    PLACE,
    SAME_OF,
    WRITTEN,
)
from sweep.recurrence.general.run_state import (
    HAPPENED,
    MISSING,
    NEVER,
    NOT_THIS,
    OVERWRITTEN,
    loop_steps,
    run_tile,
    steps_before,
    takes_part,
    tile_of,
    tiles_of,
)


@function
def exists(t: Any, p: Any, copy: int, row: int, flat: int, real: int) -> bool:
    """Whether an instance, by flat index, is one of the run; ``real`` is the present tile."""
    loop = t.rows[row, PLACE] - 1
    tiles = 1 if p.sizes[2] == 1 else tiles_of(p, copy)
    if loop < 0 or loop >= t.loop_counts.size:
        return flat < tiles and takes_part(t, p, row, flat, 0, 1)
    tile = tile_of(t, p, loop, copy, flat)
    if tile >= tiles:
        return False
    step = flat - steps_before(t, p, loop, copy, tile)
    steps = loop_steps(t, p, loop, run_tile(p, copy, real if p.sizes[2] == 1 else tile))
    if step >= steps:
        return False
    return takes_part(t, p, row, flat, step, steps)


@function
def edge_exists(t: Any, p: Any, copy: int, row: int, tile: int, real: int, first: int) -> bool:
    """Whether the last (or first) iteration of a row's loop in a tile has an instance."""
    if tile >= (1 if p.sizes[2] == 1 else tiles_of(p, copy)):
        return False
    loop = t.rows[row, PLACE] - 1
    steps = loop_steps(t, p, loop, run_tile(p, copy, real))
    if steps == 0:
        return False
    step = 0 if first == 1 else steps - 1
    flat = steps_before(t, p, loop, copy, tile) + step
    return takes_part(t, p, row, flat, step, steps)


@inlined
def find(t: Any, p: Any, s: Any, copy: int, row: int, flat: int,
         real: int) -> tuple[int, float, float]:  # fmt: skip
    """Return whether an instance has happened, and its end."""
    slot = flat & (s.whose.shape[2] - 1)
    whose = s.whose[copy, row, slot]
    if whose == flat:
        return HAPPENED, s.ends[copy, row, slot, 0], s.ends[copy, row, slot, 1]
    if whose > flat:
        return OVERWRITTEN, 0.0, 0.0
    if exists(t, p, copy, row, flat, real):
        return MISSING, 0.0, 0.0
    return HAPPENED, NEVER, 0.0


@inlined
def find_edge(t: Any, p: Any, s: Any, copy: int, row: int, tile: int, real: int,
              first: int) -> tuple[int, float, float]:  # fmt: skip
    """Return whether the last (or first) iteration in a tile has happened, and its end."""
    slot = tile & (s.edge_whose.shape[3] - 1)
    whose = s.edge_whose[first, copy, row, slot]
    if whose == tile:
        return HAPPENED, s.edges[first, copy, row, slot, 0], s.edges[first, copy, row, slot, 1]
    if whose > tile:
        return OVERWRITTEN, 0.0, 0.0
    if edge_exists(t, p, copy, row, tile, real, first):
        return MISSING, 0.0, 0.0
    return HAPPENED, NEVER, 0.0


@inlined
def find_need(t: Any, p: Any, s: Any, copy: int, need: int, tile: int, real: int, flat: int,
              step: int) -> tuple[int, float, float]:  # fmt: skip
    """Return whether what a row waits for has happened, and when; ``NEVER`` if there is nothing.

    ``tile`` is the row's tile as rows count, ``real`` the copy's.
    """
    kind = t.needs[need, KIND]
    row = t.needs[need, WRITTEN]
    lag = p.lags[need]
    if kind == FLAT:
        if flat < lag:
            return HAPPENED, NEVER, 0.0
        return find(t, p, s, copy, row, flat - lag, real)
    if kind == OF_USE:
        if flat < lag:
            return HAPPENED, NEVER, 0.0
        return of_use(t, p, s, copy, need, row, flat - lag, real)
    back = tile - lag
    if back < 0:
        return HAPPENED, NEVER, 0.0
    if kind == ONCE:
        return find(t, p, s, copy, row, back, real)
    if kind == SAME_OF:
        loop = t.rows[row, PLACE] - 1
        return find(t, p, s, copy, row, steps_before(t, p, loop, copy, back) + step, real)
    return find_edge(t, p, s, copy, row, back, real - lag, 1 if kind == FIRST_OF else 0)


@function
def of_use(t: Any, p: Any, s: Any, copy: int, need: int, row: int, flat: int,
           real: int) -> tuple[int, float, float]:  # fmt: skip
    """Return when the slot of a use was freed in another place of that use's tile."""
    reader = 0
    while not t.rows[reader, FIRST_NEED] <= need < t.rows[reader, LAST_NEED]:
        reader += 1
    tile = tile_of(t, p, t.rows[reader, PLACE] - 1, copy, flat)
    loop = t.rows[row, PLACE] - 1
    if loop < 0 or loop >= t.loop_counts.size:
        return find(t, p, s, copy, row, tile, real)
    return find_edge(t, p, s, copy, row, tile, real if p.sizes[2] == 1 else tile, 0)


@inlined
def needed(t: Any, p: Any, s: Any, copy: int, row: int, tile: int, real: int, flat: int,
           step: int, draining: bool) -> tuple[int, float, float]:  # fmt: skip
    """Return whether all that a row waits for has happened, and the latest end of it."""
    latest, turn = NEVER, 0.0
    for need in range(t.rows[row, FIRST_NEED], t.rows[row, LAST_NEED]):
        if p.lags[need] == NOT_THIS:
            continue
        found, end, end_turn = find_need(t, p, s, copy, need, tile, real, flat, step)
        if found != HAPPENED:
            return found, 0.0, 0.0
        if end > latest or (end == latest and end_turn > turn):
            latest, turn = end, end_turn
    drain = t.rows[row, DRAIN_AFTER]
    if draining and drain >= 0:
        found, end, end_turn = find_edge(t, p, s, copy, drain, tile, real, 0)
        if found != HAPPENED:
            return found, 0.0, 0.0
        if end > latest or (end == latest and end_turn > turn):
            latest, turn = end, end_turn
    return HAPPENED, latest, turn
