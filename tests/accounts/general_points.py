"""Single points of any description, as the general engine takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sweep.description import Schedule
from sweep.description.residency import residency
from sweep.recurrence.general import general_kernel as kernels

Ends = dict[tuple[str, int, int], float]


def laid_out(
    schedule: Schedule, p: Mapping[str, Any]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return a point as arrays of one, and its tables over tiles as arrays of one line."""
    where = residency(schedule, p)
    points: dict[str, np.ndarray] = {}
    lines: dict[str, np.ndarray] = {}
    for name in schedule.parameters:
        value = p.get(name, 0)
        if isinstance(value, tuple):
            lines[name], value = np.array([value], float), 0
        if not isinstance(value, str):
            points[name] = np.array([value])
    points |= {
        "output_tiles": np.array([where.tiles]),
        "ctas_per_sm": np.array([where.copies]),
        "tile_scheduler": np.array([kernels.SCHEDULERS.index(where.scheduler)]),
        "arbitration": np.array([kernels.SERVICES.index(where.arbitration)]),
        "t_launch": np.array([p.get("t_launch", 0.0)]),
        "t_stagger": np.array([p.get("t_stagger", 0.0)]),
    }
    return points, lines


def run_general(
    schedule: Schedule, p: Mapping[str, Any], per_tile: bool = False, own: bool = False
) -> tuple[float, float]:
    """Return cycles and period of a point by the tables, or by the description's own kernel."""
    points, lines = laid_out(schedule, p)
    cycles, period = np.empty(1), np.empty(1)
    release = p.get("release", "consumer")
    queued = residency(schedule, p).arbitration == "fifo"
    engine = kernels.GeneralKernel(schedule, release, queued, per_tile=per_tile, own=own)
    engine.run(points, lines, cycles, period)
    return float(cycles[0]), float(period[0])
