"""Thread-level parallelism: warps or CTAs that hide a latency, against how many an SM takes in.

The other way to keep bytes in flight: where one CTA waits, another works. Big Tensor Core tiles
fill the register file with accumulators and leave no room for a second CTA, so their latency has
to be hidden by stages instead.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.budgets.occupancy import LIMITS, WARP_THREADS, Occupancy, occupancy
from analysis.checked import choice, find_gpu, one, read, whole
from sweep.errors import InputError, unknown_name
from sweep.hardware.budgets import OTHER_REGISTERS, WARPGROUP_THREADS, accumulator_registers
from sweep.hardware.durations import ISSUE_CYCLES, durations
from sweep.hardware.gpu import GPU
from sweep.inputs.call_arguments import read_shape
from sweep.quantities.arrays import Array
from sweep.quantities.variables import GPU_FIELDS

WIDEST_LOAD_BYTES = 16
"""Bytes that one load instruction fetches per thread at most."""
MOST_WARPS = 2**53


def warps_needed(in_flight: ArrayLike, bytes_per_thread: ArrayLike = WIDEST_LOAD_BYTES) -> Array:
    """Return the warps per SM that keep these bytes in flight by their own loads.

    Parameters
    ----------
    in_flight : array_like
        Bytes per SM.
    bytes_per_thread : array_like
        What a thread has outstanding: 16 per load instruction, times the loads it issues before
        it needs the first. Each 4 of them also take a register until they are used.

    Examples
    --------
    >>> int(warps_needed(44_800)), int(warps_needed(44_800, 64))
    (88, 22)
    """
    held, per_thread = read(in_flight=in_flight, bytes_per_thread=bytes_per_thread)
    warps = np.ceil(held / (WARP_THREADS * per_thread))
    if (warps > MOST_WARPS).any():
        raise InputError(f"in_flight={held.max():.6g} byte: takes more than {MOST_WARPS:.3g} warps")
    return np.asarray(warps, dtype=np.int64)


class ThreadParallelism(NamedTuple):
    """Whether CTAs that each load, wait and multiply hide one another's latency.

    Attributes
    ----------
    round_trip : float
        Cycles per k-tile of one CTA alone: issue, transfer, latency, MMA.
    needed : int
        CTAs per SM that keep the slower of copy path and Tensor Core busy.
    fitting : int
        CTAs per SM that registers, shared memory, warps and slots let in.
    occupancy : Occupancy
        What limits them.
    tc_utilization : float
        Upper bound on the steady share of time that the Tensor Core works with ``fitting`` CTAs.
    """

    round_trip: float
    needed: int
    fitting: int
    occupancy: Occupancy
    tc_utilization: float


def thread_parallelism(
    tile: str | tuple[int, ...] = "128x256x64",
    gpu: str | GPU = "lecture",
    element_type: str = "bf16",
    warpgroups: int = 2,
    **fields: float,
) -> ThreadParallelism:
    """Return how far thread-level parallelism alone hides the copy's latency.

    Every CTA runs the schedule ``sync``: one stage of shared memory, BM BN / (128 warpgroups)
    accumulators and 32 other registers per thread. ``needed`` is the round trip over the larger of
    transfer and MMA, rounded up.

    Parameters
    ----------
    tile : str or tuple of int
    gpu : str or GPU
    element_type : str
    warpgroups : int
        Warpgroups that share a tile.
    **fields : float
        GPU fields that replace the GPU's.

    Examples
    --------
    A big tile needs three CTAs, and its accumulators let in one:

    >>> big = thread_parallelism("128x256x64")
    >>> big.needed, big.fitting, big.occupancy.limited_by, round(big.tc_utilization, 3)
    (3, 1, 'registers', 0.395)

    Small tiles come in numbers, but need so many bytes per FLOP that the copy path binds:

    >>> small = thread_parallelism("64x64x64", warpgroups=1)
    >>> small.needed, small.fitting, small.tc_utilization
    (5, 8, 0.5)
    """
    card, groups = find_gpu(gpu), whole("warpgroups", warpgroups)
    overrides: dict[str, Any] = {name: _field(name, value) for name, value in fields.items()}
    shape = read_shape("tile", tile, (3,), "128x256x64")
    takes = durations(card, shape, choice("element_type", element_type), **overrides)
    missing = [name for name in ("t_transfer", "t_latency", "t_mma") if name not in takes]
    if missing:
        raise InputError(
            f"{missing[0]}: not known for gpu={card.name!r}; give the GPU fields that set it"
        )
    transfer, mma = float(takes["t_transfer"]), float(takes["t_mma"])
    trip = ISSUE_CYCLES["cp_async"] + transfer + float(takes["t_latency"]) + mma
    registers = accumulator_registers(shape[0], shape[1], groups) + OTHER_REGISTERS
    found = occupancy(
        WARPGROUP_THREADS * groups,
        int(np.ceil(registers)),
        int(np.ceil(takes["stage_bytes"])),
        card,
        **{name: int(value) for name, value in overrides.items() if name in LIMITS},
    )
    slower = max(transfer, mma)
    if not 0 < slower < np.inf:
        raise InputError(f"tile: copy and MMA take {slower:g} cycle; must be above 0 and finite")
    reachable = min(1.0, mma / slower, found.ctas * mma / trip)
    return ThreadParallelism(trip, int(np.ceil(trip / slower)), found.ctas, found, reachable)


def _field(name: str, value: Any) -> float:
    if name not in GPU_FIELDS:
        raise unknown_name("parameter", name, GPU_FIELDS)
    return one(name, value)
