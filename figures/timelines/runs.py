"""The traces that a timeline shows: one schedule or several at the same parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sweep.description import Schedule, count_names
from sweep.errors import InputError
from sweep.inputs.rules import uses
from sweep.inputs.space import Space, read_schedules
from sweep.quantities.variables import VARIABLES
from sweep.results.points import event_parameters, one_point
from sweep.results.traces import trace_dataset, trace_result

if TYPE_CHECKING:
    import xarray as xr

SHORT_RUN: Mapping[str, int] = {"k_tiles": 8, "output_tiles": 2, "kv_blocks": 6}
"""Counts unless given: few enough to see single operations."""
SHORT_LOOP = 6
"""At most so many iterations of any other loop, unless given."""
MAX_STEPS = 250_000
"""Main-loop steps of a trace: some million events, a gigabyte."""


def timeline_traces(schedules: str, parameters: Mapping[str, Any]) -> list[xr.Dataset]:
    """Trace schedules at one point.

    Parameters
    ----------
    schedules : str
        A name, or several with commas between them.
    parameters : mapping of str to value
        As ``sweep.trace`` takes them; each goes to the schedules that use it, one at least.

    Raises
    ------
    InputError
        For whatever a user can get wrong.

    Examples
    --------
    >>> [run.attrs["cycles"] for run in timeline_traces("sync,multistage", {"stages": 3})]
    [22016.0, 11540.0]
    """
    found, _ = read_schedules(schedules.split(","))
    return [_trace(one, parameters, found) for one in found]


def _trace(
    schedule: Schedule, parameters: Mapping[str, Any], shown: tuple[Schedule, ...]
) -> xr.Dataset:
    """Trace one schedule; a parameter that only others use is left out."""
    others = frozenset().union(*(uses(one) for one in shown)) - uses(schedule)
    own = {name: value for name, value in parameters.items() if name not in others}
    space = one_point(schedule, _short(schedule, own) | own)
    _check_steps(schedule, space)
    return trace_dataset(space, trace_result(space))


def _short(schedule: Schedule, given: Mapping[str, Any]) -> dict[str, int]:
    """Return the counts of a short run that the schedule uses and nothing given sets."""
    counts = {
        name: min(int(VARIABLES[name].default or SHORT_LOOP), SHORT_LOOP)
        for loop in schedule.loops
        for name in count_names(loop.count)
    }
    return {
        name: count
        for name, count in {**counts, **SHORT_RUN}.items()
        if name in schedule.parameters and not (name == "k_tiles" and "k" in given)
    }


def _check_steps(schedule: Schedule, space: Space) -> None:
    p = event_parameters(space)
    loop, tiles = p[schedule.loop], p["output_tiles"]
    steps = sum(loop) if isinstance(loop, tuple) else loop * tiles
    if steps > MAX_STEPS:
        often = f"{schedule.loop}={loop}" + (f", output_tiles={tiles}" if tiles > 1 else "")
        raise InputError(f"{often}: a timeline shows at most {MAX_STEPS:,} steps of the main loop")
