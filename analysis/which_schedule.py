"""Which schedules a dataset is of: it holds their names, and a user's own are not in the catalogue.

So every function of a dataset takes ``schedule=``, the file or the description of what has no
entry there; what is built in needs none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sweep.catalogue.schedules import SCHEDULES
from sweep.description import Schedule
from sweep.errors import InputError
from sweep.inputs.space import read_schedules
from sweep.quantities.variables import VARIABLES

if TYPE_CHECKING:
    import xarray as xr


def schedules_of(ds: xr.Dataset, schedule: Any = None, name: str = "ds") -> list[Schedule]:
    """Return the schedules of a dataset, in its order.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``sweep.run`` or ``sweep.trace``, or a part of one.
    schedule : str, Schedule, or a sequence of them, optional
        Files or descriptions of those that are a user's own.
    name : str
        What the caller calls ``ds``.

    Raises
    ------
    InputError
        For something else than such a dataset, for a schedule that is neither built in nor given,
        and for one that is given and not in the dataset.
    """
    names = _names(ds, name)
    given = {} if schedule is None else {one.name: one for one in read_schedules(schedule)[0]}
    for one in given:
        if one not in names:
            raise InputError(f"schedule={one!r}: {name} is of {', '.join(names)}")
    return [given[one] if one in given else _in_catalogue(one, name) for one in names]


def schedule_of(ds: xr.Dataset, schedule: Any = None, name: str = "ds") -> Schedule:
    """Return the schedule of a dataset that has only one; errors as in `schedules_of`."""
    found = schedules_of(ds, schedule, name)
    if len(found) > 1:
        names = ", ".join(one.name for one in found)
        raise InputError(f"{name}: must be of one schedule, not of {names}")
    return found[0]


def check_parameters(ds: xr.Dataset, schedules: list[Schedule], name: str = "ds") -> None:
    """Refuse a dataset that lacks a parameter of its schedules.

    Raises
    ------
    InputError
        Naming the first one.
    """
    for schedule in schedules:
        for parameter in schedule.parameters:
            if parameter not in ds:
                raise InputError(
                    f"{name}: has no coordinate {parameter!r}, which {schedule.name} uses"
                )


def check_alone(ds: xr.Dataset, what: str) -> None:
    """Refuse a dataset of several CTAs on an SM, or of tables over output tiles.

    Raises
    ------
    InputError
        Naming the parameter, and ``what`` there is not.
    """
    if "ctas_per_sm" in ds.coords and (ds["ctas_per_sm"].values > 1).any():
        most = ds["ctas_per_sm"].values.max()
        raise InputError(f"ctas_per_sm={most}: {what} are those of one CTA on an SM")
    for name, coordinate in ds.coords.items():
        known = VARIABLES.get(str(name))
        if known is None or known.kind not in ("duration", "count"):
            continue
        if coordinate.dtype.kind in "OUT":
            raise InputError(f"{name}: {what} are those of output tiles that are alike")


def _names(ds: Any, name: str) -> list[str]:
    import xarray as xr

    if not isinstance(ds, xr.Dataset):
        raise InputError(f"{name}: must be a Dataset of sweep, not of type {type(ds).__name__}")
    if "schedule" in ds.coords:
        return [str(one) for one in np.ravel(ds["schedule"].values)]
    names = str(ds.attrs.get("schedules", "")).split()
    if len(names) != 1:
        raise InputError(f"{name}: does not say which schedule it is of")
    return names


def _in_catalogue(schedule: str, name: str) -> Schedule:
    if schedule not in SCHEDULES:
        raise InputError(
            f"schedule {schedule!r} is not built in, and {name} holds its name only:"
            " give schedule=..., its file or its description"
        )
    return SCHEDULES[schedule]
