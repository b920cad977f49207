"""Numbers as a user gives them, checked against their quantity's limits and unit."""

from __future__ import annotations

import math
import numbers
import sys
from typing import Any

import numpy as np

from sweep.errors import InputError, InputTypeError, quoted, shorten
from sweep.host.memory import available_bytes, human_bytes
from sweep.quantities.arrays import Array
from sweep.quantities.grid import GRID, to_grid
from sweep.quantities.variables import Variable, on_grid


def check_numbers(variable: Variable, value: Any) -> Array:
    """Return checked numbers as they are held inside: durations on the 1/1024-cycle grid.

    Parameters
    ----------
    variable : Variable
        What they are: name, dtype, limits and unit.
    value : number, sequence of numbers or numpy.ndarray
        A whole number may be given as a float (2.0).

    Raises
    ------
    InputError
        For anything that is not a finite real number within the limits.
    """
    return held(variable, given_numbers(variable, value))


def given_numbers(variable: Variable, value: Any) -> Array:
    """Return checked numbers as they were passed, float64 or int64 by the variable's dtype."""
    if type(value) in (int, float):
        return _limited_scalar(variable, value)
    array = _number_array(variable, value)
    if array.size == 0:
        return array
    _check_limits(variable, array)
    if variable.dtype == "int64":
        return _whole(variable, array)
    return array.astype(np.float64, copy=False) + 0.0


def held(variable: Variable, given: Array) -> Array:
    """Return numbers as they are held inside: cycles that add up are multiples of 1/1024."""
    if not on_grid(variable):
        return given
    if given.ndim == 0:
        return np.array(round(given.item() * GRID) / GRID + 0.0)
    return to_grid(given)


def _limited_scalar(variable: Variable, value: float) -> Array:
    """Check one Python number without array operations, which cost more than all else."""
    above = value > variable.lower if variable.above_lower else value >= variable.lower
    if not (above and value <= min(variable.upper, sys.float_info.max)):
        raise _outside(variable, value)
    if variable.dtype == "int64":
        if value != int(value):
            raise _fractional(variable, value)
        return np.array(int(value), dtype=np.int64)
    return np.array(float(value) + 0.0)


def _number_array(variable: Variable, value: Any) -> Array:
    if isinstance(value, range):
        return _range_array(variable, value)
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise InputError(f"{variable.name}: has masked values; give numbers only")
    array = value if isinstance(value, np.ndarray) else None
    if array is None or array.dtype.kind == "O":
        items = array.ravel().tolist() if array is not None else items_of(value)
        plain = set(map(type, items)) <= {int, float}
        for item in () if plain else items:
            if not is_real(item):
                raise _not_a_number(variable, item)
        shape = array.shape if array is not None else np.shape(value)
        array = np.array(items).reshape(shape)
        if array.dtype.kind == "O":
            array = np.array([_float(variable, item) for item in items]).reshape(shape)
    if array.dtype.kind not in "iuf":
        raise _not_a_number(variable, _first(array))
    if array.dtype.kind == "f" and array.dtype != np.float64:
        with np.errstate(over="ignore"):
            array = array.astype(np.float64)  # a limit may not fit into float16
    return array


def _first(array: Array) -> Any:
    """Return an example of what an array holds; a time keeps its type, which ``item`` drops."""
    if array.size == 0:
        return str(array.dtype)
    one = array.ravel()[0]
    return one if array.dtype.kind in "mM" else one.item()


def is_real(item: Any) -> bool:
    """Whether an object is a real number: True and False are none, nor are times."""
    if isinstance(item, bool | np.bool_ | np.timedelta64):  # numpy says a timedelta is an integer
        return False
    return isinstance(item, numbers.Real)


def _range_array(variable: Variable, value: range) -> Array:
    """Return a range's numbers, checked by its ends before they are laid out."""
    if not value:
        return np.empty(0, dtype=np.int64)
    for end in (value[0], value[-1]):
        _limited_scalar(variable, end)
    check_length(variable.name, (value[-1] - value[0]) // value.step + 1)
    return np.arange(value.start, value[-1] + (1 if value.step > 0 else -1), value.step)


def check_length(name: str, count: int) -> None:
    """Refuse an axis whose values alone do not fit in memory."""
    free = available_bytes()
    if 8 * count > free:
        raise InputError(
            f"{name}: {shorten(f'{count:,}')} values need {human_bytes(8 * count)} of memory,"
            f" {human_bytes(free)} are free: give fewer values"
        )


def _float(variable: Variable, item: numbers.Real) -> float:
    try:
        return float(item)
    except OverflowError:
        raise _outside(variable, item) from None


def items_of(value: Any) -> list[Any]:
    """Return the items of a list or tuple, or the one value in a list."""
    return list(value) if isinstance(value, list | tuple) else [value]


def _check_limits(variable: Variable, array: Array) -> None:
    """Refuse NaN, infinities and what lies outside the limits, naming the first one."""
    low, high = array.min(), array.max()
    above = low > variable.lower if variable.above_lower else low >= variable.lower
    if above and high <= variable.upper and np.isfinite(high):
        return
    wrong = ~(array > variable.lower if variable.above_lower else array >= variable.lower)
    wrong |= ~(array <= variable.upper) | ~np.isfinite(array)
    raise _outside(variable, array[wrong].ravel()[0].item())


def _whole(variable: Variable, array: Array) -> Array:
    if array.dtype.kind == "f":
        fractional = array != np.floor(array)
        if fractional.any():
            raise _fractional(variable, array[fractional].ravel()[0].item())
    return array.astype(np.int64)


def _outside(variable: Variable, value: Any) -> InputError:
    if isinstance(value, float) and not math.isfinite(value):
        limit = "finite"
    elif value > variable.lower:
        limit = f"at most {variable.with_unit(f'{variable.upper:.17g}')}"
    else:
        sign = "above" if variable.above_lower else "at least"
        limit = f"{sign} {variable.with_unit(f'{variable.lower:g}')}"
    return InputError(f"{variable.name}={variable.with_unit(shorten(value))}: must be {limit}")


def _fractional(variable: Variable, value: object) -> InputError:
    return InputError(
        f"{variable.name}={variable.with_unit(shorten(value))}: must be a whole number"
    )


def _not_a_number(variable: Variable, value: object) -> InputError:
    unit = "" if variable.units == "1" else f" (in {variable.units})"
    kind = "whole number" if variable.dtype == "int64" else "number"
    return InputTypeError(
        f"{variable.name}={quoted(value)}: must be a {kind}{unit}, not {kind_of(value)}"
    )


def kind_of(value: object) -> str:
    """Name the type of a value."""
    return type(value).__name__
