"""How many CTAs an SM takes in, with the units in which it really allocates.

Registers are given out in units of 256 per warp, warps in fours (one per SM partition), shared
memory in units and with a reserve that depend on the compute capability
(``analysis.budgets.allocation``). Source of the rule: CUDA occupancy calculator,
``cuda_occupancy.h`` of CUDA 12.8, ``cudaOccRegAllocationGranularity`` and
``cudaOccMaxBlocksPerSMRegsLimit``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.budgets.allocation import Allocation, allocation
from analysis.checked import find_gpu, plain, read
from sweep.errors import InputError
from sweep.hardware.gpu import GPU
from sweep.quantities.arrays import Array

WARP_THREADS = 32
REGISTER_UNIT = 256
"""Registers of a warp are allocated in units of this many."""
WARP_UNIT = 4
"""Warps that hold registers come in groups of this many, one per SM partition."""


class Occupancy(NamedTuple):
    """CTAs per SM and what limits them: numbers, or arrays over what was given.

    Attributes
    ----------
    ctas, warps : int
        Resident CTAs and their warps; 0 where not even one fits.
    limited_by : str
        "registers", "shared_memory", "warps" or "ctas": the first that gives the fewest.
    by_registers, by_shared_memory, by_warps, by_ctas : int
        CTAs that each limit alone would let in.
    """

    ctas: Any
    warps: Any
    limited_by: Any
    by_registers: Any
    by_shared_memory: Any
    by_warps: Any
    by_ctas: Any


def registers_per_warp(registers_per_thread: ArrayLike) -> Any:
    """Return the registers allocated for a warp: 32 threads, rounded up to a multiple of 256.

    Examples
    --------
    >>> registers_per_warp(168), registers_per_warp(33)
    (5376, 1280)
    """
    (registers,) = read(registers_per_thread=registers_per_thread)
    return plain(_per_warp(registers))


def occupancy(
    threads: ArrayLike,
    registers_per_thread: ArrayLike,
    smem_bytes: ArrayLike = 0,
    gpu: str | GPU = "lecture",
    *,
    registers_per_sm: ArrayLike | None = None,
    max_registers_per_thread: ArrayLike | None = None,
    smem_per_sm_bytes: ArrayLike | None = None,
    smem_per_block_bytes: ArrayLike | None = None,
    reserved_smem_bytes: ArrayLike | None = None,
    warps_per_sm: ArrayLike | None = None,
    ctas_per_sm: ArrayLike | None = None,
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
    registers_per_sm, max_registers_per_thread, smem_per_sm_bytes, smem_per_block_bytes : int
        Limits that replace the GPU's.
    reserved_smem_bytes, warps_per_sm, ctas_per_sm : int
        What replaces the numbers of the GPU's compute capability: bytes that the system takes of
        shared memory per CTA, and the most resident warps and CTAs.

    Raises
    ------
    InputError
        If a count is not positive, a CTA has more than 1,024 threads, or a limit is not known.

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
    unit = allocation(card)
    threads, registers, own, file, most, smem, block, reserved, warps, ctas = read(
        threads=threads,
        registers_per_thread=registers_per_thread,
        smem_bytes=smem_bytes,
        registers_per_sm=_limit(card, "registers_per_sm", registers_per_sm),
        max_registers_per_thread=_limit(card, "max_registers_per_thread", max_registers_per_thread),
        smem_per_sm_bytes=_limit(card, "smem_per_sm_bytes", smem_per_sm_bytes),
        smem_per_block_bytes=_limit(card, "smem_per_block_bytes", smem_per_block_bytes),
        reserved_smem_bytes=_given(reserved_smem_bytes, unit.reserved_smem_bytes),
        warps_per_sm=_given(warps_per_sm, unit.warps_per_sm),
        ctas_per_sm=_given(ctas_per_sm, unit.ctas_per_sm),
    )
    cta_warps = -(-threads // WARP_THREADS)
    return _fewest(
        cta_warps,
        {
            "registers": np.where(registers <= most, _by_registers(file, registers, cta_warps), 0),
            "shared_memory": np.where(
                own <= block, _by_memory(smem, own + reserved, unit, ctas), 0
            ),
            "warps": warps // cta_warps,
            "ctas": ctas,
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


def _per_warp(registers: Array) -> Array:
    return np.asarray(-(-registers * WARP_THREADS // REGISTER_UNIT) * REGISTER_UNIT)


def _by_registers(file: Array, registers: Array, cta_warps: Array) -> Array:
    warps = file // _per_warp(registers) // WARP_UNIT * WARP_UNIT
    return np.asarray(warps // cta_warps)


def _by_memory(smem: Array, needed: Array, unit: Allocation, ctas: Array) -> Array:
    taken = -(-needed // unit.smem_unit_bytes) * unit.smem_unit_bytes
    return np.asarray(np.where(taken > 0, smem // np.maximum(taken, 1), ctas))


def _given(value: ArrayLike | None, otherwise: int) -> ArrayLike:
    return otherwise if value is None else value


def _limit(gpu: GPU, name: str, given: ArrayLike | None) -> ArrayLike:
    value = gpu.value(name) if given is None else given
    if value is None:
        raise InputError(f"{name}: not known for gpu={gpu.name!r}; give {name}=...")
    return value
