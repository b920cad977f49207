"""Dimensions and coordinates of the result from those of the arguments."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sweep.errors import InputError, quoted
from sweep.inputs.arguments import Argument, check_values, labelled
from sweep.inputs.derivation import Quantity
from sweep.quantities.arrays import Array
from sweep.quantities.variables import VARIABLES

Coordinate = tuple[tuple[str, ...], Array]


def lay_out(
    arguments: Mapping[str, Argument], schedules: tuple[str, ...] | None
) -> tuple[dict[str, int], dict[str, Coordinate]]:
    """Return the dimensions in order and the coordinates that axes and xarray objects bring.

    Parameters
    ----------
    arguments : mapping of str to Argument
    schedules : tuple of str or None
        Names along the dimension "schedule", None where there is none.

    Raises
    ------
    InputError
        Where two arguments share a dimension and differ in its length or coordinate, or a
        dimension is named after something that it is not.
    """
    dims: dict[str, int] = {}
    coords: dict[str, Coordinate] = {}
    if schedules is not None:
        dims["schedule"] = len(schedules)
        coords["schedule"] = (("schedule",), np.array(schedules))
    owners = dict.fromkeys(dims, "schedule")
    for argument in arguments.values():
        for dim, size in argument.sizes.items():
            _check_dimension(argument.name, dim, arguments, schedules)
            if dims.setdefault(dim, size) != size:
                raise InputError(
                    f"{argument.name}: length {size} along dimension {dim!r}, but"
                    f" {owners[dim]} has {dims[dim]}"
                )
            owners.setdefault(dim, argument.name)
    for name in dims:
        if name in arguments:
            coords[name] = ((name,), arguments[name].text)
    for argument in arguments.values():
        for name, coord in argument.coords.items():
            _add_coordinate(argument.name, name, coord, coords, dims)
    return dims, coords


def _check_dimension(
    name: str,
    dim: str,
    arguments: Mapping[str, Argument],
    schedules: tuple[str, ...] | None,
) -> None:
    if dim == "schedule" and schedules is None:
        raise InputError(f"{name}: has the dimension 'schedule'; give a list of schedules")
    if dim in VARIABLES and dim != "schedule":
        kind = VARIABLES[dim].kind
        own = arguments.get(dim)
        if kind in ("output", "flag", "trace"):
            raise InputError(f"{name}: dimension {dim!r} has the name of an output; rename it")
        if own is None or own.dims != (dim,):
            raise InputError(
                f"{name}: dimension {dim!r} has the name of a parameter that does not vary"
                f" along it; give {dim}=... with it, or rename it"
            )


def _add_coordinate(
    argument: str,
    name: str,
    coord: Coordinate,
    coords: dict[str, Coordinate],
    dims: Mapping[str, int],
) -> None:
    """Add what an xarray object brought; a dimension's coordinate must agree with what is there.

    As in xarray, other coordinates that differ are dropped. One named after a quantity or a
    dimension is dropped too: the run's own values stand there.
    """
    coord_dims, values = coord
    if name in dims and coord_dims == (name,):
        values = _checked(name, values)
        if name not in coords:
            coords[name] = (coord_dims, values)
        elif not same_values(coords[name][1], values):
            raise InputError(
                f"{argument}: its coordinate along {name!r} differs from that of the other"
                f" arguments ({_first_difference(coords[name][1], values)})"
            )
    elif name not in VARIABLES and name not in dims:
        there = coords.setdefault(name, coord)
        if there[0] != coord_dims or not same_values(there[1], values):
            del coords[name]


def _checked(name: str, values: Array) -> Array:
    """Bring a coordinate of a parameter to the form that its values have."""
    if name not in VARIABLES or name == "schedule":
        return values
    array, labels, given = check_values(VARIABLES[name], values, values.shape)
    return labelled(array if given is None else given, labels)


def same_values(one: Array, other: Array) -> bool:
    """Whether two coordinates are equal; NaN equals NaN, as in xarray."""
    numeric = one.dtype.kind in "iuf" and other.dtype.kind in "iuf"
    try:
        return bool(np.array_equal(one, other, equal_nan=numeric))
    except (TypeError, ValueError):  # objects that do not compare
        return False


def _first_difference(one: Array, other: Array) -> str:
    pairs = zip(one.tolist(), other.tolist(), strict=True)
    at, (left, right) = next((i, pair) for i, pair in enumerate(pairs) if pair[0] != pair[1])
    return f"{quoted(left)} and {quoted(right)} at {at}"


def expand(argument: Argument, grid: tuple[str, ...], schedule: int | None = None) -> Quantity:
    """Return an argument with one axis per dimension of the grid, in its order.

    Parameters
    ----------
    argument : Argument
    grid : tuple of str
        The dimensions other than "schedule".
    schedule : int, optional
        Which schedule to take along the dimension "schedule".
    """
    dims = [dim for dim in argument.dims if schedule is None or dim != "schedule"]
    order = sorted(range(len(dims)), key=lambda axis: grid.index(dims[axis]))

    def spread(array: Array) -> Array:
        if schedule is not None:
            array = np.take(array, schedule, axis=argument.dims.index("schedule"))
        sizes = dict(zip(dims, array.shape, strict=True))
        shape = tuple(sizes.get(dim, 1) for dim in grid)
        return array.transpose(order).reshape(shape)

    given = None if argument.given is None else spread(argument.given)
    return Quantity(frozenset(dims), spread(argument.array), argument.labels, given)


def squeezed(quantity: Quantity, grid: tuple[str, ...]) -> Coordinate:
    """Return a quantity with the dimensions it depends on only, as a coordinate."""
    numbers = quantity.array if quantity.given is None else quantity.given
    array = labelled(numbers, quantity.labels)
    dims = tuple(dim for dim in grid if dim in quantity.dims)
    shape = tuple(n for dim, n in zip(grid, array.shape, strict=True) if dim in quantity.dims)
    return dims, array.reshape(shape)
