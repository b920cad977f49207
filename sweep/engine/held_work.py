"""How often rows happen in a run, and for how long they hold a resource: sums in closed form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sweep.description import Event, Schedule, Steps, count_names
from sweep.description.counts import linear
from sweep.inputs.values import TABLE
from sweep.quantities.arrays import Array, Values
from sweep.quantities.tile_table import Lines
from sweep.quantities.variables import TILE_SCHEDULERS

SINGLE = TILE_SCHEDULERS.index("single")


def period_is_per_tile(schedule: Schedule) -> bool:
    """Whether a schedule's period is that of an output tile, not of an iteration."""
    return schedule.tile_level and schedule.shape != "attention"


@dataclass(frozen=True)
class Work:
    """What the points of a schedule do in all.

    Attributes
    ----------
    schedule : Schedule
    values : mapping of str to numpy.ndarray
        ``Space.values`` of the schedule, or a block of it.
    tables : mapping of str to Lines
        ``Space.tables`` of the schedule.
    """

    schedule: Schedule
    values: Values
    tables: Mapping[str, Lines]

    def held(self, resource: str) -> Any:
        """Return the cycles for which a resource is held, by all CTAs of the SM."""
        rows = [row for row in self.schedule.events("consumer") if row.on == resource and row.takes]
        names = {row.takes for row in rows} | {n for row in rows for n in self._loop_names(row)}
        if names & set(self.tables):
            return sum((self._by_tile(row) for row in rows), np.float64(0))
        return sum((self.values[row.takes] * self._times(row) for row in rows), np.float64(0))

    def held_per_period(self, resource: str) -> Any:
        """Return the cycles for which a resource is held in a steady period.

        Per output tile all rows of a tile count, else those of an iteration of the main loop; rows
        that start late are not late in a steady state.
        """
        held: Any = np.float64(0)
        for row in self.schedule.events("consumer"):
            if row.on != resource or not row.takes:
                continue
            place = self.schedule.place(row)
            if period_is_per_tile(self.schedule):
                held = held + self.values[row.takes] * self._per_tile(row)
            elif place == self.schedule.main:
                held = held + self.values[row.takes] / self._count(row.every)
        return held

    def useful_flop(self) -> Any:
        """Return the useful FLOP of an SM's output tiles; NaN where unknown."""
        if "flop" in self.values:
            return self.values["flop"]
        loop, per_step = self.schedule.loop, self.values["flop_per_step"]
        if loop not in self.tables:
            return per_step * self.values[loop].astype(np.float64) * self.values["output_tiles"]
        steps: Any = np.float64(0)
        for tile in range(self._most_tiles):
            steps = steps + self._of_tile(tile)._count(loop) * self._exists(tile)
        return per_step * steps

    @property
    def _most_tiles(self) -> int:
        return int(self.values["output_tiles"].max())

    def _exists(self, tile: int) -> Array:
        return np.asarray(tile < self.values["output_tiles"])

    def _loop_names(self, row: Event) -> tuple[str, ...]:
        place = self.schedule.place(row)
        counts = (loop.count for loop in self.schedule.loops if loop.name == place)
        return tuple(name for count in counts for name in count_names(count))

    def _count(self, count: Steps) -> Any:
        """Return a count at every point, as float64."""
        terms = ((self.values[name] if name else 1.0) * n for name, n in linear(count))
        return sum(terms, np.float64(0))

    def _iterations(self, row: Event) -> Any:
        """Return the iterations of a row's loop in a tile; None for a row once per tile."""
        place = self.schedule.place(row)
        for loop in self.schedule.loops:
            if loop.name == place:
                return self._count(loop.count)
        return None

    def _per_tile(self, row: Event) -> Any:
        steps = self._iterations(row)
        return 1.0 if steps is None else self._among(row, self._count(row.skips), steps)

    def _among(self, row: Event, first: Any, steps: Any) -> Any:
        """Return how many of a tile's iterations from ``first`` on a row takes part in."""
        if row.every == 1:
            return np.maximum(steps - first, 0)
        every = self._count(row.every)
        whole = np.floor_divide(steps, every) - np.floor_divide(first, every)
        return np.where(first < steps, whole + (steps % every != 0), 0)

    def _times(self, row: Event) -> Any:
        """Return how often a row happens in a run whose tiles are alike."""
        steps, tiles = self._iterations(row), self.values["output_tiles"]
        late = self._count(row.starts_at)
        if row.starts_at == 0:
            return self._per_tile(row) * tiles
        if steps is None:
            alone = np.where(late > 0, 0, tiles)
            reaching = self._over_copies(lambda own: np.maximum(own - late, 0))
        else:
            skipped = self._count(row.skips)
            alone = self._among(row, np.maximum(skipped, late), steps) * tiles
            reaching = self._over_copies(lambda own: self._late(row, own, late, skipped, steps))
        return np.where(self.values["tile_scheduler"] == SINGLE, alone, reaching)

    def _late(self, row: Event, tiles: Any, late: Any, skipped: Any, steps: Any) -> Any:
        """Return how often a row happens that is absent in the first iterations of all tiles."""
        length = np.maximum(steps, 1)
        without = np.minimum(tiles, np.floor_divide(late, length))
        rest = late % length
        broken = ((tiles > without) & (rest > 0)).astype(np.float64)
        partly = self._among(row, np.maximum(skipped, rest), steps)
        return broken * partly + (tiles - without - broken) * self._among(row, skipped, steps)

    def _over_copies(self, times: Callable[[Any], Any]) -> Any:
        """Sum over the CTAs that share the SM, each with its part of the tiles."""
        copies = self.values["ctas_per_sm"]
        fewer, more = np.divmod(self.values["output_tiles"], copies)
        return more * times(fewer + 1.0) + (copies - more) * times(fewer * 1.0)

    def _by_tile(self, row: Event) -> Any:
        """Return the cycles that a row holds its resource where tiles differ."""
        total: Any = np.float64(0)
        before = self._before(row) if row.starts_at != 0 else None
        for tile in range(self._most_tiles):
            own = self._of_tile(tile)
            steps, late = own._iterations(row), own._count(row.starts_at)
            if before is None:
                times = own._per_tile(row)
            elif steps is None:
                times = np.where(late > before[tile], 0, 1)
            else:
                first = np.maximum(own._count(row.skips), late - before[tile])
                times = own._among(row, first, steps)
            total = total + own.values[row.takes] * times * self._exists(tile)
        return total

    def _before(self, row: Event) -> list[Any]:
        """Return how many instances of a row's place its CTA has passed before each tile."""
        copies, single = self.values["ctas_per_sm"], self.values["tile_scheduler"] == SINGLE
        lengths = []
        for tile in range(self._most_tiles):
            steps = self._of_tile(tile)._iterations(row)
            lengths.append(np.float64(1) if steps is None else steps)
        found: list[Any] = [np.float64(0) for _ in lengths]
        for copy_count in np.unique(copies):
            passed: list[Any] = []
            for tile in range(len(lengths)):
                back = tile - int(copy_count)
                passed.append(passed[back] + lengths[back] if back >= 0 else np.float64(0))
            mine = (copies == copy_count) & ~single
            found = [np.where(mine, new, old) for new, old in zip(passed, found, strict=True)]
        return found

    def _of_tile(self, tile: int) -> Work:
        """Return the same with the values of one tile in the place of tables."""
        own = dict(self.values)
        for name, lines in self.tables.items():
            column = min(tile, lines.numbers.shape[1] - 1)
            own[name] = lines.numbers[self.values[TABLE + name], column]
        return replace(self, values=own, tables={})
