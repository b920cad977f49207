"""Write a kernel for one description of the language: one CTA, tiles alike, program order.

One function without calls into others, so that a compiler keeps agents, resources and latest ends
in registers. Points whose list is no order of evaluation, or not surely one, are left to the
table-driven loop: their flag is 1.
"""

from __future__ import annotations

from textwrap import indent

from sweep.description import DRAIN, END, START
from sweep.description.schedule import unique
from sweep.recurrence.code_text import latest_of
from sweep.recurrence.general.straight_leaps import Leaps, block
from sweep.recurrence.general.straight_reads import Reads, text
from sweep.recurrence.general.straight_rows import Rows
from sweep.recurrence.general.tables import Tables

HEADER = '''"""The rows of {name}, one after the other, for one CTA in program order."""

import math

from sweep.compiling.general_runtime import advanced, earliest_of_last, note_last, put_later
from sweep.compiling.numba_options import batch
from sweep.compiling.runtime import latest

NEVER = -math.inf


@batch({durations}, {counts})
def kernel({arguments}, scratch, cycles, period_of, flags):
    """Run every point into ``cycles``; a flag of 1 leaves it to the table-driven loop."""
    mask = scratch.shape[1] - 1
{body}
'''


class StraightCode:
    """A description's own kernel, as source.

    Attributes
    ----------
    supported : bool
        Whether its dependencies are those that such a kernel reads.
    durations, counts : tuple of str
        The parameters that it takes, an array each.
    scratch_rows : int
        How many rings of ends it keeps.
    """

    def __init__(self, tables: Tables, per_tile: bool) -> None:
        self.tables, self.per_tile = tables, per_tile
        self.reads = Reads(tables)
        self.rows = Rows(self.reads)
        self.leaps = Leaps(self.reads, self.rows)
        self.supported = self.reads.supported
        schedule = tables.schedule
        self.durations = (*schedule.durations, "t_launch")
        names = [name for name in schedule.parameters if name not in schedule.durations]
        names = [name for name in names if name not in ("release", "arbitration")]
        self.counts = tuple(unique([*names, "output_tiles"]))
        self._turning = [at for at, role in enumerate(tables.roles) if role.turns > 1]
        looped = [one.name for one in self.reads.buffers]
        self._scratch = [
            *(f"agents_{at}" for at in self._turning),
            *(name for one in looped for name in (one, f"was_{one}", f"tile_was_{one}")),
        ]
        self.scratch_rows = max(1, len(self._scratch))

    def source(self) -> str:
        """Return the module's source."""
        arguments = [f"{name}_all" for name in (*self.durations, *self.counts)]
        rows = [f"{name} = scratch[{at}]" for at, name in enumerate(self._scratch)]
        body = [*rows, *block("for point in range(cycles.size):", self._point())]
        return HEADER.format(
            name=self.tables.schedule.name,
            durations=len(self.durations),
            counts=len(self.counts),
            arguments=", ".join(arguments),
            body=indent("\n".join(body), "    "),
        )

    def _point(self) -> list[str]:
        code = [f"{name} = {name}_all[point]" for name in (*self.durations, *self.counts)]
        for read in self.reads.every():
            if read.of_ring:
                slots, uses, offset = read.of_ring
                code.append(f"{read.lag} = ({slots} + {offset}) // {uses}")
                whole = f"({slots} + {offset}) % {uses} == 0"
                code.append(f"{read.penalty} = 0.0 if {whole} else NEVER")
        left = ["flags[point] = 1", "cycles[point] = period_of[point] = math.nan", "continue"]
        never = self.reads.impossible()
        code += block(f"if {' or '.join(never)}:", left) if never else []
        code += ["flags[point] = 0", *self._start(), *self.leaps.depths()]
        code += block("while done < output_tiles:", self._tile())
        code += [f"cycles[point] = {latest_of(self._all_lines())}"]
        if self.per_tile:
            return [
                *code,
                "period_of[point] = tile_moved / tile_period if tile_period else math.nan",
            ]
        return [*code, "period_of[point] = loop_moved / loop_period if loop_period else math.nan"]

    def _start(self) -> list[str]:
        """Write the state of an SM that has done nothing."""
        code = ["done = tile = tile_mark = tile_period = loop_period = mark = 0"]
        code += ["tile_power = -1", "tile_moved = loop_moved = floating = 0.0"]
        for at, loop in enumerate(self.tables.schedule.loops):
            code += [
                f"step_{at} = first_{at} = before_{at} = 0",
                f"steps_{at} = {text(loop.count)}",
            ]
        for at, _ in enumerate(self.tables.roles):
            code.append(f"agent_{at} = t_launch")
            if at in self._turning:
                code += [f"turn_{at} = 0", f"agents_{at}[:] = t_launch"]
        code += [f"unit_{at} = 0.0" for at in range(len(self.rows.units))]
        code += [f"{one.name}[:] = NEVER" for one in self.reads.buffers]
        code += [f"end_{row.name} = NEVER" for row in self.reads.rows]
        scalars = [f"agent_{at}" for at in range(len(self.tables.roles))]
        scalars += [f"unit_{at}" for at in range(len(self.rows.units))]
        loops = [name for loop in self.tables.loops for name in self.reads.carried_rows(loop)]
        scalars += [f"end_{name}" for name in (*loops, *self.reads.carried_over_tiles())]
        code += [f"was_{name} = 0.0" for name in scalars]
        lines = [kept for _, kept in self.leaps.lines()]
        return code + [f"tile_was_{n} = 0.0" for n in unique([*lines, *scalars])]

    def _tile(self) -> list[str]:
        code = [f"agent_{at} = agents_{at}[turn_{at}]" for at in self._turning]
        code += self.rows.once(START)
        for loop in self.tables.loops:
            code += self._loop(loop)
        code += self.rows.once(END)
        for at in self._turning:
            code += [f"agents_{at}[turn_{at}] = agent_{at}"]
            code += [f"turn_{at} = (turn_{at} + 1) % {self.tables.roles[at].turns}"]
        return [*code, "tile += 1", "done += 1", *self.leaps.over_tiles()]

    def _loop(self, loop: str) -> list[str]:
        at = self.tables.loops.index(loop)
        rows = self.reads.at(loop)
        drain = self.rows.once(DRAIN) if at == 0 else []
        behind = unique(text(row.behind) for row in rows if row.behind != 0)
        code = [f"steady_{at} = {self.leaps.steady_from(loop)}", "power = -1"]
        step = [*self.rows.step(loop, draining=False), f"step_{at} += 1"]
        code += block(
            f"while step_{at} < first_{at} + steps_{at}:", [*step, *self.leaps.over_steps(loop)]
        )
        code += drain
        if behind:
            last = f"first_{at} + steps_{at} + max(0, {', '.join(behind)})"
            step = [*self.rows.step(loop, draining=True), f"step_{at} += 1"]
            code += block(f"while step_{at} < {last}:", step)
        return [
            *code,
            f"first_{at} += steps_{at}",
            f"step_{at} = first_{at}",
            f"before_{at} += steps_{at}",
        ]

    def _all_lines(self) -> list[str]:
        lines = [name for name, _ in self.leaps.lines()]
        lines += [f"unit_{at}" for at in range(len(self.rows.units))]
        return [*lines, *(["floating"] if self.rows.floating else [])]
