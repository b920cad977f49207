"""Arguments of single functions, read as ``sweep.run`` reads them: numbers, names and objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from sweep.errors import InputError, InputTypeError, quoted
from sweep.inputs.arguments import Argument
from sweep.inputs.dimensions import same_values
from sweep.quantities.arrays import Array
from sweep.quantities.named import Named, as_array, read_named
from sweep.quantities.numbers import given_numbers, held
from sweep.quantities.variables import Variable

T = TypeVar("T")
INFINITY = float("inf")


def number_row(
    name: str,
    units: str = "1",
    *,
    whole: bool = False,
    lower: float = 0,
    upper: float = INFINITY,
    above_lower: bool = False,
) -> Variable:
    """Return a row for a number that no registry has: its unit, integrality and limits."""
    dtype = "int64" if whole else "float64"
    upper = min(upper, 2**53) if whole else upper
    return Variable(
        name, "physical", units, name, dtype, lower=lower, upper=upper, above_lower=above_lower
    )


def read_number(name: str, value: Any, row: Variable | None = None, **limits: Any) -> Array:
    """Return one argument's numbers, checked, in the shape that it has.

    Parameters
    ----------
    name : str
        What the caller calls it, as messages do.
    value : scalar, (nested) sequence, array of any shape, Series, Index or DataArray
    row : Variable, optional
        Dtype, unit and limits; durations are rounded to the 1/1024-cycle grid.
    **limits
        Without a row: ``units, whole, lower, upper, above_lower`` as ``number_row`` takes them.

    Returns
    -------
    numpy.ndarray of float64 or int64
        A scalar has no dimensions.

    Raises
    ------
    InputError
        Naming the first one that is out of limits.
    InputTypeError
        For what is no number.

    Examples
    --------
    >>> read_number("rows", [1, 2.0], whole=True, lower=1).tolist()
    [1, 2]
    """
    return read_numbers({name: value}, {name: row or number_row(name, **limits)})[name]


def read_scalar(name: str, value: Any, row: Variable | None = None, **limits: Any) -> Any:
    """Return one number, an int or a float: as ``read_number``, and refuse arrays."""
    array = read_number(name, value, row, **limits)
    if array.ndim:
        raise InputError(f"{name}: one number is asked for, not {array.size:,}")
    return array.item()


def read_numbers(
    given: Mapping[str, Any], rows: Mapping[str, Variable], *, empty: bool = False
) -> dict[str, Array]:
    """Return the numbers of several arguments, so that they broadcast against each other.

    Plain arrays follow numpy's rules. Arguments with named dimensions (DataArray, Series) are
    zipped along those that they share and crossed along the others, as everywhere in xarray; a
    plain array beside them must have the shape of all of them together.

    Parameters
    ----------
    given : mapping of str to value
        By the names that the caller uses.
    rows : mapping of str to Variable
        A row for each of them; its own name does not matter.
    empty : bool
        Whether no value at all is fine.
    """
    named, arrays = {}, {}
    for name, value in given.items():
        row = rows[name]
        row = row if row.name == name else replace(row, name=name)
        one = read_named(row, value)
        if one is not None:
            named[name] = one
        numbers = given_numbers(row, _values(name, value) if one is None else one.array)
        if numbers.size == 0 and not empty:
            raise InputError(f"{name}: is empty; give at least one value")
        arrays[name] = held(row, numbers)
    return _aligned(named, arrays) if named else arrays


def _values(name: str, value: Any) -> Any:
    """Return what ``given_numbers`` takes: an array's values, a nested sequence as an array."""
    if isinstance(value, np.ndarray | str | bytes | range):
        return value
    if isinstance(value, list | tuple):
        if any(isinstance(one, list | tuple | np.ndarray) for one in value):
            return _nested(name, value)
        return value
    if hasattr(value, "__array__") and not isinstance(value, np.generic):
        return as_array(name, value)
    return value


def _nested(name: str, value: Any) -> Array:
    try:
        array = np.array(value)
    except ValueError:
        raise InputError(f"{name}: its rows have different lengths") from None
    except Exception:
        raise InputTypeError(f"{name}={quoted(value)}: must be numbers") from None
    if array.dtype.kind not in "iufO":
        raise InputTypeError(f"{name}={quoted(value)}: must be numbers")
    return array


def shared_sizes(named: Mapping[str, Named | Argument]) -> dict[str, int]:
    """Return the length of every dimension that arguments have, in order of appearance.

    Raises
    ------
    InputError
        If two of them differ along a dimension, in length or coordinate.
    """
    sizes: dict[str, int] = {}
    seen: dict[str, tuple[str, Array]] = {}
    for name, one in named.items():
        for dim, size in zip(one.dims, one.array.shape, strict=True):
            if sizes.setdefault(dim, size) != size:
                raise InputError(
                    f"{name}: length {size} along dimension {dim!r}, but another has {sizes[dim]}"
                )
            if dim in one.coords:
                owner, values = seen.setdefault(dim, (name, one.coords[dim][1]))
                if not same_values(values, one.coords[dim][1]):
                    raise InputError(
                        f"{name}: its coordinate along {dim!r} differs from that of {owner}"
                    )
    return sizes


def _aligned(named: Mapping[str, Named], arrays: dict[str, Array]) -> dict[str, Array]:
    sizes = shared_sizes(named)
    dims, whole = list(sizes), tuple(sizes.values())
    for name, array in arrays.items():
        if name in named:
            own = named[name].dims
            order = sorted(range(len(own)), key=lambda axis: dims.index(own[axis]))
            shape = tuple(sizes[dim] if dim in own else 1 for dim in dims)
            arrays[name] = array.transpose(order).reshape(shape)
        elif array.ndim and array.shape != whole:
            raise InputError(
                f"{name}: shape {array.shape} beside named dimensions {', '.join(dims)} of"
                f" {whole}; give an xarray.DataArray"
            )
    return arrays


def read_flag(name: str, value: Any) -> bool:
    """Return True or False, and refuse everything else."""
    if not isinstance(value, bool | np.bool_):
        raise InputTypeError(f"{name}={quoted(value)}: must be True or False")
    return bool(value)


def read_mapping(name: str, value: Any) -> Mapping[str, Any]:
    """Return parameters by name.

    Raises
    ------
    InputTypeError
        For what is no mapping.
    """
    if not isinstance(value, Mapping):
        kind = type(value).__name__
        raise InputTypeError(f"{name}={quoted(value)}: must be a mapping of names, not {kind}")
    return value


def read_object(name: str, value: Any, kind: type[T], what: str) -> T:
    """Return an object of that kind, ``what`` in words ("a Dataset of sweep.run").

    Raises
    ------
    InputTypeError
        For an object of another kind.
    """
    if not isinstance(value, kind):
        raise InputTypeError(f"{name}={quoted(value)}: must be {what}, not {type(value).__name__}")
    return value
