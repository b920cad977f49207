"""What products are summed in: the type of C and D, which follows from that of A and B."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from sweep.errors import InputError
from sweep.inputs.labels import check_choice
from sweep.quantities.arrays import Array
from sweep.tensorcore.instructions.elements import (
    ELEMENT_BITS,
    FORMATS,
    INTEGERS,
    check_whole,
    real_numbers,
    rounded,
)

ACCUMULATORS = ("fp32", "fp16", "int32", "fp64")
_BITS: Mapping[str, int] = MappingProxyType({"fp32": 32, "int32": 32, "fp64": 64})
_FP16 = ("fp16", "fp8")
"""Inputs that PTX lets accumulate in FP16."""


def accumulators_of(element_type: str) -> tuple[str, ...]:
    """Return the types that products of an element type are summed in, the usual one first.

    Source: PTX ISA 9.2, section 9.7.14.5.14, ``mma``.

    Examples
    --------
    >>> accumulators_of("fp8"), accumulators_of("int4")
    (('fp32', 'fp16'), ('int32',))
    """
    if element_type in INTEGERS:
        return ("int32",)
    if ELEMENT_BITS[element_type] == 64:
        return ("fp64",)
    return ("fp32", "fp16") if element_type in _FP16 else ("fp32",)


def read_accumulator(accumulate: str | None, element_type: str) -> str:
    """Return the type of the accumulators, the usual one where none is asked for.

    Raises
    ------
    InputError
        If products of the element type are not summed in it.
    """
    known = accumulators_of(element_type)
    if accumulate is None:
        return known[0]
    if check_choice("accumulate", accumulate, ACCUMULATORS) not in known:
        takes = " or ".join(known)
        only = takes if len(known) > 1 else f"{_BITS[takes]} bits only ({takes})"
        raise InputError(
            f"accumulate={accumulate!r}: element_type={element_type!r} accumulates in {only}"
        )
    return accumulate


def held_by(name: str, values: ArrayLike, accumulator: str) -> Array:
    """Return numbers as accumulators hold them: int32, float64, or float32 for fp32 and fp16.

    Raises
    ------
    InputError
        For integers, if one is no whole number of 32 bits.
    """
    array = real_numbers(name, values)
    if accumulator == "int32":
        check_whole(name, array.astype(np.float64), accumulator)
        return array.astype(np.int32)
    if accumulator == "fp64":
        return array.astype(np.float64)
    if accumulator == "fp16":
        array = rounded(array, FORMATS["fp16"])
    with np.errstate(over="ignore"):
        return array.astype(np.float32)
