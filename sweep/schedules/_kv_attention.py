"""Attention with its loads: a producer feeds keys and values to W warpgroups that share them.

V comes one block after K, as FlashAttention-3 loads them: K0, K1, V0, K2, V1, ... A slot is free
when all warpgroups have used it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sweep.description import (
    END,
    MAIN,
    START,
    After,
    Agent,
    Count,
    Duration,
    Event,
    Loop,
    Ring,
)
from sweep.schedules._attention_names import (
    LOAD_K,
    LOAD_V,
    kv_stages,
    load_q,
)
from sweep.schedules._copy_rows import copy_rows
from sweep.schedules._shared_names import TENSOR_CORE, output

LOOPS = (Loop("kv", "kv_blocks"),)
FLOP = "2 * block_m * block_n * (head_dim + head_dim_v) * kv_blocks"
REGISTERS: Mapping[int, tuple[int, int]] = MappingProxyType(
    {1: (56, 256), 2: (24, 240), 3: (32, 160)}
)
"""By warpgroups: registers per thread of the producer and of a consumer.

FlashAttention-3, ``hopper/flash_fwd_kernel_sm90.h``, LoadRegisterRequirement and
MmaRegisterRequirement.
"""
OUTPUT_BYTES = 2


def agents(warpgroups: int) -> tuple[Agent, ...]:
    """List the producer and the warpgroups that compute."""
    loads, computes = REGISTERS[warpgroups]
    return (
        Agent("producer", warps=4, registers=loads),
        *(Agent(name, warps=4, registers=computes) for name in names(warpgroups)),
    )


def names(warpgroups: int) -> tuple[str, ...]:
    """Name the warpgroups that compute."""
    return tuple(f"warpgroup_{w}" for w in range(warpgroups))


def rows(warpgroups: int, overlap: bool = False) -> tuple[Event, ...]:
    """List the rows of a step: loads of K(j) and V(j - 1), then each warpgroup's.

    Without the overlap a warpgroup runs softmax and GEMM1 of block j - 1, then GEMM0 of block j.
    With it GEMM0 runs one block further ahead and is not waited for, and V, needed a step later,
    is loaded last.
    """
    queries = copy_rows("producer", "load_q", "q_in", "t_load_q", START)
    keys = copy_rows("producer", "load_k", "k_in", "t_load_k")
    values = copy_rows("producer", "load_v", "v_in", "t_load_v", behind=1)
    blocks = tuple(row for w in range(warpgroups) for row in _block_rows(w, overlap))
    outs = tuple(
        Event(f"out_{w}", name, takes="t_out", place=END, operation="out")
        for w, name in enumerate(names(warpgroups))
    )
    steps = (*keys, *blocks, *values) if overlap else (*keys, *values, *blocks)
    return (*queries, *steps, *outs)


def _block_rows(w: int, overlap: bool) -> tuple[Event, ...]:
    behind = 2 if overlap else 1
    gemm0 = After(f"gemm0_{w}")

    def row(operation: str, on: str, after: tuple[After, ...] = (), **more: Any) -> Event:
        takes, name = f"t_{operation}", f"{operation}_{w}"
        agent = f"warpgroup_{w}"
        return Event(name, agent, on, takes, after, place=MAIN, operation=operation, **more)

    scores = (After(f"gemm0_{w}", lag=1),) if overlap else ()
    return (
        row("exp", "SFU", (gemm0,), behind=behind),
        row("softmax", "FMA", behind=behind),
        row("gemm1", "TC", (After("v_in"),), behind=behind),
        row("gemm0", "TC", (*scores, After("q_in"), After("k_in")), asynchronous=overlap),
    )


def rings(warpgroups: int) -> tuple[Ring, ...]:
    """Declare what is held: a tile's queries (its output later), blocks of keys and of values."""
    gemm0 = tuple(f"gemm0_{w}" for w in range(warpgroups))
    gemm1 = tuple(f"gemm1_{w}" for w in range(warpgroups))
    return (
        Ring("q", 1, {"load_q": gemm0}, "shared", query_or_output_bytes),
        Ring("k", "kv_stages", {"load_k": gemm0}, "shared", "block_n * head_dim * element_bytes"),
        Ring("v", "kv_stages", {"load_v": gemm1}, "shared", "block_n * head_dim_v * element_bytes"),
    )


def query_or_output_bytes(block_m: Any, head_dim: Any, head_dim_v: Any, element_bytes: Any) -> Any:
    """Return bytes for a tile's queries, or for the 16-bit output that takes their place."""
    import numpy as np  # only where it is evaluated

    return block_m * np.maximum(head_dim * element_bytes, head_dim_v * OUTPUT_BYTES)


def declares(warpgroups: int) -> tuple[Count | Duration, ...]:
    """Declare the counts and durations of W warpgroups, each with ``block_m / W`` rows."""
    product = f"2 * block_m * block_n * {{}} / ({warpgroups} * {TENSOR_CORE})"
    return (
        kv_stages(2),
        load_q("block_m"),
        LOAD_K,
        LOAD_V,
        Duration(
            "t_gemm0",
            "occupancy of the Tensor Core by Q K^T of a block",
            product.format("head_dim"),
        ),
        Duration(
            "t_gemm1",
            "occupancy of the Tensor Core by P V of a block",
            product.format("head_dim_v"),
        ),
        Duration(
            "t_exp",
            "occupancy of the SFU by the exponentials of a block",
            f"block_m * block_n / ({warpgroups} * exp_per_cycle)",
        ),
        Duration(
            "t_softmax",
            "occupancy of the FMA lanes by the rest of softmax of a block",
            f"4 * block_m * block_n / ({warpgroups} * fma_lanes)",
        ),
        output(
            f"block_m * head_dim_v / {warpgroups} * (1 / fma_lanes + 2 / mem_bytes_per_cycle)",
        ),
    )
