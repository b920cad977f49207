"""One coordinate per parameter from the values of each schedule."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sweep.inputs.derivation import Derivation, Quantity
from sweep.inputs.dimensions import Coordinate, squeezed
from sweep.quantities.arrays import Array
from sweep.quantities.variables import PARAMETERS, VARIABLES


def merge_coordinates(
    derivations: tuple[Derivation, ...],
    dims: Mapping[str, int],
    taken: Mapping[str, Coordinate],
) -> dict[str, Coordinate]:
    """Return the coordinate of every parameter that was given or used.

    Parameters
    ----------
    derivations : tuple of Derivation
        One per schedule, after their values have been worked out.
    dims : mapping of str to int
        Dimensions of the result.
    taken : mapping
        Coordinates that are there already and stay.

    Returns
    -------
    dict of str to (dims, numpy.ndarray)
        A GPU's own figures are left out: its name stands for them.
    """
    grid = tuple(dim for dim in dims if dim != "schedule")
    found = {}
    for name in PARAMETERS:
        per_schedule = [_shown(one, name) for one in derivations]
        if name not in taken and any(one is not None for one in per_schedule):
            found[name] = _merge(name, per_schedule, grid, "schedule" in dims)
    return found


def _shown(derivation: Derivation, name: str) -> Quantity | None:
    if VARIABLES[name].kind == "gpu_field" or name not in derivation.used:
        return derivation.given.get(name)
    return derivation.used[name]


def _merge(
    name: str, quantities: list[Quantity | None], grid: tuple[str, ...], is_axis: bool
) -> Coordinate:
    there = [one for one in quantities if one is not None]
    first = there[0]
    if not is_axis or all(_same(first, one) for one in there):
        return squeezed(first, grid)
    dims = frozenset().union(*(one.dims for one in there))
    columns = [
        None if one is None else squeezed(Quantity(dims, *one[1:]), grid) for one in quantities
    ]
    own = next(column for column in columns if column is not None)[0]
    missing = _missing(name)
    arrays = [missing if column is None else column[1] for column in columns]
    return ("schedule", *own), np.stack(np.broadcast_arrays(*arrays))


def _same(one: Quantity, other: Quantity) -> bool:
    if one is other:
        return True
    alike = (one.dims, one.labels) == (other.dims, other.labels)
    return alike and np.array_equal(_shown_numbers(one), _shown_numbers(other))


def _shown_numbers(quantity: Quantity) -> Array:
    return quantity.array if quantity.given is None else quantity.given


def _missing(name: str) -> Array:
    """Return what stands for a parameter in a schedule that does not have it."""
    dtype = VARIABLES[name].dtype
    return np.array({"float64": np.nan, "int64": 0}.get(dtype, ""))
