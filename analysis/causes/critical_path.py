"""Critical path of one point: which operations, one after another, make up the makespan.

An operation starts at the moment when the last thing that it waited for is over: its agent's
previous operation, a barrier (through a latency in flight, perhaps), or its resource's previous
use. Going back so from the last end of the run leads to cycle 0 without a gap, hence the lengths
on the way sum to the makespan exactly.

**Ties.** Where several things are over at that moment, the agent's own previous operation counts
first (it did not wait at all), then what its event comes after in the order of the schedule's
list, then the resource; that is also what the trace's ``waits_for`` names. Where resources serve
first come, first served, ``waits_for`` decides. Of several operations
that end last, the one counts that started first; of these, the first in the schedule's list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from analysis.causes.happenings import Before, Happening, linked
from analysis.causes.traced_run import parameters_of, rows_of, step_of
from analysis.checked import dataset
from analysis.which_schedule import check_parameters, schedule_of
from sweep.errors import InputError
from sweep.host.tables import Column, Table
from sweep.quantities.attributes import label
from sweep.quantities.variables import VARIABLES

if TYPE_CHECKING:
    import xarray as xr


PATH_VARIABLES = ("operation", "parameter", "resource", "duration")


def critical_path(trace: xr.Dataset, schedule: Any = None) -> xr.Dataset:
    """Return the chain of operations and latencies that ends with the makespan.

    Parameters
    ----------
    trace : xarray.Dataset
        Of one point, from ``sweep.trace``: any schedule, service order and engine.
    schedule : str or Schedule, optional
        Its file or description. Needed for a user's own schedule only, of which a trace holds the
        name.

    Returns
    -------
    xarray.Dataset
        Over ``step``, by time; each step starts where the one before it ends, the first at cycle
        0. agent and resource ("" for a delay in flight), operation, parameter (the cycle parameter
        that is its duration, "" for none), output_tile, k_tile (``block`` for attention), start,
        end, duration in cycles, and waits_for: through what it was reached, "" for its agent's
        previous operation. ``attrs["cycles"]`` is the makespan.

    Raises
    ------
    InputError
        If the schedule is neither built in nor given, or does not fit the trace.

    Examples
    --------
    >>> import sweep
    >>> path = critical_path(sweep.trace("sync", k_tiles=1))
    >>> path.parameter.values.tolist()
    ['t_issue', 't_transfer', 't_latency', 't_sync', 't_mma', 't_epilogue']
    >>> float(path.duration.sum()) == path.attrs["cycles"]
    True
    """
    one = schedule_of(trace, schedule, "trace")
    check_parameters(trace, [one], "trace")
    step = step_of(trace)
    if step not in trace or "since" not in trace:
        raise InputError("trace: must be of one point, from sweep.trace")
    steps = walk(linked(one, parameters_of(trace, one), rows_of(trace)))
    return _dataset(steps, trace, step)


def walk(happenings: list[Happening]) -> list[tuple[Happening, str]]:
    """Return what makes up the makespan, from cycle 0 on, each with what it was reached through."""
    holders = {
        (one.event.on, one.end): one for one in happenings if one.event.on and one.end > one.start
    }
    operations = [one for one in happenings if one.agent]
    at: Happening | None = max(operations, key=lambda one: (one.end, -one.start))
    path = []
    while at is not None:
        before = _let_go(at, holders)
        path.append((at, before.name))
        at = before.happening
    return path[::-1]


def _let_go(one: Happening, holders: dict[tuple[str, float], Happening]) -> Before:
    """Return the first of what was over when ``one`` started, what its row names before others.

    Where nobody fixes the order of a resource, whoever held it until then.
    """
    over = [before for before in one.after if before.end == one.start]
    named = [before for before in over if before.name == one.waits_for]
    unordered = one.event.on not in ("", *(before.name for before in one.after))
    held_by = holders.get((one.event.on, one.start)) if unordered else None
    if held_by is not None and not named and one.waits_for == one.event.on:
        return Before(held_by, one.event.on)
    if over:
        return (named or over)[0]
    if not one.after and one.start == 0.0:
        return Before(None, "")
    return Before(holders[one.event.on, one.start], one.event.on)


class Contribution(NamedTuple):
    """What one kind of operation adds to the makespan.

    Attributes
    ----------
    operation, parameter, resource : str
        As in the path.
    steps : int
        How often it is on the path.
    cycles : float
        What these take together.
    """

    operation: str
    parameter: str
    resource: str
    steps: int
    cycles: float


@dataclass(frozen=True)
class Attribution:
    """A makespan by what it is made of; prints as a table.

    Attributes
    ----------
    schedule : str
    cycles : float
        The makespan, the sum over the contributions.
    contributions : tuple of Contribution
        The largest first.
    """

    schedule: str
    cycles: float
    contributions: tuple[Contribution, ...]

    def __str__(self) -> str:
        cycles = f"{self.cycles:,.10g} cycles"
        return f"{self.schedule}: a critical path of {cycles}\n{_table(self)}".rstrip("\n")

    __repr__ = __str__


def attribute(path: xr.Dataset) -> Attribution:
    """Sum up a critical path by operation.

    In a fixed service order the number of steps of a parameter is also a slope of the makespan:
    a cycle more of it costs at least that many, a cycle less saves at most that many.

    Parameters
    ----------
    path : xarray.Dataset
        From ``critical_path``.

    Examples
    --------
    >>> import sweep
    >>> attribute(critical_path(sweep.trace("warp_specialized", t_latency=1500, stages=2)))
    warp_specialized: a critical path of 107,968 cycles
      t_latency   arrive         32 x  48,000  44.5 %
      t_mma       mma       TC   33 x  33,792  31.3 %
      t_transfer  transfer  MEM  32 x  24,576  22.8 %
      t_epilogue  epilogue        1 x   1,280   1.2 %
      t_issue     issue          32 x     320   0.3 %
    """
    path = dataset("critical_path", path, PATH_VARIABLES, "path")
    kinds: dict[tuple[str, str, str], list[float]] = {}
    columns = (path[name].values.tolist() for name in PATH_VARIABLES)
    for *kind, cycles in zip(*columns, strict=True):
        kinds.setdefault((kind[0], kind[1], kind[2]), []).append(cycles)
    found = [Contribution(*kind, len(takes), sum(takes)) for kind, takes in kinds.items()]
    found.sort(key=lambda one: -one.cycles)
    return Attribution(path.attrs["schedules"], float(path.attrs["cycles"]), tuple(found))


def _table(one: Attribution) -> Table:
    columns = (*[Column(key=True)] * 3, *[Column(right=True)] * 3)
    rows = [
        (
            *(row.parameter, row.operation, row.resource),
            f"{row.steps} x",
            f"{row.cycles:,.10g}",
            f"{row.cycles / one.cycles:.1%}".replace("%", " %"),
        )
        for row in one.contributions
        if row.cycles > 0
    ]
    return Table(columns, {"": rows}, indent=2)


def _dataset(steps: list[tuple[Happening, str]], trace: xr.Dataset, step: str) -> xr.Dataset:
    import xarray as xr

    columns: dict[str, list[Any]] = {
        "agent": [one.agent for one, _ in steps],
        "resource": [one.event.on for one, _ in steps],
        "operation": [one.event.label for one, _ in steps],
        "parameter": [one.event.takes for one, _ in steps],
        "output_tile": [one.output_tile for one, _ in steps],
        step: [one.k_tile for one, _ in steps],
        "start": [one.start for one, _ in steps],
        "end": [one.end for one, _ in steps],
        "duration": [one.end - one.start for one, _ in steps],
        "waits_for": [name for _, name in steps],
    }
    dtypes = {"parameter": "str", "duration": "float64"}
    arrays = {
        name: ("step", np.array(column, dtype=dtypes.get(name) or VARIABLES[name].dtype))
        for name, column in columns.items()
    }
    scalars = {name: one.variable for name, one in trace.coords.items() if name != "event"}
    found = xr.Dataset(arrays, coords={"step": np.arange(len(steps)), **scalars})
    found.attrs = dict(trace.attrs)
    labelled: xr.Dataset = label(found)
    labelled["step"].attrs = {"units": "1", "long_name": "position on the critical path"}
    labelled["parameter"].attrs = {"units": "1", "long_name": "cycle parameter of its duration"}
    labelled["duration"].attrs = {"units": "cycle", "long_name": "length of the step"}
    return labelled
