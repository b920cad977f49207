"""Counts, factors and durations of FlashAttention-4's forward pass.

Two query tiles of 128 rows; a duration is that of one of them. Formulas are rounded once to
1/1024 cycle.
"""

from __future__ import annotations

from typing import Any

from sweep.description import Duration, Factor
from sweep.schedules._attention_names import (
    LOAD_K,
    LOAD_V,
    kv_stages,
    load_q,
)
from sweep.schedules._shared_names import TENSOR_CORE, output

ROWS = 128


def _exponentials(
    block_n: Any, exp_per_cycle: Any, fma_lanes: Any, emulated_share: Any, poly_ops: Any
) -> Any:
    """Return 128 BN max((1 - f) / SFU rate, f poly_ops / FMA lanes).

    A share f is emulated by polynomials on the CUDA cores at the same time.
    """
    in_hardware = (1 - emulated_share) / exp_per_cycle
    emulated = emulated_share * poly_ops / fma_lanes
    import numpy as np  # only where it is evaluated

    return ROWS * block_n * np.maximum(in_hardware, emulated)


def t_exp_a(
    block_n: Any,
    exp_per_cycle: Any,
    fma_lanes: Any,
    emulated_share: Any,
    poly_ops: Any,
    p_split: Any,
) -> Any:
    """Return the exponentials of the first part of P."""
    whole = _exponentials(block_n, exp_per_cycle, fma_lanes, emulated_share, poly_ops)
    return p_split * whole


def t_exp_b(
    block_n: Any,
    exp_per_cycle: Any,
    fma_lanes: Any,
    emulated_share: Any,
    poly_ops: Any,
    p_split: Any,
) -> Any:
    """Return the exponentials of the rest of P."""
    whole = _exponentials(block_n, exp_per_cycle, fma_lanes, emulated_share, poly_ops)
    return (1 - p_split) * whole


def wider_block_bytes(block_n: Any, head_dim: Any, head_dim_v: Any, element_bytes: Any) -> Any:
    """Return bytes of a slot that holds a block of keys or of values."""
    import numpy as np  # only where it is evaluated

    return block_n * np.maximum(head_dim, head_dim_v) * element_bytes


DECLARES = (
    kv_stages(3),
    Factor("emulated_share", 0.125, most=1.0, long_name="share of exponentials by polynomial"),
    Factor("poly_ops", 8.0, long_name="CUDA-core operations of an emulated exponential"),
    Factor("p_split", 0.75, most=1.0, long_name="share of P that is handed over first"),
    Factor("rescale_fraction", 0.1, most=1.0, long_name="share of blocks that rescale O"),
    load_q(f"2 * {ROWS}"),
    LOAD_K,
    LOAD_V,
    Duration(
        "t_qk",
        "occupancy of the Tensor Core by Q K^T of a block and query tile",
        f"2 * {ROWS} * block_n * head_dim / {TENSOR_CORE}",
    ),
    Duration(
        "t_pv_a",
        "occupancy of the Tensor Core by P V with the first part of P",
        f"p_split * (2 * {ROWS} * block_n * head_dim_v / {TENSOR_CORE})",
    ),
    Duration(
        "t_pv_b",
        "occupancy of the Tensor Core by P V with the rest of P",
        f"(1 - p_split) * (2 * {ROWS} * block_n * head_dim_v / {TENSOR_CORE})",
    ),
    Duration("t_exp_a", "occupancy of the SFU by the first part of P", t_exp_a),
    Duration("t_exp_b", "occupancy of the SFU by the rest of P", t_exp_b),
    Duration("t_max", "time of the row maxima of a block", f"2 * {ROWS} * block_n / fma_lanes"),
    Duration("t_sum", "time of the row sums of a block", f"{ROWS} * block_n / fma_lanes"),
    Duration(
        "t_fix",
        "mean time to rescale the output of a query tile",
        f"rescale_fraction * 2 * {ROWS} * head_dim_v / fma_lanes",
    ),
    output(
        f"{ROWS} * head_dim_v * (1 / fma_lanes + 2 / staging_bytes_per_cycle)",
    ),
)
