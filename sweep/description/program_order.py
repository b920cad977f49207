"""Program order: tiles, places in order, steps, rows in list order, for given counts.

Agents perform their rows, and resources in order serve their uses, in this order. Several CTAs
take rounds: in each every copy, lowest first, goes on by one step of a loop with what precedes it
since its last step; what is left at a copy's end is its last round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

from sweep.description.counts import Linear, linear
from sweep.description.declared import Steps
from sweep.description.residency import residency
from sweep.description.rows import DRAIN, END, START, Event
from sweep.description.schedule import Schedule, count_names

Key = tuple[str, int, int]
"""Row, tile of the run, iteration: what an instance is known by."""
ONCE = -1
"""The iteration of what happens once per tile."""


class Instance(NamedTuple):
    """One row of one iteration, or of one tile where it happens once per tile.

    Attributes
    ----------
    row : Event
    key : tuple of (str, int, int)
        Row, tile of the run, iteration: what it is known by.
    copy : int
        The CTA on the SM that it belongs to.
    own : int
        The tile's number in its CTA: 0, 1, 2, ...
    tile : int
        The tile's number in the run.
    iteration : int
        Of its loop in the tile, or ``ONCE``.
    flat : int
        The same counted over all tiles of the CTA: iterations of its loop, or tiles.
    step : int
        Of its loop, or ``ONCE``.
    draining : bool
        Whether the step comes after its loop's last new iteration.
    """

    row: Event
    key: Key
    copy: int
    own: int
    tile: int
    iteration: int
    flat: int
    step: int
    draining: bool


class Values:
    """Counts and durations of a point in each of its tiles; a tuple is a table over the tiles."""

    def __init__(self, p: Mapping[str, Any]) -> None:
        self.p = p
        self._fixed: dict[Steps, int] = {}
        self._varying: dict[Steps, Linear] = {}

    def of(self, name: str, tile: int, missing: Any = None) -> Any:
        """Return a parameter in a tile."""
        value = self.p[name] if missing is None else self.p.get(name, missing)
        return value[tile] if isinstance(value, tuple) else value

    def count(self, count: Steps, tile: int) -> int:
        """Return what a count such as "stages - 1" comes to in a tile."""
        found = self._fixed.get(count)
        if found is not None:
            return found
        form = self._varying.get(count)
        if form is None:
            form = linear(count)
            tables = any(name and isinstance(self.p[name], tuple) for name, _ in form)
            if tables:
                self._varying[count] = form
        found = sum(factor * (int(self.of(name, tile)) if name else 1) for name, factor in form)
        if count not in self._varying:
            self._fixed[count] = found
        return found

    def takes(self, row: Event, tile: int) -> float:
        """Return how long a row takes in a tile, in cycles."""
        return float(self.of(row.takes, tile)) if row.takes else 0.0


class Layout:
    """Where every instance of a point's run stands in program order."""

    def __init__(self, schedule: Schedule, p: Mapping[str, Any]) -> None:
        self.schedule = schedule
        self.values = Values(p)
        self.residency = residency(schedule, p)
        self.rows: tuple[Event, ...] = schedule.events(p.get("release", "consumer"))
        self.by_name = {row.name: row for row in self.rows}
        self.place = {row.name: schedule.place(row) for row in self.rows}
        self.loops = {loop.name: loop.count for loop in schedule.loops}
        self.at: dict[str, list[Event]] = {}
        for row in self.rows:
            self.at.setdefault(self.place[row.name], []).append(row)
        self._before: dict[tuple[str, int], list[int]] = {}
        self._made: dict[Key, Instance | None] = {}

    def iterations(self, loop: str, tile: int) -> int:
        """Return the iterations of a loop in a tile of the run."""
        return self.values.count(self.loops[loop], tile)

    def before(self, loop: str, copy: int) -> list[int]:
        """Return the iterations of a loop before each of a copy's tiles, and in all of them."""
        key = loop, copy
        if key not in self._before:
            counts = [self.iterations(loop, tile) for tile in self.residency.tiles_of(copy)]
            self._before[key] = list(accumulate(counts, initial=0))
        return self._before[key]

    def instance(self, row: Event, tile: int, iteration: int) -> Instance | None:
        """Return an instance of a row, None where the row leaves it out."""
        key = row.name, tile, iteration
        if key not in self._made:
            self._made[key] = self._make(row, key)
        return self._made[key]

    def _make(self, row: Event, key: Key) -> Instance | None:
        _, tile, iteration = key
        where, loop = self.residency, self.place[row.name]
        number, copy = divmod(tile, where.copies)
        own = 0 if where.single else number
        if iteration == ONCE:
            found = Instance(row, key, copy, own, tile, ONCE, own, ONCE, draining=False)
            return found if self._takes_part(row, tile, own, 0, 1) else None
        size = self.iterations(loop, tile)
        flat = iteration if where.single else self.before(loop, copy)[number] + iteration
        if not (0 <= iteration < size and self._takes_part(row, tile, flat, iteration, size)):
            return None
        step = iteration + self.values.count(row.behind, tile)
        return Instance(row, key, copy, own, tile, iteration, flat, step, draining=step >= size)

    def _takes_part(self, row: Event, tile: int, flat: int, iteration: int, size: int) -> bool:
        count = self.values.count
        if flat < count(row.starts_at, tile) or iteration < count(row.skips, tile):
            return False
        every = count(row.every, tile)
        return iteration == size - 1 or (every > 0 and (iteration + 1) % every == 0)

    def rounds(self, copy: int) -> Iterator[list[Instance]]:
        """Yield a copy's instances, step by step, each with what precedes it."""
        pending: list[Instance] = []
        for tile in self.residency.tiles_of(copy):
            pending += self._once(START, tile)
            for loop in self.loops:
                size = self.iterations(loop, tile)
                drains = loop == self.schedule.main
                for step in range(self._steps(loop, tile, size)):
                    if drains and step == size:
                        pending += self._once(DRAIN, tile)
                        drains = False
                    pending += self._step(loop, tile, step)
                    yield pending
                    pending = []
                if drains:
                    pending += self._once(DRAIN, tile)
            pending += self._once(END, tile)
        yield pending

    def _steps(self, loop: str, tile: int, size: int) -> int:
        """Return the steps of a loop: what is behind runs on after its last new iteration."""
        behind = (self.values.count(row.behind, tile) for row in self.at.get(loop, []))
        return size + max(behind, default=0) if size else 0

    def _once(self, place: str, tile: int) -> Iterator[Instance]:
        for row in self.at.get(place, []):
            one = self.instance(row, tile, ONCE)
            if one is not None:
                yield one

    def _step(self, loop: str, tile: int, step: int) -> Iterator[Instance]:
        for row in self.at.get(loop, []):
            iteration = step - self.values.count(row.behind, tile)
            one = self.instance(row, tile, iteration) if iteration >= 0 else None
            if one is not None:
                yield one


def program_order(schedule: Schedule, p: Mapping[str, Any]) -> Iterator[Instance]:
    """Yield every instance of a run in program order, copies in turns by rounds.

    Parameters
    ----------
    schedule : Schedule
    p : mapping
        Its counts, and what ``residency`` reads; a tuple is a table over the output tiles.

    Yields
    ------
    Instance
        Also delays that nothing brings about: those exist only where what they come after does.
    """
    yield from in_order(Layout(schedule, p))


def instances_at_most(schedule: Schedule, p: Mapping[str, Any]) -> int:
    """Count the instances of a run, those too that rows leave out, without going through them."""
    values, tiles = Values(p), int(p.get("output_tiles", 1))
    loops = {loop.name: loop.count for loop in schedule.loops}
    total = 0
    for row in schedule.events(p.get("release", "consumer")):
        count = loops.get(schedule.place(row), 1)
        tables = any(isinstance(p.get(name), tuple) for name in count_names(count))
        some = range(tiles) if tables else range(1)
        iterations = sum(max(values.count(count, tile), 0) for tile in some)
        total += iterations if tables else iterations * tiles
    return total


def in_order(layout: Layout) -> Iterator[Instance]:
    """Yield every instance of a layout in program order."""
    copies = [layout.rounds(copy) for copy in range(layout.residency.copies)]
    while copies:
        ended = []
        for copy in copies:
            now = next(copy, None)
            if now is None:
                ended.append(copy)
            else:
                yield from now
        copies = [copy for copy in copies if copy not in ended]
