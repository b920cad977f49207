"""Element types of operands, accumulators and outputs, and the scale factors of block scaling.

Sources: PTX ISA 8.7, ``tcgen05.mma`` kinds and block scaling (``mxf8f6f4`` and ``mxf4`` a byte per
32 elements of K, ``mxf4nvf4`` a byte per 16); OCP Microscaling Formats 1.0; DeepGEMM (github
deepseek-ai/DeepGEMM, sm90 FP8: a float per row of A and 128 elements of K beside each stage, on
128 bytes for TMA; B's are loaded once a tile).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

ELEMENT_BYTES: Mapping[str, float] = MappingProxyType(
    {"bf16": 2.0, "fp16": 2.0, "tf32": 4.0, "fp8": 1.0, "int8": 1.0, "fp4": 0.5}
)
OPERAND_BYTES: Mapping[str, float] = MappingProxyType({**ELEMENT_BYTES, "int4": 0.5})
"""What an operand can be stored as; int4 is converted before it is multiplied."""
OUTPUT_BYTES = 2
"""Of an output element, unless given."""
OUTPUT_TYPES: Mapping[str, float] = MappingProxyType(
    {"bf16": 2.0, "fp16": 2.0, "fp32": 4.0, "fp8": 1.0, "int8": 1.0, "int32": 4.0}
)
ACCUMULATOR_TYPES: Mapping[str, float] = MappingProxyType({"fp32": 4.0, "fp16": 2.0, "int32": 4.0})


class Scale(NamedTuple):
    """The scale factors that go with each stage.

    Attributes
    ----------
    elements : int
        Of K that share one.
    size_a, size_b : int
        Bytes of one of A and of B; 0 where none goes with the stage.
    unit : int
        Bytes that an operand's factors of a stage are rounded up to in shared memory.
    types : tuple of str
        Element types that are scaled so.
    """

    elements: int
    size_a: int
    size_b: int
    unit: int
    types: tuple[str, ...]


SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        "none": Scale(1, 0, 0, 1, ()),
        "mxfp8": Scale(32, 1, 1, 1, ("fp8",)),
        "mxfp4": Scale(32, 1, 1, 1, ("fp4",)),
        "nvfp4": Scale(16, 1, 1, 1, ("fp4",)),
        "fp8_block": Scale(128, 4, 0, 128, ("fp8",)),
    }
)
"""By name."""


def multiplied_as(type_a: str, type_b: str) -> str:
    """Return the type that operands are multiplied in, "" where none takes both.

    That of more bytes: the other is converted on the way, or the instruction takes mixed ones. Of
    two different types of one size neither is converted.

    Examples
    --------
    >>> multiplied_as("bf16", "int4"), multiplied_as("fp8", "fp4"), multiplied_as("fp8", "int8")
    ('bf16', 'fp8', '')
    """
    if type_a == type_b:
        return type_a
    size_a, size_b = OPERAND_BYTES[type_a], OPERAND_BYTES[type_b]
    if size_a == size_b:
        return ""
    return type_a if size_a > size_b else type_b
