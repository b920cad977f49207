"""Lower bounds on the makespan, one per cause: never on the wrong side, transients included.

Each is the length of a path through the schedule's operations: what must happen before a resource
(an agent, a slot) can start, all its work in a row, and what must still happen after. A makespan
cannot be shorter than the longest of them, and where it is longer, causes alternate. They hold
with the extensions (``t_sync``, ``t_mma_latency``, ``mma_in_flight``, ``release``) and in either
arbitration.

The built-in schedules have rules of their own (`analysis.bound_rules`); any other has those that
hold for every list of events (`analysis.generic_bounds`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from analysis.bound_rules import RULES, Rows
from analysis.checked import choice, find_schedule, numbers
from analysis.generic_bounds import generic_bounds, held
from analysis.which_schedule import check_alone, check_parameters, schedules_of
from sweep.catalogue.schedules import SCHEDULES
from sweep.description import Schedule
from sweep.errors import InputError
from sweep.inputs.limits import check_run_length
from sweep.inputs.reading import read_mapping
from sweep.quantities.arrays import Array
from sweep.quantities.variables import VARIABLES

if TYPE_CHECKING:
    import xarray as xr

Numbers = Mapping[str, Array]
Bounds = dict[str, Array]


def lower_bounds(
    schedule: str | Schedule, *, release: str = "consumer", **parameters: ArrayLike
) -> Bounds:
    """Return lower bounds on the makespan by cause.

    Parameters
    ----------
    schedule : str or Schedule
        A built-in one by its name; a file or description of a user's own.
    release : {"consumer", "hardware"}
    **parameters : array_like
        Durations in cycles and counts, as the engine takes them; extensions may be left out.

    Returns
    -------
    dict of str to numpy.ndarray
        Cycles. GEMM: "bound_tensor_core", "bound_copy_bandwidth", "bound_copy_issue",
        "bound_latency" (slots' round trips, one after another), "bound_epilogue" (a consumer's
        main loops and epilogues) and, with a producer, "bound_mma_latency" (main loops whose
        consumer waits for copies and for its own MMAs). Attention:
        "bound_tensor_core", "bound_exp", "bound_softmax", "bound_serial_chain" (a warpgroup's own
        operations). Any other schedule: the bounds of its resources by the same names (the
        cycles for which each is held), "bound_agent" (the busiest agent's own work) and, where it
        has one loop, "bound_circuits" (turns round the slowest circuit of that).

    Raises
    ------
    InputError
        For a parameter that is missing, unused or out of limits, a run longer than the engine
        takes, and a built-in schedule with a duration that its rule does not account for.

    Examples
    --------
    >>> takes = dict(t_issue=10, t_transfer=768, t_latency=700, t_mma=1024, t_epilogue=1280)
    >>> found = lower_bounds("warp_specialized", stages=4, k_tiles=64, **takes)
    >>> {name: float(cycles) for name, cycles in found.items()}["bound_tensor_core"]
    68294.0
    """
    one = find_schedule(schedule)
    p = _numbers(one, parameters)
    rule = _rule(one)
    return {name: np.asarray(bound) for name, bound in rule(one, p, choice("release", release))}


def _numbers(schedule: Schedule, parameters: Mapping[str, Any]) -> Numbers:
    names = tuple(one for one in schedule.parameters if VARIABLES[one].kind != "choice")
    p = numbers(parameters, names, schedule.name)
    check_run_length(schedule, p)
    return p


def _rule(schedule: Schedule) -> Callable[[Schedule, Numbers, str], Rows]:
    if SCHEDULES.get(schedule.name) is not schedule or schedule.name not in RULES:
        return generic_bounds
    rule = RULES[schedule.name]
    for duration in schedule.durations:
        if duration not in rule.durations:
            raise InputError(f"{duration}: the bounds of {schedule.name} do not account for it")
    return rule.bounds


def tightest(bounds: Mapping[str, Array]) -> Array:
    """Return the largest of several lower bounds."""
    found = np.zeros(())
    for bound in read_mapping("bounds", bounds).values():
        found = np.maximum(found, bound)
    return found


def utilization_bounds(
    schedule: str | Schedule, *, release: str = "consumer", **parameters: ArrayLike
) -> Bounds:
    """Return upper bounds on utilisations: a resource's work over the tightest lower bound.

    Parameters and errors as in ``lower_bounds``.

    Returns
    -------
    dict of str to numpy.ndarray
        "tc_utilization" and those of the other resources that the schedule uses; shares of 1.

    Examples
    --------
    >>> takes = dict(t_issue=10, t_transfer=768, t_latency=700, t_mma=1024, t_epilogue=1280)
    >>> found = utilization_bounds("pingpong", stages=4, k_tiles=4, output_tiles=8, **takes)
    >>> {name: round(float(share), 3) for name, share in found.items()}
    {'tc_utilization': 0.922, 'mem_utilization': 0.692}
    """
    one = find_schedule(schedule)
    cycles = tightest(lower_bounds(one, release=release, **parameters))
    p = _numbers(one, parameters)
    found = {}
    for resource in one.resources:
        work = held(one, resource, p)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(cycles > 0, work / cycles, 0.0)
        found[f"{resource.lower()}_utilization"] = share
    return found


def bound_dataset(ds: xr.Dataset, schedule: Any = None) -> xr.Dataset:
    """Return the lower bounds of every point of a dataset from ``sweep.run``.

    Parameters
    ----------
    ds : xarray.Dataset
        Its coordinates hold every parameter.
    schedule : str, Schedule, or a sequence of them, optional
        Needed for a user's own schedules only, of which a dataset holds the name.

    Returns
    -------
    xarray.Dataset
        One variable per cause and "bound", the tightest, in cycles; NaN where a schedule does not
        have a cause.

    Raises
    ------
    InputError
        If a schedule is neither built in nor given, a parameter is missing, several CTAs share the
        SM, or tiles differ.

    Examples
    --------
    >>> import sweep
    >>> ds = sweep.run(["multistage", "warp_specialized"], stages=[2, 4])
    >>> found = bound_dataset(ds)
    >>> bool((found.bound <= ds.cycles).all())
    True
    """
    import xarray as xr

    schedules = schedules_of(ds, schedule)
    check_parameters(ds, schedules)
    check_alone(ds, "bounds")
    if "schedule" not in ds.dims:
        return _bounds_of(ds, schedules[0])
    parts = [_bounds_of(ds.isel(schedule=index), one) for index, one in enumerate(schedules)]
    return xr.concat(parts, dim="schedule", join="outer", coords="different", compat="equals")


def _bounds_of(ds: xr.Dataset, schedule: Schedule) -> xr.Dataset:
    import xarray as xr

    shape = ds["cycles"].shape
    names = [name for name in schedule.parameters if VARIABLES[name].kind != "choice"]
    arrays = {name: _on_grid(ds, name).astype(VARIABLES[name].dtype) for name in names}
    modes = _on_grid(ds, "release") if schedule.release_modes else np.array("consumer")
    found: dict[str, Any] = {}
    for mode in np.unique(modes):
        bounds = lower_bounds(schedule, release=str(mode), **arrays)
        bounds["bound"] = tightest(bounds)
        for cause, cycles in bounds.items():
            found[cause] = np.where(modes == mode, cycles, found.get(cause, np.nan))
    dims = ds["cycles"].dims
    whole = {cause: (dims, np.broadcast_to(cycles, shape)) for cause, cycles in found.items()}
    bounds_of = xr.Dataset(
        whole, coords={"schedule": schedule.name, **{d: ds[d] for d in dims if d in ds}}
    )
    for key, variable in bounds_of.data_vars.items():
        cause = str(key).removeprefix("bound").strip("_").replace("_", " ") or "all causes"
        variable.attrs = {"units": "cycle", "long_name": f"lower bound on the makespan: {cause}"}
    return bounds_of


def _on_grid(ds: xr.Dataset, name: str) -> Array:
    """Return a coordinate with one axis per dimension of the results, of length 1 if constant."""
    variable, dims = ds[name].variable, ds["cycles"].dims
    order = [dim for dim in dims if dim in variable.dims]
    index = tuple(slice(None) if dim in order else np.newaxis for dim in dims)
    return np.asarray(variable.transpose(*order).values[index])
