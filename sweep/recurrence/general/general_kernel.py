"""The table-driven engine as a batch kernel of a schedule, and its compiled loop over points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.compiling.kept import once
from sweep.description import Schedule
from sweep.description.delays import absent_delays
from sweep.description.interpreter import NeverHappens, interpret
from sweep.quantities.arrays import Array
from sweep.recurrence.general.first_come import FirstCome
from sweep.recurrence.general.point_arrays import arrays_of
from sweep.recurrence.general.row_tables import Tables
from sweep.recurrence.unrolled.unrolled_kernel import plain_points, unrolled_of

SERVICES = ("ordered", "fifo", "alternate")
SCHEDULERS = ("single", "static_persistent")
FEW_POINTS, FEW_TILES = 256, 3
"""Of so many points it is seen in so many tiles whether they deadlock, before anything else."""
STEADY_STEPS = 512
"""Iterations (tiles) after which a point that has not shown its period is left without one."""


@once
def loop_over_points() -> Any:
    """Return the compiled loop; it is compiled once for all descriptions, and kept."""
    from sweep.recurrence.general.compiled import kernel

    return kernel


class GeneralKernel:
    """A schedule's points, whatever its description says.

    Parameters
    ----------
    schedule : Schedule
    release : {"consumer", "hardware"}
    first_come : bool
        Whether resources serve who asked first.
    per_tile : bool
        Whether the period is that of an output tile, not of an iteration of the main loop.
    own : bool
        Whether points of one CTA whose tiles are alike go through a kernel written for the
        description, where there is one; all others go through the table-driven loop.
    """

    def __init__(
        self,
        schedule: Schedule,
        release: str = "consumer",
        first_come: bool = False,
        per_tile: bool = False,
        own: bool = True,
    ) -> None:
        self.tables = tables_of(schedule, release)
        self.schedule, self.release, self.per_tile = schedule, release, per_tile
        queued = 0 in self.tables.program.ordered
        self.first_come = first_come or queued
        self.uncertain = bool(absent_delays(schedule, release))
        self.queues = FirstCome(schedule) if self.first_come else None
        self.unrolled = unrolled_of(self.tables, release) if own and not self.first_come else None

    def run(
        self,
        points: Mapping[str, Array],
        varying: Mapping[str, NDArray[Any]],
        cycles: Array,
        period: Array,
    ) -> None:
        """Run 1-D arrays of points into ``cycles`` and ``period``.

        Parameters
        ----------
        points : mapping of str to numpy.ndarray
            Parameters and residency, choices as codes; of a parameter in ``varying`` the line of
            its table.
        varying : mapping of str to numpy.ndarray
            Lines x tiles.
        """
        if self.queues is not None:
            described = partial(self._described, points, varying)
            self.queues.run(points, described, varying, cycles)
            period[...] = np.nan
            return
        single = np.asarray(points["tile_scheduler"]) == SCHEDULERS.index("single")
        laid = {**points, "single": single.astype(np.int64)}
        self._in_order(laid, varying, cycles, period)
        if self.uncertain:
            for at in np.flatnonzero(np.isnan(cycles)).tolist():
                cycles[at] = self._interpreted(points, varying, at)
        self._steady(laid, varying, cycles, period)

    def _in_order(
        self, laid: Mapping[str, Array], varying: Mapping[str, NDArray[Any]], cycles: Array,
        period: Array,
    ) -> None:  # fmt: skip
        """Run points in program order: by the description's own kernel, then what it leaves."""
        left = np.ones(cycles.size, bool)
        if self.unrolled is not None and not varying:
            own = np.flatnonzero(plain_points(laid, cycles.size))
            left[own] = self._part(self._written_out, laid, own, cycles, period)
            self._leave_deadlocks(laid, own[left[own]], left)
        rest = np.flatnonzero(left)
        if rest.size:
            self._part(partial(self._by_tables, varying), laid, rest, cycles, period)

    def _written_out(self, laid: Mapping[str, Array], cycles: Array, period: Array) -> Any:
        assert self.unrolled is not None
        return self.unrolled.run(laid, self.per_tile, cycles, period)

    def _leave_deadlocks(self, laid: Mapping[str, Array], odd: Array, left: Array) -> None:
        """Leave a few points out that deadlock within tiles, so that nothing is compiled for them.

        What comes before the deadlock is the same however many tiles follow.
        """
        if odd.size > FEW_POINTS:
            return
        some = {name: np.asarray(values)[odd] for name, values in laid.items()}
        some["output_tiles"] = np.minimum(some["output_tiles"], FEW_TILES)
        for at, point in enumerate(odd.tolist()):
            left[point] = not np.isnan(self._interpreted(some, {}, at))

    def _part(
        self, run: Callable[..., Any], laid: Mapping[str, Array], part: Array, cycles: Array,
        period: Array,
    ) -> Any:  # fmt: skip
        """Run a part of some points, and return what that does."""
        if part.size == cycles.size:
            return run(laid, cycles, period)
        some = {name: np.asarray(values)[part] for name, values in laid.items()}
        found, wanted = np.empty(part.size), np.empty(part.size)
        returned = run(some, found, wanted)
        cycles[part], period[part] = found, wanted
        return returned

    def _by_tables(
        self, varying: Mapping[str, NDArray[Any]], laid: Mapping[str, Array], cycles: Array,
        period: Array,
    ) -> None:  # fmt: skip
        block, point, state, work = arrays_of(self.tables, laid, varying, cycles.size)
        loop_over_points()(
            self.tables.program, point, state, work, *block, self.per_tile, cycles, period
        )

    def _steady(
        self, laid: Mapping[str, Array], varying: Mapping[str, NDArray[Any]], cycles: Array,
        period: Array,
    ) -> None:  # fmt: skip
        """Run points on, as far as it takes to see what repeats."""
        open_points = np.flatnonzero(np.isnan(period) & ~np.isnan(cycles))
        if open_points.size == 0 or varying:
            return
        longer = {name: np.asarray(values)[open_points] for name, values in laid.items()}
        shape = open_points.shape
        if self.per_tile:
            longer["output_tiles"] = np.full(shape, STEADY_STEPS) * longer["ctas_per_sm"]
        else:
            longer[self.schedule.loop] = np.full(shape, STEADY_STEPS)
            longer["output_tiles"] = longer["ctas_per_sm"]
        found, wanted = np.empty(shape), np.empty(shape)
        self._in_order(longer, varying, found, wanted)
        period[open_points] = wanted

    def _interpreted(
        self, points: Mapping[str, Array], varying: Mapping[str, NDArray[Any]], at: int
    ) -> float:
        try:
            return interpret(self.schedule, self._described(points, varying, at)).cycles
        except NeverHappens:
            return float("nan")

    def _described(
        self, points: Mapping[str, Array], varying: Mapping[str, NDArray[Any]], at: int
    ) -> dict[str, Any]:
        """Return a point's parameters as the interpreter takes them."""
        p: dict[str, Any] = {}
        tiles = int(points["output_tiles"][at])
        for name, values in points.items():
            value = np.asarray(values)[at].item()
            p[name] = tuple(varying[name][value][:tiles].tolist()) if name in varying else value
        p["tile_scheduler"] = SCHEDULERS[p["tile_scheduler"]]
        p["arbitration"] = SERVICES[p["arbitration"]]
        p["release"] = self.release
        return p


@cache
def tables_of(schedule: Schedule, release: str) -> Tables:
    """Return the tables of a schedule, made once."""
    return Tables(schedule, release)


def engine_text() -> bytes:
    """Return what the compiled loop consists of: its kept code is of no use once this changes."""
    folder = Path(__file__).parent
    names = (
        "finding.py",
        "leaps.py",
        "ordered.py",
        "row_tables.py",
        "run_state.py",
        "service.py",
        "snapshots.py",
    )
    return b"".join((folder / name).read_bytes() for name in names)
