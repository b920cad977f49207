"""The Tensor Core's data path: fragments, bank conflicts, feeding, stages and DRAM traffic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from analysis.reproduction.experiments.setup import Setup
from sweep.tensorcore import (
    block_product,
    dram_traffic,
    feeding,
    fragment,
    ldmatrix_wavefronts,
    stage_budget,
)
from sweep.tensorcore.instructions.instruction_shapes import OPERANDS, read_instruction

Value = float | int | str

SHAPE = "m16n8k16"
PRODUCT, SIDE = 4096, 128
BIG, SMALL = "128x256x64", "128x128x32"
LATENCIES = (0.5e-6, 1e-6)


def _multiply_adds(_: Setup) -> int:
    return read_instruction(SHAPE).multiply_adds


def _per_lane(_: Setup) -> str:
    return "/".join(str(fragment(SHAPE, operand).shape[1]) for operand in OPERANDS)


def _instructions(_: Setup) -> int:
    ones = np.ones((SIDE, SIDE))
    return block_product(ones, ones)[1].mma


def _ways(swizzle: Any, *row_elements: int) -> Callable[[Setup], float]:
    """Return the most bank conflict ways over rows of fp16."""

    def compute(_: Setup) -> float:
        counts = [ldmatrix_wavefronts(row, 2, swizzle) for row in row_elements]
        return max(taken / ideal for taken, ideal in counts)

    return compute


def _needed(gpu: str) -> Callable[[Setup], float]:
    return lambda _: float(feeding(gpu, "64x64").needed)


def _reuse(tile: str, operands: str = "ss") -> Callable[[Setup], float]:
    return lambda setup: float(feeding(setup.gpu, tile, operands).reuse)


def _dram(tile: str) -> Callable[[Setup], float]:
    def compute(setup: Setup) -> float:
        return 1e6 * float(dram_traffic(PRODUCT, PRODUCT, PRODUCT, tile, setup.gpu).seconds)

    return compute


def _compute_time(setup: Setup) -> float:
    return 1e6 * float(dram_traffic(PRODUCT, PRODUCT, PRODUCT, BIG, setup.gpu).compute_seconds)


def _stage_time(tile: str) -> Callable[[Setup], float]:
    return lambda setup: 1e6 * float(stage_budget(setup.gpu, tile, "fp16").stage_seconds)


def _stages_needed(tile: str) -> Callable[[Setup], str]:
    def compute(setup: Setup) -> str:
        needed = stage_budget(setup.gpu, tile, "fp16", LATENCIES).stages_needed
        return "/".join(map(str, needed))

    return compute


def _stages_fit(setup: Setup) -> int:
    return int(stage_budget(setup.gpu, BIG, "fp16").stages_fit)


COMPUTED: Mapping[str, Callable[[Setup], Value]] = {
    "mma.macs": _multiply_adds,
    "mma.per_lane": _per_lane,
    "mma.count": _instructions,
    "ldm.k64": _ways(None, 64),
    "ldm.k32": _ways(None, 32),
    "ldm.swizzled": _ways("xor", 32, 64),
    "feed.a100": _needed("a100_sxm"),
    "feed.h100": _needed("h100_sxm"),
    "feed.64x64": _reuse("64x64"),
    "feed.wgmma_ss": _reuse("64x256"),
    "feed.wgmma_rs": _reuse("64x256", "rs"),
    "dram.64": _dram("64x64"),
    "dram.128": _dram("128x128"),
    "dram.256": _dram("128x256"),
    "dram.compute": _compute_time,
    "stage.time": _stage_time(SMALL),
    "stage.time_big": _stage_time(BIG),
    "stage.need.small": _stages_needed(SMALL),
    "stage.need.big": _stages_needed(BIG),
    "stage.fit.big": _stages_fit,
}
