"""Random points for claims: whole cycles with zeros, ties and near ties, inside a claim's domain.

Durations are whole numbers of widely different sizes, a seventh of them zero; in some points all
are that many 1/1024 cycle instead. Then *edges* are visited, where something starts or stops to
bind: a duration is put on an edge, 1/1024 or 1 cycle to either side of it, or anywhere below it.
Counts are log-uniform, so mostly small: that is where transients and remainders matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np

from analysis.closed_forms import Condition
from sweep.description import Schedule
from sweep.quantities.arrays import Array
from sweep.quantities.variables import VARIABLES
from sweep.recurrence.folding import EXTENSIONS

Columns = dict[str, Array]

GRID: Final = 1 / 1024
MOST: Final[Mapping[str, int]] = {
    "stages": 8,
    "k_tiles": 48,
    "output_tiles": 9,
    "kv_blocks": 48,
    "mma_in_flight": 9,
}
"""The largest counts that are drawn."""
MOST_OWN: Final = 6
"""Of a schedule's own counts, unless the smallest allowed is larger."""
HARDWARE: Final = VARIABLES["release"].choices.index("hardware")
ROUNDS: Final = 200
"""Draws after which no more points are looked for in a domain."""


@dataclass(frozen=True)
class Where:
    """The points a claim is about.

    Attributes
    ----------
    extensions : tuple of str
        The extensions (``t_sync``, ``t_mma_latency``, ``mma_in_flight``) that may be in use.
    release : str
        "consumer", "hardware", or "" for both.
    arbitration : str
        "ordered" or "fifo".
    conditions : tuple of Condition
        What must hold besides.
    """

    extensions: tuple[str, ...] = ()
    release: str = "consumer"
    arbitration: str = "ordered"
    conditions: tuple[Condition, ...] = ()

    def text(self, schedule: Schedule) -> str:
        """Return the domain in words, as far as the schedule has these parameters."""
        own = set(schedule.parameters)
        parts = [one.text for one in self.conditions]
        off = [one for one in EXTENSIONS if one in own and one not in self.extensions]
        parts += [f"{' = '.join(off)} = 0"] if off else []
        if schedule.release_modes and self.release and self.extensions:
            parts.append(f"release = {self.release}")
        if "arbitration" in own:
            parts.append(f"arbitration = {self.arbitration}")
        return " and ".join(parts) or "everywhere"

    def holds(self, p: Columns) -> Array:
        """Return where the conditions hold."""
        inside = np.ones(size(p), bool)
        for condition in self.conditions:
            inside &= condition.holds(p)
        return inside


class Edge(NamedTuple):
    """The value of a duration at which two parts of a schedule take equally long."""

    duration: str
    needs: tuple[str, ...]
    value: Callable[[Columns], Array]


def _beat(p: Columns) -> Array:
    return np.asarray(np.maximum(np.maximum(p["t_issue"], p["t_transfer"]), p["t_mma"]))


def _edge_of_the_ring(p: Columns) -> Array:
    return np.asarray(p["stages"] * _beat(p) - p["t_issue"] - p["t_transfer"] - p["t_mma"])


_BEAT = ("t_issue", "t_transfer", "t_mma")
_GEMMS = ("t_gemm0", "t_gemm1")
EDGES: Final = (
    Edge("t_gemm0", ("t_gemm1",), lambda p: p["t_gemm1"]),
    Edge("t_exp", _GEMMS, lambda p: p["t_gemm0"] + p["t_gemm1"]),
    Edge("t_softmax", ("t_exp",), lambda p: p["t_exp"]),
    Edge("t_softmax", (*_GEMMS, "t_exp"), lambda p: p["t_gemm0"] + p["t_gemm1"] - p["t_exp"]),
    Edge("t_gemm0", ("t_exp", "t_softmax"), lambda p: p["t_exp"] + p["t_softmax"]),
    Edge("t_transfer", ("t_mma", "t_issue"), lambda p: p["t_mma"] + p["t_issue"]),
    Edge("t_transfer", ("t_mma",), lambda p: p["t_mma"]),
    Edge("t_issue", ("t_mma",), lambda p: p["t_mma"]),
    Edge("t_latency", ("t_mma", "t_transfer"), lambda p: p["t_mma"] - p["t_transfer"]),
    Edge("t_latency", ("stages", *_BEAT), _edge_of_the_ring),
    Edge(
        "t_latency",
        ("stages", "t_mma", "t_transfer"),
        lambda p: (p["stages"] - 1) * p["t_mma"] - p["t_transfer"],
    ),
    Edge("t_mma_latency", ("mma_in_flight", *_BEAT), lambda p: p["mma_in_flight"] * _beat(p)),
    Edge("t_epilogue", ("output_tiles", "k_tiles", *_BEAT), lambda p: p["k_tiles"] * _beat(p)),
    Edge(
        "t_epilogue",
        ("output_tiles", "k_tiles", *_BEAT),
        lambda p: (p["k_tiles"] + 1) * _beat(p) - p["t_mma"],
    ),
)
"""Visited in this order."""


def draw(schedule: Schedule, where: Where, points: int, seed: tuple[int, ...]) -> Columns:
    """Draw points of a schedule, one array per parameter; fewer than asked where they are rare."""
    key = crc32(f"{schedule.name} {where.text(schedule)} {where.release}".encode())
    rng = np.random.default_rng((*seed, key))
    if not where.conditions:
        return _candidates(schedule, where, points, rng)
    found: list[Columns] = []
    missing, wanted = points, points
    for _ in range(ROUNDS):
        p = _candidates(schedule, where, wanted, rng)
        kept = np.flatnonzero(where.holds(p))[:missing]
        found.append({name: column[kept] for name, column in p.items()})
        missing -= kept.size
        if missing == 0:
            break
        share = max(kept.size / wanted, 1 / 16)
        wanted = int(missing / share * 1.05) + 16
    return {name: np.concatenate([one[name] for one in found]) for name in found[0]}


def size(p: Columns) -> int:
    """Return the number of points."""
    return len(next(iter(p.values())))


def numbers(p: Columns) -> Columns:
    """Return durations and counts without the choices."""
    return {name: column for name, column in p.items() if VARIABLES[name].kind != "choice"}


def hardware(p: Columns) -> Array:
    """Return where the hardware frees the slots; nowhere without the parameter."""
    if "release" not in p:
        return np.zeros(size(p), bool)
    return np.asarray(p["release"] == HARDWARE)


def _candidates(schedule: Schedule, where: Where, points: int, rng: np.random.Generator) -> Columns:
    scale = rng.choice(np.array([2, 5, 12, 40, 1000]), points)
    unit = np.where(rng.random(points) < 1 / 16, GRID, 1.0)
    p: Columns = {}
    for name in schedule.parameters:
        if VARIABLES[name].kind == "choice":
            p[name] = _choice(
                name, where.release if name == "release" else where.arbitration, rng, points
            )
        elif VARIABLES[name].kind == "duration":
            p[name] = rng.integers(0, scale + 1) * (unit * (rng.random(points) > 1 / 7))
        else:
            p[name] = _log_uniform(rng, points, *_range(name))
    for name in (one for one in EXTENSIONS if one in p):  # in a fixed order: each draws numbers
        p[name][rng.random(points) < (0.5 if name in where.extensions else 1)] = 0
    if "release" in p and "mma_in_flight" in p:
        p["mma_in_flight"][hardware(p)] = 0
    off = set(EXTENSIONS) - set(where.extensions)
    for edge in EDGES:
        if edge.duration not in off and {edge.duration, *edge.needs} <= set(p):
            _visit(p, edge, rng)
    return p


def _choice(name: str, wanted: str, rng: np.random.Generator, points: int) -> Array:
    """Return codes, as the kernels take them: of one choice, or of the first two mixed."""
    if wanted == "":
        return (rng.random(points) < 0.3).astype(np.int8)
    return np.full(points, VARIABLES[name].choices.index(wanted), np.int8)


def _range(name: str) -> tuple[int, int]:
    """Return the smallest and the largest count that is drawn."""
    least, most = int(VARIABLES[name].lower), VARIABLES[name].upper
    return least, int(min(most, max(MOST.get(name, MOST_OWN), least)))


def _log_uniform(rng: np.random.Generator, points: int, least: int, most: int) -> Array:
    offset = 1 - least
    found: Array = np.exp(rng.random(points) * np.log(most + 1 + offset)).astype(np.int64)
    return found - offset


def _visit(p: Columns, edge: Edge, rng: np.random.Generator) -> None:
    """Put a duration on an edge or near it at some points, and below it at others."""
    some = np.flatnonzero(rng.random(size(p)) < 1 / 4)
    value = edge.value(p)[some]
    off = rng.choice(np.array([0, 0, 0, 0, 1, -1, GRID, -GRID]), some.size)
    below = np.floor(value * rng.random(some.size))
    near = np.round(value / GRID) * GRID + off
    p[edge.duration][some] = np.maximum(np.where(rng.random(some.size) < 0.5, near, below), 0)
