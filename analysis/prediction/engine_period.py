"""The period of a k-tile from the engine's own schedules: a second account of the closed one.

``analysis.prediction.terms.k_tile_period`` has closed expressions. Here the same durations go
through the schedules ``sync`` (serial), ``multistage`` and ``warp_specialized`` (ping-pong too);
kernels that look ahead without a producer have no schedule there and keep the closed expression.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import sweep
from analysis.prediction.kernels import (
    MULTISTAGE,
    PINGPONG,
    SERIAL,
    WARP_SPECIALIZED,
    Kernel,
    Machine,
)
from analysis.prediction.terms.k_tile_period import (
    SHARED_DRAIN,
    Period,
    barrier_cycles,
    k_tile_period,
)
from analysis.prediction.terms.k_tile_work import Work
from analysis.prediction.terms.l2_supply import Supply
from sweep.quantities.arrays import Array

K_TILES = 64
SCHEDULES = {
    "sync": (SERIAL,),
    "multistage": (MULTISTAGE,),
    "warp_specialized": (WARP_SPECIALIZED, PINGPONG),
}
"""The engine's schedule of kernels."""


def engine_period(kernel: Kernel, machine: Machine, work: Work, supply: Supply) -> Period:
    """Return the steady period that the engine finds.

    Parameters
    ----------
    kernel, machine, work, supply
        As of ``k_tile_period``.

    Returns
    -------
    Period
        With the engine's cycles; chain and ring are those of the closed expressions.
    """
    closed = k_tile_period(kernel, machine, work, supply)
    shape = np.broadcast_shapes(np.shape(closed.cycles), np.shape(kernel.schedule))
    cycles = np.array(_flat(closed.cycles, shape))
    schedule = _flat(kernel.schedule, shape)
    for name, codes in SCHEDULES.items():
        chosen = np.flatnonzero(np.isin(schedule, codes))
        durations = _durations(name, kernel, machine, work, supply)
        for hardware in (False, True):
            some = chosen[_flat(machine.blackwell, shape)[chosen] == hardware]
            if some.size:
                given = {key: _flat(value, shape)[some] for key, value in durations.items()}
                cycles[some] = _run(name, given, hardware and name == "warp_specialized")
    return closed._replace(cycles=cycles.reshape(shape))


def _flat(values: Array, shape: tuple[int, ...]) -> Array:
    return np.broadcast_to(np.asarray(values, dtype=float), shape).ravel()


def _durations(
    name: str, kernel: Kernel, machine: Machine, work: Work, supply: Supply
) -> dict[str, Array]:
    """Return the engine's durations and counts.

    Blackwell's MMAs release their slots themselves. Two warpgroups or more of a Hopper kernel hide
    most of their drain and barriers behind each other. Where one agent does all, an MMA that is
    waited for takes its drain, too.
    """
    sync, drain = barrier_cycles(kernel, machine), machine.mma_latency
    found: dict[str, Array] = {
        "t_issue": kernel.copy_issue,
        "t_transfer": supply.transfer,
        "t_latency": supply.latency,
        "t_mma": work.mma,
    }
    if name == "warp_specialized":
        several = (kernel.consumer_warpgroups >= 2) & ~machine.blackwell.astype(bool)
        queued = np.where(machine.blackwell, 0, kernel.mma_in_flight)
        return found | {
            "t_sync": sync * np.where(several, SHARED_DRAIN, 1.0),
            "t_mma_latency": drain * np.where(several, SHARED_DRAIN, 1.0),
            "stages": kernel.stages,
            "mma_in_flight": np.clip(queued, 0, kernel.stages - 1),
        }
    lockstep = machine.warpgroup * (kernel.consumer_warpgroups - 1)
    waited = (name == "sync") | (kernel.mma_in_flight == 0)
    found["t_mma"] = work.mma + np.where(waited, drain, 0.0)
    if name == "sync":  # its one wait stands for that of the copy and that of the MMA
        return found | {"t_sync": 2 * sync + lockstep}
    return found | {"t_sync": sync + lockstep, "stages": kernel.stages}


def _run(name: str, given: dict[str, Array], hardware: bool) -> Array:
    import xarray as xr

    parameters: dict[str, Any] = {
        key: xr.DataArray(
            values.astype(np.int64) if key in ("stages", "mma_in_flight") else values, dims="point"
        )
        for key, values in given.items()
    }
    if hardware:
        parameters["release"] = "hardware"
    ds = sweep.run(name, k_tiles=K_TILES, t_epilogue=0, **parameters)
    return np.asarray(ds.period.values)
