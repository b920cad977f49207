"""What a user passes for a parameter to an argument with dimensions.

A scalar has none, a sequence is a new dimension named after the parameter, and an xarray object
or a pandas Series brings its own (``sweep.quantities.named``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sweep.errors import InputError, InputTypeError, quoted
from sweep.hardware.gpu import GPU
from sweep.inputs.labels import Label, check_labels, label_text
from sweep.quantities.arrays import Array
from sweep.quantities.named import Named, as_array, read_named
from sweep.quantities.numbers import check_length, given_numbers, held
from sweep.quantities.variables import VARIABLES, Variable


@dataclass(frozen=True)
class Argument:
    """A checked parameter.

    Attributes
    ----------
    name : str
    dims : tuple of str
        One per axis of ``array``.
    array : numpy.ndarray
        Numbers as they are held inside, or codes into ``labels``.
    labels : tuple
        What the codes stand for; empty for numbers.
    coords : mapping of str to (dims, numpy.ndarray)
        Coordinates that an xarray or pandas object brought.
    given : numpy.ndarray or None
        Numbers as they were passed, where they differ from those held inside.
    """

    name: str
    dims: tuple[str, ...]
    array: Array
    labels: tuple[Label, ...] = ()
    coords: Mapping[str, tuple[tuple[str, ...], Array]] = field(default_factory=dict)
    given: Array | None = None

    @property
    def sizes(self) -> dict[str, int]:
        """Length of each dimension."""
        return dict(zip(self.dims, self.array.shape, strict=True))

    @property
    def text(self) -> Array:
        """Its values as they stand in a dataset: numbers as passed, names and shapes as text."""
        return labelled(self.array if self.given is None else self.given, self.labels)


def labelled(codes: Array, labels: tuple[Label, ...]) -> Array:
    """Return the text that codes stand for; numbers, which have no labels, as they are."""
    if not labels:
        return codes
    return np.asarray(np.array([label_text(label) for label in labels])[codes])


def read_argument(name: str, value: Any, variable: Variable | None = None) -> Argument:
    """Read and check what was passed for a parameter.

    Parameters
    ----------
    name : str
        What the caller calls it, as messages do.
    value : scalar, sequence, one-dimensional array, pandas or xarray object
        A tuple of whole numbers is one shape where the parameter is a shape. A
        ``pandas.Series`` brings its index as a dimension, as ``xarray.DataArray(series)`` does.
    variable : Variable, optional
        What it is: dtype, limits and unit; by default the registry's row of that name.

    Raises
    ------
    InputError
        For a value that the row does not allow, an empty axis, or the wrong unit.
    InputTypeError
        For a kind of object that can be none.
    """
    variable = VARIABLES[name] if variable is None else replace(variable, name=name)
    named = read_named(variable, value)
    if named is not None:
        return _argument(variable, named.dims, named.array, named)
    if _is_scalar(variable, value):
        return _argument(variable, (), value)
    items = _sequence(variable, value)
    found = _argument(variable, (name,), items)
    if found.array.size == 0:
        raise InputError(f"{name}: an empty axis; give at least one value")
    check_distinct(found)
    return found


def check_distinct(axis: Argument) -> None:
    """Refuse an axis of names or shapes that has one of them twice."""
    if axis.labels:
        names, counts = np.unique(axis.text, return_counts=True)
        if counts.max() > 1:
            twice = quoted(str(names[counts.argmax()]))
            raise InputError(f"{axis.name}: {twice} is there twice in one axis; give it once")


def _argument(
    variable: Variable, dims: tuple[str, ...], value: Any, named: Named | None = None
) -> Argument:
    shape = () if not dims else np.shape(value) if named else (len(value),)
    array, labels, given = check_values(variable, value, shape)
    coords = named.coords if named else {}
    return Argument(variable.name, dims, array, labels, coords, given)


def check_values(
    variable: Variable, value: Any, shape: tuple[int, ...]
) -> tuple[Array, tuple[Label, ...], Array | None]:
    """Check a scalar (shape ``()``) or the items of an array against the registry.

    Returns the numbers held inside or codes, the labels, and the numbers given if they differ.
    """
    if variable.numeric:
        given = given_numbers(variable, value).reshape(shape)
        inside = held(variable, given)
        return inside, (), None if np.array_equal(inside, given) else given
    if shape == ():
        items: Any = [value.item() if isinstance(value, np.ndarray) else value]
    else:
        items = value.ravel().tolist() if isinstance(value, np.ndarray) else value
    codes, labels = check_labels(variable, items)
    return codes.reshape(shape), labels, None


def _is_scalar(variable: Variable, value: Any) -> bool:
    if isinstance(value, tuple) and variable.dtype == "shape":
        return bool(value) and not any(isinstance(item, str | tuple | list) for item in value)
    if isinstance(value, str | bytes | bytearray | GPU | np.generic) or value is None:
        return True
    if isinstance(value, np.ndarray):
        return value.ndim == 0
    return not (hasattr(value, "__iter__") or hasattr(value, "__array__"))


def _sequence(variable: Variable, value: Any) -> Any:
    """Return a one-dimensional sequence or array."""
    if isinstance(value, range):
        return range(0) if not value else _checked_range(variable, value)
    if isinstance(value, Sequence):
        check_length(variable.name, len(value))
        if variable.dtype == "shape":
            return [tuple(item) if isinstance(item, list) else item for item in value]
        return value if isinstance(value, list | tuple) else list(value)
    if hasattr(value, "__array__"):
        array = as_array(variable.name, value)
        if array.ndim == 1:
            return array
        raise InputError(
            f"{variable.name}: an array of {array.ndim} dimensions has no names for them;"
            " give an xarray.DataArray"
        )
    raise InputTypeError(
        f"{variable.name}: a {type(value).__name__} has no order to sweep; give a number,"
        " a list, a range, an array or an xarray.DataArray"
    )


def _checked_range(variable: Variable, value: range) -> Any:
    """Return a range that fits in memory; one of numbers is laid out when its ends are checked."""
    if variable.numeric:
        return given_numbers(variable, value)
    return [value[0]]  # no name and no shape is a number: refused by its first
