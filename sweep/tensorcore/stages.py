"""How many stages a tile needs to cover a latency, and how many fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sweep.feasibility import stages_that_fit
from sweep.hardware import GPU
from sweep.tensorcore.elements import check_element_type
from sweep.tensorcore.inputs import (
    broadcast,
    check_fields,
    find_gpu,
    gpu_field,
    numbers,
    read_shapes,
)
from sweep.tensorcore.record import Record, plain
from sweep.tile import ELEMENT_BYTES, element_rate, t_mma, to_grid
from sweep.tile import stage_bytes as ring_slot_bytes

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
    gpu: str | GPU = "lecture",
    tile: Any = "128x256x64",
    element_type: str = "bf16",
    latency_seconds: ArrayLike = 0.5e-6,
    **fields: ArrayLike,
) -> StageBudget:
    """Work out the stages of a tile.

    Parameters
    ----------
    gpu : str or GPU
    tile : str, tuple or list
        M x N x K; a list of tiles is an axis, a tuple of arrays broadcasts.
    element_type : str
    latency_seconds : float or array_like
        From the request of a copy to its arrival, in seconds; taken to the nearest 1/1024 cycle.
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
    card = find_gpu(gpu)
    check_fields(fields, FIELDS, "the stages of a tile")
    check_element_type(element_type, tuple(ELEMENT_BYTES), "a stage")
    given = (
        *read_shapes("tile", tile, (3,), "128x256x64"),
        numbers("latency_seconds", latency_seconds),
        *(gpu_field(card, name, fields) for name in FIELDS),
    )
    tile_m, tile_n, tile_k, latency, rate, clock, smem, sm_count, dram = broadcast(given)
    size = ring_slot_bytes(tile_m, tile_n, tile_k, ELEMENT_BYTES[element_type])
    cycles = t_mma(tile_m, tile_n, tile_k, rate, element_rate(card, element_type))
    needed = 1 + np.ceil(to_grid(latency * clock) / cycles)
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
