"""GPU, tile and element type to durations and bytes: one function per row of the table.

Each function is vectorised over NumPy arrays; its arguments are named after what it needs, and
``FORMULAS`` finds it by the name of what it gives. A duration is rounded to the nearest
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
from sweep.hardware.attention_durations import (
    KEYS,
    QUERY_ROWS,
    head_dim_v,
    t_exp,
    t_gemm,
    t_gemm0,
    t_gemm1,
    t_softmax,
)
from sweep.hardware.element_types import ELEMENT_BYTES, OUTPUT_BYTES
from sweep.hardware.gemm_durations import (
    copied_bytes,
    k_tiles,
    scale_bytes_a,
    scale_bytes_b,
    slot_bytes,
    stage_bytes,
    t_epilogue,
    t_mma,
    t_store,
    t_transfer,
)
from sweep.hardware.gpu import GPU
from sweep.hardware.lookup import find_gpu
from sweep.hardware.shapes import parse_shape
from sweep.quantities.arrays import Array
from sweep.quantities.grid import to_grid
from sweep.quantities.variables import GPU_FIELDS

Numbers = NDArray[Any] | float

__all__ = [
    "ELEMENT_BYTES",
    "FORMULAS",
    "ISSUE_CYCLES",
    "LOOKUPS",
    "OUTPUT_BYTES",
    "argument_names",
    "copied_bytes",
    "durations",
    "element_rate",
    "formula_inputs",
    "k_tiles",
    "stage_bytes",
]

ISSUE_CYCLES: Mapping[str, float] = MappingProxyType(
    {"tma": 10.0, "cp_async": 100.0, "ld_global": 100.0}
)
"""A load through registers has the addresses and the instructions of cp.async."""


def t_latency(latency_cycles: Numbers) -> Array:
    """Latency of a copy after its transfer."""
    return to_grid(latency_cycles)


def tc_rate(tc_flop_per_cycle: Numbers, element_rate: Numbers) -> Array:
    """FLOP per cycle of an SM's Tensor Cores at the element type."""
    return np.asarray(tc_flop_per_cycle * element_rate)


Formula = Callable[..., Array]
FORMULAS: Mapping[str, Formula] = MappingProxyType(
    {
        "scale_bytes_a": scale_bytes_a,
        "scale_bytes_b": scale_bytes_b,
        "stage_bytes": slot_bytes,
        "t_transfer": t_transfer,
        "t_latency": t_latency,
        "t_mma": t_mma,
        "t_store": t_store,
        "t_epilogue": t_epilogue,
        "tc_rate": tc_rate,
        "head_dim_v": head_dim_v,
        "t_gemm": t_gemm,
        "t_gemm0": t_gemm0,
        "t_gemm1": t_gemm1,
        "t_exp": t_exp,
        "t_softmax": t_softmax,
        "k_tiles": k_tiles,
    }
)
"""What can be worked out, by name."""
LOOKUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "t_issue": ("loader",),
        "loader": ("compute_capability",),
        "tile_m": ("tile",),
        "tile_n": ("tile",),
        "tile_k": ("tile",),
        "cluster_m": ("cluster",),
        "cluster_n": ("cluster",),
        "element_bytes": ("element_type",),
        "element_rate": ("element_type", "gpu"),
        "element_bytes_a": ("element_type_a",),
        "element_bytes_b": ("element_type_b",),
        "multiplied_as": ("element_type_a", "element_type_b"),
        "operand_rate": ("multiplied_as", "gpu"),
        "accumulator_bytes": ("element_type_acc",),
        "output_bytes": ("element_type_c",),
        "scale_elements": ("scale_factors",),
        "scale_size_a": ("scale_factors",),
        "scale_size_b": ("scale_factors",),
        "scale_unit": ("scale_factors",),
        "warpgroup_rows": ("block_m",),
        **dict.fromkeys(GPU_FIELDS, ("gpu",)),
    }
)
"""What is looked up by a name or a shape, and by which; rows by the schedule's warpgroups too."""


def formula_inputs(name: str) -> tuple[str, ...]:
    """Return the names of what a formula needs: its arguments."""
    return argument_names(FORMULAS[name])


@lru_cache(maxsize=256)
def argument_names(function: Formula) -> tuple[str, ...]:
    """Return the names of a function's arguments."""
    code = function.__code__
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
    known["warpgroup_rows"], known["block_n"] = QUERY_ROWS, KEYS
    known["tile_m"], known["tile_n"], known["tile_k"] = parse_shape("tile", tile)
    known["cluster_m"], known["cluster_n"] = parse_shape("cluster", cluster)
    known["element_rate"] = element_rate(card, element_type)
    known["operand_rate"] = known["element_rate"]
    known["output_bytes"] = OUTPUT_BYTES
    known |= dict.fromkeys(("element_bytes_a", "element_bytes_b"), ELEMENT_BYTES[element_type])
    known |= {"scale_elements": 1, "scale_unit": 1, "scale_size_a": 0, "scale_size_b": 0}
    found: dict[str, Array] = {}
    for name, formula in FORMULAS.items():
        inputs = formula_inputs(name)
        if all(need in known for need in inputs):
            known[name] = formula(*(known[need] for need in inputs))
            if name.startswith("t_") or name == "stage_bytes":
                found[name] = known[name]
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
