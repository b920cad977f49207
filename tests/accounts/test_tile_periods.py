"""Periods and bottlenecks per output tile equal the largest circuit ratio, at hostile points.

Rings of up to 128 slots, near ties of 1/1024 cycle, long latencies, MMAs in flight.
``WARPSWEEP_HOSTILE`` sets another number of points per schedule.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from sweep.catalogue.schedules import SCHEDULES
from sweep.quantities.variables import VARIABLES
from tests.accounts.tile_graphs import check_periods, tile_graph
from tests.support.points import COMPILED, GRID, TILE_LEVEL, Columns, point, run_points, size

POINTS = int(os.environ.get("WARPSWEEP_HOSTILE", "40000"))
PER_GRAPH = 400
MEANINGS = VARIABLES["bottleneck"].flag_meanings


def hostile(name: str, graphs: int, seed: int) -> Iterator[tuple[str, Columns]]:
    """Draw counts for a graph, and many durations for each: ties, near ties, long latencies."""
    rng = np.random.default_rng(seed)
    for _ in range(graphs):
        k_tiles = int(np.exp(rng.random() * np.log(14)))
        stages = int(np.exp(rng.random() * np.log(129)))
        release = "hardware" if rng.random() < 0.3 else "consumer"
        late = 0 if release == "hardware" else int(rng.integers(0, min(stages, 9)))
        late *= rng.random() < 0.6
        tie = rng.integers(1, 200, PER_GRAPH).astype(float)
        sums = [0, 1, 1, 1, 2, k_tiles, stages, max(stages - 2, 0), max(stages - 3, 0), 1 / 2]
        p: Columns = {}
        for duration in SCHEDULES[name].durations:
            off = rng.integers(-3, 4, PER_GRAPH) * GRID * rng.choice([0, 1, 1, 256], PER_GRAPH)
            value = np.maximum(tie * rng.choice(sums, PER_GRAPH) + off, 0)
            p[duration] = np.round(value / GRID) * GRID
        long = rng.random(PER_GRAPH) < 0.3
        p["t_latency"][long] = rng.integers(0, 4000 * stages, PER_GRAPH)[long]
        for extension in ("t_sync", "t_mma_latency"):
            p[extension][rng.random(PER_GRAPH) < 0.5] = 0
        counts = {"stages": stages, "k_tiles": k_tiles, "mma_in_flight": int(late)}
        p |= {one: np.full(PER_GRAPH, value) for one, value in counts.items()}
        p |= {
            "output_tiles": rng.integers(1, 40, PER_GRAPH),
            "release": np.full(PER_GRAPH, release),
        }
        yield release, p


def verdicts(p: Columns, period: Any, binds: dict[str, Any]) -> Any:
    """Name what sets each period by the table of precedence."""
    verdict = np.full(period.size, "serial_chain", dtype=object)
    for cause, duration in (
        ("copy_issue", "t_issue"),
        ("ring_depth", "t_latency"),
        ("mma_latency", "t_mma_latency"),
        ("copy_bandwidth", "t_transfer"),
        ("epilogue", "t_epilogue"),
        ("tensor_core", "t_mma"),
    ):
        if cause in ("copy_bandwidth", "tensor_core"):
            holds = period == p["k_tiles"] * p[duration]
        else:
            holds = binds[duration] & ((p[duration] > 0) | (cause == "ring_depth"))
        verdict[holds] = cause
    verdict[period == 0] = "no_work"
    return verdict


@pytest.mark.skipif(not COMPILED, reason="tens of thousands of points")
@pytest.mark.parametrize("name", TILE_LEVEL)
def test_hostile_points(name: str) -> None:
    schedule = SCHEDULES[name]
    slowest = 0.0
    for release, p in hostile(name, max(1, POINTS // PER_GRAPH), seed=91):
        k_tiles, stages, late = (int(p[one][0]) for one in ("k_tiles", "stages", "mma_in_flight"))
        start = perf_counter()
        found = run_points(name, p, threads=1)
        slowest = max(slowest, (perf_counter() - start) / PER_GRAPH)
        dead = late >= stages and k_tiles > stages
        assert np.isnan(found["period"]).all() == dead
        if dead:
            continue
        graph = tile_graph(schedule, release, k_tiles, stages, late)
        right, binds = check_periods(graph, p, found["period"])
        wrong = np.flatnonzero(~right)
        assert not wrong.size, (wrong.size, point(p, wrong[0]), found["period"][wrong[0]])
        expected = verdicts(p, found["period"], binds)
        named = np.array(MEANINGS, dtype=object)[found["bottleneck"]]
        wrong = np.flatnonzero(named != expected)
        assert not wrong.size, (point(p, wrong[0]), named[wrong[0]], expected[wrong[0]])
    assert size(p) == PER_GRAPH
