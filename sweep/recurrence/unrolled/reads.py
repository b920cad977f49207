"""What each row of a description reads, and where the ends that it reads are kept.

An end that is read in its own step, or by a later place of the same tile, is a variable. All
others are kept in buffers that are used round and round, by flat index or by tile.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from sweep.description import Steps
from sweep.description.counts import linear
from sweep.recurrence.general.row_tables import (
    AGENT,
    ASYNCHRONOUS,
    BEHIND,
    DIVISOR,
    DRAIN_AFTER,
    EVERY,
    FIRST_NEED,
    FIRST_OF,
    FLAT,
    KIND,
    LAG,
    LAST_NEED,
    LAST_OF,
    OF_USE,
    OFFSET,
    ONCE,
    PLACE,
    SAME_OF,
    SKIPS,
    STARTS,
    TAKES,
    UNIT,
    WRITTEN,
    Tables,
)

BY_FLAT, BY_TILE, LASTS, FIRSTS = "flat", "tile", "lasts", "firsts"
"""Kinds of buffers: ends by flat index, by tile, and those of a tile's last or first iteration."""


class Row(NamedTuple):
    """A row by numbers: counts are places in ``Tables.counts``, -1 stands for none."""

    number: int
    name: str
    agent: int
    unit: int
    takes: int
    place: int
    asynchronous: bool
    behind: int
    starts: int
    skips: int
    every: int
    drain_after: int


class Read(NamedTuple):
    """What a row waits for.

    Attributes
    ----------
    number : int
        Which need of the description.
    reader, written : int
        Rows.
    kind : int
        As in ``general.tables``.
    lag : int, optional
        Where it is the same at every point.
    """

    number: int
    reader: int
    written: int
    kind: int
    lag: int | None


class Reads:
    """The rows of a description, their reads and the buffers of these.

    Parameters
    ----------
    tables : Tables
    """

    def __init__(self, tables: Tables) -> None:
        self.tables, self.program = tables, tables.program
        self._steps: list[Steps] = list(tables.counts)
        names = [event.name for event in tables.events]
        columns = (AGENT, UNIT, TAKES, PLACE, ASYNCHRONOUS, BEHIND, STARTS, SKIPS, EVERY)
        self.rows = tuple(
            Row(at, names[at], *line[[*columns, DRAIN_AFTER]].tolist())
            for at, line in enumerate(self.program.rows)
        )
        self.loops = range(1, len(tables.loops) + 1)
        self.drain, self.end = len(tables.loops) + 1, len(tables.loops) + 2
        found = [self._reads_of(row) for row in self.rows]
        self.of_row: tuple[tuple[Read, ...], ...] = tuple(map(tuple, found))

    def always(self, count: int) -> int | None:
        """Return a count that is the same at every point, None for one that is a parameter."""
        form = linear(self._steps[count])
        return sum(factor for _, factor in form) if all(not name for name, _ in form) else None

    def in_place(self, place: int) -> tuple[Row, ...]:
        """Return the rows of a place, in list order."""
        return tuple(row for row in self.rows if row.place == place)

    def _reads_of(self, row: Row) -> Iterator[Read]:
        first, last = self.program.rows[row.number, [FIRST_NEED, LAST_NEED]]
        for number in range(first, last):
            need = self.program.needs[number]
            lag = self.always(int(need[LAG]))
            if lag is not None:
                lag += int(need[OFFSET])
                if lag % need[DIVISOR]:
                    continue  # the slot of another use
                lag //= int(need[DIVISOR])
            yield Read(number, row.number, int(need[WRITTEN]), int(need[KIND]), lag)

    def is_variable(self, read: Read) -> bool:
        """Whether what is read is a variable of the same step or tile."""
        reader, written = self.rows[read.reader], self.rows[read.written]
        if read.lag != 0 or read.kind in (OF_USE, SAME_OF):
            return False
        if read.kind == FLAT:
            return reader.behind == written.behind and written.number < reader.number
        if reader.place == written.place:
            return written.number < reader.number
        return self.precedes(written, reader)

    def precedes(self, written: Row, reader: Row) -> bool:
        """Whether a place has been performed, in every tile, when another's rows are."""
        order = {self.drain: 1.5}
        first, second = (order.get(row.place, float(row.place)) for row in (written, reader))
        if reader.place == self.drain and written.place == 1:
            return all(self.always(row.behind) == 0 for row in self.in_place(1))
        return first < second and not (written.place == self.drain and reader.place == 1)

    @cached_property
    def buffers(self) -> dict[tuple[str, int], tuple[Read, ...]]:
        """The buffers, by kind and row, each with what reads it."""
        found: dict[tuple[str, int], list[Read]] = {}
        for read in (read for reads in self.of_row for read in reads):
            if not self.is_variable(read):
                found.setdefault((self.buffer_of(read), read.written), []).append(read)
        return {key: tuple(reads) for key, reads in found.items()}

    def buffer_of(self, read: Read) -> str:
        """Return the kind of the buffer that a read looks into."""
        if read.kind in (FLAT, SAME_OF):
            return BY_FLAT
        if read.kind == ONCE or self.rows[read.written].place not in self.loops:
            return BY_TILE
        return FIRSTS if read.kind == FIRST_OF else LASTS

    @cached_property
    def lasts(self) -> frozenset[int]:
        """Rows of a loop whose last end in a tile is read, by a variable or in a buffer."""
        drained = {row.drain_after for row in self.rows if row.drain_after >= 0}
        return frozenset(drained | self._edges(LAST_OF) | self._buffered(LASTS))

    @cached_property
    def firsts(self) -> frozenset[int]:
        """Rows of a loop whose first end in a tile is read."""
        return frozenset(self._edges(FIRST_OF) | self._buffered(FIRSTS))

    def _edges(self, kind: int) -> set[int]:
        reads = (read for reads in self.of_row for read in reads)
        return {read.written for read in reads if read.kind == kind}

    def _buffered(self, kind: str) -> set[int]:
        return {row for of, row in self.buffers if of == kind}

    def varies(self, place: int) -> bool:
        """Whether a loop's steps differ in more than time: by what they read of other places."""
        reads = (read for row in self.in_place(place) for read in self.of_row[row.number])
        same = {read.written for reads in self.of_row for read in reads if read.kind == SAME_OF}
        read_so = any(row.number in same for row in self.in_place(place))
        return read_so or any(read.kind in (SAME_OF, OF_USE) for read in reads)
