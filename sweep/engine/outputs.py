"""The outputs of a run: their arrays, and what follows from cycles and period."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweep.description import RESOURCES, Event, Schedule, Steps
from sweep.description.circuits import uses_of
from sweep.description.counts import linear
from sweep.engine.feasibility import feasibility
from sweep.quantities.arrays import Array, Values
from sweep.quantities.variables import OUTPUTS, VARIABLES

Outputs = dict[str, Array]


TIMING = ("cycles", "period", "bottleneck")
"""What kernels write; the rest follows from it."""


def allocate(shape: tuple[int, ...]) -> Outputs:
    """Return arrays of zeros for every output."""
    return {name: np.zeros(shape, VARIABLES[name].dtype) for name in OUTPUTS}


def result_bytes(points: int) -> int:
    """Return the size of the outputs of that many points."""
    return points * sum(np.dtype(VARIABLES[name].dtype).itemsize for name in OUTPUTS)


def finish_block(schedule: Schedule, values: Values, out: Outputs) -> None:
    """Fill in what follows from cycles and period: utilisations, throughput, feasibility.

    What cannot exist has no numbers, whatever its placeholders gave.
    """
    _rates(schedule, values, out)
    dead = np.isnan(out["cycles"])  # durations are finite: only a deadlock has no makespan
    for name, flags in feasibility(schedule, values, dead)._asdict().items():
        out[name][...] = flags
    if values["impossible"].any():
        nowhere = np.broadcast_to(values["impossible"] != 0, dead.shape)
        for name in OUTPUTS:
            if VARIABLES[name].kind == "output":
                out[name][nowhere] = np.nan
        out["bottleneck"][nowhere] = 0


def _rates(schedule: Schedule, values: Values, out: Outputs) -> None:
    """Fill in the utilisations and the throughput from cycles and period."""
    steps = values[schedule.loop].astype(np.float64)
    tiles = values["output_tiles"] if schedule.tile_level else 1
    per_period = steps if schedule.tile_level else 1.0
    events = schedule.events("consumer")
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        for resource in RESOURCES:
            utilization = out[f"{resource.lower()}_utilization"]
            if resource in schedule.resources:
                held = _held(events, resource, values, steps * tiles, tiles)
                np.divide(held, out["cycles"], out=utilization)
            else:
                np.multiply(out["cycles"], 0.0, out=utilization)  # never held; NaN stays
        per_tile = 1.0 if schedule.tile_level else 0.0
        work = _held(events, "TC", values, per_period, per_tile, steady=True)
        np.divide(work, out["period"], out=out["steady_tc_utilization"])
        seconds = out["cycles"] / values["clock_hz"]
        useful = values["flop_per_step"] * steps * tiles * values["sm_count"]
        np.divide(useful * 1e-12, seconds, out=out["tflops"])


def _held(
    events: tuple[Event, ...],
    resource: str,
    values: Values,
    steps: Any,
    tiles: Any,
    steady: bool = False,
) -> Any:
    """Return the cycles a resource is held over that many steps and tiles.

    Events that start late are left out until then, in a steady state not at all.
    """
    held: Any = np.float64(0)
    for per_step, times in ((True, steps), (False, tiles)):
        for event in uses_of(events, resource, per_step=per_step):
            if event.starts_at == 0 or steady:
                held = held + values[event.takes] * times
            else:
                late = _value(event.starts_at, values)
                held = held + values[event.takes] * np.maximum(times - late, 0)
    return held


def _value(count: Steps, values: Values) -> Any:
    """Return a count at every point."""
    return sum(values[name] * n if name else n for name, n in linear(count))
