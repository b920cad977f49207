"""The whole text of a kernel: a point's counts, its tiles, and leaps over tiles that repeat."""

from __future__ import annotations

from collections.abc import Iterator

from sweep.description import Schedule
from sweep.recurrence.code_text import function_code
from sweep.recurrence.general.row_tables import FLAT, OF_USE, Tables
from sweep.recurrence.unrolled.loop_text import LoopText
from sweep.recurrence.unrolled.reads import Read, Reads, Row
from sweep.recurrence.unrolled.row_text import RowText, indented
from sweep.recurrence.unrolled.state_text import StateText

HEAD = '''"""{name}: one CTA in program order, written out.

{rows}
"""

import math

from sweep.compiling.numba_options import function, unrolled_batch
from sweep.compiling.runtime import latest
from sweep.compiling.unrolled_runtime import LEFT, NEVER, advanced, advanced_by

FEW_TILES = 8


'''
KERNEL = '''

def kernel(takes, counts, layout, work, lists, per_tile, cycles, period, left):
    """Run points; those that are left are for the table-driven engine."""
    for point in range(cycles.size):
        cycles[point], pace, left[point] = one(
            takes, counts, layout, work, lists[0], lists[1], lists[2], point, per_tile
        )
        period[point] = pace


kernel = unrolled_batch(kernel)
'''


class KernelText:
    """Writes the kernel of a description.

    Parameters
    ----------
    tables : Tables
    """

    def __init__(self, tables: Tables) -> None:
        self.tables, self.reads = tables, Reads(tables)
        self.rows = RowText(self.reads)
        self.state = StateText(self.rows)
        places = self.reads.loops
        self.loops = [LoopText(self.rows, self.state, place) for place in places]

    @property
    def possible(self) -> bool:
        """Whether no row reads, at every point, what comes later."""
        never = (self._never(read) for reads in self.reads.of_row for read in reads)
        return not any(condition == "True" for condition in never)

    def written(self) -> str:
        """Return the module's source."""
        schedule: Schedule = self.tables.schedule
        rows = "\n".join(f"    {event.name}" for event in self.tables.events)
        arguments = "takes, counts, layout, work, loop_was, tile_was, now, point, per_tile"
        body = [*self._point(), *self._tiles(), *self._result()]
        text = function_code("one", arguments, "Run one point.", body, "function")
        return HEAD.format(name=schedule.name, rows=rows) + text + KERNEL

    @property
    def layout(self) -> list[tuple[str, int]]:
        """The buffers in ``work``: kind and row, in the order of ``layout``."""
        return list(self.reads.buffers)

    def turned(self) -> list[tuple[str, int]]:
        """Agents that take turns; their free times are in ``work`` before the buffers."""
        pairs = zip(self.rows.agents, self.rows.turns, strict=True)
        return [(name, turns) for name, turns in pairs if turns > 1]

    def _point(self) -> Iterator[str]:
        """Write a point's numbers, and what takes it elsewhere."""
        for at in range(len(self.tables.schedule.durations)):
            yield f"takes_{at} = takes[{at}, point]"
        for count, at in self.tables.counts.items():
            if self.reads.always(at) is None:
                yield f"count_{at} = counts[{at}, point]  # {count}"
        yield f"tiles = counts[{len(self.tables.counts)}, point]"
        start = 0
        for name, turns in self.turned():
            yield f"turns_{name} = {start}"
            start += turns
        for at, (kind, row) in enumerate(self.layout):
            name = f"{kind}_{self.reads.rows[row].name}"
            yield f"at_{name} = layout[{at}, 0]"
            yield f"in_{name} = layout[{at}, 1]"
        yield from self._lags()
        for name in self._never_there():
            yield f"if {name}:"
            yield "    return math.nan, math.nan, LEFT"
        yield from self.state.set_depths()
        yield f"work[:{start}] = 0.0"
        yield f"work[{start}:] = NEVER"
        yield from (f"agent_{name} = 0.0" for name in self.rows.agents)
        yield from (f"free_{name} = 0.0" for name in self.rows.units)
        yield from (f"end_{row.name} = NEVER" for row in self.reads.rows)

    def _lags(self) -> Iterator[str]:
        for read in (read for reads in self.reads.of_row for read in reads):
            if read.lag is not None:
                continue
            need = self.reads.program.needs[read.number]
            offset = f" + {need[4]}" if need[4] else ""
            yield f"lag_{read.number} = {self.rows.count(int(need[2]))}{offset}"
            if need[3] > 1:
                yield f"shares_{read.number} = lag_{read.number} % {need[3]} == 0"
                yield f"lag_{read.number} //= {need[3]}"

    def _never_there(self) -> Iterator[str]:
        """Write where a row reads what is performed later."""
        for read in (read for reads in self.reads.of_row for read in reads):
            condition = self._never(read)
            if condition and condition != "True":
                shares = self.rows.shares_slot(read)
                yield f"{shares} and ({condition})" if shares else condition
        for row in self.reads.rows:
            if row.drain_after >= 0:
                drained = self.reads.rows[row.drain_after]
                behind = self.rows.count(drained.behind)
                allowed = 1 if drained.number < row.number else 0
                if behind not in {str(one) for one in range(allowed + 1)}:
                    yield f"{behind} > {allowed}"

    def _never(self, read: Read) -> str:
        """Write where a read is of what comes later: "" for nowhere, "True" for everywhere."""
        if self.reads.is_variable(read) or read.kind == OF_USE:
            return ""
        reader, written = self.reads.rows[read.reader], self.reads.rows[read.written]
        ahead = self.rows.lag(read)
        if read.kind == FLAT:
            later = written.number >= reader.number
            skew = [self.reads.always(row.behind) for row in (reader, written)]
            if read.lag is not None and None not in skew:
                ahead = str(read.lag + skew[0] - skew[1])  # type: ignore[operator]
            else:
                counts = self.rows.count(reader.behind), self.rows.count(written.behind)
                ahead = f"{ahead} + {counts[0]} - {counts[1]}"
        elif reader.place == written.place:
            later = written.number >= reader.number
        else:
            later = not self.reads.precedes(written, reader)
        least = 1 if later else 0
        if ahead.lstrip("-").isdigit():
            return "True" if int(ahead) < least else ""
        return f"{ahead} < {least}"

    def _tiles(self) -> Iterator[str]:
        """Write the loop over tiles."""
        yield from ("loose = 0.0", "loose_loop = NEVER", "loose_tile = NEVER")
        yield from ("pace = math.nan", "tile_pace = math.nan", "marked = -1", "tile_power = 0")
        yield from ("tile_size = 0", "tile = 0", "while tile < tiles:")
        yield from indented(self._tile())
        yield "    tile += 1"
        yield "    if tiles >= FEW_TILES and marked > -2 and tile < tiles - 1:"
        yield from indented(indented(self._tile_leap()))

    def _tile(self) -> Iterator[str]:
        for name, turns in self.turned():
            yield f"agent_{name} = work[turns_{name} + tile % {turns}]"
        yield from self._once(self.reads.in_place(0))
        for loop in self.loops:
            yield from loop.written()
        yield from self._once(self.reads.in_place(self.reads.end))
        for name, turns in self.turned():
            yield f"work[turns_{name} + tile % {turns}] = agent_{name}"

    def _once(self, rows: tuple[Row, ...]) -> list[str]:
        return [line for row in rows for line in self.rows.performed(row, "tile", "0", "1")]

    def _tile_leap(self) -> Iterator[str]:
        """Write the comparison of tiles, the leap over them, and the next snapshot."""
        yield from self.state.tile_listed()
        yield "renew = marked < 0 or tile - marked >= tile_power"
        yield "moved = advanced(now, tile_was, size) if marked >= 0 else math.nan"
        yield "if not math.isnan(moved):"
        yield "    leaps = (tiles - 1 - tile) // (tile - marked)"
        yield "    tile_pace = moved / (tile - marked)"
        yield "    shift = leaps * moved"
        yield "    tile += leaps * (tile - marked)"
        yield "    loose = latest(loose, loose_tile + shift)"
        yield from indented(self.state.tile_moved())
        yield "    marked = -2"
        yield f"elif renew and {self._started()}:"
        yield "    tile_power = max(1, 2 * tile_power)"
        yield "    marked = tile"
        yield "    for index in range(size):"
        yield "        tile_was[index] = now[index]"
        yield "    loose_tile = NEVER"

    def _started(self) -> str:
        """Write whether every row that starts late has started."""
        terms = []
        for row in self.reads.rows:
            if self.reads.always(row.starts) != 0:
                passed = "tile"
                if row.place in self.reads.loops:
                    passed = f"tile * {self.rows.steps(row.place)}"
                terms += [f"{passed} >= {self.rows.count(row.starts)}"]
        return " and ".join(dict.fromkeys(terms)) or "True"

    def _result(self) -> Iterator[str]:
        """Write the latest end of a row with an agent, and the period."""
        yield "latest_end = loose"
        turned = dict(self.turned())
        for name in self.rows.agents:
            if name in turned:
                yield f"for index in range(turns_{name}, turns_{name} + {turned[name]}):"
                yield "    latest_end = latest(latest_end, work[index])"
            else:
                yield f"latest_end = latest(latest_end, agent_{name})"
        for unit in self.rows.units:
            yield f"latest_end = latest(latest_end, free_{unit})"
        yield "return latest_end, tile_pace if per_tile else pace, 0"
