"""The text that lists a state, compares it with an earlier one, and moves it on."""

from __future__ import annotations

from collections.abc import Iterator

from sweep.recurrence.general.row_tables import FLAT, OF_USE, SAME_OF
from sweep.recurrence.unrolled.reads import BY_FLAT, Read
from sweep.recurrence.unrolled.row_text import RowText, guarded, indented


class StateText:
    """Writes what is listed of a state: of a loop's steady steps, or at the start of a tile.

    Parameters
    ----------
    rows : RowText
    """

    def __init__(self, rows: RowText) -> None:
        self.rows, self.reads = rows, rows.reads

    def loop_times(self, place: int) -> list[str]:
        """Name the variables of agents and resources that a loop moves, agents first."""
        inside = self.reads.in_place(place)
        agents = dict.fromkeys(self.rows.agent(row) for row in inside if row.agent >= 0)
        units = dict.fromkeys(
            f"free_{self.rows.units[row.unit]}" for row in inside if row.unit >= 0
        )
        return [*agents, *units]

    def loop_buffers(self, place: int) -> list[tuple[int, tuple[Read, ...]]]:
        """Return the rows of a loop whose ends its own steps read again, with these reads."""
        return [
            (row, tuple(one for one in reads if one.kind == FLAT))
            for (kind, row), reads in self.reads.buffers.items()
            if kind == BY_FLAT and self.reads.rows[row].place == place
            if any(one.kind == FLAT for one in reads)
        ]

    def depth(self, row: int) -> str:
        """Name how many of a row's latest ends its loop still reads."""
        return f"depth_{self.reads.rows[row].name}"

    def set_depths(self) -> Iterator[str]:
        """Write how far back each buffer is read: in a loop's steps, and at the start of a tile."""
        for place in self.reads.loops:
            for row, reads in self.loop_buffers(place):
                yield f"{self.depth(row)} = 0"
                for read in reads:
                    ahead = self.rows.count(self.reads.rows[read.reader].behind)
                    behind = self.rows.count(self.reads.rows[row].behind)
                    back = f"{ahead} - {behind} + {self.rows.lag(read)}"
                    lines = [f"{self.depth(row)} = max({self.depth(row)}, {back})"]
                    yield from guarded(self.rows.shares_slot(read), lines)
        for (kind, row), reads in self.reads.buffers.items():
            name = f"reach_{kind}_{self.reads.rows[row].name}"
            yield f"{name} = 0"
            for read in reads:
                lines = [f"{name} = max({name}, {self._reach(read)})"]
                yield from guarded(self.rows.shares_slot(read), lines)

    def _reach(self, read: Read) -> str:
        lag = self.rows.lag(read)
        if read.kind == SAME_OF:
            return f"{lag} * {self.rows.steps(self.reads.rows[read.written].place)}"
        if read.kind == OF_USE:
            steps = self.rows.steps(self.reads.rows[read.reader].place)
            return f"({lag} + {steps} - 1) // max({steps}, 1)"
        return lag

    def loop_listed(self, place: int, into: str) -> Iterator[str]:
        """Write a loop's state into a list; its length is ``size``."""
        times = self.loop_times(place)
        yield from (f"{into}[{at}] = {name}" for at, name in enumerate(times))
        yield f"size = {len(times)}"
        for row, _ in self.loop_buffers(place):
            yield f"for back in range(1, {self.depth(row)} + 1):"
            entry = self.rows.entry(BY_FLAT, row, f"{self._passed(place, row)} - back")
            yield f"    {into}[size] = {entry}"
            yield "    size += 1"

    def loop_moved(self, place: int) -> Iterator[str]:
        """Write a loop's state from ``now``, later by ``shift``, and the step it is then at."""
        times = self.loop_times(place)
        yield "step += leapt"
        yield from (f"{name} = now[{at}] + shift" for at, name in enumerate(times))
        yield f"size = {len(times)}"
        for row, _ in self.loop_buffers(place):
            yield f"for back in range(1, {self.depth(row)} + 1):"
            entry = self.rows.entry(BY_FLAT, row, f"{self._passed(place, row)} - back")
            yield f"    {entry} = now[size] + shift"
            yield "    size += 1"

    def _passed(self, place: int, row: int) -> str:
        """Write how many instances of a row are passed at the start of a step."""
        behind = self.rows.count(self.reads.rows[row].behind)
        return f"base_{place} + step - {behind}"

    def tile_listed(self) -> Iterator[str]:
        """Write the state at the start of a tile into ``now``; its length is ``size``."""
        yield "earliest = math.inf"
        yield "size = 0"
        for name, turns in zip(self.rows.agents, self.rows.turns, strict=True):
            if turns == 1:
                lines = [f"now[size] = agent_{name}"]
            else:
                lines = [f"now[size] = work[turns_{name} + (tile + later) % {turns}]"]
            lines += ["earliest = min(earliest, now[size])", "size += 1"]
            yield from lines if turns == 1 else _repeated(f"later in range({turns})", lines)
        for entry, reach in self._tile_buffers():
            yield from _repeated(
                f"back in range(1, {reach} + 1)", [f"now[size] = {entry}", "size += 1"]
            )
        for unit in self.rows.units:
            yield f"now[size] = latest(free_{unit}, earliest)"
            yield "size += 1"

    def tile_moved(self) -> Iterator[str]:
        """Write the state from ``now``, later by ``shift``, at a later tile."""
        yield "size = 0"
        for name, turns in zip(self.rows.agents, self.rows.turns, strict=True):
            if turns == 1:
                yield f"agent_{name} = now[size] + shift"
                yield "size += 1"
            else:
                there = f"work[turns_{name} + (tile + later) % {turns}]"
                lines = [f"{there} = now[size] + shift", "size += 1"]
                yield from _repeated(f"later in range({turns})", lines)
        for entry, reach in self._tile_buffers():
            lines = [f"{entry} = now[size] + shift", "size += 1"]
            yield from _repeated(f"back in range(1, {reach} + 1)", lines)
        for unit in self.rows.units:
            yield f"free_{unit} = now[size] + shift"
            yield "size += 1"

    def _tile_buffers(self) -> Iterator[tuple[str, str]]:
        for kind, row in self.reads.buffers:
            name = f"{kind}_{self.reads.rows[row].name}"
            place = self.reads.rows[row].place
            passed = f"{self.rows.steps(place)} * tile" if kind == BY_FLAT else "tile"
            yield self.rows.entry(kind, row, f"{passed} - back"), f"reach_{name}"


def _repeated(over: str, lines: list[str]) -> list[str]:
    return [f"for {over}:", *indented(lines)]
