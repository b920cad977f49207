"""Program order: agents perform their rows, and resources serve, in the order of the list.

Several copies take rounds: in each every copy, lowest first, goes on by one step of a loop with
what precedes it since its last.
"""

from __future__ import annotations

from typing import Any

from sweep.compiling.numba_options import function, inlined
from sweep.recurrence.general.finding import needed
from sweep.recurrence.general.row_tables import AGENT, ASYNCHRONOUS, BEHIND, PLACE, TAKES, UNIT
from sweep.recurrence.general.run_state import (
    AT_PLACE,
    HAPPENED,
    NEVER,
    STEP,
    TILE,
    TILES,
    clear,
    duration,
    keep,
    loop_steps,
    own_tile,
    run_tile,
    steps_before,
    takes_part,
)

ON, ENDED, STUCK = 0, 1, 2
"""What a round of a copy came to."""


@inlined
def perform(t: Any, p: Any, s: Any, copy: int, row: int, step: int, steps: int) -> bool:
    """Perform a row's instance of a step, if there is one; False if it never can be."""
    loop = t.rows[row, PLACE] - 1
    real = s.where[copy, TILE]
    tile = own_tile(p, real)
    at = 0
    flat = tile
    if 0 <= loop < t.loop_counts.size:
        at = step - p.counts[t.rows[row, BEHIND]]
        if at < 0 or at >= steps:
            return True
        flat = steps_before(t, p, loop, copy, tile) + at
    s.upto[copy, row] = flat + 1
    if not takes_part(t, p, row, flat, at, steps):
        keep(t, s, copy, row, tile, flat, at, steps, NEVER, 0.0)
        return True
    found, latest, _ = needed(t, p, s, copy, row, tile, real, flat, at, step >= steps)
    if found != HAPPENED:
        return False
    which, role = t.rows[row, TAKES], t.rows[row, AGENT]
    takes = 0.0
    if which >= 0:
        takes = duration(p, which, run_tile(p, copy, real))
    end = latest + takes if role < 0 else _serve(t, s, copy, row, tile, latest, takes)
    keep(t, s, copy, row, tile, flat, at, steps, end, 0.0)
    s.over[copy] = max(s.over[copy], end)
    s.since[copy, 1] = max(s.since[copy, 1], end)
    s.since[copy, 3] = max(s.since[copy, 3], end)
    return True


@inlined
def _serve(t: Any, s: Any, copy: int, row: int, tile: int, latest: float, takes: float) -> float:
    """Let an agent perform a row and its resource serve it; return the end."""
    role, unit = t.rows[row, AGENT], t.rows[row, UNIT]
    turn = tile % t.turns[role]
    issue = max(s.free[copy, role, turn, 0], latest)
    start = issue
    if unit >= 0:
        start = max(issue, s.units[unit, 0])
    end = start + takes
    if unit >= 0:
        s.units[unit, 0] = end
    s.free[copy, role, turn, 0] = issue if t.rows[row, ASYNCHRONOUS] else end
    s.marks[0] = max(s.marks[0], end)
    s.since[copy, 0] = max(s.since[copy, 0], end)
    s.since[copy, 2] = max(s.since[copy, 2], end)
    return end


@function
def perform_place(t: Any, p: Any, s: Any, copy: int, place: int, step: int, steps: int) -> bool:
    """Perform all rows of a place in a step; False where one never can be."""
    for index in range(t.starts[place], t.starts[place + 1]):
        if not perform(t, p, s, copy, t.order[index], step, steps):
            return False
    return True


@inlined
def loop_length(t: Any, p: Any, place: int, steps: int) -> int:
    """Return the steps of a loop: its iterations and those by which rows are behind."""
    most = 0
    for index in range(t.starts[place], t.starts[place + 1]):
        most = max(most, p.counts[t.rows[t.order[index], BEHIND]])
    return steps + most if steps > 0 else 0


@function
def go_on(t: Any, p: Any, s: Any, copy: int) -> int:
    """Let a copy go on by one step of a loop, with what precedes it since the last."""
    loops = t.loop_counts.size
    while s.where[copy, TILE] < s.where[copy, TILES]:
        place, step = s.where[copy, AT_PLACE], s.where[copy, STEP]
        if place == 0:
            if p.sizes[2] == 1 and s.where[copy, TILE] > 0:
                clear(t, s, copy, s.over[copy] + p.starts[0])
            if not perform_place(t, p, s, copy, 0, 0, 1):
                return STUCK
            s.where[copy, AT_PLACE] = 1
        elif place <= loops:
            steps = loop_steps(t, p, place - 1, run_tile(p, copy, s.where[copy, TILE]))
            if place == 1 and step == steps and not perform_place(t, p, s, copy, loops + 1, 0, 1):
                return STUCK
            if step < loop_length(t, p, place, steps):
                if not perform_place(t, p, s, copy, place, step, steps):
                    return STUCK
                s.where[copy, STEP] = step + 1
                return ON
            s.where[copy, AT_PLACE] = place + 1
            s.where[copy, STEP] = 0
        else:
            if not perform_place(t, p, s, copy, loops + 2, 0, 1):
                return STUCK
            s.where[copy, TILE] += 1
            s.where[copy, AT_PLACE] = 0
    return ENDED
