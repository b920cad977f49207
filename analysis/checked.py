"""Parameters of a schedule for a formula: checked like a user's, extensions off by default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.checks import check_numbers
from sweep.description import Schedule
from sweep.errors import InputError, unknown_name
from sweep.space import read_schedules
from sweep.variables import VARIABLES

Array = NDArray[Any]


def find_schedule(schedule: str | Schedule) -> Schedule:
    """Return a schedule by its name.

    Raises
    ------
    InputError
        With the nearest name where there is none.
    """
    return read_schedules(schedule)[0][0]


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
    found = {}
    for name in names:
        row = VARIABLES[name]
        value = given.get(name, row.default)
        if value is None:
            raise InputError(f"{name}: {who} needs it; give {name}=... in {row.units}")
        found[name] = np.asarray(check_numbers(row, value))
    return found


def choice(name: str, value: object) -> str:
    """Return a choice that the registry knows.

    Raises
    ------
    InputError
        With the nearest one where it does not.
    """
    if value not in VARIABLES[name].choices:
        raise unknown_name(name, value, VARIABLES[name].choices)
    return str(value)
