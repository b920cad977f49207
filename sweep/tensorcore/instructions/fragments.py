"""Which lane holds which element of an operand: the register fragments of mma and wgmma.

All of the PTX ISA's maps for these shapes follow one rule. A 32-bit register of lane (g, t),
g = lane // 4 and t = lane % 4, holds the 4 bytes from byte 4 t on of row g of an 8 x 16-byte core
matrix; A's registers take the core matrices of 8 rows first down M, then along K; B's, which are
8 columns of 16 bytes, along K; the accumulators' core matrices are 8 x 8, two elements per lane,
first down M, then along N. A warpgroup's four warps hold 16 rows of a wgmma each.

Source: PTX ISA 8.5, "Warp-level matrix instructions", matrix fragments for mma.m16n8k4, k8, k16
and k32, and "Asynchronous warpgroup-level matrix instructions", register fragments and
accumulators of wgmma.m64nNk16.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from sweep.errors import InputError, unknown_name
from sweep.tensorcore.instructions.elements import ELEMENT_BITS, check_element_type

MMA_TYPES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "m16n8k4": ("tf32",),
        "m16n8k8": ("fp16", "bf16", "tf32"),
        "m16n8k16": ("fp16", "bf16", "int8", "fp8"),
        "m16n8k32": ("int8", "fp8"),
    }
)
"""The warp-level shapes and what their operands can be."""
WGMMA_TYPES = ("fp16", "bf16")
OPERANDS = ("a", "b", "c")
MOST_WGMMA_COLUMNS = 256
WARP = 32

_NAME = re.compile(r"m(\d{1,4})n(\d{1,4})k(\d{1,4})", re.ASCII)


@dataclass(frozen=True)
class Instruction:
    """The shape of an mma or wgmma: M x N x K elements."""

    name: str
    m: int
    n: int
    k: int

    @property
    def multiply_adds(self) -> int:
        """M N K."""
        return self.m * self.n * self.k

    @property
    def warps(self) -> int:
        """Warps that execute it together: 16 rows each."""
        return self.m // 16

    def extents(self, operand: str) -> tuple[int, int]:
        """Return the rows and columns of an operand."""
        return {"a": (self.m, self.k), "b": (self.k, self.n), "c": (self.m, self.n)}[operand]


def read_instruction(shape: str, element_type: str = "fp16") -> Instruction:
    """Return an instruction by its name, where it takes that element type.

    Raises
    ------
    InputError
        If there is no such shape, or not of that type.

    Examples
    --------
    >>> read_instruction("m16n8k16").multiply_adds
    2048
    """
    found = _NAME.fullmatch(shape) if isinstance(shape, str) else None
    if isinstance(shape, str) and shape in MMA_TYPES:
        check_element_type(element_type, MMA_TYPES[shape], shape)
    elif found is not None and found[1] == "64" and found[3] == "16":
        _check_wgmma_columns(shape, int(found[2]))
        check_element_type(element_type, WGMMA_TYPES, shape)
    else:
        raise unknown_name("shape", shape, (*MMA_TYPES, "m64nNk16 (N = 8, 16, ..., 256)"))
    assert found is not None
    return Instruction(shape, *(int(size) for size in found.groups()))


def _check_wgmma_columns(shape: str, columns: int) -> None:
    if columns % 8 or not 0 < columns <= MOST_WGMMA_COLUMNS:
        raise InputError(
            f"shape={shape!r}: N={columns}, wgmma takes multiples of 8 columns up to"
            f" {MOST_WGMMA_COLUMNS}"
        )


def fragment(shape: str, operand: str, element_type: str = "fp16") -> NDArray[np.int64]:
    """Return where each element of each lane lies in an operand.

    Parameters
    ----------
    shape : str
        "m16n8k8", "m16n8k16", "m16n8k32" (one warp), or "m64nNk16" for wgmma (a warpgroup), N a
        multiple of 8 up to 256.
    operand : {"a", "b", "c", "d"}
        "c" and "d" are the accumulator, which lies the same before and after.
    element_type : str
        Of A and B: fp16 or bf16; int8 or fp8 for m16n8k32.

    Returns
    -------
    numpy.ndarray of int64, shape (lanes, elements, 2)
        Row and column of each element, in the order of the lane's registers: a bijection onto the
        operand. B is K x N.

    Raises
    ------
    InputError
        If there is no such shape, type or operand.

    Examples
    --------
    >>> fragment("m16n8k16", "a")[0].tolist()
    [[0, 0], [0, 1], [8, 0], [8, 1], [0, 8], [0, 9], [8, 8], [8, 9]]
    >>> fragment("m64n256k16", "c").shape
    (128, 128, 2)
    """
    instruction = read_instruction(shape, element_type)
    name = operand.lower() if isinstance(operand, str) else ""
    if name not in (*OPERANDS, "d"):
        raise unknown_name("operand", operand, (*OPERANDS, "d"))
    name = "c" if name == "d" else name
    if name == "b" and instruction.warps > 1:
        raise InputError(
            f"operand='b' of {shape}: wgmma reads B from shared memory, no lane holds it"
        )
    return _fragment(instruction, name, ELEMENT_BITS[element_type]).copy()


@lru_cache
def _fragment(instruction: Instruction, operand: str, bits: int) -> NDArray[np.int64]:
    held = 2 if operand == "c" else 32 // bits
    along, down = _core_matrices(instruction, operand, held)
    lane, register, element = np.meshgrid(
        np.arange(WARP * instruction.warps),
        np.arange(along * down),
        np.arange(held),
        indexing="ij",
    )
    warp, g, t = lane // WARP, lane % WARP // 4, lane % 4
    outer = 16 * warp + g + 8 * (register % down)
    inner = held * t + element + 4 * held * (register // down)
    pair = (inner, outer) if operand == "b" else (outer, inner)
    return np.stack(pair, axis=-1).reshape(lane.shape[0], -1, 2).astype(np.int64)


def _core_matrices(instruction: Instruction, operand: str, held: int) -> tuple[int, int]:
    """Return the core matrices of a warp along K (N for the accumulator) and down M."""
    inner = instruction.n if operand == "c" else instruction.k
    return inner // (4 * held), 1 if operand == "b" else 2
