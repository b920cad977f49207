"""The loops that jump through the periodic regime, exactly: a template, see ``template``.

*Rounds.* A round is a number of steps after which the regime may repeat. Where every component
of the state has advanced equally over a round, all further rounds do the same, and the remaining
whole rounds are added at once.

*Drift.* Near a tie two parts of a schedule advance at almost equal rates, and the regime takes
thousands of rounds to settle. If over two rounds each component has its own constant advance,
m rounds are extrapolated, one is run, and the same advances are required again. Rounds are
max-plus maps, so the deviation from the extrapolation is convex in m and zero at 0, 1 and m + 1:
it is zero between (5.3 us become 0.7 us on a near tie). Leaps double while they hold and halve
when they don't.
"""

from __future__ import annotations

import math
from typing import Any

from sweep.compiling.jump_settings import PATIENCE
from sweep.compiling.numba_options import Array, function, inlined
from sweep.compiling.runtime import extrapolate, fill, repeats, subtract, uniform
from sweep.recurrence.example import (
    loop_size,
    moved_alike,
    pack,
    shift_loop,
    steady_step,
    unpack,
    unsettled,
)


@function
def drift(
    steps: int,
    round_steps: int,
    all_loop: Any,
    was: Array,
    now: Array,
    trial: Array,
    advance: Array,
    all_given: Any,
) -> Any:
    """Leap over rounds in which each component has its own constant advance."""
    size = loop_size(all_given)  # hole: size
    fill(advance, size, math.nan)
    while steps >= 2 * round_steps:
        pack(was, all_loop, all_given)
        for _ in range(round_steps):
            all_loop = steady_step(all_loop, all_given)
        steps -= round_steps
        pack(now, all_loop, all_given)
        if uniform(now, was, size):
            rounds = steps // round_steps
            shift = (now[0] - was[0]) * rounds
            all_loop = shift_loop(all_loop, all_given, shift)  # hole: shift
            steps -= rounds * round_steps
            break
        if not repeats(now, was, advance, size):
            subtract(advance, now, was, size)
            continue
        leap = 1
        while leap > 0:
            if steps < (leap + 1) * round_steps:
                leap //= 2
                continue
            pack(was, all_loop, all_given)
            extrapolate(now, was, advance, leap, size)
            all_loop = unpack(now, all_loop, all_given)  # hole: unpack_now
            for _ in range(round_steps):
                all_loop = steady_step(all_loop, all_given)
            pack(trial, all_loop, all_given)
            if repeats(trial, now, advance, size):
                steps -= (leap + 1) * round_steps
                leap *= 2
            else:
                all_loop = unpack(was, all_loop, all_given)  # hole: unpack_was
                leap //= 2
    return steps, all_loop


@inlined
def main_loop(
    steps: int,
    round_steps: int,
    all_loop: Any,
    was: Array,
    now: Array,
    trial: Array,
    advance: Array,
    all_given: Any,
) -> Any:
    """Run steady steps, jumping whole rounds once they repeat."""
    while unsettled(all_loop) and steps > 0:  # hole: settle
        all_loop = steady_step(all_loop, all_given)
        steps -= 1
    patience = PATIENCE
    while steps > 2 * round_steps:
        pack(was, all_loop, all_given)
        for _ in range(round_steps):
            all_loop = steady_step(all_loop, all_given)
        steps -= round_steps
        moved = all_loop[0] - was[0]
        if moved_alike(all_loop, all_given, was, moved):  # hole: moved_alike
            rounds = steps // round_steps
            shift = moved * rounds
            all_loop = shift_loop(all_loop, all_given, shift)  # hole: shift
            steps -= rounds * round_steps
            break
        patience -= 1
        if patience == 0:
            steps, all_loop = drift(
                steps, round_steps, all_loop, was, now, trial, advance, all_given
            )
            break
    for _ in range(steps):
        all_loop = steady_step(all_loop, all_given)
    return all_loop
