"""Numbers of published kernels, by their rows and by their programs.

``kernel_claims.csv``: durations are given in cycles, so nothing is rounded; ``a+b+c`` is a table
over output tiles; a period is what cycles grow by, far out, with every tile or block.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

from sweep.catalogue.schedules import SCHEDULES
from sweep.description import Schedule
from sweep.description.interpreter import NeverHappens, interpret
from sweep.description.trace_rows import EventResult
from sweep.simulator.simulation import Deadlock, run_events
from tests.support.kernels import KERNELS

CLAIMS: Final = {
    row["id"]: row
    for row in csv.DictReader(
        (Path(__file__).parent / "kernel_claims.csv").read_text().splitlines()
    )
}
BY_PROGRAM: Final = [name for name in CLAIMS if name != "co.alternate"]
"""Rows that a program can run: alternate service is an order of rows."""
FAR = 90
"""Tiles or blocks after which every kernel of the table has settled."""
APART = 60
"""Divided by the slots and buffers of every row, so that regimes of several steps are whole."""
Run = Callable[[Schedule, dict[str, Any]], EventResult]
OFF: Final = {"t_sync": 0.0, "t_mma_latency": 0.0, "mma_in_flight": 0, "release": "consumer"}
"""Extensions that the table leaves out."""


def schedule_of(row: dict[str, str]) -> Schedule:
    name = row["schedule"]
    return KERNELS[name] if name in KERNELS else SCHEDULES[name]


def value_of(name: str, text: str) -> Any:
    """Read a parameter: a number, a choice, or a table."""
    if name in ("tile_scheduler", "arbitration"):
        return text
    numbers = [float(one) if name.startswith("t_") else int(one) for one in text.split("+")]
    return tuple(numbers) if len(numbers) > 1 else numbers[0]


def inputs_of(row: dict[str, str]) -> dict[str, Any]:
    pairs = (one.strip().split("=") for one in row["inputs"].split(";"))
    given = {name: value_of(name, text) for name, text in pairs}
    off = {name: value for name, value in OFF.items() if name in schedule_of(row).parameters}
    several = given.get("ctas_per_sm", 1) > 1
    return {"arbitration": "fifo" if several else "ordered"} | off | given


def found(row: dict[str, str], run: Run) -> Any:
    """Return what an account finds for a row."""
    schedule, p, quantity = schedule_of(row), inputs_of(row), row["quantity"]
    if quantity.endswith("_utilization"):
        result = run(schedule, p)
        return result.held[quantity.split("_")[0].upper()] / result.cycles
    if "period" not in quantity:
        return run(schedule, p).cycles
    loop = "output_tiles" if quantity == "period per tile" else schedule.loop
    first, then = (run(schedule, p | {loop: count}).cycles for count in (FAR, FAR + APART))
    return (Fraction(then) - Fraction(first)) / APART


def check(row: dict[str, str], run: Run) -> None:
    if row["expected"] == "deadlock":
        with pytest.raises((NeverHappens, Deadlock)):
            found(row, run)
        return
    apart = abs(found(row, run) - Fraction(row["expected"]))
    assert apart <= Fraction(row["tolerance"]), row["id"]


@pytest.mark.parametrize("name", CLAIMS)
def test_rows(name: str) -> None:
    check(CLAIMS[name], interpret)


@pytest.mark.parametrize("name", BY_PROGRAM)
def test_programs(name: str) -> None:
    check(CLAIMS[name], run_events)


def fewest_kv_stages(name: str) -> int:
    """Return the fewest slots with which a block costs 2,048 cycles, its Tensor Core work."""
    row = CLAIMS["kv.pp.period"] | {"schedule": name}
    inputs = row["inputs"].replace("kv_stages=2", "kv_stages={}")
    fits = (
        slots
        for slots in range(1, 9)
        if found(row | {"inputs": inputs.format(slots)}, interpret) == 2048
    )
    return next(fits)


def test_with_the_overlap_two_slots_suffice() -> None:
    """FlashAttention-3 has two and the overlap (``hopper/flash_fwd_launch_template.h``)."""
    assert fewest_kv_stages("attention_kv_pingpong") == 3
    assert fewest_kv_stages("attention_kv_pingpong_overlap") == 2
