"""The loop over output tiles, with jumps over groups of tiles: a template, see ``template``.

The state between output tiles repeats after a number of tiles that is not known beforehand. Short
groups are found by comparing the last states. For longer ones a snapshot is kept and renewed at
powers of two (Brent 1980): a regime of any length shows where the advance over the last tile
equals the advance over the tile before the snapshot.
"""

from __future__ import annotations

from typing import Any

from sweep.compiling.jump_settings import AHEAD, HISTORY, KEPT, PATIENCE, REACHED, STRIDE
from sweep.compiling.numba_options import Array, function
from sweep.compiling.runtime import (
    advance_of,
    drifting,
    extrapolate,
    renewed_mark,
    repeating,
    repeats,
)
from sweep.recurrence.example import (
    pack_tile,
    shift_tile,
    tile,
    tile_size,
    unpack_tile,
    unsettled_tile,
)


@function
def leap_tiles(
    tiles: int,
    group: int,
    spreads: bool,
    size: int,
    history: Array,
    round_steps: int,
    all_state: Any,
    all_scratch: Any,
    all_given: Any,
) -> Any:
    """Leap over groups of tiles in which each component has its own constant advance.

    Returns how many groups, the tiles that are left, and the state.
    """
    kept, ahead = history[KEPT], history[AHEAD]
    reached, stride = history[REACHED], history[STRIDE]
    if spreads:  # its own advance for each component, once: is it so again?
        for _ in range(group):
            all_state = tile(round_steps, all_state, all_scratch, all_given)
        tiles -= group
        pack_tile(history[0], all_state, all_given)
        if not repeats(history[0], kept, stride, size):
            return 0, tiles, all_state
    leapt = 0
    leap = 1
    while leap > 0:
        if tiles < (leap + 1) * group:
            leap //= 2
            continue
        pack_tile(kept, all_state, all_given)
        extrapolate(ahead, kept, stride, leap, size)
        all_state = unpack_tile(ahead, all_state, all_given)  # hole: unpack_ahead
        for _ in range(group):
            all_state = tile(round_steps, all_state, all_scratch, all_given)
        pack_tile(reached, all_state, all_given)
        if repeats(reached, ahead, stride, size):
            tiles -= (leap + 1) * group
            leapt += leap
            leap *= 2
        else:
            all_state = unpack_tile(kept, all_state, all_given)  # hole: unpack_kept
            leap //= 2
    return leapt, tiles, all_state


@function
def tiles_loop(
    tiles: int,
    round_steps: int,
    history: Array,
    all_state: Any,
    all_scratch: Any,
    all_given: Any,
) -> Any:
    """Run output tiles, jumping groups of tiles once they repeat.

    Returns how far a tile advances where every component advances as far (else 0), and the state.
    """
    size = tile_size(all_given)  # hole: size
    done, marked, retry = 0, 0, PATIENCE
    while tiles > 0:
        all_state = tile(round_steps, all_state, all_scratch, all_given)
        tiles -= 1
        if unsettled_tile(all_state):  # hole: unsettled
            continue
        pack_tile(history[done % HISTORY], all_state, all_given)
        done += 1
        group, spreads = repeating(history, done, marked, size)
        if group > 0 and not spreads:
            moved = advance_of(history, done, group)
            shift = moved * (tiles // group)
            all_state = shift_tile(all_state, all_given, shift)  # hole: shift
            for _ in range(tiles % group):
                all_state = tile(round_steps, all_state, all_scratch, all_given)
            return moved if group == 1 else 0.0, all_state
        if spreads and tiles < group:
            continue
        if group == 0 and done >= retry:
            group = drifting(history, done, size)
            retry = done + done // 2
        if group == 0:
            marked = renewed_mark(history, done, marked, size)
            continue
        leapt, tiles, all_state = leap_tiles(
            tiles, group, spreads, size, history, round_steps, all_state, all_scratch, all_given
        )
        if leapt > 0 or spreads:
            done, marked, retry = 0 if leapt > 0 else 1, 0, PATIENCE
    return 0.0, all_state
