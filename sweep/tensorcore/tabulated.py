"""What the four tables of the data path hold, as numbers."""

from __future__ import annotations

from typing import Any

from sweep.hardware.gpu import GPU, GPUS
from sweep.hardware.instructions import has_clusters
from sweep.tensorcore.budgets.reuse import feeding
from sweep.tensorcore.budgets.stages import stage_budget
from sweep.tensorcore.instructions.availability import has_instruction
from sweep.tensorcore.instructions.fragments import fragment
from sweep.tensorcore.instructions.instruction_shapes import (
    MMA_TYPES,
    OPERANDS,
    WGMMA_TYPES,
    read_instruction,
)
from sweep.tensorcore.shared_memory.ldmatrix import ldmatrix_wavefronts
from sweep.tensorcore.shared_memory.swizzle import layout_name, read_swizzle
from sweep.tensorcore.traffic.traffic import dram_traffic

SWIZZLES: tuple[Any, ...] = (None, "xor", (1, 3, 3), (2, 3, 3), (3, 3, 3))
ROW_ELEMENTS = (16, 32, 40, 48, 64, 72, 128)
FEEDING_GPUS = ("v100_sxm2", "a100_sxm", "h100_sxm", "b200")
HOPPER = "h100_sxm"
"""The one of them that has wgmma."""
FEEDING_TILES = (
    ("32x32", "ss"),
    ("32x64", "ss"),
    ("64x64", "ss"),
    ("64x32", "rs"),
    ("64x128", "ss"),
    ("64x256", "ss"),
    ("64x256", "rs"),
    ("128x256", "rs"),
)
STAGE_TILES = ("128x128x32", "128x128x64", "128x256x64", "256x128x64", "256x256x64")
LATENCIES = (0.5e-6, 1e-6)
PRODUCT = 4096
TRAFFIC_TILES = ("64x64", "128x128", "128x256", "256x128")
TRAFFIC_ORDERS = (("row", 1, "1x1"), ("grouped", 8, "1x1"), ("grouped", 8, "2x1"))

Rows = list[dict[str, Any]]
"""Rows by the names of their columns; None where there is no such number."""


def fragment_rows() -> Rows:
    """Return how many elements of each operand a lane holds, by instruction."""
    shapes = [(shape, kind) for shape, kinds in MMA_TYPES.items() for kind in kinds]
    shapes += [(f"m64n256k{k}", kind) for k, kinds in WGMMA_TYPES.items() for kind in kinds]
    return [_held(shape, kind) for shape, kind in shapes]


def _held(shape: str, kind: str) -> dict[str, Any]:
    """Return how many elements of each operand a lane holds; none of wgmma's B."""
    instruction = read_instruction(shape, kind)
    held = {
        one: None if one == "b" and instruction.warps > 1 else fragment(shape, one, kind).shape[1]
        for one in OPERANDS
    }
    row = {"instruction": shape, "element_type": kind, "multiply_adds": instruction.multiply_adds}
    return row | held


def conflict_rows() -> Rows:
    """Return the ways of the bank conflicts of ldmatrix.x4, by row width and layout."""
    rows: Rows = []
    for elements in ROW_ELEMENTS:
        ways = {}
        for swizzle in SWIZZLES:
            taken, ideal = ldmatrix_wavefronts(elements, 2, swizzle)
            ways[layout_name(read_swizzle(swizzle))] = float(taken / ideal)
        rows.append({"row_elements": elements, "row_bytes": 2 * elements, "ways": ways})
    return rows


def need_rows() -> Rows:
    """Return the multiply-adds per byte of shared memory that the Tensor Core of GPUs needs."""
    rows: Rows = []
    for card in (GPUS[name] for name in FEEDING_GPUS):
        needed = feeding(card, "64x64", instruction="mma").needed
        work = (card.tc_flop_per_cycle or 0) / 2
        rows.append({"gpu": card.name, "multiply_adds_per_cycle": work, "needed": needed})
    return rows


def feeding_rows() -> Rows:
    """Return the multiply-adds per byte of tiles, and whether that feeds the GPUs."""
    rows: Rows = []
    for tile, operands in FEEDING_TILES:
        hopper = feeding(HOPPER, tile, operands)
        mma = hopper.instruction == "mma"
        verdicts = {
            name: feeding(GPUS[name], tile, operands, instruction=hopper.instruction).verdict
            if has_instruction(GPUS[name], hopper.instruction)
            else None
            for name in FEEDING_GPUS
        }
        rows.append(
            {
                "tile": tile,
                "operands": operands,
                "instruction": hopper.instruction,
                "reuse": hopper.reuse,
                "accumulators_per_thread": hopper.accumulators_per_thread,
                "issue_interval": None if mma else hopper.issue_interval,
                "verdicts": verdicts,
            }
        )
    return rows


def stage_rows(gpu: GPU) -> Rows:
    """Return the stages that latencies need and that fit, by tile."""
    rows: Rows = []
    for tile in STAGE_TILES:
        found = stage_budget(gpu, tile, "fp16", list(LATENCIES))
        needs = zip(LATENCIES, found.stages_needed.tolist(), strict=True)
        rows.append(
            {
                "tile": tile,
                "stage_bytes": found.stage_bytes[0].item(),
                "stage_seconds": found.stage_seconds[0].item(),
                "needed": [{"latency_seconds": one, "stages": stages} for one, stages in needs],
                "stages_fit": found.stages_fit[0].item(),
                "bytes_per_second": found.bytes_per_second[0].item(),
                "gpu_bytes_per_second": found.gpu_bytes_per_second[0].item(),
            }
        )
    return rows


def traffic_rows(gpu: GPU) -> Rows:
    """Return the DRAM traffic and time of a product, by tile, order and cluster."""
    rows: Rows = []
    for tile in TRAFFIC_TILES:
        for order, group, cluster in TRAFFIC_ORDERS:
            if cluster != "1x1" and not has_clusters(gpu.compute_capability):
                continue
            found = dram_traffic(PRODUCT, PRODUCT, PRODUCT, tile, gpu, order, group, cluster)
            asked = {"tile": tile, "order": order, "group": group, "cluster": cluster}
            rows.append({**asked, **found})
    return rows
