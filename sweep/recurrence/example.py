"""The schedule on which the templates run as they stand.

A copy engine and one consumer share a ring of slots: a copy waits for the slot's release, takes
``t_transfer`` and arrives ``t_latency`` later; the consumer waits for it, takes ``t_mma`` and
releases the slot. A tile of ``k_tiles`` ends in ``t_epilogue`` on the consumer: ``persistent``
without ``t_issue``, in other words.

All variables of a kind are one tuple here, where a schedule's own code has each by its name. The
functions are plain Python; times may be pairs of a time and a count (complex), see ``policies``.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from sweep.compiling.policy_runtime import TAGS

Loop: TypeAlias = tuple[Any, Any, int]
"""When the copy engine and the consumer are free, and the position in the ring."""
Given: TypeAlias = tuple[Any, Any, Any, Any, Any, int, int]
"""The ring, ``t_transfer``, ``t_latency``, ``t_mma``, ``t_epilogue``, ``stages``, ``k_tiles``."""
Parameters: TypeAlias = tuple[Any, Any, Any, Any, int, int]
"""The same without the ring."""

LINES = 2
"""Times in the state beside those in the ring."""


def _later(a: Any, b: Any) -> Any:
    return a if (a.real, a.imag) > (b.real, b.imag) else b


def steady_step(loop: Loop, given: Given) -> Loop:
    """Advance one step: a copy and its MMA."""
    copies, consumer, slot = loop
    ring, t_transfer, t_latency, t_mma, _, stages, _ = given
    copies = _later(copies, ring[slot]) + t_transfer
    consumer = _later(consumer, copies + t_latency) + t_mma
    ring[slot] = consumer
    return copies, consumer, (slot + 1) % stages


def unsettled(loop: Loop) -> bool:
    """Whether some event does not exist yet: here all do from the start."""
    return False


def loop_size(given: Given) -> int:
    """Return the length of the packed state."""
    return LINES + given[-2]


def pack(into: Any, loop: Loop, given: Given) -> None:
    """Write the state."""
    into[:LINES] = loop[:LINES]
    into[LINES : loop_size(given)] = given[0][: given[-2]]


def unpack(source: Any, loop: Loop, given: Given) -> Loop:
    """Read the state; the position is as it was."""
    given[0][: given[-2]] = source[LINES : loop_size(given)]
    return source[0], source[1], loop[2]


def shift_loop(loop: Loop, given: Given, shift: float) -> Loop:
    """Add to every time of the state."""
    given[0][: given[-2]] += shift
    return loop[0] + shift, loop[1] + shift, loop[2]


def moved_alike(loop: Loop, given: Given, was: Any, moved: float) -> bool:
    """Whether every time has advanced by ``moved``."""
    now = [*loop[:LINES], *given[0][: given[-2]]]
    return all(time - before == moved for time, before in zip(now, was, strict=False))


def tile(round_steps: int, state: Loop, scratch: Any, given: Given) -> Loop:
    """Run one output tile, step by step."""
    for _ in range(given[-1]):
        state = steady_step(state, given)
    copies, consumer, slot = state
    return copies, consumer + given[-3], slot


def unsettled_tile(state: Loop) -> bool:
    """Whether some event of a tile does not exist yet."""
    return False


def tile_size(given: Given | Parameters) -> int:
    """Return the length of the packed state between tiles."""
    return LINES + given[-2]


def pack_tile(into: Any, state: Loop, given: Given) -> None:
    """Write the state between tiles, the ring from its position on."""
    slot, stages = state[2], given[-2]
    into[:LINES] = state[:LINES]
    into[LINES : LINES + stages] = [given[0][(slot + i) % stages] for i in range(stages)]


def unpack_tile(source: Any, state: Loop, given: Given) -> Loop:
    """Read the state between tiles."""
    slot, stages = state[2], given[-2]
    for i in range(stages):
        given[0][(slot + i) % stages] = source[LINES + i]
    return source[0], source[1], slot


shift_tile = shift_loop
tile_counted = tile
pack_tile_counted = pack_tile


def counted_state(state: Loop, ring: Any, ring_counted: Any) -> Loop:
    """Return the state with counts of 0."""
    ring_counted[:] = ring
    return complex(state[0]), complex(state[1]), state[2]


def tagged(ring_counted: Any, parameters: Parameters, weights: Any, length: int) -> Given:
    """Return durations ``length`` times as long, each with its weight as a count."""
    *durations, stages, k_tiles = parameters
    longer = zip(durations, weights, strict=True)
    t_transfer, t_latency, t_mma, t_epilogue = (complex(t * length, w * TAGS) for t, w in longer)
    return ring_counted, t_transfer, t_latency, t_mma, t_epilogue, stages, k_tiles


def lengthened(ring_counted: Any, parameters: Parameters, length: int) -> Given:
    """Return durations ``length`` times as long, with counts of 0."""
    return tagged(ring_counted, parameters, (0, 0, 0, 0), length)
