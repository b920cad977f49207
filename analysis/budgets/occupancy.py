"""How many CTAs an SM takes in, with the units in which it really allocates.

Registers are given out in units per warp, warps in fours (one per SM partition), shared memory in
units and with a reserve, Tensor Memory in powers of two of its columns. The units and limits are
the GPU's: its own, or those of its compute capability (``sweep.hardware.capabilities``). Source of
the rule: CUDA occupancy calculator, ``cuda_occupancy.h`` of CUDA 12.8,
``cudaOccRegAllocationGranularity`` and ``cudaOccMaxBlocksPerSMRegsLimit``; PTX ISA 8.7,
``tcgen05.alloc``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.checked import find_gpu, plain, read
from sweep.errors import InputError
from sweep.hardware.capabilities import REGISTER_UNIT
from sweep.hardware.gpu import GPU
from sweep.inputs.call_arguments import check_fields
from sweep.quantities.arrays import Array

WARP_THREADS = 32
FEWEST_COLUMNS = 32
"""Of Tensor Memory, that a CTA allocates."""
LIMITS = (
    "registers_per_sm",
    "max_registers_per_thread",
    "smem_per_sm_bytes",
    "smem_per_block_bytes",
    "max_threads_per_cta",
    "max_threads_per_sm",
    "max_warps_per_sm",
    "max_ctas_per_sm",
    "register_unit",
    "sm_partitions",
    "smem_unit_bytes",
    "reserved_smem_bytes",
    "tmem_columns",
)
"""Fields of a GPU that set it."""


class Occupancy(NamedTuple):
    """CTAs per SM and what limits them: numbers, or arrays over what was given.

    Attributes
    ----------
    ctas, warps : int
        Resident CTAs and their warps; 0 where not even one fits.
    limited_by : str
        "registers", "shared_memory", "warps", "ctas" or "tensor_memory": the first that gives the
        fewest.
    by_registers, by_shared_memory, by_warps, by_ctas, by_tensor_memory : int
        CTAs that each limit alone would let in.
    """

    ctas: Any
    warps: Any
    limited_by: Any
    by_registers: Any
    by_shared_memory: Any
    by_warps: Any
    by_ctas: Any
    by_tensor_memory: Any


def registers_per_warp(registers_per_thread: ArrayLike) -> Any:
    """Return the registers allocated for a warp: 32 threads, rounded up to a multiple of 256.

    Examples
    --------
    >>> registers_per_warp(168), registers_per_warp(33)
    (5376, 1280)
    """
    (registers,) = read(registers_per_thread=registers_per_thread)
    return plain(_per_warp(registers, np.asarray(REGISTER_UNIT)))


def occupancy(
    threads: ArrayLike,
    registers_per_thread: ArrayLike,
    smem_bytes: ArrayLike = 0,
    gpu: str | GPU = "lecture",
    tensor_columns: ArrayLike = 0,
    **limits: ArrayLike,
) -> Occupancy:
    """Return how many CTAs of a kernel an SM takes in.

    Parameters
    ----------
    threads : int or array_like
        Threads of a CTA, at most 1,024. Arrays broadcast against each other.
    registers_per_thread : int or array_like
        What the kernel was compiled for; ``setmaxnreg`` moves registers within a CTA and leaves
        its total.
    smem_bytes : int or array_like
        Shared memory of a CTA, static and dynamic, in bytes.
    gpu : str or GPU
        Where the limits come from that are not given.
    tensor_columns : int or array_like
        Columns of Tensor Memory that a CTA uses; it allocates a power of two, at least 32.
    **limits : int or array_like
        Fields of a GPU that replace its own, those of ``LIMITS``.

    Raises
    ------
    InputError
        If a count is not positive, a CTA has more than 1,024 threads, or a limit is not known:
        a GPU whose compute capability is not known has to be given its limits.

    Examples
    --------
    >>> occupancy(384, 168, 4 * 49_168).ctas
    1
    >>> occupancy(128, 64, 16_384)[:3]
    (8, 32, 'registers')
    >>> occupancy(256, [32, 64, 128]).ctas.tolist()
    [8, 4, 2]
    """
    card = find_gpu(gpu)
    check_fields(limits, LIMITS, "occupancy")
    cta: dict[str, Any] = {"threads": threads, "registers_per_thread": registers_per_thread}
    cta |= {"smem_bytes": smem_bytes, "tensor_columns": tensor_columns}
    cta |= {name: _limit(card, name, limits.get(name)) for name in LIMITS}
    v = dict(zip(cta, read(**cta), strict=True))
    known = card.tmem_columns is not None or "tmem_columns" in limits
    if not known and v["tensor_columns"].any():
        raise InputError(_not_known(card, "tmem_columns"))
    warps = -(-v["threads"] // WARP_THREADS)
    return _fewest(
        warps,
        {
            "registers": _by_registers(v, warps),
            "shared_memory": _by_memory(v),
            "warps": _by_warps(v, warps),
            "ctas": v["max_ctas_per_sm"],
            "tensor_memory": _by_columns(v),
        },
    )


def _fewest(cta_warps: Array, limits: dict[str, Array]) -> Occupancy:
    """Return the occupancy that the first of the smallest limits sets."""
    *counts, _ = np.broadcast_arrays(*limits.values(), cta_warps)
    stacked = np.stack(counts)
    ctas = stacked.min(axis=0)
    names = np.array(list(limits))[stacked.argmin(axis=0)]
    return Occupancy(
        plain(ctas), plain(ctas * cta_warps), plain(names), *(plain(count) for count in counts)
    )


def _per_warp(registers: Array, unit: Array) -> Array:
    return np.asarray(-(-registers * WARP_THREADS // unit) * unit)


def _by_registers(v: Mapping[str, Array], cta_warps: Array) -> Array:
    registers, group = v["registers_per_thread"], v["sm_partitions"]
    held = _per_warp(registers, v["register_unit"])
    warps = v["registers_per_sm"] // held // group * group
    return np.where(registers <= v["max_registers_per_thread"], warps // cta_warps, 0)


def _by_memory(v: Mapping[str, Array]) -> Array:
    unit, own = v["smem_unit_bytes"], v["smem_bytes"]
    taken = -(-(own + v["reserved_smem_bytes"]) // unit) * unit
    fit = np.where(taken > 0, v["smem_per_sm_bytes"] // np.maximum(taken, 1), v["max_ctas_per_sm"])
    return np.where(own <= v["smem_per_block_bytes"], fit, 0)


def _by_warps(v: Mapping[str, Array], cta_warps: Array) -> Array:
    resident = np.minimum(v["max_warps_per_sm"], v["max_threads_per_sm"] // WARP_THREADS)
    return np.where(v["threads"] <= v["max_threads_per_cta"], resident // cta_warps, 0)


def _by_columns(v: Mapping[str, Array]) -> Array:
    columns = v["tensor_columns"]
    powers = np.exp2(np.ceil(np.log2(np.maximum(columns, FEWEST_COLUMNS)))).astype(np.int64)
    return np.where(columns > 0, v["tmem_columns"] // powers, v["max_ctas_per_sm"])


def _limit(gpu: GPU, name: str, given: ArrayLike | None) -> ArrayLike:
    value = gpu.value(name) if given is None else given
    if value is None and name == "tmem_columns":
        return 0  # asked for where a CTA uses some
    if value is None:
        raise InputError(_not_known(gpu, name))
    return value


def _not_known(gpu: GPU, name: str) -> str:
    return f"{name}: not known for gpu={gpu.name!r}; give {name}=..."
