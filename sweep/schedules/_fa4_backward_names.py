"""Counts and durations of FlashAttention-4's backward pass: blocks of 128 queries x 128 keys.

Formulas are rounded once to 1/1024 cycle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sweep.description import Count, Duration
from sweep.schedules._shared_names import output

BLOCK = 128
"""Queries, and keys, of a block."""


def _gemm(shared_rows: int, squares: int = 0) -> Callable[..., Any]:
    """Return the time of a product of 2 x 128 x 128 x head_dim FLOP, a formula.

    Or that of reading its operands from shared memory, where that is longer: ``shared_rows`` rows
    of ``head_dim`` elements and ``squares`` of 128 x 128; an operand in Tensor Memory costs
    nothing there.
    """

    def takes(
        head_dim: Any,
        element_bytes: Any,
        tc_flop_per_cycle: Any,
        element_rate: Any,
        smem_bytes_per_cycle: Any,
    ) -> Any:
        multiplied = 2 * BLOCK * BLOCK * head_dim / (tc_flop_per_cycle * element_rate)
        operands = shared_rows * head_dim + squares * BLOCK * BLOCK
        import numpy as np  # only where it is evaluated

        return np.maximum(multiplied, operands * element_bytes / smem_bytes_per_cycle)

    return takes


def _product(name: str, what: str, formula: Callable[..., Any]) -> Duration:
    return Duration(f"t_gemm_{name}", f"occupancy of the Tensor Core by {what} of a block", formula)


_ROW_BYTES = "head_dim * element_bytes / mem_bytes_per_cycle"
DECLARES = (
    Count("q_blocks", 32, least=0, long_name="blocks of queries per block of keys"),
    Count("q_stages", 2, long_name="blocks of Q in shared memory"),
    Count("do_stages", 1, long_name="blocks of dO in shared memory"),
    Duration(
        "t_load_kv",
        "occupancy of the copy path by a tile's keys and values",
        f"2 * {BLOCK} * {_ROW_BYTES}",
    ),
    Duration(
        "t_load",
        "occupancy of the copy path by a block of Q, or of dO",
        f"{BLOCK} * {_ROW_BYTES}",
    ),
    _product("s", "S = Q K^T", _gemm(2 * BLOCK)),
    _product("dp", "dP = dO V^T", _gemm(2 * BLOCK)),
    _product("dv", "dV += P^T dO, P in Tensor Memory,", _gemm(BLOCK)),
    _product("dk", "dK += dS^T Q, dS in Tensor Memory,", _gemm(BLOCK)),
    _product("dq", "dQ = dS K", _gemm(BLOCK, squares=1)),
    Duration(
        "t_exp",
        "occupancy of the SFU by the exponentials of a block",
        f"{BLOCK} * {BLOCK} / exp_per_cycle",
    ),
    Duration(
        "t_ds",
        "time to form dS from P and dP of a block",
        f"3 * {BLOCK} * {BLOCK} / fma_lanes",
    ),
    Duration(
        "t_read",
        "time to read dQ of a block from Tensor Memory",
        f"{BLOCK} * head_dim * 4 / tmem_bytes_per_cycle",
    ),
    Duration(
        "t_add",
        "time to stage dQ of a block and add it to global memory",
        f"{BLOCK} * head_dim * 4 / staging_bytes_per_cycle",
    ),
    output(
        f"2 * {BLOCK} * head_dim * (1 / fma_lanes + 2 / staging_bytes_per_cycle)",
    ),
)
