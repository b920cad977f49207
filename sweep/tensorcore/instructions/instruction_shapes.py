"""The shapes of mma and wgmma, and the element types that each of them multiplies.

Source: PTX ISA 9.2, section 9.7.14.5, ``mma`` (row-major A, column-major B), and 9.7.15.5.1,
``wgmma.mma_async``; its table of shapes has the columns that integers allow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from sweep.errors import InputError, unknown_name
from sweep.quantities.arrays import Array
from sweep.tensorcore.instructions.elements import INTEGERS, check_element_type

MMA_TYPES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "m8n8k4": ("fp16", "fp64"),
        "m8n8k16": ("int8",),
        "m8n8k32": ("int4",),
        "m8n8k128": ("b1",),
        "m16n8k4": ("tf32", "fp64"),
        "m16n8k8": ("fp16", "bf16", "tf32", "fp64"),
        "m16n8k16": ("fp16", "bf16", "int8", "fp8", "fp64"),
        "m16n8k32": ("int8", "fp8", "int4"),
        "m16n8k64": ("int4",),
        "m16n8k128": ("b1",),
        "m16n8k256": ("b1",),
    }
)
"""The warp-level shapes and what their operands can be."""
WGMMA_TYPES: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {8: ("tf32",), 16: ("fp16", "bf16"), 32: ("int8", "fp8")}
)
"""What the operands of m64nNk8, m64nNk16 and m64nNk32 can be."""
OPERANDS = ("a", "b", "c")
WARP = 32
"""Lanes."""
WGMMA_ROWS = 64
MOST_WGMMA_COLUMNS = 256
MOST_ODD_COLUMNS = 32
"""From here on the columns of an integer wgmma are a multiple of 16."""
QUADPAIRS = 4
"""Products that Volta's m8n8k4 computes at once, each by eight lanes."""

_NAME = re.compile(r"m(\d{1,4})n(\d{1,4})k(\d{1,4})", re.ASCII)


@dataclass(frozen=True)
class Instruction:
    """The shape of an mma or wgmma: M x N x K elements, and how many such products it computes."""

    name: str
    m: int
    n: int
    k: int
    products: int = 1

    @property
    def multiply_adds(self) -> int:
        """M N K of every product."""
        return self.products * self.m * self.n * self.k

    @property
    def warps(self) -> int:
        """Warps that execute it together: 16 rows each."""
        return max(1, self.m // 16)

    def extents(self, operand: str) -> tuple[int, ...]:
        """Return the rows and columns of an operand, after the products where there are many."""
        of = {"a": (self.m, self.k), "b": (self.k, self.n), "c": (self.m, self.n)}[operand]
        return of if self.products == 1 else (self.products, *of)


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
    m, n, k = (int(size) for size in found.groups()) if found else (0, 0, 0)
    if found and shape in MMA_TYPES:
        check_element_type(element_type, MMA_TYPES[shape], shape)
    elif m == WGMMA_ROWS and k in WGMMA_TYPES:
        check_element_type(element_type, WGMMA_TYPES[k], shape)
        if not has_columns(element_type, n):
            takes = columns_text(element_type)
            raise InputError(f"shape={shape!r}: N={n}, wgmma takes {takes}")
    else:
        wide = (f"m64nNk{deep} (N = 8, 16, ..., 256)" for deep in WGMMA_TYPES)
        raise unknown_name("shape", shape, (*MMA_TYPES, *wide))
    volta = (shape, element_type) == ("m8n8k4", "fp16")
    return Instruction(shape, m, n, k, QUADPAIRS if volta else 1)


def has_columns(element_type: str, columns: ArrayLike) -> Array:
    """Whether a wgmma of an element type has so many columns.

    Examples
    --------
    >>> has_columns("bf16", [24, 40, 264]).tolist(), has_columns("int8", [24, 40]).tolist()
    ([True, True, False], [True, False])
    """
    n = np.asarray(columns)
    fine = (n > 0) & (n % 8 == 0) & (n <= MOST_WGMMA_COLUMNS)
    if element_type in INTEGERS:
        fine &= (n <= MOST_ODD_COLUMNS) | (n % 16 == 0)
    return np.asarray(fine)


def columns_text(element_type: str) -> str:
    """Say how many columns a wgmma of an element type has."""
    few = f"8, 16, 24, {MOST_ODD_COLUMNS} columns or multiples of 16"
    some = few if element_type in INTEGERS else "multiples of 8 columns"
    return f"{some} up to {MOST_WGMMA_COLUMNS}"
