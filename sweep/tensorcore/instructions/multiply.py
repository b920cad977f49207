"""One mma executed from its fragments: D = A B + C."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sweep.errors import InputError
from sweep.inputs.labels import check_choice
from sweep.quantities.arrays import Array
from sweep.tensorcore.instructions.elements import FORMATS, held_in, real_numbers, rounded
from sweep.tensorcore.instructions.fragments import Instruction, fragment, read_instruction

ACCUMULATORS = ("fp32", "fp16")
FP16_ACCUMULATING = ("fp16", "fp8")
"""Inputs that PTX lets accumulate in FP16."""


def mma(
    a: ArrayLike,
    b: ArrayLike,
    c: ArrayLike,
    shape: str = "m16n8k16",
    element_type: str = "fp16",
    accumulate: str = "fp32",
) -> NDArray[np.float32]:
    """Execute one instruction, or many along leading axes, from the lanes' fragments.

    Every lane's registers are loaded through ``fragment``, the products summed along K in FP32 as
    a binary tree, the sum added to C, and the result stored from the lanes' accumulators. The
    hardware's order of summation is not documented; products of 16-bit and 8-bit elements are
    exact in FP32, so the orders differ by a few units in the last place.

    Parameters
    ----------
    a, b, c : array_like
        Matrices M x K, K x N and M x N, or all three as fragments (lanes x elements); a wgmma's B
        is always a matrix. A and B are rounded to the element type, C to the accumulator's.
    shape, element_type : str
        As in ``fragment``.
    accumulate : {"fp32", "fp16"}
        FP16 rounds the result of every instruction. int8 sums are exact.

    Returns
    -------
    numpy.ndarray of float32
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
    _check_accumulate(accumulate, element_type)
    maps = {
        operand: fragment(shape, operand, element_type)
        for operand in ("a", "b", "c")
        if operand != "b" or instruction.warps == 1
    }
    given = {"a": held_in("a", a, element_type), "b": held_in("b", b, element_type)}
    given["c"] = _accumulator(c, accumulate)
    in_lanes = given["a"].shape[-2:] == maps["a"].shape[:2]
    for operand, values in given.items():
        lanes = maps[operand].shape[:2] if in_lanes and operand in maps else None
        _check_extents(operand, values, lanes or instruction.extents(operand), shape)
    if not in_lanes:
        given |= {one: load(given[one], lanes) for one, lanes in maps.items()}
    matrices = {
        one: store(given[one], maps[one], instruction, one) if one in maps else given[one]
        for one in given
    }
    _check_leading(matrices)
    with np.errstate(invalid="ignore", over="ignore"):
        d = matrices["c"] + _summed(matrices["a"], matrices["b"])
    result = _accumulator(d, accumulate)
    # Through the lanes and back: a map that is no bijection would show.
    held = load(result, maps["c"])
    return held if in_lanes else store(held, maps["c"], instruction, "c")


def load(matrix: Array, lanes: Array) -> Array:
    """Return what each lane holds of a matrix: (..., lanes, elements)."""
    return np.asarray(matrix[..., lanes[..., 0], lanes[..., 1]])


def store(held: Array, lanes: Array, instruction: Instruction, operand: str) -> Array:
    """Return the matrix whose elements the lanes hold."""
    matrix = np.full((*held.shape[:-2], *instruction.extents(operand)), np.nan, dtype=held.dtype)
    matrix[..., lanes[..., 0], lanes[..., 1]] = held
    return matrix


def _summed(a: Array, b: Array) -> Array:
    """Sum the products along K in FP32, halves onto halves."""
    products = a[..., :, :, None] * b[..., None, :, :]
    while products.shape[-2] > 1:
        half = products.shape[-2] // 2
        products = products[..., :half, :] + products[..., half:, :]
    return np.asarray(products[..., 0, :])


def _accumulator(values: ArrayLike, accumulate: str) -> NDArray[np.float32]:
    array = real_numbers("c", values)
    if accumulate == "fp16":
        array = rounded(array, FORMATS["fp16"])
    with np.errstate(over="ignore"):
        return array.astype(np.float32)


def _check_accumulate(accumulate: str, element_type: str) -> None:
    check_choice("accumulate", accumulate, ACCUMULATORS)
    if accumulate == "fp16" and element_type not in FP16_ACCUMULATING:
        raise InputError(
            f"accumulate='fp16': element_type={element_type!r} accumulates in 32 bits only"
        )


def _check_extents(operand: str, values: Array, wanted: tuple[int, ...], shape: str) -> None:
    if values.shape[-2:] != wanted:
        raise InputError(
            f"{operand}: has shape {values.shape}, {shape} takes (..., {wanted[0]}, {wanted[1]})"
        )


def _check_leading(matrices: Mapping[str, Array]) -> None:
    """Refuse stacks of matrices that do not go together."""
    try:
        np.broadcast_shapes(*(one.shape[:-2] for one in matrices.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {one.shape[:-2]}" for name, one in matrices.items())
        raise InputError(f"a, b, c: leading axes do not broadcast: {shapes}") from None
