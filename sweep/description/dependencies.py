"""What an instance comes after, by the rules of the language: lags, places, drains and rings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sweep.description.program_order import ONCE, Instance, Key, Layout, in_order
from sweep.description.rows import Event


class NeverHappens(RuntimeError):
    """A row waits for one that comes after it in program order: the schedule deadlocks.

    Attributes
    ----------
    waiting, awaited : Instance
    ring : str
        The ring that says so; "" for ``after``.
    """

    def __init__(self, waiting: Instance, awaited: Instance, ring: str = "") -> None:
        self.waiting, self.awaited, self.ring = waiting, awaited, ring
        slot = f" a slot of ring {ring!r} that is freed by" if ring else ""
        super().__init__(f"{_named(waiting)} waits for{slot} {_named(awaited)}, which comes later")


class Need(NamedTuple):
    """An instance that is waited for, and the ring that says so ("" for ``after``)."""

    instance: Instance
    ring: str


class Dependencies:
    """What every instance of a layout comes after.

    In one place a lag counts iterations over all tiles of the CTA, elsewhere its tiles. What lies
    before the CTA's first or was left out is nothing to wait for. A delay may be named that
    nothing brings about: see ``existing``.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._rings = [
            (ring, [layout.by_name[use] for use, _ in ring.uses]) for ring in layout.schedule.rings
        ]

    def of(self, one: Instance) -> Iterator[Need]:
        """Yield what an instance comes after, in the order in which its row says so."""
        layout, row = self.layout, one.row
        for after in row.after:
            written = layout.by_name[after.event]
            lag = layout.values.count(after.lag, one.tile)
            if layout.place[written.name] == layout.place[row.name]:
                found = self._counted(written, one, one.flat - lag)
            else:
                found = self._in_tile(written, one, one.own - lag, after.at)
            if found is not None:
                yield Need(found, "")
        if row.drain_after and one.draining:
            found = self._in_tile(layout.by_name[row.drain_after], one, one.own, "last")
            if found is not None:
                yield Need(found, "")
        yield from self._freed(one)

    def existing(self, one: Instance, done: Mapping[Key, bool]) -> bool:
        """Whether an instance happens: a delay only where something it comes after does.

        ``done`` says it of those before in program order. A delay that waits for itself alone
        never happens.
        """
        ahead: dict[Key, bool] = {}
        stack = [one]
        while stack:
            last = stack[-1]
            ahead[last.key] = bool(last.row.agent)
            unknown = None
            for need in self.of(last) if last.row.agent == "" else ():
                key = need.instance.key
                found = done.get(key, ahead.get(key))
                if found:
                    ahead[last.key] = True
                elif found is None and unknown is None:
                    unknown = need.instance
            if ahead[last.key] or unknown is None:
                stack.pop()
            else:
                stack.append(unknown)
        return ahead[one.key]

    def _freed(self, one: Instance) -> Iterator[Need]:
        """Yield the rows that freed the slots that an instance takes."""
        layout = self.layout
        for ring, uses in self._rings:
            for position, use in enumerate(uses):
                if use is not one.row:
                    continue
                slots = layout.values.count(ring.slots, one.tile)
                taken, which = divmod(one.flat * len(uses) + position - slots, len(uses))
                for name in ring.uses[which][1]:
                    found = self._freeing(layout.by_name[name], one, taken)
                    if found is not None:
                        yield Need(found, ring.name)

    def _freeing(self, row: Event, one: Instance, taken: int) -> Instance | None:
        """Return a row's instance that frees what a use of ``one``'s place took by its index."""
        place = self.layout.place
        if place[row.name] == place[one.row.name]:
            return self._counted(row, one, taken)
        own = self._tile_of(one, taken)
        return None if own is None else self._in_tile(row, one, own, "last")

    def _counted(self, row: Event, one: Instance, index: int) -> Instance | None:
        """Return a row's instance by its index in the place of ``one``, in the same CTA."""
        own = self._tile_of(one, index)
        if own is None:
            return None
        if one.iteration == ONCE:
            return self.layout.instance(row, self._tile(one, own), ONCE)
        before = 0
        if not self.layout.residency.single:
            before = self.layout.before(self.layout.place[row.name], one.copy)[own]
        return self.layout.instance(row, self._tile(one, own), index - before)

    def _tile_of(self, one: Instance, index: int) -> int | None:
        """Return the CTA's tile in which an index of ``one``'s place lies; None if in no tile."""
        layout = self.layout
        where, place = layout.residency, layout.place[one.row.name]
        if index < 0:
            return None
        if one.iteration == ONCE:
            tiles = 1 if where.single else len(where.tiles_of(one.copy))
            return index if index < tiles else None
        if where.single:
            return 0 if index < layout.iterations(place, one.tile) else None
        before = layout.before(place, one.copy)
        return bisect_right(before, index) - 1 if index < before[-1] else None

    def _in_tile(self, row: Event, one: Instance, own: int, at: str) -> Instance | None:
        """Return a row's instance in a tile of ``one``'s CTA: once, or the last, first or same."""
        layout = self.layout
        tiles = 1 if layout.residency.single else len(layout.residency.tiles_of(one.copy))
        if not 0 <= own < tiles:
            return None
        tile, place = self._tile(one, own), layout.place[row.name]
        if place not in layout.loops:
            return layout.instance(row, tile, ONCE)
        last = layout.iterations(place, tile) - 1
        iteration = {"last": last, "first": 0, "same": one.iteration}[at]
        return layout.instance(row, tile, iteration) if 0 <= iteration <= last else None

    def _tile(self, one: Instance, own: int) -> int:
        """Return the number in the run of a tile of ``one``'s CTA."""
        where = self.layout.residency
        return one.tile if where.single else one.copy + own * where.copies


def with_needs(layout: Layout) -> Iterator[tuple[Instance, list[Need]]]:
    """Yield all that happens in program order, each with what it comes after.

    Raises
    ------
    NeverHappens
        At the first instance that comes after one that is yet to happen.
    """
    dependencies = Dependencies(layout)
    done: dict[Key, bool] = {}
    for one in in_order(layout):
        needs = []
        for need in dependencies.of(one):
            happened = done.get(need.instance.key)
            if happened:
                needs.append(need)
            elif happened is None and dependencies.existing(need.instance, done):
                raise NeverHappens(one, *need)
        done[one.key] = bool(one.row.agent or needs)
        if done[one.key]:
            yield one, needs


def _named(one: Instance) -> str:
    step = "" if one.iteration == ONCE else f", iteration {one.iteration}"
    return f"{one.row.name!r} of tile {one.tile}{step}"
