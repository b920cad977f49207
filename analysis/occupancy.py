"""How many CTAs an SM takes in, with the units in which it really allocates.

Registers are given out in units of 256 per warp, warps in fours (one per SM partition), shared
memory in units of 128 bytes plus 1,024 bytes reserved per CTA (CUDA C++ Programming Guide 12.6,
compute capabilities; CUDA occupancy calculator, ``cuda_occupancy.h``).
"""

from __future__ import annotations

from typing import NamedTuple

from sweep.errors import InputError
from sweep.hardware import GPU, GPUS

WARP_THREADS = 32
REGISTER_UNIT = 256
"""Registers of a warp are allocated in units of this many."""
WARP_UNIT = 4
"""Warps that hold registers come in groups of this many, one per SM partition."""
SMEM_UNIT_BYTES = 128
RESERVED_SMEM_BYTES = 1024
"""Shared memory that the system takes per CTA, compute capability 8.0 and later."""
WARPS_PER_SM, CTAS_PER_SM, THREADS_PER_CTA = 64, 32, 1024


class Occupancy(NamedTuple):
    """CTAs per SM and what limits them.

    Attributes
    ----------
    ctas, warps : int
        Resident CTAs and their warps; 0 where not even one fits.
    limited_by : str
        "registers", "shared_memory", "warps" or "ctas": the first that gives the fewest.
    by_registers, by_shared_memory, by_warps, by_ctas : int
        CTAs that each limit alone would let in.
    """

    ctas: int
    warps: int
    limited_by: str
    by_registers: int
    by_shared_memory: int
    by_warps: int
    by_ctas: int


def registers_per_warp(registers_per_thread: int) -> int:
    """Return the registers allocated for a warp: 32 threads, rounded up to a multiple of 256.

    Examples
    --------
    >>> registers_per_warp(168), registers_per_warp(33)
    (5376, 1280)
    """
    return -(-registers_per_thread * WARP_THREADS // REGISTER_UNIT) * REGISTER_UNIT


def occupancy(
    threads: int,
    registers_per_thread: int,
    smem_bytes: int = 0,
    gpu: str | GPU = "lecture",
    *,
    registers_per_sm: int | None = None,
    max_registers_per_thread: int | None = None,
    smem_per_sm_bytes: int | None = None,
    smem_per_block_bytes: int | None = None,
    reserved_smem_bytes: int = RESERVED_SMEM_BYTES,
    warps_per_sm: int = WARPS_PER_SM,
    ctas_per_sm: int = CTAS_PER_SM,
) -> Occupancy:
    """Return how many CTAs of a kernel an SM takes in.

    Parameters
    ----------
    threads : int
        Threads of a CTA, at most 1,024.
    registers_per_thread : int
        What the kernel was compiled for; ``setmaxnreg`` moves registers within a CTA and leaves
        its total.
    smem_bytes : int
        Shared memory of a CTA, static and dynamic, in bytes.
    gpu : str or GPU
        Where the limits come from that are not given.
    registers_per_sm, max_registers_per_thread, smem_per_sm_bytes, smem_per_block_bytes : int
        Limits that replace the GPU's.
    reserved_smem_bytes : int
        1,024 from compute capability 8.0 on, 0 before.
    warps_per_sm, ctas_per_sm : int
        64 and 32 on compute capabilities 7.0, 8.0, 9.0 and 10.0; 48 and 24 on 8.9.

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
    """
    _check(threads, registers_per_thread, smem_bytes)
    card = gpu if isinstance(gpu, GPU) else GPUS.find(gpu)
    file = _limit(card, "registers_per_sm", registers_per_sm)
    most = _limit(card, "max_registers_per_thread", max_registers_per_thread)
    smem = _limit(card, "smem_per_sm_bytes", smem_per_sm_bytes)
    block = _limit(card, "smem_per_block_bytes", smem_per_block_bytes)
    warps = -(-threads // WARP_THREADS)
    in_units = -(-(smem_bytes + reserved_smem_bytes) // SMEM_UNIT_BYTES) * SMEM_UNIT_BYTES
    file_warps = file // registers_per_warp(registers_per_thread) // WARP_UNIT * WARP_UNIT
    limits = {
        "registers": file_warps // warps if registers_per_thread <= most else 0,
        "shared_memory": _fits(smem, in_units, ctas_per_sm) if smem_bytes <= block else 0,
        "warps": warps_per_sm // warps,
        "ctas": ctas_per_sm,
    }
    limited_by = min(limits, key=lambda name: limits[name])
    ctas = limits[limited_by]
    return Occupancy(ctas, ctas * warps, limited_by, *limits.values())


def _fits(smem: int, per_cta: int, ctas_per_sm: int) -> int:
    return smem // per_cta if per_cta else ctas_per_sm


def _limit(gpu: GPU, name: str, given: int | None) -> int:
    value = gpu.value(name) if given is None else given
    if value is None:
        raise InputError(f"{name}: not known for gpu={gpu.name!r}; give {name}=...")
    return int(value)


def _check(threads: int, registers: int, smem_bytes: int) -> None:
    if not 0 < threads <= THREADS_PER_CTA:
        raise InputError(f"threads={threads}: must be 1 to {THREADS_PER_CTA:,} threads per CTA")
    if registers < 1:
        raise InputError(f"registers_per_thread={registers}: must be at least 1 register")
    if smem_bytes < 0:
        raise InputError(f"smem_bytes={smem_bytes} byte: must be at least 0 byte")
