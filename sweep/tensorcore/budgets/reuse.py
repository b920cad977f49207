"""Whether a tile's reuse feeds the Tensor Core from shared memory, and its registers allow it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sweep.errors import Impossible
from sweep.hardware.budgets import OTHER_REGISTERS
from sweep.hardware.durations import ELEMENT_BYTES
from sweep.hardware.lookup import find_gpu
from sweep.inputs.call_arguments import Arguments, check_fields
from sweep.inputs.hardware_names import element_bytes, element_type_of, rates
from sweep.inputs.labels import check_choice
from sweep.inputs.one_or_many import Names, read_names
from sweep.quantities.arrays import Array
from sweep.tensorcore.instructions.availability import (
    INSTRUCTIONS,
    check_element_type_of,
    check_instruction,
    has_instruction,
)
from sweep.tensorcore.instructions.elements import INTEGERS
from sweep.tensorcore.instructions.instruction_shapes import (
    MOST_WGMMA_COLUMNS,
    WARP,
    WGMMA_ROWS,
    columns_text,
    has_columns,
)
from sweep.tensorcore.record import Record, plain

OPERANDS = ("ss", "rs")
WARPGROUP = 128
MMA_ROWS, MMA_COLUMNS = 16, 8
INSTRUCTION_K_BYTES = 32
"""Bytes along K of one instruction: k16 of 16-bit elements, k32 of 8-bit ones."""
FEWEST_RS_CYCLES = 13
"""Between wgmma with A in registers, however narrow; measured, Luo et al., arXiv 2501.12084."""
FIELDS = ("tc_flop_per_cycle", "smem_bytes_per_cycle", "max_registers_per_thread")
VERDICTS = ("fed", "starved", "spills", "starved and spills")


@dataclass(frozen=True, eq=False, repr=False)
class Feeding(Record):
    """What a tile takes from shared memory, numbers or arrays over tiles.

    Attributes
    ----------
    instruction : str
        "mma" (the tile is a warp's) or "wgmma" (a warpgroup's).
    reuse, needed : float
        Multiply-adds per shared-memory byte: of the tile, and for the Tensor Core's full rate.
    accumulators_per_thread, register_limit : float, int
        32-bit accumulators of a thread, and the registers it can address.
    issue_interval : float
        Cycles from one wgmma to the next: the larger of what the Tensor Core and what shared
        memory take; NaN for mma.
    feeds, fits_registers : bool
        Whether the reuse suffices, and whether the accumulators and 32 registers for the rest
        fit.
    verdict : str
        "fed", "starved" (of operands), "spills" (accumulators), or "starved and spills".
    """

    instruction: Any
    reuse: Any
    needed: Any
    accumulators_per_thread: Any
    register_limit: Any
    issue_interval: Any
    feeds: Any
    fits_registers: Any
    verdict: Any


def feeding(
    gpu: Any = "lecture",
    tile: Any = "64x256",
    operands: str = "ss",
    *,
    instruction: str | None = None,
    element_type: Any = "fp16",
    **fields: Any,
) -> Feeding:
    """Work out whether a tile feeds the Tensor Core.

    A warp tile reads its (WM + WN) rows of operands from shared memory for WM WN multiply-adds
    per element along K; a wgmma of 64 x N reads B once for its four warps, and A not at all where
    it is in registers.

    Parameters
    ----------
    gpu : str, GPU or a list of them
    tile : str, tuple or list
        M x N of a warp's tile (mma) or of a warpgroup's (wgmma: rows in multiples of 64, which take
        an instruction each); a list of tiles is an axis.
    operands : {"ss", "rs"}
        A and B from shared memory, or A from registers (wgmma).
    instruction : {"mma", "wgmma"}, optional
        By default mma before Hopper (compute capability 9.0). On Hopper wgmma where A is in
        registers or a tile of 64 rows has more accumulators than one warp's threads can hold, else
        mma. After it there is no default: tcgen05, which reads shared memory into Tensor Memory,
        is not modelled, and mma has to be asked for.
    element_type : str or list of str
    **fields : array_like
        ``tc_flop_per_cycle``, ``smem_bytes_per_cycle`` or ``max_registers_per_thread`` instead of
        the GPU's.

    Raises
    ------
    InputError
        If the tile is not made of the instruction's, a GPU does not have the instruction or not of
        the element type, or mma is to have A in registers only.

    Examples
    --------
    >>> wide = feeding("h100_sxm", "64x256")
    >>> wide.reuse, wide.needed, wide.accumulators_per_thread, wide.issue_interval, wide.verdict
    (25.6, 16.0, 128.0, 128.0, 'fed')
    >>> feeding("h100_sxm", "64x256", "rs").reuse, feeding("h100_sxm", "32x32").verdict
    (32.0, 'starved')
    """
    check_fields(fields, FIELDS, "feeding")
    operands = check_choice("operands", operands, OPERANDS)
    if instruction is not None:
        check_choice("instruction", instruction, INSTRUCTIONS)
    cards = read_names("gpu", gpu, find_gpu)
    elements = read_names("element_type", element_type, element_type_of(ELEMENT_BYTES))
    given = Arguments()
    given.shape("tile", tile, (2,), "64x256")
    given.codes("gpu", cards)
    given.codes("element_type", elements)
    given.fields(FIELDS, cards, fields)
    m, n, gpus, types, flop, smem, most = given.arrays().values()
    for card in cards.labels:
        check_instruction(card, operands, instruction)
    may = np.array([has_instruction(card, "wgmma") is not False for card in cards.labels])[gpus]
    wgmma = _uses_wgmma(may, m, n, most, operands, instruction)
    _check_tiles(m, n, wgmma, types, elements.labels)
    macs = flop / 2 * rates(elements, cards, types, gpus)
    _check_types(elements, cards, types, gpus, wgmma)
    size = element_bytes(elements)[types]
    return _worked_out(m, n, wgmma, operands == "rs", size, macs, smem, most)


def _worked_out(
    m: Array,
    n: Array,
    wgmma: Array,
    a_in_registers: bool,
    element_bytes: Array,
    macs_per_cycle: Array,
    smem_bytes_per_cycle: Array,
    register_limit: Array,
) -> Feeding:
    """Return what tiles take, point by point."""
    rows = np.where(wgmma, WGMMA_ROWS, m)
    read = (n + (0 if a_in_registers else rows)) * element_bytes
    reuse, needed = rows * n / read, macs_per_cycle / smem_bytes_per_cycle
    accumulators = m * n / np.where(wgmma, WARPGROUP, WARP)
    k = INSTRUCTION_K_BYTES / element_bytes
    by_core = rows * n * k / macs_per_cycle
    by_memory = FEWEST_RS_CYCLES if a_in_registers else read * k / smem_bytes_per_cycle
    interval = np.where(wgmma, np.maximum(by_core, by_memory), np.nan)
    feeds, fits = reuse >= needed, accumulators + OTHER_REGISTERS <= register_limit
    verdict = np.array(VERDICTS)[~feeds + 2 * ~fits]
    names = np.array(INSTRUCTIONS)[wgmma.astype(np.int64)]
    columns = (
        *(names, reuse, needed, accumulators, register_limit),
        *(interval, feeds, fits, verdict),
    )
    return Feeding(*(plain(column) for column in columns))


def _uses_wgmma(
    may: Array, m: Array, n: Array, most: Array, operands: str, instruction: str | None
) -> Array:
    if instruction is not None or operands == "rs":
        return np.full(m.shape, instruction != "mma")
    return np.asarray(may & (m == WGMMA_ROWS) & (m * n / WARP > most))


def _check_tiles(m: Array, n: Array, wgmma: Array, types: Array, kinds: Sequence[str]) -> None:
    """Refuse tiles that are not made of whole instructions, naming the first one."""
    unit = np.where(wgmma, WGMMA_ROWS, MMA_ROWS)
    wrong = (m % unit != 0) | (n % MMA_COLUMNS != 0) | wgmma & (n > MOST_WGMMA_COLUMNS)
    for code, kind in enumerate(kinds):
        if kind in INTEGERS:
            wrong |= wgmma & (types == code) & ~has_columns(kind, n)
    if wrong.any():
        rows, wide, uses, code = (one[wrong].ravel()[0] for one in (m, n, wgmma, types))
        takes = (
            f"wgmma takes multiples of {WGMMA_ROWS} rows and of {MMA_COLUMNS} columns up to"
            f" {MOST_WGMMA_COLUMNS}"
            if uses
            else f"mma takes multiples of {MMA_ROWS} rows and of {MMA_COLUMNS} columns"
        )
        if uses and has_columns("fp16", wide) and not has_columns(kinds[code], wide):
            takes = f"wgmma of {kinds[code]} takes {columns_text(kinds[code])}"
        raise Impossible(f"tile={rows}x{wide}: {takes}")


def _check_types(elements: Names, cards: Names, types: Array, gpus: Array, wgmma: Array) -> None:
    """Refuse an element type where it meets an instruction of a GPU that has no such type."""
    for kind, element_type in enumerate(elements.labels):
        for card, gpu in enumerate(cards.labels):
            for wide, instruction in enumerate(INSTRUCTIONS[:2]):
                if has_instruction(gpu, instruction, element_type) is not False:
                    continue
                if ((types == kind) & (gpus == card) & (wgmma == bool(wide))).any():
                    check_element_type_of(gpu, instruction, element_type)
