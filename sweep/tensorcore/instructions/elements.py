"""Element types: how wide they are, and what a number becomes when it is held in one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sweep.errors import InputError, InputTypeError, unknown_name
from sweep.quantities.arrays import Array
from sweep.quantities.named import as_array, read_named
from sweep.quantities.variables import Variable


@dataclass(frozen=True)
class Format:
    """A floating-point format.

    Attributes
    ----------
    bits : int
        Bits of an element in a register.
    significand : int
        Bits of the significand, the hidden one included.
    least_exponent : int
        Exponent of the smallest normal number.
    largest : float
        Largest finite number.
    saturates : bool
        Whether larger numbers become the largest one instead of infinity.
    """

    bits: int
    significand: int
    least_exponent: int
    largest: float
    saturates: bool = False


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "fp16": Format(16, 11, -14, 65504.0),
        "bf16": Format(16, 8, -126, (2 - 2.0**-7) * 2.0**127),
        "tf32": Format(32, 11, -126, (2 - 2.0**-10) * 2.0**127),
        "fp8": Format(8, 4, -6, 448.0, saturates=True),
    }
)
"""fp8 is E4M3, which has no infinity; ``cvt.satfinite`` gives its largest number instead."""

INTEGERS: Mapping[str, tuple[int, int, int]] = MappingProxyType(
    {
        "int8": (8, -128, 127),
        "int4": (4, -8, 7),
        "b1": (1, 0, 1),
        "int32": (32, -(2**31), 2**31 - 1),
    }
)
"""Bits and limits of the integer types; int32 is what they are summed in."""

ELEMENT_BITS: Mapping[str, int] = MappingProxyType(
    {
        **{name: one.bits for name, one in FORMATS.items()},
        **{name: bits for name, (bits, _, _) in INTEGERS.items() if name != "int32"},
        "fp64": 64,
    }
)


def held_in(name: str, values: ArrayLike, element_type: str) -> Array:
    """Return numbers as an element type holds them, rounded to nearest even.

    fp64 comes as float64, every other type as float32, which holds all of its numbers.

    Raises
    ------
    InputError
        For an integer type, if a number is no integer of its range.

    Examples
    --------
    >>> held_in("a", [1 / 3, 70_000.0], "fp16").tolist()
    [0.333251953125, inf]
    >>> held_in("a", [1 / 3, 70_000.0], "fp8").tolist()
    [0.34375, 448.0]
    """
    array = real_numbers(name, values).astype(np.float64)
    check_element_type(element_type, tuple(ELEMENT_BITS), "an operand")
    if element_type == "fp64":
        return array
    if element_type in INTEGERS:
        check_whole(name, array, element_type)
        return array.astype(np.float32)
    return rounded(array, FORMATS[element_type]).astype(np.float32)


def check_whole(name: str, array: Array, element_type: str) -> None:
    """Refuse what is no number of an integer type."""
    _, low, high = INTEGERS[element_type]
    wrong = ~((array == np.rint(array)) & (array >= low) & (array <= high))
    if wrong.any():
        raise InputError(
            f"{name}={array[wrong].ravel()[0]:.10g}: {element_type} elements are whole numbers"
            f" {low} to {high}"
        )


def rounded(values: ArrayLike, form: Format) -> NDArray[np.float64]:
    """Round numbers to a format, to nearest even, subnormal numbers included."""
    array = np.asarray(values, dtype=np.float64)
    _, exponent = np.frexp(array)
    place = np.maximum(exponent - 1, form.least_exponent) - (form.significand - 1)
    with np.errstate(invalid="ignore", over="ignore"):
        nearest = np.ldexp(np.rint(np.ldexp(array, -place)), place)
        beyond = form.largest if form.saturates else np.inf
        found = np.where(np.abs(nearest) > form.largest, np.copysign(beyond, array), nearest)
    return np.asarray(found, dtype=np.float64)


def real_numbers(name: str, values: ArrayLike) -> Array:
    """Return a matrix as an array; numbers that are not finite are kept.

    Raises
    ------
    InputError
        If it is no array of real numbers.
    """
    named = read_named(Variable(name, "physical", "1", name), values)
    array = as_array(name, values if named is None else named.array)
    if array.dtype.kind not in "iuf":
        raise InputTypeError(f"{name}: must be an array of real numbers, not {array.dtype}")
    return array


def check_element_type(element_type: object, known: tuple[str, ...], who: str) -> str:
    """Return an element type that ``who`` takes.

    Raises
    ------
    InputError
        With what it takes.
    """
    if not isinstance(element_type, str):
        raise unknown_name("element_type", element_type, known)
    if element_type not in known:
        if element_type in ("bf16", *ELEMENT_BITS, "fp4"):
            raise InputError(f"element_type={element_type!r}: {who} takes {', '.join(known)}")
        raise unknown_name("element_type", element_type, known)
    return element_type
