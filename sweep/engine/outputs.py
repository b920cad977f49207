"""The outputs of a run: their arrays, and what follows from cycles and period."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from sweep.description import Schedule
from sweep.engine.feasibility import feasibility
from sweep.engine.held_work import Work
from sweep.quantities.arrays import Array, Values
from sweep.quantities.tile_table import Lines
from sweep.quantities.variables import OUTPUTS, VARIABLES

Outputs = dict[str, Array]


TIMING = ("cycles", "period", "bottleneck")
"""What kernels write; the rest follows from it."""
_END, _STEADY = "_utilization", "steady_tc_utilization"
_NO_TABLES: Mapping[str, Lines] = {}


def allocate(shape: tuple[int, ...], own: Iterable[str] = ()) -> Outputs:
    """Return arrays of zeros for every output, those of own resources included."""
    return {name: np.zeros(shape, VARIABLES[name].dtype) for name in (*OUTPUTS, *own)}


def result_bytes(points: int, own: Iterable[str] = ()) -> int:
    """Return the size of the outputs of that many points."""
    names = (*OUTPUTS, *own)
    return points * sum(np.dtype(VARIABLES[name].dtype).itemsize for name in names)


def finish_block(
    schedule: Schedule, values: Values, out: Outputs, tables: Mapping[str, Lines] = _NO_TABLES
) -> None:
    """Fill in what follows from cycles and period: utilisations, throughput, feasibility.

    What cannot exist has no numbers, whatever its placeholders gave.
    """
    _rates(Work(schedule, values, tables), out)
    dead = np.isnan(out["cycles"])  # durations are finite: only a deadlock has no makespan
    for name, flags in feasibility(schedule, values, dead)._asdict().items():
        out[name][...] = flags
    if values["impossible"].any():
        nowhere = np.broadcast_to(values["impossible"] != 0, dead.shape)
        for name, array in out.items():
            if VARIABLES[name].kind == "output":
                array[nowhere] = np.nan
        out["bottleneck"][nowhere] = 0


def _rates(work: Work, out: Outputs) -> None:
    """Fill in the utilisations and the throughput from cycles and period."""
    schedule, values = work.schedule, work.values
    own = {f"{resource.lower()}{_END}": resource for resource in schedule.resources}
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        for name, utilization in out.items():
            if name in own:
                np.divide(work.held(own[name]), out["cycles"], out=utilization)
            elif name.endswith(_END) and name != _STEADY:
                np.multiply(out["cycles"], 0.0, out=utilization)  # never held; NaN stays
        np.divide(work.held_per_period("TC"), out["period"], out=out["steady_tc_utilization"])
        seconds = out["cycles"] / values["clock_hz"]
        useful = work.useful_flop() * values["sm_count"]
        np.divide(useful * 1e-12, seconds, out=out["tflops"])


def check_shares(outputs: Mapping[str, Array]) -> None:
    """Notice a share above 1, which is an error of ours: two accounts of a run that differ.

    Raises
    ------
    RuntimeError
        Naming the output.
    """
    for name, utilization in outputs.items():
        if name.endswith(_END) and name != _STEADY and (utilization > 1.0).any():
            most = np.nanmax(utilization)
            raise RuntimeError(f"{name} is {most:.17g}: held for longer than the run takes")
