"""What an SM gives out and in which units, by compute capability.

Sources: the CUDA occupancy calculator, ``cuda_occupancy.h`` of CUDA 12.8 (shared memory is given
out in 256 bytes up to compute capability 7.x and in 128 bytes from 8.0 on,
``cudaOccSMemAllocationGranularity``); CUDA C++ Programming Guide 12.8, table "Technical
Specifications per Compute Capability" (resident warps and CTAs per SM), and its sections on
compute capability 7.x (no shared memory is reserved) and 8.x to 12.x (1 KiB per CTA is).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from sweep.hardware.gpu import GPU


class Allocation(NamedTuple):
    """How an SM gives out what CTAs share.

    Attributes
    ----------
    smem_unit_bytes : int
        Shared memory of a CTA is rounded up to a multiple of this.
    reserved_smem_bytes : int
        Shared memory that the system takes per CTA.
    warps_per_sm, ctas_per_sm : int
        The most that are resident.
    """

    smem_unit_bytes: int
    reserved_smem_bytes: int
    warps_per_sm: int
    ctas_per_sm: int


ALLOCATIONS: Mapping[str, Allocation] = MappingProxyType(
    {
        "7.0": Allocation(256, 0, 64, 32),
        "7.5": Allocation(256, 0, 32, 16),
        "8.0": Allocation(128, 1024, 64, 32),
        "8.6": Allocation(128, 1024, 48, 16),
        "8.7": Allocation(128, 1024, 48, 16),
        "8.9": Allocation(128, 1024, 48, 24),
        "9.0": Allocation(128, 1024, 64, 32),
        "10.0": Allocation(128, 1024, 64, 32),
        "12.0": Allocation(128, 1024, 48, 24),
    }
)
"""By compute capability."""
UNNAMED = "9.0"
"""Taken where a GPU does not say which compute capability it has."""

_CAPABILITY = re.compile(r"compute capability (\d+\.\d+)")


def allocation(gpu: GPU) -> Allocation:
    """Return the allocation of a GPU's compute capability, Hopper's where it is not known.

    Examples
    --------
    >>> from sweep.hardware.gpu import GPUS
    >>> allocation(GPUS["v100_sxm2"])[:2], allocation(GPUS["h100_sxm"])[:2]
    ((256, 0), (128, 1024))
    """
    return ALLOCATIONS.get(_capability(gpu), ALLOCATIONS[UNNAMED])


def _capability(gpu: GPU) -> str:
    number = getattr(gpu, "compute_capability", None)
    if number is not None:
        return f"{number:.1f}"
    found = _CAPABILITY.search(gpu.summary)
    return found[1] if found else UNNAMED
