"""Arguments whose dimensions have names: xarray's DataArray and Variable, pandas' Series.

Neither package is imported here: an argument can only be an object of theirs where it has been
imported already.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from sweep.errors import InputError, InputTypeError, quoted
from sweep.quantities.arrays import Array
from sweep.quantities.variables import Variable

Coordinate = tuple[tuple[str, ...], Array]


class Named(NamedTuple):
    """An array, the names of its dimensions, and the coordinates that it brought."""

    dims: tuple[str, ...]
    array: Array
    coords: Mapping[str, Coordinate]


def read_named(variable: Variable, value: Any) -> Named | None:
    """Read an argument with named dimensions, None where it is no such object.

    A Series brings its index as a dimension of the index's name, ``dim_0`` where it has none, as
    ``xarray.DataArray(series)`` does.

    Raises
    ------
    InputError
        For other units than the variable's, dimensions that are there twice or are not named by
        text, an index of several levels, and no values.
    InputTypeError
        For a whole Dataset or DataFrame.
    """
    name = variable.name
    xarray, pandas = sys.modules.get("xarray"), sys.modules.get("pandas")
    for module, kind in ((xarray, "Dataset"), (pandas, "DataFrame")):
        if module is not None and isinstance(value, getattr(module, kind)):
            one = "variable" if kind == "Dataset" else "column"
            raise InputTypeError(f"{name}: a {kind} is no single parameter; give one {one} of it")
    if xarray is not None and isinstance(value, xarray.DataArray | xarray.Variable):
        found = _read_xarray(variable, value)
    elif pandas is not None and isinstance(value, pandas.Series):
        found = _read_series(name, value)
    elif pandas is not None and isinstance(value, pandas.MultiIndex):
        raise InputTypeError(f"{name}: a MultiIndex has no single values; give one level of it")
    else:
        return None
    if found.array.size == 0:
        raise InputError(f"{name}: an empty axis; give at least one value")
    return found


def as_array(name: str, value: Any) -> Array:
    """Return what an object says its array is.

    Raises
    ------
    InputTypeError
        Where it cannot say.
    """
    try:
        array = value if isinstance(value, np.ndarray) else np.asarray(value)
    except Exception as error:
        raise InputTypeError(
            f"{name}: a {type(value).__name__} gives no array: {type(error).__name__}"
        ) from None
    if array.dtype.kind == "T":  # numpy casts it to a fixed length only where told how long
        return np.array(array.ravel().tolist(), dtype=str).reshape(array.shape)
    return array


def _read_series(name: str, series: Any) -> Named:
    index = series.index
    dim = "dim_0" if index.name is None else index.name
    _check_dims(name, (dim,))
    _check_levels(name, dim, index)
    return Named((dim,), as_array(name, series), {dim: ((dim,), _plain(name, index))})


def _read_xarray(variable: Variable, value: Any) -> Named:
    name = variable.name
    units = value.attrs.get("units")
    if units is not None and not (isinstance(units, str) and units == variable.units):
        raise InputError(
            f"{name}: given in units of {quoted(units)}, must be in {variable.units!r}"
        )
    _check_dims(name, value.dims)
    coords = {}
    for key, coord in getattr(value, "coords", {}).items():
        if key in value.dims:
            _check_levels(name, key, coord.to_index())
        if isinstance(key, str):
            coords[key] = (tuple(coord.dims), _plain(name, coord))
    return Named(tuple(value.dims), as_array(name, value.values), coords)


def _check_dims(name: str, dims: tuple[Any, ...]) -> None:
    for dim in dims:
        if not isinstance(dim, str):
            raise InputError(f"{name}: dimension {quoted(dim)} must have a text name")
        if dims.count(dim) > 1:
            raise InputError(f"{name}: has the dimension {quoted(dim)} twice; rename one of them")


def _check_levels(name: str, dim: object, index: Any) -> None:
    if getattr(index, "nlevels", 1) > 1:
        raise InputError(
            f"{name}: its index along {quoted(dim)} has {index.nlevels} levels; take them apart"
            " with reset_index first"
        )


def _plain(name: str, coordinate: Any) -> Array:
    """Return a coordinate's values; text as numpy's own, which every file format holds."""
    array = as_array(name, getattr(coordinate, "values", coordinate))
    if array.dtype.kind == "O" and all(isinstance(one, str) for one in array.flat):
        return np.asarray(array.astype(str))
    return array
