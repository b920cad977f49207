"""``sweep.trace``: every event of one point, as a Dataset."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from sweep.description.interpreter import NeverHappens, interpret
from sweep.description.trace_rows import EventResult
from sweep.engine.expressible import needs_general_engine
from sweep.errors import InputError
from sweep.inputs.labels import check_choice
from sweep.inputs.limits import check_events
from sweep.inputs.space import Space
from sweep.quantities.attributes import label
from sweep.results.datasets import provenance
from sweep.results.points import ENGINES, event_parameters, one_point
from sweep.simulator.simulation import Deadlock, run_events

if TYPE_CHECKING:
    import xarray as xr


def trace(schedule: Any, *, engine: str = "batch", **parameters: Any) -> xr.Dataset:
    """Return every event of one design point.

    Parameters
    ----------
    schedule : str or Schedule
    engine : {"batch", "events"}
        The schedule's event list, or the event-driven simulator; they agree event by event.
        Under ``arbitration="fifo"`` it is always the simulator.
    **parameters
        As in ``sweep.run``, scalars only.

    Returns
    -------
    xarray.Dataset
        Over ``event``, by start: agent, resource ("" for work of the agent alone), operation,
        output_tile, k_tile (``block`` for attention; -1 for what happens once per tile), and in
        cycles since (when the agent got there), start, end, wait (start - since), and waits_for.
        ``attrs["cycles"]`` is the makespan, ``attrs["clock_hz"]`` the SM clock where it is known.

    Raises
    ------
    InputError
        For whatever a user can get wrong, and for a deadlock, saying who waits for what.

    Examples
    --------
    >>> import sweep
    >>> events = sweep.trace("sync", k_tiles=1)
    >>> events.operation.values.tolist()
    ['issue', 'transfer', 'wait_copy', 'mma', 'epilogue']
    """
    space = one_point(schedule, parameters)
    check_choice("engine", engine, ENGINES)
    return trace_dataset(space, trace_result(space, engine))


def trace_result(space: Space, engine: str = "batch") -> EventResult:
    """Run one point with every event kept; a deadlock is an error that says who waits for what."""
    schedule, p = space.schedules[0], event_parameters(space)
    check_events(schedule, p, "a trace")
    general = needs_general_engine(schedule, space.values[0])
    if general or (engine == "batch" and p.get("arbitration", "ordered") == "ordered"):
        try:
            return interpret(schedule, p)
        except NeverHappens as stuck:  # the simulator says better who waits for what
            if schedule.program is None:
                raise InputError(f"{schedule.name} deadlocks: {stuck}") from None
    try:
        return run_events(schedule, p)
    except Deadlock as stuck:
        raise InputError(f"{schedule.name} deadlocks: {stuck}") from None


def trace_dataset(space: Space, result: EventResult) -> xr.Dataset:
    """Label a run's events."""
    import xarray as xr

    rows = result.rows
    step = "block" if space.schedules[0].family == "attention" else "k_tile"
    texts = {
        name: np.array([getattr(row, name) for row in rows], dtype=str)
        for name in ("agent", "resource", "operation")
    }
    times = {
        name: np.array([getattr(row, name) for row in rows], dtype=np.float64)
        for name in ("since", "start", "end")
    }
    columns: dict[str, np.ndarray] = {
        **texts,
        "output_tile": np.array([row.output_tile for row in rows], dtype=np.int64),
        step: np.array([row.k_tile for row in rows], dtype=np.int64),
        **times,
        "wait": times["start"] - times["since"],
        "waits_for": np.array([row.waited_for for row in rows], dtype=str),
    }
    found = xr.Dataset({name: ("event", column) for name, column in columns.items()})
    scalars = {name: value for name, value in space.coords.items() if name not in columns}
    found = found.assign_coords({"event": np.arange(len(rows))} | scalars)
    found.attrs = provenance(space) | {"cycles": result.cycles}
    clock = space.values[0]["clock_hz"].item()
    if math.isfinite(clock):
        found.attrs["clock_hz"] = clock
    labelled: xr.Dataset = label(found)
    return labelled
