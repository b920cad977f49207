"""How many stages a tile needs to cover a latency, and how many fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sweep.errors import InputError
from sweep.hardware.budgets import stages_that_fit
from sweep.hardware.durations import ELEMENT_BYTES
from sweep.hardware.durations import stage_bytes as ring_slot_bytes
from sweep.hardware.lookup import find_gpu
from sweep.inputs.call_arguments import Arguments, check_fields
from sweep.inputs.hardware_names import element_bytes, element_type_of, rates
from sweep.inputs.one_or_many import read_names
from sweep.quantities.arrays import Array
from sweep.tensorcore.record import Record, plain

MOST_STAGES = 2**53
ROUNDING = 2.0**-50
"""Relative error of seconds times hertz over cycles, a few roundings of 2^-53."""
FIELDS = (
    "tc_flop_per_cycle",
    "clock_hz",
    "smem_per_block_bytes",
    "sm_count",
    "dram_bytes_per_second",
)


@dataclass(frozen=True, eq=False, repr=False)
class StageBudget(Record):
    """Stages of a ring, numbers or arrays over tiles and latencies.

    Attributes
    ----------
    stage_bytes : int
        (BM + BN) BK element bytes.
    stage_cycles, stage_seconds : float
        BM BN BK / (multiply-adds per cycle), and over the clock.
    stages_needed : int
        1 + ceil(latency / stage time): one to multiply from, the others on their way.
    stages_fit : int
        floor(shared memory of a block / (stage bytes + 16 of barriers)); 0 where not even one.
        Scale factors of block-scaled types are not counted: with them it is the most there can be.
    fits : bool
        Whether the stages needed fit.
    bytes_per_second, gpu_bytes_per_second : float
        Copy bandwidth that keeps the Tensor Core busy, stage bytes / stage time, of one SM and of
        all.
    over_dram : float
        The latter over the DRAM bandwidth: what exceeds 1 has to be L2 hits and multicast.
    """

    stage_bytes: Any
    stage_cycles: Any
    stage_seconds: Any
    stages_needed: Any
    stages_fit: Any
    fits: Any
    bytes_per_second: Any
    gpu_bytes_per_second: Any
    over_dram: Any


def stage_budget(
    gpu: Any = "lecture",
    tile: Any = "128x256x64",
    element_type: Any = "bf16",
    latency_seconds: ArrayLike = 0.5e-6,
    **fields: ArrayLike,
) -> StageBudget:
    """Work out the stages of a tile.

    Parameters
    ----------
    gpu : str, GPU or a list of them
    tile : str, tuple or list
        M x N x K; a list of tiles is an axis, a tuple of arrays broadcasts.
    element_type : str or list of str
    latency_seconds : float or array_like
        From the request of a copy to its arrival, in seconds.
    **fields : array_like
        ``tc_flop_per_cycle``, ``clock_hz``, ``smem_per_block_bytes``, ``sm_count`` or
        ``dram_bytes_per_second`` instead of the GPU's.

    Raises
    ------
    InputError
        For a tile or latency that is none, or what the GPU does not support.

    Examples
    --------
    >>> small = stage_budget("lecture", "128x128x32", "fp16", [0.5e-6, 1e-6])
    >>> small.stages_needed.tolist(), round(float(small.stage_seconds[0]) * 1e6, 3)
    ([5, 9], 0.14)
    >>> stage_budget("lecture", "128x256x64", "fp16", 1e-6).stages_fit
    4
    """
    check_fields(fields, FIELDS, "the stages of a tile")
    cards = read_names("gpu", gpu, find_gpu)
    elements = read_names("element_type", element_type, element_type_of(ELEMENT_BYTES))
    given = Arguments()
    given.shape("tile", tile, (3,), "128x256x64")
    given.number("latency_seconds", latency_seconds)
    given.codes("gpu", cards)
    given.codes("element_type", elements)
    given.fields(FIELDS, cards, fields)
    tile_m, tile_n, tile_k, latency, gpus, types, rate, clock, smem, sm_count, dram = (
        given.arrays().values()
    )
    size = ring_slot_bytes(tile_m, tile_n, tile_k, element_bytes(elements)[types])
    speed = rate * rates(elements, cards, types, gpus)
    cycles = 2.0 * tile_m * tile_n * tile_k / speed
    needed = 1 + _whole_stages(latency * clock, cycles)
    if (needed > MOST_STAGES).any():
        raise InputError(
            f"latency_seconds: asks for {needed.max():.3g} stages, at most {MOST_STAGES:.3g}"
            " are counted"
        )
    fitting = stages_that_fit(size, smem)
    bandwidth = size / cycles * clock
    return StageBudget(
        plain(size.astype(np.int64)),
        plain(cycles),
        plain(cycles / clock),
        plain(needed.astype(np.int64)),
        plain(fitting),
        plain(needed <= fitting),
        plain(bandwidth),
        plain(bandwidth * sm_count),
        plain(bandwidth * sm_count / dram),
    )


def _whole_stages(latency: Array, cycles: Array) -> Array:
    """Return ceil(latency / cycles); a quotient that is whole but for its rounding is whole."""
    ratio = latency / cycles
    nearest = np.rint(ratio)
    close = np.abs(ratio - nearest) <= ROUNDING * nearest
    return np.asarray(np.where(close, nearest, np.ceil(ratio)))
