"""Durations of one warpgroup's share of a block of attention: products, exponentials, softmax.

A block is ``block_m`` rows of queries, shared out among the warpgroups, by ``block_n`` keys.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.quantities.arrays import Array
from sweep.quantities.grid import to_grid

Numbers = NDArray[Any] | float

QUERY_ROWS, KEYS = 64, 128
"""Of a warpgroup's block, unless given."""
SOFTMAX_PASSES = 4


def head_dim_v(head_dim: Numbers) -> Array:
    """Values as wide as keys unless given."""
    return np.asarray(head_dim)


def t_gemm(
    warpgroup_rows: Numbers,
    block_n: Numbers,
    head_dim: Numbers,
    tc_flop_per_cycle: Numbers,
    element_rate: Numbers,
) -> Array:
    """2 x rows of a warpgroup x keys x head_dim / (Tensor Core rate of the element type)."""
    work = 2.0 * warpgroup_rows * block_n * head_dim
    return to_grid(work / (tc_flop_per_cycle * element_rate))


def t_gemm0(t_gemm: Numbers) -> Array:
    """Q K^T, as long as P V unless given."""
    return np.asarray(t_gemm)


def t_gemm1(t_gemm: Numbers) -> Array:
    """P V, as long as Q K^T unless given."""
    return np.asarray(t_gemm)


def t_gemm1_of_values(
    warpgroup_rows: Numbers,
    block_n: Numbers,
    head_dim_v: Numbers,
    tc_flop_per_cycle: Numbers,
    element_rate: Numbers,
) -> Array:
    """P V where values have a width of their own."""
    return t_gemm(warpgroup_rows, block_n, head_dim_v, tc_flop_per_cycle, element_rate)


def t_exp(warpgroup_rows: Numbers, block_n: Numbers, exp_per_cycle: Numbers) -> Array:
    """Rows of a warpgroup x keys exponentials / rate of the SFU."""
    return to_grid(1.0 * warpgroup_rows * block_n / exp_per_cycle)


def t_softmax(warpgroup_rows: Numbers, block_n: Numbers, fma_lanes: Numbers) -> Array:
    """Four passes over rows x keys scores / FMA lanes."""
    return to_grid(1.0 * SOFTMAX_PASSES * warpgroup_rows * block_n / fma_lanes)
