"""What follows from a GPU's compute capability: its instructions, and how an SM is shared out.

A card says which compute capability it has, and need not repeat what is listed here; where it does,
its own number holds. A capability without a row leaves these numbers unknown.

Sources: PTX ISA 8.7 (which targets have an instruction); CUDA C++ Programming Guide 12.8, table
"Technical Specifications per Compute Capability" (threads, warps, CTAs) and its sections on
capability 7.x (no shared memory is reserved) and 8.x to 12.x (1 KiB per CTA is); the occupancy
calculator, ``cuda_occupancy.h`` of CUDA 12.8 (units in which registers, warps and shared memory are
given out); Hopper and Blackwell Tuning Guides (clusters).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from types import MappingProxyType

import numpy as np

from sweep.quantities.arrays import Array

Sourced = tuple[float, str]
"""A number and where it is from."""

INSTRUCTIONS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "mma.sync": (7.0, inf),
        "cp.async": (8.0, inf),
        "TMA": (9.0, inf),
        "cluster": (9.0, inf),
        "wgmma": (9.0, 10.0),
        "tcgen05": (10.0, 12.0),
    }
)
"""The first compute capability that has it, and the one from which on it is gone."""

REGISTERS_PER_SM, MAX_REGISTERS_PER_THREAD = 65_536, 255
REGISTER_UNIT, SM_PARTITIONS, CTA_THREADS = 256, 4, 1024
"""The same on every compute capability from 7.0 to 12.0."""

_GUIDE = "CUDA C++ Programming Guide 12.8, technical specifications per compute capability"
_CALCULATOR = "cuda_occupancy.h of CUDA 12.8"
_TUNING = "NVIDIA Hopper and Blackwell Tuning Guides"
_PTX = "PTX ISA 8.7, tcgen05.alloc"
_ROWS: Mapping[float, tuple[int, ...]] = {
    #      warps, CTAs, bytes of a unit, reserved, columns, portable cluster, largest
    7.0: (64, 32, 256, 0, 0, 1, 1),
    7.5: (32, 16, 256, 0, 0, 1, 1),
    8.0: (64, 32, 128, 1024, 0, 1, 1),
    8.6: (48, 16, 128, 1024, 0, 1, 1),
    8.7: (48, 16, 128, 1024, 0, 1, 1),
    8.9: (48, 24, 128, 1024, 0, 1, 1),
    9.0: (64, 32, 128, 1024, 0, 8, 16),
    10.0: (64, 32, 128, 1024, 512, 8, 16),
    10.3: (64, 32, 128, 1024, 512, 8, 16),
    12.0: (48, 24, 128, 1024, 0, 8, 8),
}


def _numbers(row: tuple[int, ...]) -> Iterator[tuple[str, int, str]]:
    warps, ctas, unit, reserved, columns, portable, largest = row
    yield "max_threads_per_cta", CTA_THREADS, _GUIDE
    yield "max_threads_per_sm", 32 * warps, _GUIDE
    yield "max_warps_per_sm", warps, _GUIDE
    yield "max_ctas_per_sm", ctas, _GUIDE
    yield "register_unit", REGISTER_UNIT, f"{_CALCULATOR}, cudaOccRegAllocationGranularity"
    yield "sm_partitions", SM_PARTITIONS, f"{_CALCULATOR}, cudaOccSubPartitionsPerMultiprocessor"
    yield "smem_unit_bytes", unit, f"{_CALCULATOR}, cudaOccSMemAllocationGranularity"
    yield "reserved_smem_bytes", reserved, _GUIDE
    yield "tmem_columns", columns, _PTX if columns else "PTX ISA 8.7: tcgen05 is on 10.x and 11.x"
    yield "portable_cluster_ctas", portable, _TUNING if portable > 1 else _GUIDE
    yield "largest_cluster_ctas", largest, _TUNING if largest > 1 else _GUIDE


BY_CAPABILITY: Mapping[float, Mapping[str, Sourced]] = MappingProxyType(
    {
        capability: {
            name: (number, f"compute capability {capability}: {source}")
            for name, number, source in _numbers(row)
        }
        for capability, row in _ROWS.items()
    }
)
"""Fields of a GPU by its compute capability, each with its source."""
CAPABILITY_FIELDS: tuple[str, ...] = tuple(BY_CAPABILITY[9.0])


def has(instruction: str, capability: Array | float | None) -> Array:
    """Whether a compute capability has an instruction; no where it is not known.

    Examples
    --------
    >>> has("wgmma", [8.0, 9.0, 10.0]).tolist()
    [False, True, False]
    """
    first, gone = INSTRUCTIONS[instruction]
    number = numbers(capability)
    return np.asarray((number >= first) & (number < gone))


def lacks(instruction: str, capability: Array | float | None) -> Array:
    """Whether a compute capability lacks an instruction; no where it is not known."""
    return np.asarray(~has(instruction, capability) & ~np.isnan(numbers(capability)))


def numbers(capability: Array | float | None) -> Array:
    """Return compute capabilities as numbers, NaN where not known."""
    return np.asarray(np.nan if capability is None else capability, dtype=np.float64)
