"""What every row of a description reads, as expressions of a kernel written for it alone.

A kernel of one description has a variable per agent, resource and row, and a ring of ends for
each row that is read later than in its own step. Rings are indexed by counters that leaps leave
alone, so that nothing in them is moved; what has not happened is ``NEVER`` there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sweep.description import DRAIN, END, START, Event, Steps
from sweep.description.counts import Linear, add, linear, linear_text
from sweep.recurrence.general.tables import (
    DIVISOR,
    FIRST_NEED,
    FIRST_OF,
    FLAT,
    KIND,
    LAG,
    LAST_NEED,
    LAST_OF,
    OFFSET,
    ONCE,
    WRITTEN,
    Tables,
)


class Read(NamedTuple):
    """One dependency of a row.

    Attributes
    ----------
    kind : int
        See ``tables``; never by the same iteration of another loop, nor of a use's tile.
    reader, written : Event
    lag : str
        An expression; of a ring with several uses the name of a variable.
    penalty : str
        The variable that is ``NEVER`` where a ring's slot is another use's; "" if there is none.
    of_ring : tuple of (str, int, int)
        Slots, uses and offset of such a ring; empty elsewhere.
    """

    kind: int
    reader: Event
    written: Event
    lag: str
    penalty: str = ""
    of_ring: tuple[str, int, int] | tuple[()] = ()


class Buffer(NamedTuple):
    """A ring of ends: of a row's iterations or tiles, or of its last or first in a tile."""

    name: str
    kind: int
    row: Event


class Reads:
    """What the rows of a description read, by row; ``supported`` where all can be written."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.rows = tables.events
        self.loops = tables.loops
        self.place = {row.name: tables.schedule.place(row) for row in self.rows}
        self.index = tables.index
        needs = tables.program.needs
        counts = {at: count for count, at in tables.counts.items()}
        self.supported = all(need[KIND] in (FLAT, ONCE, LAST_OF, FIRST_OF) for need in needs)
        self.supported &= all(self._drains_itself(row) for row in self.rows)
        self.of: dict[str, list[Read]] = {row.name: [] for row in self.rows}
        if self.supported:
            for row, numbers in zip(self.rows, tables.program.rows, strict=True):
                for at in range(numbers[FIRST_NEED], numbers[LAST_NEED]):
                    self.of[row.name].append(self._read(row, at, needs[at], counts))
        self.buffers = self._buffers()

    def _drains_itself(self, row: Event) -> bool:
        drained = row.drain_after
        return not drained or self.place[drained] == self.place[row.name]

    def _read(self, row: Event, at: int, need: np.ndarray, counts: dict[int, Steps]) -> Read:
        slots, uses = text(counts[int(need[LAG])]), int(need[DIVISOR])
        kind, written = int(need[KIND]), self.rows[need[WRITTEN]]
        if uses == 1:
            return Read(kind, row, written, slots)
        ring = slots, uses, int(need[OFFSET])
        return Read(kind, row, written, f"lag_{at}", f"kept_{at}", ring)

    def every(self) -> Iterator[Read]:
        """Yield all dependencies."""
        for reads in self.of.values():
            yield from reads

    def in_loop(self, row: Event) -> bool:
        """Whether a row belongs to a loop."""
        return self.place[row.name] in self.loops

    def at(self, place: str) -> list[Event]:
        """Return the rows of a place, in list order."""
        return [row for row in self.rows if self.place[row.name] == place]

    def before(self, read: Read) -> bool:
        """Whether the row that is read comes earlier in the list."""
        return self.index[read.written.name] < self.index[read.reader.name]

    def by_name(self, read: Read) -> bool:
        """Whether what is read is the latest end of its row, whatever the point."""
        if read.kind == FLAT:
            return self.carried(read) or (self._steps(read) == () and read.lag == "0")
        return read.kind != FIRST_OF and (read.lag == "0" or self.of_last_tile(read))

    def of_last_tile(self, read: Read) -> bool:
        """Whether that end is the last tile's, since its row comes later in each tile."""
        reader, written = self.place[read.reader.name], self.place[read.written.name]
        if read.kind not in (ONCE, LAST_OF) or read.lag != "1":
            return False
        if reader == written:
            return not self.before(read)
        drains = written == DRAIN and self.in_loop(read.reader)  # what is behind comes after it
        return not drains and self._rank(reader) < self._rank(written)

    def carried(self, read: Read) -> bool:
        """Whether that end is one of the step before, so that leaps have to move it.

        Not where a tile's last steps, in which only rows that are behind go on, come between.
        """
        if read.kind != FLAT or self._steps(read) != (("", 1),):
            return False
        earlier = self.before(read) and read.reader is not read.written
        return not earlier and read.lag in ("0", "1")

    def _steps(self, read: Read) -> Linear:
        """Return by how many steps of its loop a row follows what it reads."""
        behind = linear(read.reader.behind)
        return add(linear(_count(read.lag)), behind, minus=linear(read.written.behind))

    def carried_rows(self, place: str) -> list[str]:
        """Name the rows of a loop whose latest end is read a step later."""
        rows = (one.written.name for one in self.every() if self.carried(one))
        return list(dict.fromkeys(row for row in rows if self.place[row] == place))

    def carried_over_tiles(self) -> list[str]:
        """Name the rows whose latest end is read in the next tile."""
        return list(
            dict.fromkeys(
                one.written.name
                for one in self.every()
                if self.of_last_tile(one) or (self.carried(one) and one.lag == "1")
            )
        )

    def _buffers(self) -> list[Buffer]:
        found = []
        for read in self.every():
            if not self.by_name(read):
                kind = FLAT if read.kind == ONCE else read.kind
                found.append(Buffer(buffer_name(read), kind, read.written))
        return list(dict.fromkeys(found))

    def value(self, read: Read) -> str:
        """Write the end that a row reads."""
        if self.by_name(read):
            return f"end_{read.written.name}"
        if read.kind == FLAT:
            loop = self.loops.index(self.place[read.reader.name])
            at = less(less(f"step_{loop}", read.reader.behind), read.lag)
        else:
            at = less("tile", read.lag)
        found = f"{buffer_name(read)}[({at}) & mask]"
        return f"{found} + {read.penalty}" if read.penalty else found

    def impossible(self) -> list[str]:
        """Write where a list is no order of evaluation, or not surely one."""
        found = [below(linear(row.every), 1) for row in self.rows]
        found += [below(linear(row.behind), 0) for row in self.rows]
        found += [below(linear(loop.count), 1) for loop in self.tables.schedule.loops]
        for read in self.every():
            lag = linear(_count(read.lag))
            faults = [one for one in (below(lag, 0), self._too_early(read, lag)) if one]
            kept = f"{read.penalty} == 0.0 and " if read.penalty else ""
            found += [f"{kept}{fault}" for fault in faults]
        for row in self.rows:
            if row.drain_after:
                drained = self.rows[self.index[row.drain_after]]
                found.append(below(add(minus=linear(drained.behind)), 0))
        return list(dict.fromkeys(one for one in found if one))

    def _too_early(self, read: Read, lag: Linear) -> str:
        """Write where what is read has not happened yet; "" where that cannot be."""
        reader, written = self.place[read.reader.name], self.place[read.written.name]
        in_list = 0 if self.before(read) else 1
        if read.kind == FLAT:
            return below(self._steps(read), in_list)
        if reader == written:
            return below(lag, in_list)
        if self._rank(written) >= self._rank(reader):
            return below(lag, 1)
        if reader == DRAIN and written in self.loops and read.written.behind != 0:
            both = below(lag, 1), below(add(minus=linear(read.written.behind)), 0)
            return " and ".join(both) if all(both) else ""
        return ""

    def _rank(self, place: str) -> float:
        ranks: dict[str, float] = {START: 0.0, DRAIN: 1.5, END: len(self.loops) + 2.0}
        return ranks[place] if place in ranks else self.loops.index(place) + 1.0

    def depth_in_loop(self, row: Event) -> str:
        """Write how many of a row's ends its own loop reads again in steady steps."""
        return most([linear_text(self._steps(one)) for one in self._by_ring(row, FLAT)])

    def depth(self, buffer: Buffer) -> str:
        """Write how many of a buffer's ends matter between tiles."""
        kinds = (FLAT, ONCE) if buffer.kind == FLAT else (buffer.kind,)
        return most([one.lag for kind in kinds for one in self._by_ring(buffer.row, kind)])

    def _by_ring(self, row: Event, kind: int) -> list[Read]:
        of = (one for one in self.every() if one.written == row and one.kind == kind)
        return [one for one in of if not self.by_name(one)]


def buffer_name(read: Read) -> str:
    """Name the ring of ends in which a dependency is found."""
    prefix = {LAST_OF: "last", FIRST_OF: "first"}.get(read.kind, "ends")
    return f"{prefix}_{read.written.name}"


def _count(lag: str) -> Steps:
    return int(lag) if re.fullmatch(r"-?\d+", lag) else lag


def below(form: Linear, least: int) -> str:
    """Write that a count is below a number; "" where it never is.

    Examples
    --------
    >>> below((("", -1), ("stages", 1)), 1), below((("", 2),), 1), below((), 1)
    ('stages - 1 < 1', '', '0 < 1')
    """
    if all(name == "" for name, _ in form) and sum(number for _, number in form) >= least:
        return ""
    return f"{linear_text(form)} < {least}"


def most(numbers: list[str]) -> str:
    """Write the largest of some numbers, at least 0."""
    different = list(dict.fromkeys(numbers))
    if len(different) == 1 and different[0].isdigit():
        return different[0]
    return f"max(0, {', '.join(different)})"


def text(count: Steps) -> str:
    """Write a count as an expression."""
    return linear_text(linear(count))


def less(expression: str, count: Steps) -> str:
    """Write an expression less a count.

    Examples
    --------
    >>> less("tile", "stages - 1"), less("tile", 0)
    ('tile - (stages - 1)', 'tile')
    """
    taken = count if isinstance(count, str) else text(count)
    if taken == "0":
        return expression
    return f"{expression} - ({taken})" if " " in taken else f"{expression} - {taken}"
