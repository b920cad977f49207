"""One design point: every parameter and output by its name."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from sweep.engine.blocks import BLOCK_POINTS, blocks
from sweep.engine.outputs import allocate, finish_block
from sweep.engine.run import run_block
from sweep.engine.variants import prepare
from sweep.errors import InputError
from sweep.host.tables import Block, Prose, pairs, whole
from sweep.inputs.labels import check_choice
from sweep.inputs.limits import check_events
from sweep.inputs.space import Space, resolve
from sweep.quantities.grid import GRID
from sweep.quantities.variables import OUTPUTS, VARIABLES
from sweep.results.flag import Flag
from sweep.results.verdict import uses, verdict
from sweep.simulator.simulation import Deadlock, run_events

ENGINES = ("batch", "events")
NO_TIMING = "nan: what never ends has no cycles, and no shares of them"
"""Of a deadlock."""


class Point(Mapping[str, Any]):
    """The result of ``simulate``: parameters and outputs as attributes and as items.

    Flags (``bottleneck``, ``feasible``, ``infeasible_reason``, ``unknown_reason``) are words that
    also equal the integers of a Dataset. ``verdict`` says in one line that the point deadlocks and
    who waits for what, that it does not fit and what is short, or why that is not known; it is
    empty for a point that fits, and the first line of what is printed otherwise. ``uses`` has what
    it takes of the shared memory and of the registers, beside what there is, where that is known.
    """

    def __init__(
        self, values: Mapping[str, Any], verdict: str = "", uses: Mapping[str, str] | None = None
    ) -> None:
        self._values = dict(values)
        self.verdict = verdict
        self.uses = dict(uses or {})

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"a point has no {name!r}") from None

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def blocks(self) -> list[Block]:
        """Return what is printed: the verdict, what nan means, every value, and what is used."""
        deadlock = self._values.get("infeasible_reason") == "deadlock"
        told = [self.verdict, NO_TIMING if deadlock else ""]
        rows = ((name, _value_text(name, value)) for name, value in self._values.items())
        return [*(Prose(one) for one in told if one), pairs([*rows, *self.uses.items()])]

    def __repr__(self) -> str:
        return whole(self.blocks())


def simulate(schedule: Any, *, engine: str = "batch", **parameters: Any) -> Point:
    """Simulate one design point.

    Parameters
    ----------
    schedule : str or Schedule
    engine : {"batch", "events"}
        The compiled recurrence, or the event-driven simulator; they agree to the cycle.
    **parameters
        As in ``sweep.run``, scalars only.

    Returns
    -------
    Point
        Every parameter and output by its name; times in cycles.

    Raises
    ------
    InputError
        For whatever a user can get wrong, in one line.

    Examples
    --------
    >>> import sweep
    >>> one = sweep.simulate("warp_specialized", stages=4, k_tiles=64)
    >>> one.cycles, round(one.tc_utilization, 4), one.bottleneck
    (68294.0, 0.9596, tensor_core)
    """
    space = one_point(schedule, parameters)
    check_choice("engine", engine, ENGINES)
    if engine == "events":
        check_events(space.schedules[0], event_parameters(space), "engine='events'")
    shape = space.grid
    outputs = allocate(shape)
    prepare(space.schedules[0], space.values[0])
    run_block(space, next(blocks(space, BLOCK_POINTS)), outputs)
    if engine == "events":
        _replace_timing(space, outputs)
    found: dict[str, Any] = {"schedule": space.schedules[0].name}
    found |= {name: np.asarray(values).item() for name, (_, values) in space.coords.items()}
    for name in OUTPUTS:
        value = outputs[name].item()
        found[name] = Flag(value, name) if VARIABLES[name].kind == "flag" else value
    reason, unknown = found["infeasible_reason"].meaning, found["unknown_reason"].meaning
    told = verdict(space, event_parameters(space), reason, unknown)
    return Point(found, told, uses(space, unknown))


def one_point(schedule: Any, parameters: Mapping[str, Any]) -> Space:
    """Resolve parameters that must describe a single point."""
    space = resolve(schedule, parameters)
    if space.dims:
        axes = ", ".join(f"{dim} ({size} values)" for dim, size in space.dims.items())
        raise InputError(f"one point is asked for, but there are axes: {axes}; use sweep.run")
    return space


def event_parameters(space: Space) -> dict[str, Any]:
    """Return a single point's parameters as the event-driven simulator takes them."""
    schedule, values = space.schedules[0], space.values[0]
    found = {name: values[name].item() for name in schedule.parameters}
    for name in schedule.parameters:
        if VARIABLES[name].kind == "choice":
            found[name] = VARIABLES[name].choices[found[name]]
    return found


def _replace_timing(space: Space, outputs: dict[str, np.ndarray]) -> None:
    """Put the simulator's makespan and what follows from it in place of the kernel's.

    The period and what sets it are properties of the event list, and stay.
    """
    schedule = space.schedules[0]
    try:
        result = run_events(schedule, event_parameters(space))
    except Deadlock:
        outputs["cycles"][...] = np.nan
        finish_block(schedule, space.values[0], outputs)
        return
    outputs["cycles"][...] = result.cycles
    finish_block(schedule, space.values[0], outputs)
    with np.errstate(invalid="ignore", divide="ignore"):
        for resource, time in result.held.items():
            outputs[f"{resource.lower()}_utilization"][...] = np.divide(time, result.cycles)


def _value_text(name: str, value: Any) -> str:
    variable = VARIABLES.get(name)
    units = variable.units if variable and variable.units != "1" else ""
    text = _digits(value, units) if isinstance(value, float) else str(value)
    return f"{text} {units}" if units else text


def _digits(value: float, units: str) -> str:
    """Write times on the grid of 1/1024 cycle in full: they are exact."""
    exact = units == "cycle" and math.isfinite(value) and (value * GRID).is_integer()
    return f"{Decimal(value):f}" if exact else f"{value:.10g}"
