"""Why the Tensor Core idles: its idle time of every point of a dataset, by cause.

The idle time is the makespan less the time that the Tensor Core is held. It is shared out by
simulating each point again and again, each time without one more duration, in this order:

=============  ===========  =====  ==========================================
removed        cause        once   what costs the cycles
=============  ===========  =====  ==========================================
t_latency      latency      fill   copies on their way
t_mma_latency  mma_latency  drain  MMAs waited for after they left the pipe
t_sync         sync         fill   passing barriers
t_issue        issue        fill   issuing copies
t_transfer     bandwidth    fill   the copy path
t_store        store        fill   staging from registers to shared memory
t_epilogue     epilogue     drain  epilogues that nothing hides
t_exp          exp          fill   exponentials that nothing hides
t_softmax      softmax      fill   the rest of softmax
others         their names  fill   a schedule's own durations, as its rows have them
=============  ===========  =====  ==========================================

With C_i the makespan without the first i durations, C_0 the point itself, the i-th duration t
accounts for s = C_(i-1) - C_i. A single occurrence of it, min(s, t), is what a longer run does not
multiply and counts as *fill* (the first copy's way to the Tensor Core; the softmax of one block
that no other block hides) or *drain* (the last MMA's completion and the last epilogue); the rest,
s - min(s, t), counts as the cause's own.

* **Non-negative**: with a fixed service order a makespan is monotone in every duration. First come
  first served it is not (Graham's anomalies): there C_i is replaced by the least of C_0 ... C_i,
  so a duration without which it all takes longer accounts for nothing.
* **Exact**: without these durations only operations on the Tensor Core take time. A critical path
  has no gap, so it consists of them, the Tensor Core is never idle, and the last C_i is the
  time it is held. The sum telescopes; on the grid of 1/1024 cycle it is equal to the bit.
* **Precedence**: a cycle that is lost to either of two causes, so that removing one alone doesn't
  save it, goes to the later one in the table; one saved by removing either goes to the earlier.
* With a producer and in sync, fill is the time before the first MMA: every path to an MMA leads
  through an issue, a transfer, a latency and a barrier. In register_staged and multistage the warp
  issues further copies before the first MMA; what these add to it counts as issue. Drain is the
  time after the last MMA: every path on from an MMA leads through its completion and an epilogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from analysis.which_schedule import check_alone, check_parameters, schedules_of
from sweep.description import Schedule
from sweep.engine.run import run_space
from sweep.errors import InputError
from sweep.inputs.space import Space, resolve
from sweep.quantities.arrays import Array
from sweep.quantities.variables import RESIDENCY, VARIABLES
from sweep.results.datasets import check_threads

if TYPE_CHECKING:
    import xarray as xr


class Cause(NamedTuple):
    """A duration's share of the idle time: its own name, and where one occurrence is counted."""

    name: str
    once: str


CAUSES: Mapping[str, Cause] = {
    "t_latency": Cause("latency", "fill"),
    "t_mma_latency": Cause("mma_latency", "drain"),
    "t_sync": Cause("sync", "fill"),
    "t_issue": Cause("issue", "fill"),
    "t_transfer": Cause("bandwidth", "fill"),
    "t_store": Cause("store", "fill"),
    "t_epilogue": Cause("epilogue", "drain"),
    "t_exp": Cause("exp", "fill"),
    "t_softmax": Cause("softmax", "fill"),
}
"""By duration, in the order in which they are removed; a schedule's own follow."""

ORDER = ("fill", *(cause.name for cause in CAUSES.values()), "drain")
"""A schedule's own come before the last."""


def idle_time(ds: xr.Dataset, schedule: Any = None, threads: int | None = None) -> xr.Dataset:
    """Share out the Tensor Core's idle time of every point by cause, as this module defines it.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``sweep.run``, or a part of one; its coordinates hold every parameter.
    schedule : str, Schedule, or a sequence of them, optional
        Needed for a user's own schedules only, of which a dataset holds the name.
    threads : int, optional
        As in ``sweep.run``.

    Returns
    -------
    xarray.Dataset
        ``idle_time`` in cycles over ``cause`` and the dimensions of the dataset: fill, latency,
        mma_latency, sync, issue, bandwidth, store, epilogue, exp, softmax, drain, without those
        that none of the schedules has, and with a schedule's own durations before drain
        (``t_convert`` is the cause convert); 0 for a cause that a schedule does not have.
        ``tc_idle_time`` is their sum, the makespan less the time that the Tensor Core is held, and
        ``idle_share`` the parts of it (NaN where the Tensor Core is never idle). All are NaN at a
        point without timing (a deadlock, or masked in ``ds``).

    Raises
    ------
    InputError
        If a schedule is neither built in nor given, several CTAs share the SM, or tiles differ; if
        it holds the Tensor Core for a duration that others take too.

    Examples
    --------
    >>> import sweep
    >>> found = idle_time(sweep.run("multistage", stages=[2, 4], t_latency=1500))
    >>> found.idle_time.idxmax("cause").values.tolist()
    ['latency', 'issue']
    >>> found.idle_time.sel(cause=["fill", "latency", "issue", "drain"], stages=2).values.tolist()
    [2368.0, 35564.0, 6200.0, 1280.0]
    """
    import xarray as xr

    threads = check_threads(threads)
    schedules = schedules_of(ds, schedule)
    check_parameters(ds, schedules)
    check_alone(ds, "idle times")
    if "t_launch" in ds.coords and (ds["t_launch"].values > 0).any():
        raise InputError("t_launch: idle times are those of CTAs that start at once; leave it 0")
    dims = ds["cycles"].dims
    parts = {cause: np.zeros(ds["cycles"].shape) for cause in _causes(schedules)}
    for index, one in enumerate(schedules):
        at: dict[Any, Any] = {"schedule": index} if "schedule" in dims else {}
        for cause, cycles in _of_schedule(ds.isel(at), one, threads).items():
            parts[cause][(index,) if at else ...] = cycles
    timed = ds["cycles"].notnull().transpose(*dims)
    stacked = xr.DataArray(np.stack(list(parts.values())), dims=("cause", *dims)).where(timed)
    total = stacked.sum("cause", skipna=False)
    found = xr.Dataset(
        {
            "idle_time": stacked,
            "tc_idle_time": total,
            "idle_share": stacked / total.where(total > 0),
        },
        coords={"cause": list(parts), **ds.coords},
    )
    _label(found)
    return found


def _causes(schedules: list[Schedule]) -> list[str]:
    own = [_cause(name) for one in schedules for name in _removed(one)]
    there = dict.fromkeys([cause.name for cause in own] + [cause.once for cause in own])
    others = [name for name in there if name not in ORDER]
    return [name for name in (*ORDER[:-1], *others, ORDER[-1]) if name in there]


def _cause(duration: str) -> Cause:
    """Return a duration's cause; a schedule's own is one by its name, in full where taken."""
    name = duration.removeprefix("t_")
    return CAUSES.get(duration) or Cause(duration if name in ORDER else name, "fill")


def _removed(schedule: Schedule) -> list[str]:
    """Return the durations that do not hold the Tensor Core, in the order of removal.

    The sum is exact only if there is a cause for every one of them.
    """
    on_tensor_core: set[str] = set()
    for release in ("consumer", "hardware"):
        events = schedule.events(release)
        on = {event.takes for event in events if event.on == "TC"}
        elsewhere = {event.takes for event in events if event.on != "TC"}
        for name in on & elsewhere - {""}:
            raise InputError(
                f"{name}: {schedule.name} holds the Tensor Core for it and takes it elsewhere too,"
                " so idle time cannot be shared out by leaving it out"
            )
        on_tensor_core |= on
    removed = [name for name in schedule.durations if name not in on_tensor_core]
    known = list(CAUSES)
    return sorted(removed, key=lambda name: known.index(name) if name in CAUSES else len(known))


def _of_schedule(ds: xr.Dataset, schedule: Schedule, threads: int | None) -> dict[str, Array]:
    """Return the cycles of every cause of one schedule, each of the shape of ``ds.cycles``."""
    dims = ds["cycles"].dims
    space = _space(ds, schedule)
    found = _telescope(space, threads)
    # A dimension along which no cycle parameter varies is not in the space.
    given = [dims[int(name.removeprefix("axis_"))] for name in space.dims] if dims else []
    order = [given.index(dim) for dim in dims if dim in given]
    index = tuple(slice(None) if dim in given else np.newaxis for dim in dims)
    return {
        cause: cycles.transpose(order)[index] if dims else cycles.reshape(())
        for cause, cycles in found.items()
    }


def _space(ds: xr.Dataset, schedule: Schedule) -> Space:
    """Give the cycle parameters of a dataset to the engine, on dimensions named axis_0, axis_1."""
    import xarray as xr

    dims = ds["cycles"].dims
    axes = {dim: f"axis_{index}" for index, dim in enumerate(dims)}
    given = {}
    several = len(str(ds.attrs.get("schedules", "")).split()) > 1
    ambiguous = ("output_tiles", "arbitration") if several else ()  # they may be another's alone
    others = (name for name in RESIDENCY if name in ds.coords and name not in ambiguous)
    for name in dict.fromkeys((*schedule.parameters, *others)):
        values = ds[name].values.astype(VARIABLES[name].dtype)
        on = [axes[dim] for dim in ds[name].dims]
        given[name] = xr.DataArray(values, dims=on) if dims else xr.DataArray([values], dims="axis")
    return resolve(schedule, given)


def _telescope(space: Space, threads: int | None) -> dict[str, Array]:
    schedule, values = space.schedules[0], dict(space.values[0])
    found = {cause: np.zeros(space.grid) for cause in _causes([schedule])}
    least = _cycles(space, values, threads)
    for name in _removed(schedule):
        takes = values[name]
        if not takes.any():
            continue
        values[name] = np.zeros_like(takes, shape=(1,) * takes.ndim)
        without = np.minimum(least, _cycles(space, values, threads))
        once = np.minimum(least - without, takes)
        found[_cause(name).once] += once
        found[_cause(name).name] += least - without - once
        least = without
    return found


def _cycles(space: Space, values: dict[str, Array], threads: int | None) -> Array:
    cycles: Array = run_space(replace(space, values=(values,)), threads)["cycles"][0]
    return cycles


def _label(found: xr.Dataset) -> None:
    for name, units, long_name in (
        ("cause", "1", "cause of idle time of the Tensor Core"),
        ("idle_time", "cycle", "idle time of the Tensor Core by cause"),
        ("tc_idle_time", "cycle", "idle time of the Tensor Core"),
        ("idle_share", "1", "share of the idle time of the Tensor Core"),
    ):
        found[name].attrs = {"units": units, "long_name": long_name}
