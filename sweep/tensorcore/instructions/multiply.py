"""One mma executed from its fragments: D = A B + C."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sweep.errors import InputError
from sweep.quantities.arrays import Array
from sweep.tensorcore.instructions.accumulators import held_by, read_accumulator
from sweep.tensorcore.instructions.elements import held_in
from sweep.tensorcore.instructions.fragments import fragment
from sweep.tensorcore.instructions.instruction_shapes import (
    OPERANDS,
    Instruction,
    read_instruction,
)
from sweep.tensorcore.instructions.quadpairs import quadpair_of


def mma(
    a: ArrayLike,
    b: ArrayLike,
    c: ArrayLike,
    shape: str = "m16n8k16",
    element_type: str = "fp16",
    accumulate: str | None = None,
) -> Array:
    """Execute one instruction, or many along leading axes, from the lanes' fragments.

    Every lane's registers are loaded through ``fragment``, the products summed along K as a binary
    tree, in FP32 (FP64 of fp64), the sum added to C, and the result stored from the lanes'
    accumulators. The hardware's order of summation is not documented; products of 16-bit and 8-bit
    elements are exact in FP32, so the orders differ by a few units in the last place. Integers are
    exact and wrap around at 32 bits; elements of b1 are multiplied by ``and`` and counted.

    Parameters
    ----------
    a, b, c : array_like
        Matrices M x K, K x N and M x N, or all three as fragments (lanes x elements); a wgmma's B
        is always a matrix. "m8n8k4" of fp16 takes four of each, (4, M, K) and so on. A and B are
        rounded to the element type, C to the accumulator's.
    shape, element_type : str
        As in ``fragment``.
    accumulate : {"fp32", "fp16", "int32", "fp64"}, optional
        The element type's usual one by default. FP16 rounds the result of every instruction.

    Returns
    -------
    numpy.ndarray of float32; of float64 for fp64, of int32 for integers
        D in the form of C.

    Raises
    ------
    InputError
        For a shape, type or extent that does not exist.

    Examples
    --------
    >>> d = mma(np.eye(16), np.arange(128.0).reshape(16, 8), np.ones((16, 8)))
    >>> d[1].tolist()
    [9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]
    """
    instruction = read_instruction(shape, element_type)
    accumulator = read_accumulator(accumulate, element_type)
    maps = {
        operand: fragment(shape, operand, element_type, accumulator)
        for operand in OPERANDS
        if operand != "b" or instruction.warps == 1
    }
    given = {"a": held_in("a", a, element_type), "b": held_in("b", b, element_type)}
    given["c"] = held_by("c", c, accumulator)
    in_lanes = given["a"].shape[-2:] == maps["a"].shape[:2]
    for operand, values in given.items():
        lanes = maps[operand].shape[:2] if in_lanes and operand in maps else None
        _check_extents(operand, values, lanes or instruction.extents(operand), shape)
    if not in_lanes:
        given |= {one: load(given[one], lanes, instruction) for one, lanes in maps.items()}
    matrices = {
        one: store(given[one], maps[one], instruction, one) if one in maps else given[one]
        for one in given
    }
    _check_leading(matrices, instruction)
    result = _added(matrices["c"], _summed(matrices["a"], matrices["b"]), accumulator)
    # Through the lanes and back: a map that is no bijection would show.
    held = load(result, maps["c"], instruction)
    return held if in_lanes else store(held, maps["c"], instruction, "c")


def load(matrix: Array, lanes: Array, instruction: Instruction | None = None) -> Array:
    """Return what each lane holds of a matrix: (..., lanes, elements)."""
    return np.asarray(matrix[_places(lanes, instruction)])


def store(held: Array, lanes: Array, instruction: Instruction, operand: str) -> Array:
    """Return the matrix whose elements the lanes hold."""
    shape = (*held.shape[:-2], *instruction.extents(operand))
    missing = 0 if held.dtype.kind == "i" else np.nan
    matrix = np.full(shape, missing, dtype=held.dtype)
    matrix[_places(lanes, instruction)] = held
    return matrix


def _places(lanes: Array, instruction: Instruction | None) -> tuple[Any, ...]:
    """Return the indices of the lanes' elements: product, where there are many, row and column."""
    row, column = lanes[..., 0], lanes[..., 1]
    if instruction is None or instruction.products == 1:
        return ..., row, column
    product = quadpair_of(np.arange(lanes.shape[0]))[:, None]
    return ..., np.broadcast_to(product, row.shape), row, column


def _summed(a: Array, b: Array) -> Array:
    """Sum the products along K, halves onto halves."""
    with np.errstate(invalid="ignore", over="ignore"):
        products = a[..., :, :, None] * b[..., None, :, :]
        while products.shape[-2] > 1:
            half = products.shape[-2] // 2
            products = products[..., :half, :] + products[..., half:, :]
    return np.asarray(products[..., 0, :])


def _added(c: Array, sums: Array, accumulator: str) -> Array:
    """Add sums to the accumulators."""
    if accumulator == "int32":
        return (c.astype(np.int64) + sums.astype(np.int64)).astype(np.int32)
    with np.errstate(invalid="ignore", over="ignore"):
        return held_by("c", c + sums, accumulator)


def _check_extents(operand: str, values: Array, wanted: tuple[int, ...], shape: str) -> None:
    if values.shape[-len(wanted) :] != wanted:
        takes = ", ".join(map(str, wanted))
        raise InputError(f"{operand}: has shape {values.shape}, {shape} takes (..., {takes})")


def _check_leading(matrices: Mapping[str, Array], instruction: Instruction) -> None:
    """Refuse stacks of matrices that do not go together."""
    leading = {
        name: one.shape[: one.ndim - len(instruction.extents(name))]
        for name, one in matrices.items()
    }
    try:
        np.broadcast_shapes(*leading.values())
    except ValueError:
        shapes = ", ".join(f"{name} {shape}" for name, shape in leading.items())
        raise InputError(f"a, b, c: leading axes do not broadcast: {shapes}") from None
