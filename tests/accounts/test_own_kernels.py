"""The kernel written for a description: against the interpreter, and against the tables.

Random descriptions of the whole language for one CTA whose tiles are alike, deadlocks among them;
runs of many tiles, which leap, against the interpreter, which does not.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numba
import numpy as np
import pytest

from sweep.description.interpreter import NeverHappens, ends_of
from sweep.description.residency import first_come
from sweep.recurrence.general.general_kernel import GeneralKernel, tables_of
from sweep.recurrence.unrolled.unrolled_kernel import unrolled_of
from tests.accounts.general_points import laid_out, run_general
from tests.accounts.random_descriptions import Drawn, attempts
from tests.support.kernels import KERNELS, random_point

DRAWS = int(os.environ.get("WARPSWEEP_DESCRIPTIONS", "300"))
KERNEL_POINTS = 40 if numba.config.DISABLE_JIT else 400
Patch = pytest.MonkeyPatch


def alone(one: Drawn) -> dict[str, Any]:
    """Return a point of one CTA whose tiles are alike: the first entry of every table."""
    p = {**one.parameters, "ctas_per_sm": 1, "arbitration": "ordered"}
    p["tile_scheduler"] = "static_persistent"
    return {name: value[0] if isinstance(value, tuple) else value for name, value in p.items()}


def drawn(seeds: range, tiles: tuple[int, int]) -> Iterator[tuple[Any, dict[str, Any], float]]:
    """Yield descriptions, points and the interpreter's cycles, NaN for a deadlock."""
    for seed in seeds:
        for one in islice(attempts(seed, tiles), 2):
            if first_come(one.schedule, "ordered"):
                continue
            p = alone(one)
            try:
                yield one.schedule, p, ends_of(one.schedule, p)[0]
            except NeverHappens:
                yield one.schedule, p, math.nan


@pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="every description compiles for seconds")
@pytest.mark.parametrize("tiles", [(1, 6), (30, 40)])
def test_cycles_are_the_interpreters(tiles: tuple[int, int], monkeypatch: Patch) -> None:
    monkeypatch.setattr(GeneralKernel, "_steady", lambda *_: None)
    leapt = 0
    for schedule, p, wanted in drawn(range(DRAWS // (1 if tiles[1] < 30 else 3)), tiles):
        for per_tile in (True, False):
            cycles, period = run_general(schedule, p, per_tile, own=True)
            np.testing.assert_equal(cycles, wanted, f"{p}")
            leapt += not np.isnan(period)
    assert leapt > DRAWS // 10


@pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="every description compiles for seconds")
def test_most_descriptions_have_one_that_runs_them() -> None:
    """Lists that are an order of evaluation by their counts alone are not left to others."""
    ran = written = 0
    for schedule, p, wanted in drawn(range(100), (1, 6)):
        tables = tables_of(schedule, "consumer")
        kernel = unrolled_of(tables, "consumer")
        if np.isnan(wanted) or kernel is None:
            continue
        written += 1
        points, _ = laid_out(schedule, p)
        cycles, period = np.empty(1), np.empty(1)
        ran += not kernel.run(points, True, cycles, period)[0]
    assert ran > 0.85 * written > 85


@pytest.mark.parametrize("name", KERNELS)
def test_published_kernels_give_the_interpreters_cycles(name: str) -> None:
    """At points of one CTA whose tiles are alike; some deadlock."""
    schedule, rng = KERNELS[name], np.random.default_rng([5, *name.encode()])
    for _ in range(KERNEL_POINTS):
        tiles = int(rng.choice([1, 2, 3, 30]))
        p = {**random_point(schedule, rng), "tile_scheduler": "static_persistent"}
        p = {key: value[0] if isinstance(value, tuple) else value for key, value in p.items()}
        p["output_tiles"] = tiles
        try:
            wanted = ends_of(schedule, p)[0]
        except NeverHappens:
            wanted = math.nan
        cycles, _ = run_general(schedule, p, per_tile=True, own=True)
        np.testing.assert_equal(cycles, wanted, f"{p}")
