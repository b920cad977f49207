"""The text of rows: what they wait for, how long they take, where their ends are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import indent

from sweep.recurrence.general.row_tables import FLAT, LAST_OF, OF_USE, SAME_OF
from sweep.recurrence.unrolled.reads import (
    BY_FLAT,
    BY_TILE,
    FIRSTS,
    LASTS,
    Read,
    Reads,
    Row,
)


def indented(lines: Iterable[str]) -> list[str]:
    """Return lines one step to the right."""
    return [indent(line, "    ") for line in lines]


def guarded(condition: str, lines: list[str]) -> list[str]:
    """Return lines under a condition, or as they are without one."""
    return [f"if {condition}:", *indented(lines)] if condition else lines


class RowText:
    """Writes rows as statements.

    Parameters
    ----------
    reads : Reads
    """

    def __init__(self, reads: Reads) -> None:
        self.reads = reads
        tables = reads.tables
        self.agents = [role.name for role in tables.roles]
        self.turns = [role.turns for role in tables.roles]
        self.units = list(tables.schedule.resources)

    def count(self, number: int) -> str:
        """Write a count."""
        always = self.reads.always(number)
        return f"count_{number}" if always is None else str(always)

    def steps(self, place: int) -> str:
        """Write how often a loop runs in a tile."""
        return self.count(int(self.reads.program.loop_counts[place - 1]))

    def lag(self, read: Read) -> str:
        """Write a lag."""
        return f"lag_{read.number}" if read.lag is None else str(read.lag)

    def shares_slot(self, read: Read) -> str:
        """Write whether a ring's slots make it this use's slot, "" where they always do."""
        divisor = self.reads.program.needs[read.number, 3]
        return f"shares_{read.number}" if read.lag is None and divisor > 1 else ""

    def agent(self, row: Row) -> str:
        """Name the variable of a row's agent."""
        return f"agent_{self.agents[row.agent]}"

    def performed(self, row: Row, index: str, iteration: str, steps: str) -> list[str]:
        """Write a row; ``index`` is its flat index, ``iteration`` the one in the tile."""
        body = [*self._ready(row, index, iteration), *self._times(row)]
        condition = self._takes_part(row, index, iteration, steps)
        if condition:
            never = f"end_{row.name} = NEVER"
            body = [f"if {condition}:", *indented(body), "else:", f"    {never}"]
        return [*body, *self._kept(row, index, iteration)]

    def _ready(self, row: Row, index: str, iteration: str) -> Iterator[str]:
        """Write the latest end of all that a row waits for."""
        yield f"ready = NEVER  # {row.name}"
        for read in self.reads.of_row[row.number]:
            if read.kind == OF_USE:
                lines = self._of_use(read, index)
            else:
                lines = [f"ready = latest(ready, {self.value(read, index, iteration)})"]
            yield from guarded(self.shares_slot(read), lines)
        if row.drain_after >= 0:
            written = self.reads.rows[row.drain_after].name
            steps = self.steps(row.place)
            yield f"if step >= {steps}:"
            yield f"    ready = latest(ready, last_{written})"

    def value(self, read: Read, index: str, iteration: str) -> str:
        """Write the end that is read."""
        written = self.reads.rows[read.written].name
        if self.reads.is_variable(read):
            if read.kind == FLAT or self.reads.rows[read.written].place not in self.reads.loops:
                return f"end_{written}"
            return f"{'last' if read.kind == LAST_OF else 'first'}_{written}"
        kind = self.reads.buffer_of(read)
        at = f"tile - {self.lag(read)}"
        if read.kind == FLAT:
            at = f"{index} - {self.lag(read)}"
        elif read.kind == SAME_OF:
            steps = self.steps(self.reads.rows[read.written].place)
            at = f"{steps} * (tile - {self.lag(read)}) + {iteration}"
        return self.entry(kind, read.written, at)

    def entry(self, kind: str, row: int, at: str) -> str:
        """Write an entry of a buffer."""
        name = f"{kind}_{self.reads.rows[row].name}"
        return f"work[at_{name} + (({at}) & in_{name})]"

    def _of_use(self, read: Read, index: str) -> list[str]:
        """Write when another place freed the slot of a use, by the tile of that use."""
        reader, written = self.reads.rows[read.reader], self.reads.rows[read.written]
        lag, steps = self.lag(read), self.steps(reader.place)
        lines = [f"used = ({index} - {lag}) // {steps}"]
        if not self.reads.precedes(written, reader):
            lines += ["if used == tile:", "    return math.nan, math.nan, LEFT"]
        kind = self.reads.buffer_of(read)
        lines += [f"ready = latest(ready, {self.entry(kind, read.written, 'used')})"]
        return guarded(f"{index} >= {lag}", lines)

    def _times(self, row: Row) -> Iterator[str]:
        """Write the end of a row that is ready."""
        takes = f" + takes_{row.takes}" if row.takes >= 0 else ""
        if row.agent < 0:
            yield f"end_{row.name} = ready{takes}"
            return
        agent = self.agent(row)
        yield f"ready = latest({agent}, ready)"
        begin = "ready"
        if row.unit >= 0:
            begin = f"latest(ready, free_{self.units[row.unit]})"
        yield f"end_{row.name} = {begin}{takes}"
        if row.unit >= 0:
            yield f"free_{self.units[row.unit]} = end_{row.name}"
        elif row.asynchronous:
            for loose in ("loose", "loose_loop", "loose_tile"):
                yield f"{loose} = latest({loose}, end_{row.name})"
        yield f"{agent} = {'ready' if row.asynchronous else f'end_{row.name}'}"

    def _takes_part(self, row: Row, index: str, iteration: str, steps: str) -> str:
        """Write whether a row has an instance, "" where it always has."""
        terms = []
        if self.reads.always(row.starts) != 0:
            terms += [f"{index} >= {self.count(row.starts)}"]
        if self.reads.always(row.skips) != 0:
            terms += [f"{iteration} >= {self.count(row.skips)}"]
        if self.reads.always(row.every) != 1:
            every = self.count(row.every)
            terms += [f"({iteration} == {steps} - 1 or ({iteration} + 1) % {every} == 0)"]
        return " and ".join(terms)

    def _kept(self, row: Row, index: str, iteration: str) -> Iterator[str]:
        """Write where an end is kept."""
        end = f"end_{row.name}"
        for kind, at in ((BY_FLAT, index), (BY_TILE, "tile")):
            if (kind, row.number) in self.reads.buffers:
                yield f"{self.entry(kind, row.number, at)} = {end}"
        if row.place in self.reads.loops:
            last, first = self.edges(row, end)
            yield from last
            yield from guarded(f"{iteration} == 0", list(first)) if first else ()

    def edges(self, row: Row, end: str) -> tuple[list[str], list[str]]:
        """Write an end into what is kept of a tile's last, and of its first iteration.

        The last is written at every iteration: a place in the midst of the loop may read it.
        """
        last = [f"last_{row.name} = {end}"] if row.number in self.reads.lasts else []
        first = [f"first_{row.name} = {end}"] if row.number in self.reads.firsts else []
        for kind, lines in ((LASTS, last), (FIRSTS, first)):
            if (kind, row.number) in self.reads.buffers:
                lines.append(f"{self.entry(kind, row.number, 'tile')} = {end}")
        return last, first
