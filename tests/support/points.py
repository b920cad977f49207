"""Seeded random points of every schedule, and their results by each account of the engine.

Durations are small whole numbers, many of them zero or equal, in a share of the points fractions
of 1/1024 cycle; in half of the points one duration is set so that two parts of the schedule are
in a tie or 1/1024 cycle to either side of one. Counts are log-uniform: mostly small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np
import xarray as xr
from numba import config
from numpy.typing import NDArray

from sweep.catalogue.schedules import SCHEDULES
from sweep.description import Schedule
from sweep.engine.outputs import Outputs
from sweep.engine.run import run_space
from sweep.inputs.space import resolve
from sweep.quantities.variables import VARIABLES
from sweep.recurrence.folding import EXTENSIONS
from tests.accounts.recurrences import RECURRENCES
from tests.support.one_loop import ONE_LOOP

Array = NDArray[Any]
Columns = dict[str, Array]

COMPILED: Final = not config.DISABLE_JIT  # type: ignore[attr-defined]
GRID: Final = 1 / 1024
MOST: Final[Mapping[str, int]] = {
    "stages": 8,
    "k_tiles": 70,
    "output_tiles": 9,
    "kv_blocks": 70,
    "mma_in_flight": 9,
}
"""The largest counts of points whose whole traces are compared."""
ATTENTION: Final = [name for name in ONE_LOOP if SCHEDULES[name].family == "attention"]
RINGS: Final = [name for name in ONE_LOOP if SCHEDULES[name].release_modes]
TILE_LEVEL: Final = [name for name in ONE_LOOP if SCHEDULES[name].tile_level]
SAFE_SLOTS: Final = 3
"""Slots of a schedule's own rings and buffers, at least: fewer are a deadlock of some."""


def scaled(points: int, pure: int = 15) -> int:
    """How many points to try: fewer where nothing is compiled."""
    return points if COMPILED else max(1, points // pure)


def random_points(
    schedule: Schedule,
    points: int,
    seed: int,
    most: Mapping[str, int] = MOST,
    extensions: bool = True,
    ties: float = 0.5,
) -> Columns:
    """Draw every parameter of a schedule, ordered, one column of ``points`` values each."""
    rng = np.random.default_rng(seed)
    scale = rng.choice([2, 5, 12, 40, 1000], points)
    unit = np.where(rng.random(points) < 0.1, GRID, 1.0)
    p: Columns = {}
    for name in schedule.parameters:
        if VARIABLES[name].kind == "duration":
            p[name] = rng.integers(0, scale + 1) * unit * (rng.random(points) > 0.15)
        elif name == "release":
            p[name] = rng.choice(["consumer", "hardware"], points, p=[0.7, 0.3])
        elif name == "arbitration":
            p[name] = np.full(points, "ordered")
        else:
            least, largest = count_range(name, most)
            p[name] = _log_uniform(rng, points, least, largest)
    for name in EXTENSIONS:
        if name in p:
            p[name][rng.random(points) < (0.5 if extensions else 1)] = 0
    if "release" in p:
        if not extensions:
            p["release"][:] = "consumer"
        p["mma_in_flight"][p["release"] == "hardware"] = 0
    one_loop = schedule.name in ONE_LOOP or schedule.name not in SCHEDULES
    ties = ties if one_loop else 0
    kinds = [tie for tie in _ties(p) if extensions or tie[0] not in EXTENSIONS] if ties else []
    chosen = rng.integers(0, max(len(kinds), 1), points)
    off = rng.choice([0, 1, -1, GRID, -GRID], points)
    wanted = rng.random(points) < ties
    for kind, (name, value) in enumerate(kinds):
        here = wanted & (chosen == kind)
        on_grid = np.round(value(p) / GRID) * GRID
        p[name][here] = np.maximum(on_grid + off, 0)[here]
    return p


def count_range(name: str, most: Mapping[str, int]) -> tuple[int, int]:
    """Return the least and the largest value of a count, its own or the registry's."""
    row = VARIABLES[name]
    if name in most:
        return int(max(row.lower, name != "mma_in_flight")), most[name]
    least = int(max(row.lower, min(SAFE_SLOTS, row.upper)))
    return least, int(min(row.upper, least + 5))


def _log_uniform(rng: np.random.Generator, points: int, least: int, most: int) -> Array:
    offset = 1 - least
    drawn: Array = np.exp(rng.random(points) * np.log(most + 1 + offset)).astype(np.int64)
    return drawn - offset


def _ties(p: Columns) -> Iterator[tuple[str, Callable[[Columns], Array]]]:
    """Name a duration and the value at which two parts of the schedule take equally long."""
    if "t_gemm0" in p:
        yield "t_gemm0", lambda p: p["t_exp"] / 2
        yield "t_gemm0", lambda p: p["t_gemm1"]
        yield "t_gemm0", lambda p: p["t_exp"] + p["t_softmax"]
        yield "t_softmax", lambda p: p["t_exp"]
        yield "t_softmax", lambda p: np.maximum(p["t_gemm0"] + p["t_gemm1"] - p["t_exp"], 0)
        yield "t_exp", lambda p: p["t_gemm0"] + p["t_gemm1"]
        return
    yield "t_transfer", lambda p: p["t_mma"]
    yield "t_transfer", lambda p: p["t_mma"] + p["t_issue"]
    yield "t_mma", lambda p: p["t_transfer"] + p["t_latency"]
    yield "t_issue", lambda p: p["t_mma"]
    if "stages" in p:
        yield "t_latency", _edge_of_the_ring
    if "t_mma_latency" in p:
        yield "t_mma_latency", lambda p: p["mma_in_flight"] * _beat(p)
    if "output_tiles" in p:
        yield "t_epilogue", lambda p: p["k_tiles"] * p["t_mma"]
        yield "t_epilogue", lambda p: p["k_tiles"] * _beat(p)


def _beat(p: Columns) -> Array:
    beat: Array = np.maximum(np.maximum(p["t_issue"], p["t_transfer"]), p["t_mma"])
    return beat


def _edge_of_the_ring(p: Columns) -> Array:
    trip = p["t_issue"] + p["t_transfer"] + p["t_mma"]
    latency: Array = np.maximum(p["stages"] * _beat(p) - trip, 0)
    return latency


def point(p: Columns, i: int | np.integer[Any]) -> dict[str, Any]:
    """Return one point with plain Python values."""
    return {name: column[i].item() for name, column in p.items()}


def size(p: Columns) -> int:
    """Return the number of points."""
    return len(next(iter(p.values())))


def taken(p: Columns, chosen: Array) -> Columns:
    """Return some of the points."""
    return {name: column[chosen] for name, column in p.items()}


def extensions_off(p: Columns) -> Array:
    """Which points have every extension at its default."""
    off: Array = np.ones(size(p), bool)
    for name in EXTENSIONS:
        off &= p.get(name, np.zeros(size(p))) == 0
    if "release" in p:
        off &= p["release"] == "consumer"
    return off


def run_points(schedule: str | Schedule, p: Columns, threads: int | None = None) -> Outputs:
    """Return every output of the points, from the batch engine, in one vectorised run."""
    columns = {name: xr.DataArray(column, dims="point") for name, column in p.items()}
    return {
        name: array[0]
        for name, array in run_space(resolve(schedule, columns), threads=threads).items()
    }


def variant_points(name: str, points: int, seed: int, **how: Any) -> Iterator[tuple[str, Columns]]:
    """Yield points for each kernel that a schedule has: plain, then one per release mode."""
    schedule = SCHEDULES[name]
    yield "plain", random_points(schedule, points, seed, extensions=False, **how)
    if not set(EXTENSIONS) & set(schedule.parameters):
        return
    for release in schedule.release_modes or ("consumer",):
        p = random_points(schedule, points, seed + 1, extensions=True, **how)
        if "release" in p:
            p["release"][:] = release
        if release == "hardware":
            p["mma_in_flight"][:] = 0
        p["t_sync"][0] = 1  # one point with an extension is enough for the block to be extended
        yield release, p


def recurrence_cycles(name: str, p: Columns, plain: bool = False) -> Array:
    """Return the makespans by the hand-written recurrences."""
    recurrence = RECURRENCES[name]
    return recurrence.batch_cycles(p) if plain else recurrence.extended_batch_cycles(p)
