"""The data path as four tables that a person reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sweep.hardware.gpu import GPU, GPUS
from sweep.hardware.instructions import has_clusters
from sweep.inputs.hardware_names import find_gpu
from sweep.inputs.labels import check_choice
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

Rows = Sequence[Sequence[str]]


def tensorcore_table(name: str, gpu: str | GPU = "lecture") -> str:
    """Return one of the tables as aligned text.

    Parameters
    ----------
    name : {"banks", "feeding", "stages", "traffic"}
        Fragments and bank conflicts; reuse and registers; ring depth; DRAM traffic of 4096^3.
    gpu : str or GPU
        Whose figures stages and traffic show.

    Raises
    ------
    InputError
        With the nearest name where there is none, or for an unknown GPU.

    Examples
    --------
    >>> tensorcore_table("stages").splitlines()[3].split()[:6]
    ['128x128x32', '16,384', '0.140', '5', '9', '14']
    """
    return TABLES[check_choice("table", name, TABLES)](find_gpu(gpu))


def _banks(gpu: GPU) -> str:
    rows: list[tuple[str, ...]] = [("instruction", "type", "multiply-adds", "A", "B", "C")]
    rows += [_held(shape, kind) for shape, kinds in MMA_TYPES.items() for kind in kinds]
    rows += [_held(f"m64n256k{k}", kind) for k, kinds in WGMMA_TYPES.items() for kind in kinds]
    ways = [("BK", "row bytes", *(layout_name(read_swizzle(one)) for one in SWIZZLES))]
    for row in ROW_ELEMENTS:
        counts = (ldmatrix_wavefronts(row, 2, one) for one in SWIZZLES)
        ways.append((f"{row}", f"{2 * row}", *(f"{taken / ideal:g}" for taken, ideal in counts)))
    return "\n".join(
        [
            "Elements that each lane holds of an operand",
            "",
            _aligned(rows, left=2),
            "",
            "Bank conflict ways of ldmatrix.x4, 16-bit rows of BK elements, by layout",
            "",
            _aligned(ways, left=0),
        ]
    )


def _held(shape: str, kind: str) -> tuple[str, ...]:
    """Return how many elements of each operand a lane holds; none of wgmma's B."""
    instruction = read_instruction(shape, kind)
    held = (
        "-" if one == "b" and instruction.warps > 1 else str(fragment(shape, one, kind).shape[1])
        for one in OPERANDS
    )
    return shape, kind, f"{instruction.multiply_adds:,}", *held


def _feeding(gpu: GPU) -> str:
    cards = [GPUS[name] for name in FEEDING_GPUS]
    needs = [("GPU", "multiply-adds per cycle", "needed per shared-memory byte")]
    for card in cards:
        flop = card.tc_flop_per_cycle or 0
        needed = feeding(card, "64x64", instruction="mma").needed
        needs.append((card.name, f"{flop / 2:,.0f}", f"{needed:g}"))
    head = ("tile", "A, B", "instruction", "per byte", "accumulators", "wgmma cycles")
    rows = [(*head, *(card.name for card in cards))]
    rows += [_fed(tile, operands, cards) for tile, operands in FEEDING_TILES]
    return "\n".join(
        [
            "Multiply-adds per shared-memory byte that the Tensor Core needs, 16-bit elements",
            "",
            _aligned(needs, left=1),
            "",
            "What tiles have, and accumulators per thread (ss: A and B from shared memory, rs: A in"
            " registers)",
            "",
            _aligned(rows, left=3),
        ]
    )


def _fed(tile: str, operands: str, cards: Sequence[GPU]) -> tuple[str, ...]:
    """Return what a tile has on Hopper, and the verdict on every GPU that has its instruction."""
    hopper = feeding(HOPPER, tile, operands)
    verdicts = (
        feeding(card, tile, operands, instruction=hopper.instruction).verdict
        if has_instruction(card, hopper.instruction)
        else "-"
        for card in cards
    )
    return (
        tile,
        operands,
        hopper.instruction,
        f"{hopper.reuse:g}",
        f"{hopper.accumulators_per_thread:g}",
        "-" if hopper.instruction == "mma" else f"{hopper.issue_interval:g}",
        *verdicts,
    )


def _stages(gpu: GPU) -> str:
    head = ["tile", "stage byte", "stage time us"]
    head += [f"needed {latency * 1e6:g} us" for latency in LATENCIES]
    rows = [(*head, "fit", "GB/s per SM", "TB/s of all SMs")]
    for tile in STAGE_TILES:
        found = stage_budget(gpu, tile, "fp16", list(LATENCIES))
        rows.append(
            (
                tile,
                f"{found.stage_bytes[0]:,}",
                f"{found.stage_seconds[0] * 1e6:.3f}",
                *(f"{needed}" for needed in found.stages_needed),
                f"{found.stages_fit[0]}",
                f"{found.bytes_per_second[0] / 1e9:.0f}",
                f"{found.gpu_bytes_per_second[0] / 1e12:.1f}",
            )
        )
    title = f"Stages that cover a latency, and that fit, 16-bit elements on {gpu.name}"
    return "\n".join([title, "", _aligned(rows, left=1)])


def _traffic(gpu: GPU) -> str:
    head = ("tile", "order", "cluster", "waves", "efficiency", "MB", "us", "L2 read MB", "stream-K")
    rows = [head]
    for tile in TRAFFIC_TILES:
        for order, group, cluster in TRAFFIC_ORDERS:
            if cluster != "1x1" and not has_clusters(gpu.compute_capability):
                continue
            found = dram_traffic(PRODUCT, PRODUCT, PRODUCT, tile, gpu, order, group, cluster)
            rows.append(
                (
                    tile,
                    order if group == 1 else f"{order} {group}",
                    cluster,
                    f"{found.waves}",
                    f"{found.wave_efficiency:.3f}",
                    f"{found.bytes / 1e6:,.0f}",
                    f"{found.seconds * 1e6:.0f}",
                    f"{found.l2_read_bytes / 1e6:,.0f}",
                    f"{found.stream_k_tiles}",
                )
            )
    floor = f"{found.floor_bytes / 1e6:,.0f} MB, {found.floor_seconds * 1e6:.0f} us"
    held, there = found.l2_needed_bytes / 2**20, (gpu.l2_bytes or 0) / 2**20
    return "\n".join(
        [
            f"DRAM traffic of {PRODUCT}^3, 16-bit elements, on {gpu.name}",
            f"compute {found.compute_seconds * 1e6:.0f} us; floor {floor}, with an L2 of"
            f" {held:,.0f} MiB (has {there:,.1f} MiB)",
            "",
            _aligned(rows, left=3),
        ]
    )


def _aligned(rows: Rows, left: int) -> str:
    """Align cells, the first ``left`` columns to the left and the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = zip(row, widths, strict=True)
        padded = (
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(cells)
        )
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


TABLES: Mapping[str, Callable[[GPU], str]] = MappingProxyType(
    {"banks": _banks, "feeding": _feeding, "stages": _stages, "traffic": _traffic}
)
"""The tables by name."""
