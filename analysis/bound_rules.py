"""Lower bounds on the makespan of the built-in schedules, one rule per family of schedules.

Each is the length of a path through the schedule's operations; `analysis.bounds` says of which.
A rule belongs to schedules by name, never by the parameters that they have: another schedule with
the same parameters overlaps other things.

Notation of the comments: n = k_tiles output_tiles, R = a slot's round trip.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from sweep.description import Schedule
from sweep.quantities.arrays import Array

Numbers = Mapping[str, Array]
Rows = list[tuple[str, Array]]


class Rule(NamedTuple):
    """How the bounds of some schedules are worked out, and the durations that it accounts for."""

    bounds: Callable[[Schedule, Numbers, str], Rows]
    durations: tuple[str, ...]


def _producer_ring(schedule: Schedule, p: Numbers, release: str) -> Rows:
    steps = p["k_tiles"] * p.get("output_tiles", np.ones(()))
    copied = p["t_issue"] + p["t_transfer"] + p["t_latency"] + p["t_sync"]
    complete = p["t_mma"] + p["t_mma_latency"]
    last = complete + p["t_epilogue"]
    reuses = (steps - 1) // p["stages"]
    round_trip = copied + complete
    waited = np.maximum(steps - p["stages"], 0) * p["t_sync"]
    return [
        ("bound_tensor_core", copied + (steps - 1) * p["t_mma"] + last),
        ("bound_copy_bandwidth", copied + (steps - 1) * p["t_transfer"] + last),
        ("bound_copy_issue", copied + (steps - 1) * p["t_issue"] + waited + last),
        ("bound_latency", (reuses + 1) * round_trip + reuses * p["t_sync"] + p["t_epilogue"]),
        ("bound_epilogue", copied + _epilogues(schedule.turns, p)),
        ("bound_mma_latency", copied - p["t_sync"] + _main_loops(schedule.turns, p, release)),
    ]


def _epilogues(turns: int, p: Numbers) -> Array:
    """Return the main loops and epilogues of the busiest of the consumers that take turns."""
    tiles = p.get("output_tiles", np.ones(()))
    loop = p["k_tiles"] * p["t_mma"]
    busiest = np.zeros(())
    for consumer in range(turns):
        own = -(-(tiles - consumer) // turns)
        start = consumer * loop  # the Tensor Core serves the tiles before its first one
        work = own * (loop + p["t_mma_latency"] + p["t_epilogue"]) + (own - 1) * p["t_sync"]
        busiest = np.maximum(busiest, start + np.where(own > 0, work, 0))
    return busiest


def _main_loops(turns: int, p: Numbers, release: str) -> Array:
    """Return the time of main loops whose consumer waits for copies and for its own MMAs.

    A consumer issues MMA k once MMA k - mma_in_flight - 1 is complete, and each issue follows a
    wait for a copy. Ping-pong's turn passes once the MMA that is mma_in_flight before the last is
    complete, and is waited for.
    """
    tiles = p.get("output_tiles", np.ones(()))
    each = p["t_sync"] + p["t_mma"] + p["t_mma_latency"]
    waits = p["k_tiles"] * p["t_sync"]
    chain = np.ones(()) * each
    turn = waits
    if release == "consumer":
        apart = p["mma_in_flight"] + 1
        chain = -(-p["k_tiles"] // apart) * each
        turn = np.maximum(waits, p["k_tiles"] // apart * each)
    loop = np.maximum(chain, waits + each - p["t_sync"]) + p["t_epilogue"]
    own = -(-tiles // turns) * loop
    in_turn = (tiles - 1) * (turn + p["t_sync"]) + loop
    return np.asarray(own if turns == 1 else np.maximum(own, in_turn))


def _single_warp(schedule: Schedule, p: Numbers, release: str) -> Rows:
    """Bound sync and multistage, where the warp that issues the copies also multiplies."""
    steps = p["k_tiles"]
    stages = p.get("stages", np.ones(()))
    copied = p["t_issue"] + p["t_transfer"] + p["t_latency"]
    multiplied = p["t_sync"] + p["t_mma"]
    reuses = (steps - 1) // stages
    # Before its first wait the warp issues min(stages, k_tiles) copies, and the rest after it.
    later = steps - np.minimum(stages, steps)
    issue = np.maximum(
        steps * (p["t_issue"] + multiplied),
        copied + steps * multiplied + later * p["t_issue"],
    )
    return [
        ("bound_tensor_core", copied + p["t_sync"] + steps * p["t_mma"] + p["t_epilogue"]),
        (
            "bound_copy_bandwidth",
            copied + (steps - 1) * p["t_transfer"] + multiplied + p["t_epilogue"],
        ),
        ("bound_copy_issue", issue + p["t_epilogue"]),
        ("bound_latency", (reuses + 1) * (copied + multiplied) + p["t_epilogue"]),
        ("bound_epilogue", copied + steps * multiplied + p["t_epilogue"]),
    ]


def _register_staged(schedule: Schedule, p: Numbers, release: str) -> Rows:
    steps = p["k_tiles"]
    arrives = p["t_transfer"] + p["t_latency"]
    stored = p["t_sync"] + p["t_store"]
    last = p["t_mma"] + p["t_epilogue"]
    first = p["t_issue"] + arrives + stored
    return [
        ("bound_tensor_core", first + steps * p["t_mma"] + p["t_epilogue"]),
        ("bound_copy_bandwidth", first + (steps - 1) * p["t_transfer"] + last),
        (
            "bound_copy_issue",
            arrives + steps * (p["t_issue"] + stored + p["t_mma"]) + p["t_epilogue"],
        ),
        ("bound_latency", steps * first + last),
        ("bound_epilogue", first + steps * p["t_mma"] + p["t_epilogue"]),
    ]


def _attention(schedule: Schedule, p: Numbers, release: str) -> Rows:
    blocks, groups = p["kv_blocks"], schedule.consumer_warpgroups
    softmax = p["t_exp"] + p["t_softmax"]
    ahead = any(event.asynchronous for event in schedule.events(release))
    own = softmax + p["t_gemm1"] + (0 if ahead else p["t_gemm0"])
    # The last warpgroup's first GEMM0 waits for those of the others.
    start = (groups - 1 if not ahead else groups) * p["t_gemm0"]
    return [
        ("bound_tensor_core", groups * blocks * (p["t_gemm0"] + p["t_gemm1"])),
        (
            "bound_exp",
            p["t_gemm0"] + groups * blocks * p["t_exp"] + p["t_softmax"] + p["t_gemm1"],
        ),
        (
            "bound_softmax",
            p["t_gemm0"] + p["t_exp"] + groups * blocks * p["t_softmax"] + p["t_gemm1"],
        ),
        ("bound_serial_chain", start + blocks * own),
    ]


_COPY = ("t_issue", "t_transfer", "t_latency", "t_sync", "t_mma", "t_epilogue")
_SINGLE_WARP = Rule(_single_warp, _COPY)
_RING = Rule(_producer_ring, (*_COPY, "t_mma_latency"))
_BLOCKS = Rule(_attention, ("t_gemm0", "t_gemm1", "t_exp", "t_softmax"))
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "sync": _SINGLE_WARP,
        "multistage": _SINGLE_WARP,
        "register_staged": Rule(_register_staged, (*_COPY, "t_store")),
        **dict.fromkeys(("warp_specialized", "persistent", "cooperative", "pingpong"), _RING),
        **dict.fromkeys(
            (
                "attention_serial",
                "attention_pingpong",
                "attention_overlap",
                "attention_pingpong_overlap",
            ),
            _BLOCKS,
        ),
    }
)
"""By schedule."""
