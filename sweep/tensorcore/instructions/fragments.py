"""Which lane holds which element of an operand: the register fragments of mma and wgmma.

All of the PTX ISA's maps but that of Volta's m8n8k4 (``quadpairs``) follow one rule. A register of
lane (g, t), g = lane // 4 and t = lane % 4, holds neighbours of row g of a core matrix of 8 rows:
4 bytes of it from byte 4 t on, or element t where elements have 8 bytes. A's registers take the
core matrices of 8 rows first down M, then along K; B's, which are 8 columns, along K; the
accumulators' core matrices are 8 x 8, two elements per lane, first down M, then along N. A
warpgroup's four warps hold 16 rows of a wgmma each.

Source: PTX ISA 9.2, sections 9.7.14.5.1 to 9.7.14.5.13, "Matrix Fragments for mma.m8n8k4" to
"m16n8k256", and 9.7.15.5.1.1, "Register Fragments" of wgmma.m64nNk16, k8 and k32.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sweep.errors import InputError, unknown_name
from sweep.tensorcore.instructions.accumulators import read_accumulator
from sweep.tensorcore.instructions.elements import ELEMENT_BITS
from sweep.tensorcore.instructions.instruction_shapes import (
    OPERANDS,
    WARP,
    Instruction,
    read_instruction,
)
from sweep.tensorcore.instructions.quadpairs import quadpair_fragment

REGISTER_BITS = 32


def fragment(
    shape: str, operand: str, element_type: str = "fp16", accumulate: str | None = None
) -> NDArray[np.int64]:
    """Return where each element of each lane lies in an operand.

    Parameters
    ----------
    shape : str
        Of one warp: "m16n8k8", "m16n8k16", ..., "m8n8k4", ... (``MMA_TYPES`` has all); of wgmma (a
        warpgroup): "m64nNk8" of tf32, "m64nNk16" of fp16 and bf16, "m64nNk32" of fp8 and int8,
        N a multiple of 8 up to 256 (of int8, beyond 32, a multiple of 16).
    operand : {"a", "b", "c", "d"}
        "c" and "d" are the accumulator, which lies the same before and after.
    element_type : str
        Of A and B: what the shape multiplies. int8 and int4 stand for the unsigned types too, fp8
        for E4M3 and E5M2.
    accumulate : str, optional
        Type of the accumulators: fp32, fp16, int32 or fp64, by default the element type's usual
        one. Only in "m8n8k4" of fp16 do accumulators of fp16 lie elsewhere than those of fp32.

    Returns
    -------
    numpy.ndarray of int64, shape (lanes, elements, 2)
        Row and column of each element, in the order of the lane's registers: a bijection onto the
        operand. B is K x N. "m8n8k4" of fp16 computes four products: lane l holds elements of
        product l // 4 % 4, and each of them is covered once.

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
    accumulator = read_accumulator(accumulate, element_type)
    if name == "b" and instruction.warps > 1:
        raise InputError(
            f"operand='b' of {shape}: wgmma reads B from shared memory, no lane holds it"
        )
    if instruction.products > 1:
        return quadpair_fragment(name, accumulator)
    return _fragment(instruction, name, ELEMENT_BITS[element_type]).copy()


@lru_cache
def _fragment(instruction: Instruction, operand: str, bits: int) -> NDArray[np.int64]:
    held = 2 if operand == "c" else max(1, REGISTER_BITS // bits)
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
    down = instruction.m // instruction.warps // 8
    return inner // (4 * held), 1 if operand == "b" else down
