"""What a user gives for one value or for many: a sequence, an array, a pandas or xarray object."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sweep.errors import InputError
from sweep.hardware.gpu import GPU
from sweep.quantities.arrays import Array
from sweep.quantities.named import as_array, read_named
from sweep.quantities.variables import Variable


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


def is_many(value: tuple[Any, ...]) -> bool:
    """Whether a tuple holds many values: names, shapes or GPUs."""
    return bool(value) and all(isinstance(one, str | tuple | GPU) for one in value)
