"""FlashAttention-4 forward: two query tiles of 128 rows, S, P and O in Tensor Memory.

The softmax warpgroups hand over P in two parts, so that P V starts before all of it is there; a
correction warpgroup rescales O where a row's maximum has grown.

Pseudo-code::

    load:       Q0 Q1; for i: K(i), V(i) into one ring
    mma:        S0 = Q0 K(0); S1 = Q1 K(0)
                for i: for s in (0, 1):
                    wait(V(i), P_s(i) first part, O_s rescaled); O_s += P_s V(i), first part
                    wait(all of P_s(i)); O_s += P_s V(i), the rest
                    if i + 1 < n: wait(K(i + 1)); S_s = Q_s K(i + 1)
    softmax_s:  wait(S_s); row maximum -> correction
                exp of the first part, signal; exp of the rest, signal; row sum
    correction: for i >= 1: for s: wait(maximum); rescale O_s
                at the end: for s: wait(O_s); write it, release it

Rescaling depends on the data: ``rescale_fraction`` of the blocks need it, and its mean duration
bounds the mean time from below, since times are convex in durations. Work of a warpgroup on CUDA
cores is time of that warpgroup, no hold of the FMA lanes.
"""

from __future__ import annotations

from sweep.description import END, START, After, Agent, Event, Loop, Ring, Schedule
from sweep.schedules._copy_rows import copy_rows
from sweep.schedules._fa4_forward_names import DECLARES, wider_block_bytes
from sweep.schedules._fa4_forward_program import program

TILES = (0, 1)


def _mma_rows(s: int) -> tuple[Event, ...]:
    """List the MMAs of a query tile in a step: O += P V of the last block, then S of this one."""

    def mma(name: str, after: tuple[After, ...], behind: int) -> Event:
        return Event(
            f"{name}_{s}",
            "mma",
            on="TC",
            takes=f"t_{name}",
            after=after,
            asynchronous=True,
            behind=behind,
            operation=name,
        )

    rescaled = (After(f"fix_{s}"), After(f"out_{s}", lag=1))
    return (
        mma("pv_a", (After("v_in"), After(f"exp_a_{s}"), *rescaled), behind=1),
        mma("pv_b", (After(f"exp_b_{s}"),), behind=1),
        mma("qk", (After("q_in"), After("k_in")), behind=0),
    )


def _softmax_rows(s: int) -> tuple[Event, ...]:
    """List a query tile's softmax of a block, and the correction of its output."""
    agent = f"softmax_{s}"
    return (
        Event(f"scores_{s}", takes="t_mma_latency", after=(After(f"qk_{s}"),)),
        Event(f"max_{s}", agent, "", "t_max", (After(f"scores_{s}"),), operation="max"),
        Event(
            f"fix_{s}", "correction", "", "t_fix", (After(f"max_{s}"),), skips=1, operation="fix"
        ),
        Event(f"exp_a_{s}", agent, "SFU", "t_exp_a", operation="exp_a"),
        Event(f"exp_b_{s}", agent, "SFU", "t_exp_b", operation="exp_b"),
        Event(f"sum_{s}", agent, "", "t_sum", operation="sum"),
    )


def _out_row(s: int) -> Event:
    after = (After(f"pv_b_{s}"),)
    return Event(f"out_{s}", "correction", "", "t_out", after, place=END, operation="out")


EVENTS = (
    *copy_rows("load", "load_q", "q_in", "t_load_q", START),
    *copy_rows("load", "load_k", "k_in", "t_load_k"),
    *(row for s in TILES for row in _mma_rows(s)),
    *(row for s in TILES for row in _softmax_rows(s)),
    *copy_rows("load", "load_v", "v_in", "t_load_v"),
    *(_out_row(s) for s in TILES),
)
AGENTS = (
    Agent("load", warps=2, registers=48),  # one loads, one is idle
    Agent("mma", warps=2, registers=48),  # one issues MMAs, one the stores of O
    Agent("softmax_0", warps=4, registers=192),
    Agent("softmax_1", warps=4, registers=192),
    Agent("correction", warps=4, registers=80),
)
RINGS = (
    Ring("q", 1, {"load_q": ("qk_0", "qk_1")}, "shared", "2 * 128 * head_dim * element_bytes"),
    Ring(
        "kv",
        "kv_stages",
        {"load_k": ("qk_1",), "load_v": ("pv_b_1",)},
        "shared",
        wider_block_bytes,
    ),
    Ring("o", 1, (), "shared", "2 * 128 * head_dim_v * 2"),
    Ring("scores", 2, (), "tensor", "block_n"),
    Ring("output", 2, (), "tensor", "head_dim_v"),
)
SCHEDULE = Schedule(
    name="fa4_forward",
    shape="attention",
    summary="FlashAttention-4 forward: two query tiles in Tensor Memory, a correction warpgroup",
    reference="FlashAttention-4, arXiv 2603.05451; flash_attn/cute/flash_fwd_sm100.py",
    agents=AGENTS,
    events=EVENTS,
    program=program,
    loader="tma",
    producer=True,
    consumer_warpgroups=3,
    kv_blocks=64,
    tile_level=True,
    loops=(Loop("kv", "kv_blocks"),),
    rings=RINGS,
    declares=DECLARES,
    flop="2 * 256 * block_n * (head_dim + head_dim_v) * kv_blocks",
    defaults={"gpu": "b200"},
)
