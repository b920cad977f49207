"""What a user passes for a parameter to an argument with dimensions.

A scalar has none, a sequence is a new dimension named after the parameter, and an xarray object
brings its own. xarray is never imported here: an argument can only be an xarray object where it
has been imported already.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.checks import Label, check_labels, check_numbers, label_text
from sweep.errors import InputError
from sweep.hardware import GPU
from sweep.memory import available_bytes, human_bytes
from sweep.variables import VARIABLES, Variable

Array = NDArray[Any]


@dataclass(frozen=True)
class Argument:
    """A checked parameter.

    Attributes
    ----------
    name : str
    dims : tuple of str
        One per axis of ``array``.
    array : numpy.ndarray
        Numbers, or codes into ``labels``.
    labels : tuple
        What the codes stand for; empty for numbers.
    coords : mapping of str to (dims, numpy.ndarray)
        Coordinates that an xarray object brought.
    """

    name: str
    dims: tuple[str, ...]
    array: Array
    labels: tuple[Label, ...] = ()
    coords: Mapping[str, tuple[tuple[str, ...], Array]] = field(default_factory=dict)

    @property
    def sizes(self) -> dict[str, int]:
        """Length of each dimension."""
        return dict(zip(self.dims, self.array.shape, strict=True))

    @property
    def text(self) -> Array:
        """Its values as they stand in a dataset: numbers, or names and shapes as text."""
        return labelled(self.array, self.labels)


def labelled(codes: Array, labels: tuple[Label, ...]) -> Array:
    """Return the text that codes stand for; numbers, which have no labels, as they are."""
    if not labels:
        return codes
    return np.asarray(np.array([label_text(label) for label in labels])[codes])


def read_argument(name: str, value: Any) -> Argument:
    """Read and check what was passed for a parameter.

    Parameters
    ----------
    name : str
        A parameter of the registry.
    value : scalar, sequence, one-dimensional array or xarray.DataArray
        A tuple of whole numbers is one shape where the parameter is a shape.

    Raises
    ------
    InputError
        For a value that the registry does not allow, an empty axis, or the wrong unit.
    """
    variable = VARIABLES[name]
    if _is_xarray(value):
        return _read_xarray(variable, value)
    if _is_scalar(variable, value):
        array, labels = check_values(variable, value, ())
        return Argument(name, (), array, labels)
    if hasattr(value, "__len__") and 8 * len(value) > available_bytes():
        raise InputError(
            f"{name}: {len(value):,} values need {human_bytes(8 * len(value))} of memory,"
            f" {human_bytes(available_bytes())} are free: give fewer values"
        )
    items = _sequence(variable, value)
    array, labels = check_values(variable, items, (len(items),))
    if array.size == 0:
        raise InputError(f"{name}: an empty axis; give at least one value")
    if labels and len(np.unique(array)) < len(array):
        codes, counts = np.unique(array, return_counts=True)
        twice = label_text(labels[codes[counts.argmax()]])
        raise InputError(f"{name}: {twice!r} is there twice in one axis; give it once")
    return Argument(name, (name,), array, labels)


def check_values(
    variable: Variable, value: Any, shape: tuple[int, ...]
) -> tuple[Array, tuple[Label, ...]]:
    """Check a scalar (shape ``()``) or the items of an array against the registry."""
    if variable.numeric:
        array = check_numbers(variable, value)
        return array.reshape(shape), ()
    if shape == ():
        items: Any = [value]
    else:
        items = value.ravel().tolist() if isinstance(value, np.ndarray) else value
    codes, labels = check_labels(variable, items)
    return codes.reshape(shape), labels


def _is_xarray(value: Any) -> bool:
    xarray = sys.modules.get("xarray")
    return xarray is not None and isinstance(value, xarray.DataArray | xarray.Variable)


def _is_scalar(variable: Variable, value: Any) -> bool:
    if isinstance(value, tuple) and variable.dtype == "shape":
        return bool(value) and not any(isinstance(item, str | tuple | list) for item in value)
    if isinstance(value, str | bytes | GPU | np.generic) or value is None:
        return True
    if isinstance(value, np.ndarray):
        return value.ndim == 0
    return not (hasattr(value, "__iter__") or hasattr(value, "__array__"))


def _sequence(variable: Variable, value: Any) -> Any:
    """Return a one-dimensional sequence or array."""
    if isinstance(value, Sequence):
        if variable.dtype == "shape":
            return [tuple(item) if isinstance(item, list) else item for item in value]
        return value
    if hasattr(value, "__array__"):
        array = value if isinstance(value, np.ndarray) else np.asarray(value)
        if array.ndim == 1:
            return array
        raise InputError(
            f"{variable.name}: an array of {array.ndim} dimensions has no names for them;"
            " give an xarray.DataArray"
        )
    raise InputError(
        f"{variable.name}: a {type(value).__name__} has no order to sweep; give a number,"
        " a list, a range, an array or an xarray.DataArray"
    )


def _read_xarray(variable: Variable, value: Any) -> Argument:
    name = variable.name
    units = value.attrs.get("units")
    if units is not None and units != variable.units:
        raise InputError(f"{name}: given in units of {units!r}, must be in {variable.units!r}")
    for dim in value.dims:
        if not isinstance(dim, str):
            raise InputError(f"{name}: dimension {dim!r} must have a text name")
    data = np.asarray(value.values)
    if data.size == 0:
        raise InputError(f"{name}: an empty axis; give at least one value")
    item = data.item() if data.ndim == 0 else data
    array, labels = check_values(variable, item, data.shape)
    coords = {
        key: (tuple(coord.dims), np.asarray(coord.values))
        for key, coord in getattr(value, "coords", {}).items()
        if isinstance(key, str)
    }
    return Argument(name, tuple(value.dims), array, labels, coords)
