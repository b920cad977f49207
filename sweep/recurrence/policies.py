"""The steady period per output tile, and whether it responds to a duration: policies.

A template, see ``template``.

A time may carry which component of the state between tiles it came from. So running one tile
tells what decides each component, and how much later: a policy. Its circuit with the largest
advance a tile is a circuit of the schedule, and gives each component a value, its bias. Running a
tile from there, either something is decided otherwise and later, which improves the policy, or
nothing is: then no circuit has more, and the circuit's advance over its tiles is the period,
exactly (Howard's policy iteration for max-plus maps; Cochet-Terrasson, Cohen, Gaubert, McGettrick,
Quadrat 1998). Near ties, which drift for thousands of tiles, take no longer than other points.
Times are multiplied by the circuit's length, so that its mean is on the grid.

With the bias, a tile advances every critical component by the period. To see whether a critical
circuit holds a duration, times carry its count as well; of two equal times the one with the larger
count is kept, and the same iteration asks whether counts can grow.

Pairs of time and count are added, subtracted and compared like numbers, so the recurrence and its
jumps hold unchanged. A complex number is such a pair: the code of a tile is written once more,
with ``later`` for ``latest``, see ``counting``.
"""

from __future__ import annotations

from typing import Any

from sweep.compiling.jump_settings import POLICIES
from sweep.compiling.numba_options import Array, function
from sweep.compiling.policy_runtime import (
    MOST_COUNTED,
    evaluate,
    follow,
    gains_on_a_circuit,
    improve,
    read_policy,
    tag,
)
from sweep.compiling.runtime import EXACT, copy, fill
from sweep.recurrence.example import (
    counted_state,
    lengthened,
    pack_tile_counted,
    tagged,
    tile_counted,
    tile_size,
    unpack_tile,
)


@function
def settle(
    pace: float,
    round_steps: int,
    all_state: Any,
    all_rings: Any,
    all_scratch_counted: Any,
    history_counted: Array,
    all_rings_counted: Any,
    all_parameters: Any,
) -> Any:
    """Return the advance and the tiles of a critical circuit, and leave the bias.

    The tiles are 0 where no policy was found that nothing improves.
    """
    length = 1
    size = tile_size(all_parameters)  # hole: size
    all_given_counted = lengthened(all_rings_counted, all_parameters, length)  # hole: durations
    all_state_counted = counted_state(all_state, all_rings, all_rings_counted)  # hole: state
    bias, start, ahead = history_counted[0], history_counted[1], history_counted[2]
    reached, value, origin = history_counted[3], history_counted[4], history_counted[5]
    gain, seen, path = history_counted[6], history_counted[7], history_counted[8]
    pack_tile_counted(start, all_state_counted, all_given_counted)
    for index in range(size):
        value[index] = start[index].real - start[0].real
    if pace > 0.0:  # every component advances equally: the state is the bias
        copy(bias, value, size)
        return pace, length
    fill(origin, size, -1.0)
    for _ in range(POLICIES):
        all_given_counted = lengthened(all_rings_counted, all_parameters, length)  # hole: durations
        for index in range(size):
            if abs(value[index].real) > EXACT:
                return 0.0, 0
            ahead[index] = complex(value[index].real, float(index))
        all_state_counted = unpack_tile(ahead, all_state_counted, all_given_counted)  # hole: unpack
        all_state_counted = tile_counted(
            round_steps, all_state_counted, all_scratch_counted, all_given_counted
        )
        pack_tile_counted(reached, all_state_counted, all_given_counted)
        if not improve(reached, value, pace, length, origin, gain, size):
            copy(bias, value, size)
            return pace, length
        pace, length = evaluate(origin, gain, value, length, seen, path, size)
    return 0.0, 0


@function
def responds(
    length: int,
    all_weights: Any,
    round_steps: int,
    all_state: Any,
    all_rings: Any,
    all_scratch_counted: Any,
    history_counted: Array,
    all_rings_counted: Any,
    all_parameters: Any,
) -> float:
    """Return 1 if a critical circuit holds a weighted duration, 0 if not, -1 if unknown."""
    size = tile_size(all_parameters)  # hole: size
    all_given_counted = tagged(all_rings_counted, all_parameters, all_weights, length)  # hole: tags
    all_state_counted = counted_state(all_state, all_rings, all_rings_counted)  # hole: state
    bias, start, ahead = history_counted[0], history_counted[1], history_counted[2]
    reached, value, origin = history_counted[3], history_counted[4], history_counted[5]
    gain, seen, path = history_counted[6], history_counted[7], history_counted[8]
    if all_parameters[-1] > MOST_COUNTED:  # hole: beyond_counting
        return -1.0
    copy(start, bias, size)
    fill(value, size, 0.0)
    fill(origin, size, -1.0)
    for _ in range(POLICIES):
        tag(ahead, start, value, size)
        all_state_counted = unpack_tile(ahead, all_state_counted, all_given_counted)  # hole: unpack
        all_state_counted = tile_counted(
            round_steps, all_state_counted, all_scratch_counted, all_given_counted
        )
        pack_tile_counted(reached, all_state_counted, all_given_counted)
        if not read_policy(reached, start, value, origin, gain, size):
            return 0.0
        if gains_on_a_circuit(origin, gain, seen, size):
            return 1.0
        follow(origin, gain, value, seen, path, size)
    return -1.0
