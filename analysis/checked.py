"""Arguments of a formula: checked like a schedule's, in any form, extensions off by default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from analysis.quantities import ROWS, limited
from sweep.catalogue.validation import beyond_generated
from sweep.description import Schedule
from sweep.errors import InputError, unknown_name
from sweep.hardware.lookup import find_gpu
from sweep.inputs.call_arguments import broadcast
from sweep.inputs.labels import check_choice
from sweep.inputs.reading import read_flag, read_numbers, read_object, read_scalar
from sweep.inputs.space import read_schedules
from sweep.quantities.arrays import Array
from sweep.quantities.variables import VARIABLES
from sweep.tensorcore.record import plain

__all__ = [
    "check_one_loop",
    "choice",
    "dataset",
    "find_gpu",
    "find_schedule",
    "nonzero",
    "numbers",
    "one",
    "plain",
    "read",
    "read_flag",
    "whole",
]


def find_schedule(schedule: str | Schedule) -> Schedule:
    """Return a schedule by its name.

    Raises
    ------
    InputError
        With the nearest name where there is none.
    """
    return read_schedules(schedule)[0][0]


def check_one_loop(schedule: Schedule, what: str) -> None:
    """Refuse a schedule with more than the circuits of one loop show.

    Raises
    ------
    InputError
        Saying ``what`` there is only for one loop.
    """
    if beyond_generated(schedule, schedule.events("consumer")):
        raise InputError(
            f"schedule={schedule.name!r}: {what} of one loop, and it has more: loops, rings, own"
            " counts or resources, agents by turns; its simulation has the output 'period'"
        )


def read(**given: Any) -> list[Array]:
    """Return numbers by the names of their parameters, checked, and so that they broadcast.

    Parameters
    ----------
    **given
        A number, a sequence, a pandas Series or Index, a DataArray each; ``analysis.quantities``
        has a row per name.

    Raises
    ------
    InputError
        In one line that names the parameter.

    Examples
    --------
    >>> [one.tolist() for one in read(bandwidth=[32, 64], latency=700)]
    [[32.0, 64.0], 700.0]
    """
    found = read_numbers(given, {name: ROWS[name] for name in given})
    broadcast(found)
    return list(found.values())


def one(name: str, value: Any) -> float:
    """Return one number of a parameter."""
    return float(read_scalar(name, value, ROWS[name]))


def whole(name: str, value: Any, lower: float | None = None, upper: float | None = None) -> int:
    """Return one whole number of a parameter, with limits of its own where they are given."""
    row = ROWS[name]
    row = limited(name, row.lower if lower is None else lower, upper)
    return int(read_scalar(name, value, row))


def nonzero(name: str, values: Array, what: str = "") -> Array:
    """Return values that something is divided by.

    Raises
    ------
    InputError
        If one of them is 0.
    """
    if not np.all(values):
        raise InputError(f"{what or name}=0: must be above 0")
    return values


def dataset(who: str, ds: Any, variables: Iterable[str], name: str = "ds") -> Any:
    """Return a Dataset that has all of these variables.

    Raises
    ------
    InputError
        For anything else.
    """
    import xarray as xr

    found = read_object(name, ds, xr.Dataset, f"a Dataset of {who}")
    for variable in variables:
        if variable not in found:
            raise InputError(f"{name}: has no variable {variable!r}, which one of {who} has")
    return found


def numbers(given: Mapping[str, Any], names: tuple[str, ...], who: str) -> dict[str, Array]:
    """Return the numbers of these names: durations on the 1/1024-cycle grid, whole counts.

    A parameter with a fixed default (``t_sync`` = 0, ``mma_in_flight`` = 0, ...) may be left out.

    Raises
    ------
    InputError
        For a parameter that ``who`` does not use, one that is missing, or a value out of limits.
    """
    for name in given:
        if name not in names:
            if name in VARIABLES:
                raise InputError(f"{name}: has no effect on {who}, which uses {', '.join(names)}")
            raise unknown_name("parameter", name, names)
    values = {}
    for name in names:
        row = VARIABLES[name]
        values[name] = given.get(name, row.default)
        if values[name] is None:
            raise InputError(f"{name}: {who} needs it; give {name}=... in {row.units}")
    found = read_numbers(values, {name: VARIABLES[name] for name in names})
    broadcast(found)
    return found


def choice(name: str, value: object) -> str:
    """Return a choice that the registry knows.

    Raises
    ------
    InputError
        With the nearest one where it does not.
    """
    return check_choice(name, value, VARIABLES[name].choices)
