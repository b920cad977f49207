"""The published kernels by name, and seeded random points of them.

Durations are few and small, so that ties are frequent; some are multiples of 1/1024 cycle. Counts
and durations may be tables over output tiles, and a tile may have no iterations.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from sweep.description import Count, Schedule

NAMES: Final = (
    "blackwell_gemm",
    "attention_kv_serial",
    "attention_kv_pingpong",
    "attention_kv_pingpong_overlap",
    "fa4_forward",
    "fa4_backward",
    "fp8_promoted",
    "fp8_promoted_one",
    "mixed_input",
    "chained_gemm",
)
DURATIONS: Final = (0, 1, 2, 3, 5, 8, 13, 40)
STEPS: Final = (0, 1, 2, 3, 4, 7, 11)
Point = dict[str, Any]


def _kernel(name: str) -> Schedule:
    """Return a kernel; its module has an underscore as long as it is not in the catalogue."""
    rooms = (f"sweep.schedules.{name}", f"sweep.schedules._{name}")
    found = next(room for room in rooms if importlib.util.find_spec(room) is not None)
    schedule: Schedule = importlib.import_module(found).SCHEDULE
    return schedule


KERNELS: Final[Mapping[str, Schedule]] = MappingProxyType({name: _kernel(name) for name in NAMES})


def _chosen(rng: np.random.Generator, some: Sequence[int]) -> int:
    return int(rng.choice(some))


def random_point(schedule: Schedule, rng: np.random.Generator, **fixed: Any) -> Point:
    """Draw every parameter of a kernel."""
    tiles = int(rng.choice([1, 1, 2, 3, 5]))
    unit = 1 / 1024 if rng.random() < 0.1 else 1.0
    loops = {str(loop.count) for loop in schedule.loops}
    least = {one.name: one.least for one in schedule.declares if isinstance(one, Count)}
    p: Point = {"output_tiles": tiles, "arbitration": "ordered"}

    def drawn(value: Any, tables: float) -> Any:
        """Draw one value, or one per output tile."""
        if rng.random() < tables:
            return tuple(value() for _ in range(tiles))
        return value()

    for name in schedule.durations:
        p[name] = drawn(lambda: _chosen(rng, DURATIONS) * unit, tables=0.1)
    for name in schedule.parameters:
        if name in p or name == "release":
            continue
        if name in loops:
            some = STEPS if least.get(name, 0) == 0 else STEPS[1:]
            p[name] = drawn(partial(_chosen, rng, some), tables=0.4)
        else:
            p[name] = int(rng.integers(least.get(name, 1), 6))
    return p | fixed
