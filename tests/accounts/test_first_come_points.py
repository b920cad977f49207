"""First come, first served, compiled: every event of random descriptions, and points in groups."""

from __future__ import annotations

import math
import os
from itertools import islice
from typing import Any

import numpy as np
import pytest

from sweep.catalogue.schedules import SCHEDULES
from sweep.description.interpreter import NeverHappens, ends_of, interpret
from sweep.description.residency import first_come
from sweep.recurrence.general import first_come as points_in_groups
from sweep.recurrence.general import graph
from sweep.recurrence.general.general_kernel import SCHEDULERS, SERVICES, GeneralKernel
from tests.accounts.general_points import Ends, run_general
from tests.accounts.random_descriptions import attempts, services

DRAWS = int(os.environ.get("WARPSWEEP_DESCRIPTIONS", "300"))


def recorded(patch: pytest.MonkeyPatch, schedule: Any, p: dict[str, Any]) -> tuple[float, Ends]:
    """Return the cycles and every event of a point."""
    laid: list[Any] = []
    rooms: list[Any] = []
    kept, room = graph._Laying.graph, points_in_groups._room

    def noted(self: Any) -> Any:
        laid.append(self)
        return kept(self)

    def with_ends(of: Any) -> Any:
        rooms.append(room(of))
        return rooms[-1]

    patch.setattr(graph._Laying, "graph", noted)
    patch.setattr(points_in_groups, "_room", with_ends)
    cycles, _ = run_general(schedule, p)
    ends = {} if not rooms else {key: rooms[0][0][at, 0] for key, at in laid[0].at.items()}
    return cycles, {key: float(end) for key, end in ends.items() if not math.isnan(end)}


@pytest.mark.parametrize("first", range(0, DRAWS, 100))
def test_every_event_is_the_interpreters(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several CTAs, tables over tiles, resources in order among those that queue, deadlocks."""
    ran = dead = 0
    for seed in range(first, min(first + 100, DRAWS)):
        for one in islice(attempts(seed), 2):
            for service in services(one.parameters):
                p = {**one.parameters, "arbitration": service}
                if not first_come(one.schedule, service) & {*one.schedule.resources}:
                    continue
                with monkeypatch.context() as patch:
                    cycles, ends = recorded(patch, one.schedule, p)
                try:
                    assert (cycles, ends) == ends_of(one.schedule, p), f"{seed}, {service}"
                    ran += 1
                except NeverHappens:
                    assert np.isnan(cycles), f"{seed}, {service}"
                    dead += 1
    assert ran > 100
    assert dead > 5


@pytest.mark.parametrize("name", ["sync", "persistent", "attention_pingpong"])
def test_points_of_equal_counts_share_a_run(name: str) -> None:
    schedule, rng, size = SCHEDULES[name], np.random.default_rng(9), 30
    points: dict[str, Any] = {
        one: np.round(rng.uniform(0, 40, size)) for one in (*schedule.durations, "t_launch")
    }
    points["t_stagger"] = rng.integers(0, 9, size).astype(float)
    counts = [one for one in schedule.parameters if one not in points]
    counts = [one for one in counts if one not in ("release", "arbitration")]
    points |= {one: rng.integers(1, 4, size) for one in (*counts, "output_tiles", "ctas_per_sm")}
    scheduler = "static_persistent" if schedule.tile_level else "single"
    points["tile_scheduler"] = np.full(size, SCHEDULERS.index(scheduler))
    points["arbitration"] = np.full(size, SERVICES.index("fifo"))
    cycles, period = np.empty(size), np.empty(size)
    GeneralKernel(schedule, "consumer", first_come=True).run(points, {}, cycles, period)
    for at in range(size):
        p = {one: values[at].item() for one, values in points.items()}
        p |= {"tile_scheduler": scheduler, "arbitration": "fifo"}
        try:
            wanted = interpret(schedule, p).cycles
        except NeverHappens:
            wanted = math.nan
        np.testing.assert_equal(cycles[at], wanted, f"{p}")
    assert np.isnan(period).all()
