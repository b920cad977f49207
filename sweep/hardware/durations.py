"""GPU, tile and element type to durations and bytes: one function per row of the table.

Each function is vectorised over NumPy arrays and named after what it gives; its arguments are
named after what it needs, and ``FORMULAS`` finds it by name. A duration is rounded to the nearest
1/1024 cycle, half to even, once, after all factors: every sum of durations is then exact in
float64. Quotients are taken last, over one exact product, so that the rounding sees the correctly
rounded quotient.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sweep.errors import Impossible, InputError
from sweep.hardware.gpu import GPU
from sweep.hardware.lookup import find_gpu
from sweep.hardware.shapes import parse_shape
from sweep.quantities.arrays import Array
from sweep.quantities.grid import to_grid
from sweep.quantities.variables import GPU_FIELDS

Numbers = NDArray[Any] | float

ISSUE_CYCLES: Mapping[str, float] = MappingProxyType(
    {"tma": 10.0, "cp_async": 100.0, "ld_global": 100.0}
)
"""A load through registers has the addresses and the instructions of cp.async."""
ELEMENT_BYTES: Mapping[str, float] = MappingProxyType(
    {"bf16": 2.0, "fp16": 2.0, "tf32": 4.0, "fp8": 1.0, "int8": 1.0, "fp4": 0.5}
)
OUTPUT_BYTES = 2
QUERY_ROWS, KEYS = 64, 128
SOFTMAX_PASSES = 4


def stage_bytes(tile_m: Numbers, tile_n: Numbers, tile_k: Numbers, element_bytes: Numbers) -> Array:
    """Bytes of one ring slot, (BM + BN) BK element bytes."""
    return np.asarray((tile_m + tile_n) * tile_k * element_bytes)


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
    shared = _cluster_bytes(tile_m, tile_n, tile_k, element_bytes, cluster_m, cluster_n)
    return np.asarray(shared / (cluster_m * cluster_n))


def _cluster_bytes(
    tile_m: Numbers,
    tile_n: Numbers,
    tile_k: Numbers,
    element_bytes: Numbers,
    cluster_m: Numbers,
    cluster_n: Numbers,
) -> Numbers:
    """Bytes that a whole cluster copies per k-tile."""
    return (tile_m * cluster_m + tile_n * cluster_n) * tile_k * element_bytes


def t_transfer(
    tile_m: Numbers,
    tile_n: Numbers,
    tile_k: Numbers,
    element_bytes: Numbers,
    cluster_m: Numbers,
    cluster_n: Numbers,
    mem_bytes_per_cycle: Numbers,
) -> Array:
    """Return copied bytes / copy bandwidth."""
    shared = _cluster_bytes(tile_m, tile_n, tile_k, element_bytes, cluster_m, cluster_n)
    return to_grid(shared / (cluster_m * cluster_n * mem_bytes_per_cycle))


def t_latency(latency_cycles: Numbers) -> Array:
    """Latency of a copy after its transfer."""
    return to_grid(latency_cycles)


def t_mma(
    tile_m: Numbers,
    tile_n: Numbers,
    tile_k: Numbers,
    tc_flop_per_cycle: Numbers,
    element_rate: Numbers,
) -> Array:
    """2 BM BN BK / (Tensor Core rate of the element type)."""
    return to_grid(2.0 * tile_m * tile_n * tile_k / (tc_flop_per_cycle * element_rate))


def t_store(
    tile_m: Numbers,
    tile_n: Numbers,
    tile_k: Numbers,
    element_bytes: Numbers,
    staging_bytes_per_cycle: Numbers,
) -> Array:
    """Stage bytes / bandwidth from registers to shared memory."""
    staged = stage_bytes(tile_m, tile_n, tile_k, element_bytes)
    return to_grid(staged / staging_bytes_per_cycle)


def t_epilogue(
    tile_m: Numbers,
    tile_n: Numbers,
    fma_lanes: Numbers,
    mem_bytes_per_cycle: Numbers,
    epilogue_weight: Numbers,
) -> Array:
    """(BM BN / FMA lanes + 2 bytes BM BN / copy bandwidth) epilogue_weight."""
    work = 1.0 * tile_m * tile_n * (mem_bytes_per_cycle + OUTPUT_BYTES * fma_lanes)
    return to_grid(work * epilogue_weight / (fma_lanes * mem_bytes_per_cycle))


def t_gemm(head_dim: Numbers, tc_flop_per_cycle: Numbers, element_rate: Numbers) -> Array:
    """2 x 64 query rows x 128 keys x head_dim / (Tensor Core rate of the element type)."""
    return to_grid(2.0 * QUERY_ROWS * KEYS * head_dim / (tc_flop_per_cycle * element_rate))


def t_gemm0(t_gemm: Numbers) -> Array:
    """Q K^T, as long as P V unless given."""
    return np.asarray(t_gemm)


def t_gemm1(t_gemm: Numbers) -> Array:
    """P V, as long as Q K^T unless given."""
    return np.asarray(t_gemm)


def t_exp(exp_per_cycle: Numbers) -> Array:
    """64 x 128 exponentials / rate of the SFU."""
    return to_grid(QUERY_ROWS * KEYS / exp_per_cycle)


def t_softmax(fma_lanes: Numbers) -> Array:
    """Four passes over 64 x 128 scores / FMA lanes."""
    return to_grid(SOFTMAX_PASSES * QUERY_ROWS * KEYS / fma_lanes)


def k_tiles(k: Numbers, tile_k: Numbers) -> Array:
    """ceil(K / BK)."""
    return np.asarray(-(-k // tile_k))


Formula = Callable[..., Array]
FORMULAS: Mapping[str, Formula] = MappingProxyType(
    {
        formula.__name__: formula
        for formula in (
            stage_bytes,
            t_transfer,
            t_latency,
            t_mma,
            t_store,
            t_epilogue,
            t_gemm,
            t_gemm0,
            t_gemm1,
            t_exp,
            t_softmax,
            k_tiles,
        )
    }
)
"""What can be worked out, by name."""


@lru_cache
def formula_inputs(name: str) -> tuple[str, ...]:
    """Return the names of what a formula needs: its arguments."""
    code = FORMULAS[name].__code__
    return code.co_varnames[: code.co_argcount]


def durations(
    gpu: str | GPU = "lecture",
    tile: str | tuple[int, ...] = "128x256x64",
    element_type: str = "bf16",
    cluster: str | tuple[int, ...] = "1x1",
    epilogue_weight: ArrayLike = 1.0,
    head_dim: ArrayLike = 128,
    **fields: ArrayLike,
) -> dict[str, Array]:
    """Work out every duration that the given hardware and tile set.

    Parameters
    ----------
    gpu : str or GPU
        Its unknown fields leave out what needs them.
    tile, cluster : str or tuple of int
        M x N x K elements, and M x N CTAs that share loads.
    element_type : str
        Type of the input elements.
    epilogue_weight, head_dim : array_like
        Work of the epilogue (plain store = 1), and the head dimension of attention.
    **fields : array_like
        GPU fields that replace the GPU's, as numbers or arrays that broadcast.

    Returns
    -------
    dict of str to numpy.ndarray
        Cycles by name ("t_transfer", ...), and "stage_bytes".

    Examples
    --------
    >>> {name: float(value) for name, value in durations().items() if name in ("t_mma", "t_exp")}
    {'t_mma': 1024.0, 't_exp': 512.0}
    """
    card = find_gpu(gpu)
    known: dict[str, Any] = {
        name: np.asarray(fields.get(name, card.value(name)), dtype=np.float64)
        for name in GPU_FIELDS
        if name in fields or card.value(name) is not None
    }
    known["epilogue_weight"], known["head_dim"] = np.asarray(epilogue_weight), np.asarray(head_dim)
    known["tile_m"], known["tile_n"], known["tile_k"] = parse_shape("tile", tile)
    known["cluster_m"], known["cluster_n"] = parse_shape("cluster", cluster)
    known["element_rate"] = element_rate(card, element_type)
    known["element_bytes"] = ELEMENT_BYTES[element_type]
    found: dict[str, Array] = {}
    for name, formula in FORMULAS.items():
        inputs = formula_inputs(name)
        if all(need in known for need in inputs):
            known[name] = found[name] = formula(*(known[need] for need in inputs))
    return found


def element_rate(gpu: GPU, element_type: str) -> float:
    """Return the Tensor Core rate of an element type relative to 16-bit.

    Raises
    ------
    InputError
        If the GPU does not support it; the message names those that it does.
    """
    rate = gpu.element_rates.get(element_type)
    if rate is None:
        supported = list(gpu.element_rates)
        kind = Impossible if element_type in ELEMENT_BYTES else InputError
        raise kind(
            f"element_type={element_type!r}: not supported by gpu={gpu.name!r}, which has"
            f" {', '.join(supported)}; give element_type={supported[0]!r}"
        )
    return rate
