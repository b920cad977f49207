"""Names and GPUs that a user gives, single or many, in any form, and what follows from them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sweep.errors import InputError, InputTypeError, quoted
from sweep.hardware.durations import ELEMENT_BYTES, element_rate
from sweep.hardware.gpu import GPU, GPUS
from sweep.inputs.labels import check_choice
from sweep.quantities.arrays import Array
from sweep.quantities.named import as_array, read_named
from sweep.quantities.variables import Variable


def find_gpu(gpu: str | GPU) -> GPU:
    """Return a GPU by its name.

    Raises
    ------
    InputError
        With the nearest name where there is none, and for anything that is neither.
    """
    if isinstance(gpu, str | GPU):
        return gpu if isinstance(gpu, GPU) else GPUS.find(gpu)
    raise InputTypeError(f"gpu={quoted(gpu)}: must be one name or a GPU, not {_kind(gpu)}")


@dataclass(frozen=True)
class Names:
    """An argument of names: their codes, in the form the argument has, and what they stand for."""

    codes: Any
    labels: tuple[Any, ...]


def read_names(name: str, value: Any, read: Callable[[Any], Any]) -> Names:
    """Read one name or many, of anything that ``read`` turns into a label.

    Raises
    ------
    InputError
        As ``read``, and for no values or an object that holds none.
    """
    if isinstance(value, str | GPU) or not holds_many(name, value):
        return Names(0, (read(value),))
    items = items_of(name, value)
    labels: dict[Any, int] = {}
    codes = [labels.setdefault(read(one), len(labels)) for one in items.flat]
    return Names(in_form(value, np.array(codes).reshape(items.shape)), tuple(labels))


def label_items(name: str, value: Any) -> Array | None:
    """Return the items of what holds many values, None for one value.

    A tuple is many where it holds texts or tuples only.
    """
    if value is None or isinstance(value, str | GPU | np.generic):
        return None
    if isinstance(value, tuple) and not is_many(value):
        return None
    return items_of(name, value) if holds_many(name, value) else None


def named_form(
    name: str, value: Any
) -> tuple[tuple[str, ...], Mapping[str, tuple[tuple[str, ...], Array]]]:
    """Return the dimensions and coordinates that an argument brings, none for plain ones."""
    named = read_named(_text_row(name), value)
    return (named.dims, named.coords) if named is not None else ((), {})


def holds_many(name: str, value: Any) -> bool:
    """Whether a value is a sequence, an array, or a pandas or xarray object of several."""
    if read_named(_text_row(name), value) is not None or isinstance(value, list | tuple):
        return True
    return not isinstance(value, np.generic) and hasattr(value, "__array__")


def items_of(name: str, value: Any) -> Array:
    """Return the items of what holds many, as an array of objects."""
    named = read_named(_text_row(name), value)
    found = named.array if named is not None else value
    if isinstance(found, list | tuple):
        array = np.empty(len(found), dtype=object)
        array[:] = [tuple(one) if isinstance(one, list) else one for one in found]
    else:
        array = np.atleast_1d(np.asarray(as_array(name, found)).astype(object))
    if not array.size:
        raise InputError(f"{name}: is empty; give at least one value")
    return array


def _text_row(name: str) -> Variable:
    return Variable(name, "physical", "1", name, "str")


def in_form(value: Any, data: Array) -> Any:
    """Return data as the kind of object that an argument was: with its dimensions or index."""
    xarray, pandas = sys.modules.get("xarray"), sys.modules.get("pandas")
    if xarray is not None and isinstance(value, xarray.DataArray | xarray.Variable):
        found = value.copy(data=data)
        found.attrs = {}
        return found
    if pandas is not None and isinstance(value, pandas.Series):
        return pandas.Series(data, index=value.index)
    return data


def element_type_of(known: Iterable[str]) -> Callable[[Any], str]:
    """Return what reads an element type, one of those known."""
    return lambda value: check_choice("element_type", value, known)


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


def element_bytes(elements: Names) -> Array:
    """Return the bytes of every element type."""
    return np.array([ELEMENT_BYTES[one] for one in elements.labels])


def is_many(value: tuple[Any, ...]) -> bool:
    """Whether a tuple holds many values: names, shapes or GPUs."""
    return bool(value) and all(isinstance(one, str | tuple | GPU) for one in value)


def _kind(value: object) -> str:
    return type(value).__name__
