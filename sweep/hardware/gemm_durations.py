"""Bytes and durations of a k-tile of GEMM, and of its epilogue.

An operand's scale factors are copied and kept with its elements; in a cluster they are shared
alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.quantities.arrays import Array
from sweep.quantities.grid import to_grid

Numbers = NDArray[Any] | float


def stage_bytes(tile_m: Numbers, tile_n: Numbers, tile_k: Numbers, element_bytes: Numbers) -> Array:
    """Bytes of one ring slot of one element type, (BM + BN) BK element bytes."""
    return np.asarray((tile_m + tile_n) * tile_k * element_bytes)


def scale_bytes_a(
    tile_m: Numbers, tile_k: Numbers, scale_elements: Numbers, scale_size_a: Numbers
) -> Array:
    """Bytes of the scale factors of A's k-tile: one per row and so many elements of K."""
    return np.asarray(tile_m * -(-tile_k // scale_elements) * scale_size_a)


def scale_bytes_b(
    tile_n: Numbers, tile_k: Numbers, scale_elements: Numbers, scale_size_b: Numbers
) -> Array:
    """Bytes of the scale factors of B's k-tile: one per column and so many elements of K."""
    return np.asarray(tile_n * -(-tile_k // scale_elements) * scale_size_b)


def slot_bytes(
    tile_m: Numbers,
    tile_n: Numbers,
    tile_k: Numbers,
    element_bytes_a: Numbers,
    element_bytes_b: Numbers,
    scale_bytes_a: Numbers,
    scale_bytes_b: Numbers,
    scale_unit: Numbers,
) -> Array:
    """Bytes of one ring slot: both operands, and their scale factors in whole units."""
    operands = (tile_m * element_bytes_a + tile_n * element_bytes_b) * tile_k
    units = -(-scale_bytes_a // scale_unit) - (-scale_bytes_b // scale_unit)
    return np.asarray(operands + units * scale_unit)


def copied_bytes(
    tile_m: Numbers,
    tile_n: Numbers,
    tile_k: Numbers,
    element_bytes: Numbers,
    cluster_m: Numbers = 1,
    cluster_n: Numbers = 1,
) -> Array:
    """Bytes a CTA copies per k-tile, (BM / R + BN / C) BK element bytes.

    In a cluster of C x R CTAs, C along M share B and R along N share A by TMA multicast.
    """
    shared = (tile_m * cluster_m + tile_n * cluster_n) * tile_k * element_bytes
    return np.asarray(shared / (cluster_m * cluster_n))


def t_transfer(
    tile_m: Numbers,
    tile_n: Numbers,
    tile_k: Numbers,
    element_bytes_a: Numbers,
    element_bytes_b: Numbers,
    scale_bytes_a: Numbers,
    scale_bytes_b: Numbers,
    cluster_m: Numbers,
    cluster_n: Numbers,
    mem_bytes_per_cycle: Numbers,
) -> Array:
    """Return copied bytes / copy bandwidth."""
    of_a = (tile_m * tile_k * element_bytes_a + scale_bytes_a) * cluster_m
    of_b = (tile_n * tile_k * element_bytes_b + scale_bytes_b) * cluster_n
    return to_grid((of_a + of_b) / (cluster_m * cluster_n * mem_bytes_per_cycle))


def t_mma(
    tile_m: Numbers,
    tile_n: Numbers,
    tile_k: Numbers,
    tc_flop_per_cycle: Numbers,
    operand_rate: Numbers,
) -> Array:
    """2 BM BN BK / (Tensor Core rate of the type that the operands are multiplied in)."""
    return to_grid(2.0 * tile_m * tile_n * tile_k / (tc_flop_per_cycle * operand_rate))


def t_store(stage_bytes: Numbers, staging_bytes_per_cycle: Numbers) -> Array:
    """Stage bytes / bandwidth from registers to shared memory."""
    return to_grid(stage_bytes / staging_bytes_per_cycle)


def t_epilogue(
    tile_m: Numbers,
    tile_n: Numbers,
    fma_lanes: Numbers,
    mem_bytes_per_cycle: Numbers,
    epilogue_weight: Numbers,
    output_bytes: Numbers,
) -> Array:
    """(BM BN / FMA lanes + output bytes BM BN / copy bandwidth) epilogue_weight."""
    work = 1.0 * tile_m * tile_n * (mem_bytes_per_cycle + output_bytes * fma_lanes)
    return to_grid(work * epilogue_weight / (fma_lanes * mem_bytes_per_cycle))


def k_tiles(k: Numbers, tile_k: Numbers) -> Array:
    """ceil(K / BK)."""
    return np.asarray(-(-k // tile_k))
