"""GPUs and element types that a user names, one or many, and the numbers that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sweep.hardware.durations import ELEMENT_BYTES, element_rate
from sweep.inputs.labels import check_choice
from sweep.inputs.one_or_many import Names
from sweep.quantities.arrays import Array


def element_type_of(known: Iterable[str]) -> Callable[[Any], str]:
    """Return what reads an element type, one of those known."""
    return lambda value: check_choice("element_type", value, known)


def element_bytes(elements: Names) -> Array:
    """Return the bytes of every element type."""
    return np.array([ELEMENT_BYTES[one] for one in elements.labels])


def rates(elements: Names, cards: Names, element_codes: Array, gpu_codes: Array) -> Array:
    """Return the rate of the element type on the GPU of every point.

    Raises
    ------
    InputError
        For a type that the GPU that it meets does not support.
    """
    codes = element_codes * len(cards.labels) + gpu_codes
    table = np.full(len(elements.labels) * len(cards.labels), np.nan)
    for code in np.unique(codes):
        element, card = divmod(int(code), len(cards.labels))
        table[code] = element_rate(cards.labels[card], elements.labels[element])
    return np.asarray(table[codes])
