"""Several CTAs on an SM, and one after the other: programs and rows agree at every operation.

Every schedule with a program, for its own tiles in each CTA, first come, first served; and with
one CTA at a time in program order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sweep.catalogue.schedules import SCHEDULES
from sweep.description import Schedule
from sweep.description.interpreter import NeverHappens, interpret
from sweep.description.trace_rows import EventResult
from sweep.errors import InputError
from sweep.simulator.simulation import Deadlock, run_events
from tests.support.one_loop import ONE_LOOP
from tests.support.points import point, random_points, scaled

POINTS = scaled(600, pure=15)
SMALL = {"stages": 4, "k_tiles": 6, "output_tiles": 7, "kv_blocks": 6, "mma_in_flight": 3}


def residencies(rng: np.random.Generator, schedule: Schedule) -> dict[str, Any]:
    copies = int(rng.integers(1, 4))
    tiles = int(rng.integers(1, 8))
    choices = ["single", "static_persistent"] if schedule.tile_level else ["single"]
    return {
        "ctas_per_sm": copies,
        "output_tiles": tiles,
        "tile_scheduler": str(rng.choice(choices)),
        "arbitration": "fifo" if copies > 1 else str(rng.choice(["fifo", "ordered"])),
        "t_launch": float(rng.choice([0, 0, 3, 11])),
        "t_stagger": float(rng.choice([0, 0, 2, 17])),
    }


def listed(schedule: Schedule, p: dict[str, Any]) -> EventResult | None:
    try:
        return interpret(schedule, p)
    except NeverHappens:
        return None


def performed(schedule: Schedule, p: dict[str, Any]) -> EventResult | None:
    try:
        return run_events(schedule, p)
    except Deadlock:
        return None


@pytest.mark.parametrize("name", ONE_LOOP)
def test_programs_and_rows_agree(name: str) -> None:
    schedule, rng = SCHEDULES[name], np.random.default_rng([41, *name.encode()])
    columns = random_points(schedule, POINTS, seed=42, most=SMALL)
    for index in range(POINTS):
        p = point(columns, index) | residencies(rng, schedule)
        by_rows, by_program = listed(schedule, p), performed(schedule, p)
        assert by_rows == by_program, p


@pytest.mark.parametrize("name", ONE_LOOP)
def test_programs_and_rows_agree_on_tables_over_tiles(name: str) -> None:
    """Counts and durations that differ by output tile; some tiles have no iteration."""
    schedule, rng = SCHEDULES[name], np.random.default_rng([43, *name.encode()])
    columns = random_points(schedule, POINTS, seed=44, most=SMALL)
    for index in range(POINTS):
        p = point(columns, index) | residencies(rng, schedule)
        tiles = p["output_tiles"]
        least = 0 if schedule.producer else 1  # a tile of no blocks is none to these programs
        p[schedule.loop] = tuple(int(rng.integers(least, 6)) for _ in range(tiles))
        for duration in rng.choice(schedule.durations, 2, replace=False):
            p[duration] = tuple(float(one) for one in rng.integers(0, 9, tiles))
        assert listed(schedule, p) == performed(schedule, p), p


@pytest.mark.parametrize(
    ("copies", "changed", "cycles"),
    [
        (1, {}, 84_396),
        (3, {}, 85_124),
        (4, {}, 94_623),
        (3, {"output_tiles": 7, "t_launch": 500.0, "t_stagger": 300.0}, 254_688),
    ],
)
def test_what_co_resident_ctas_gain(copies: int, changed: dict[str, Any], cycles: float) -> None:
    """One stage of 128x128x64 on B200: the serial kernel, alone and beside others of its kind."""
    p = {"t_issue": 10.0, "t_transfer": 364.0, "t_latency": 681.0, "t_sync": 0.0, "t_mma": 256.0}
    p |= {"t_epilogue": 492.0, "k_tiles": 64, "output_tiles": copies, "ctas_per_sm": copies}
    for arbitration in ("fifo", "alternate"):
        result = interpret(SCHEDULES["sync"], {**p, **changed, "arbitration": arbitration})
        assert result.cycles == cycles
    assert run_events(SCHEDULES["sync"], p | changed).cycles == cycles


def test_a_tile_of_its_own_gets_its_own_durations() -> None:
    """The second CTA starts 5 cycles after the first has ended, at twice the pace."""
    p = {"t_gemm0": (8.0, 4.0), "t_exp": (6.0, 3.0), "t_softmax": 0.0, "t_gemm1": (2.0, 1.0)}
    p |= {"kv_blocks": (1, 3), "output_tiles": 2, "t_launch": 5.0}
    for account in (interpret, run_events):
        result = account(SCHEDULES["attention_serial"], {**p, "arbitration": "ordered"})
        assert result.cycles == 5 + 16 + 5 + 3 * 8
        assert result.rows[4][:3] == ("warpgroup_0", "TC", "gemm0")
        assert (result.rows[4].output_tile, result.rows[4].since, result.rows[4].start) == (
            1,
            26,
            26,
        )


def test_copies_have_agents_of_their_own() -> None:
    p = {"t_gemm0": 4.0, "t_exp": 4.0, "t_softmax": 0.0, "t_gemm1": 0.0, "kv_blocks": 1}
    p |= {"output_tiles": 3, "ctas_per_sm": 2, "t_stagger": 1.0}
    for account in (interpret, run_events):
        rows = account(SCHEDULES["attention_serial"], p).rows
        gemms = [
            (row.agent, row.output_tile, row.start) for row in rows if row.operation == "gemm0"
        ]
        assert gemms == [("warpgroup_0@0", 0, 0), ("warpgroup_0@1", 1, 4), ("warpgroup_0@0", 2, 8)]


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"ctas_per_sm": 2, "arbitration": "ordered"}, "arbitration='ordered': nothing orders 2"),
        ({"ctas_per_sm": 2, "arbitration": "alternate"}, "is an order of rows; choose 'fifo'"),
        ({"output_tiles": 2, "tile_scheduler": "static_persistent"}, "runs one output tile, not"),
        ({"tile_scheduler": "dynamic"}, "tile_scheduler='dynamic': must be 'single' or"),
        ({"t_issue": (1.0, 2.0)}, "t_issue: a table of 2 values for output_tiles=1"),
    ],
)
def test_what_is_impossible_is_refused(changed: dict[str, Any], message: str) -> None:
    p = dict.fromkeys(SCHEDULES["sync"].durations, 1.0) | {"k_tiles": 2} | changed
    with pytest.raises(InputError, match=message):
        run_events(SCHEDULES["sync"], p)


def test_a_use_of_no_length_is_not_what_another_waits_for() -> None:
    """The SFU serves 0 cycles of one CTA just when another's scores are there, a round later."""
    p = {"t_exp": (2.0, 0.0, 6.0), "t_softmax": (7.0, 8.0, 6.0), "t_gemm0": 1 / 1024}
    p |= {"t_gemm1": 0.0, "kv_blocks": (1, 2, 1), "output_tiles": 3, "ctas_per_sm": 3}
    p |= {"t_stagger": 2.0, "arbitration": "fifo"}
    for account in (interpret, run_events):
        rows = account(SCHEDULES["attention_pingpong_overlap"], p).rows
        last = [row for row in rows if row.agent == "warpgroup_0@2" and row.operation == "exp"]
        assert [(row.start, row.waited_for) for row in last] == [(4 + 1 / 1024, "gemm0")]
