"""The general engine against the interpreter: every event, leaps, deadlocks, published numbers.

Compiled and plain run the same text; events are recorded in the plain run, where a function can be
replaced, and compiled code is compared by its cycles.
"""

from __future__ import annotations

import math
import os
from itertools import islice
from typing import Any

import numba
import numpy as np
import pytest

from sweep.catalogue.schedules import SCHEDULES
from sweep.description.interpreter import NeverHappens, ends_of
from sweep.description.residency import first_come
from sweep.recurrence.general import ordered, service
from sweep.recurrence.general.general_kernel import GeneralKernel
from sweep.recurrence.general.run_state import NEVER, TILE
from sweep.recurrence.kernels import kernel_of
from tests.accounts.general_points import Ends, run_general
from tests.accounts.random_descriptions import Drawn, attempts, draw, services

DRAWS = int(os.environ.get("WARPSWEEP_DESCRIPTIONS", "300"))
CHUNK = 100
PLAIN = bool(numba.config.DISABLE_JIT)
Patch = pytest.MonkeyPatch
plain_only = pytest.mark.skipif(not PLAIN, reason="a function of compiled code is not replaced")


def orders(one: Drawn) -> list[dict[str, Any]]:
    """Return a description's point in every order of service that is one of the program."""
    named = [{**one.parameters, "arbitration": one_of} for one_of in services(one.parameters)]
    return [
        p
        for p in named
        if p["arbitration"] != "fifo" and not first_come(one.schedule, p["arbitration"])
    ]


def stepping(patch: Patch) -> None:
    """Let nothing be leapt over."""
    patch.setattr(service, "leap_steps", lambda *_: None)
    patch.setattr(service, "leap_tiles", lambda *_: None)
    patch.setattr(GeneralKernel, "_steady", lambda *_: None)
    patch.setattr(GeneralKernel, "_interpreted", lambda *_: math.nan)


def recording(patch: Patch, schedule: Any, p: Any) -> Ends:
    """Record every event of the runs to come."""
    ends: Ends = {}
    rows = schedule.events(p.get("release", "consumer"))
    loops = {loop.name for loop in schedule.loops}
    kept = ordered.keep

    def keep(t: Any, s: Any, copy: int, row: int, tile: int, flat: int, step: int, *rest: Any):
        if rest[1] > NEVER:
            run_tile = copy + p.get("ctas_per_sm", 1) * s.where[copy, TILE]
            iteration = step if schedule.place(rows[row]) in loops else -1
            ends[rows[row].name, int(run_tile), int(iteration)] = float(rest[1])
        kept(t, s, copy, row, tile, flat, step, *rest)

    patch.setattr(ordered, "keep", keep)
    return ends


@plain_only
@pytest.mark.parametrize("first", range(0, DRAWS, CHUNK))
def test_every_event_is_the_interpreters(first: int, monkeypatch: Patch) -> None:
    """But of a few points, which the engine leaves to the interpreter: see ``absent_delays``."""
    left = 0
    for seed in range(first, min(first + CHUNK, DRAWS)):
        one = draw(seed)
        for p in orders(one):
            with monkeypatch.context() as patch:
                stepping(patch)
                ends = recording(patch, one.schedule, p)
                cycles, _ = run_general(one.schedule, p)
            if np.isnan(cycles):
                left += 1
                continue
            assert (cycles, ends) == ends_of(one.schedule, p), f"draw({seed}), {p['arbitration']}"
    assert left <= CHUNK // 12


@plain_only
def test_leaps_land_where_stepping_does() -> None:
    leapt = 0
    for seed in range(DRAWS // 3):
        one = draw(seed, (30, 40))
        for p in orders(one):
            cycles, period = run_general(one.schedule, p)
            assert cycles == ends_of(one.schedule, p)[0], f"draw({seed}, (30, 40))"
            leapt += not np.isnan(period)
    assert leapt > DRAWS // 40


def test_deadlocks_are_the_interpreters() -> None:
    """Lists that are no order of evaluation at their point among them."""
    dead = 0
    for seed in range(100):
        for one in islice(attempts(seed), 2):
            for p in orders(one):
                try:
                    wanted = ends_of(one.schedule, p)[0]
                except NeverHappens:
                    wanted = math.nan
                np.testing.assert_equal(run_general(one.schedule, p)[0], wanted, f"{seed}")
                dead += np.isnan(wanted)
    assert dead > 15


@pytest.mark.parametrize("name", ["persistent", "pingpong", "multistage", "attention_pingpong"])
def test_it_is_the_generated_kernel(name: str) -> None:
    schedule, random, size = SCHEDULES[name], np.random.default_rng(7), 200
    points: dict[str, Any] = {
        one: np.round(random.uniform(0, 600, size) * 1024) / 1024 for one in schedule.durations
    }
    points |= {"stages": random.integers(1, 7, size), "mma_in_flight": random.integers(0, 2, size)}
    points |= {one: random.integers(1, 40, size) for one in ("k_tiles", "kv_blocks")}
    points |= {"output_tiles": random.integers(1, 20, size) if schedule.tile_level else [1] * size}
    cycles, period = np.empty(size), np.empty(size)
    flags = np.empty(size, np.int8)
    given = {one: np.asarray(points[one]) for one in schedule.parameters if one in points}
    kernel_of(schedule, "consumer", False).run(given, cycles, period, flags)
    for at in range(0, size, 1 if not PLAIN else 10):
        p = {one: values[at].item() for one, values in given.items()}
        p["tile_scheduler"] = "static_persistent" if schedule.tile_level else "single"
        found, pace = run_general(schedule, p, schedule.tile_level)
        np.testing.assert_equal(found, cycles[at])
        if not np.isnan(pace):
            assert pace == period[at]
