"""The bottleneck of the general engine means what it means in the generated kernels."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from sweep.catalogue.schedules import SCHEDULES
from sweep.engine.general import GeneralPoints
from sweep.engine.held_work import Work
from sweep.engine.pace_setters import COARSE, TRIFLE, PaceSetters
from sweep.quantities.bottlenecks import BOTTLENECKS, bottleneck_code
from sweep.recurrence.kernels import kernel_of

SIZE = 24 if numba.config.DISABLE_JIT else 1000
NAMES = (
    "sync",
    "multistage",
    "register_staged",
    "warp_specialized",
    "persistent",
    "pingpong",
    "attention_pingpong",
    "attention_overlap",
)


def drawn(name: str, takes: tuple[float, ...]) -> dict[str, Any]:
    """Draw points whose durations are few, so that many circuits are equal."""
    schedule, rng = SCHEDULES[name], np.random.default_rng([3, *name.encode()])
    points: dict[str, Any] = {one: rng.choice(takes, SIZE) for one in schedule.durations}
    points |= {"t_launch": np.zeros(SIZE), "t_stagger": np.zeros(SIZE)}
    counts = {"stages": (1, 6), "mma_in_flight": (0, 2), "k_tiles": (12, 13), "kv_blocks": (12, 13)}
    for count, (least, most) in counts.items():
        if count in schedule.parameters:
            points[count] = rng.integers(least, most, SIZE)
    points["output_tiles"] = np.full(SIZE, 6 if schedule.tile_level else 1)
    points |= {"ctas_per_sm": np.ones(SIZE, int), "arbitration": np.zeros(SIZE, int)}
    return points | {"tile_scheduler": np.full(SIZE, int(schedule.tile_level))}


@pytest.mark.parametrize("takes", [(0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 40.0), (7.0, 7 + 1 / 1024)])
@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_generated_kernels(name: str, takes: tuple[float, ...]) -> None:
    schedule, points = SCHEDULES[name], drawn(name, takes)
    generated = kernel_of(schedule, "consumer", False)
    cycles, period, flags = np.empty(SIZE), np.empty(SIZE), np.empty(SIZE, np.int8)
    given = {one: points[one] for one in generated.names.parameters}
    generated.run(given, cycles, period, flags)
    work = Work(schedule, points, {})
    held = {
        one: np.broadcast_to(np.asarray(work.held_per_period(one), float), SIZE)
        for one in schedule.resources
    }
    general = np.empty(SIZE), np.empty(SIZE), np.empty(SIZE, np.int8)
    GeneralPoints(schedule, "consumer", False).run(points, {}, held, *general)
    np.testing.assert_array_equal(general[0], cycles)
    both = ~np.isnan(period) & ~np.isnan(general[1])
    assert both.sum() > 0.7 * SIZE
    np.testing.assert_array_equal(general[1][both], period[both])
    np.testing.assert_array_equal(general[2][both], flags[both])


def test_a_point_with_tables_is_not_told() -> None:
    """Its tiles differ, so that nothing repeats; a busy resource would still be named."""
    schedule, points = SCHEDULES["persistent"], drawn("persistent", (5.0,))
    kernel = GeneralPoints(schedule, "consumer", False).kernel
    pace = PaceSetters(kernel, points, {"t_mma": np.ones((1, 6))}, np.full(SIZE, 10.0))
    at = np.arange(SIZE)
    assert not pace.named_by(BOTTLENECKS["mma_latency"], at, {}).any()
    assert not pace.named_by(BOTTLENECKS["serial_chain"], at, {}).any()
    assert pace.named_by(BOTTLENECKS["tensor_core"], at, {"TC": np.full(SIZE, 10.0)}).all()


def test_what_is_added_is_below_what_circuits_differ_by() -> None:
    assert TRIFLE < COARSE**2
    assert bottleneck_code("waiting") == len(BOTTLENECKS) - 1
