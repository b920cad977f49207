"""Write one row of a description, and the steps and places that rows make up."""

from __future__ import annotations

from textwrap import indent

from sweep.description import Event
from sweep.recurrence.code_text import latest_of
from sweep.recurrence.general.straight_reads import Reads, less, text
from sweep.recurrence.general.tables import FIRST_OF, FLAT, LAST_OF


class Rows:
    """The statements of a description's rows.

    Parameters
    ----------
    reads : Reads
    """

    def __init__(self, reads: Reads) -> None:
        self.reads = reads
        self.roles = [role.name for role in reads.tables.roles]
        self.units = reads.tables.schedule.resources
        self.floating = [row.name for row in reads.rows if self._floats(row)]
        self._named = {one.written.name for one in reads.every() if reads.by_name(one)}
        self._named |= {row.drain_after for row in reads.rows}
        self._named |= {one.row.name for one in reads.buffers}

    def _floats(self, row: Event) -> bool:
        return bool(row.agent) and row.asynchronous and not row.on

    def line(self, name: str) -> str:
        """Name the variable of an agent."""
        return f"agent_{self.roles.index(name)}"

    def unit(self, name: str) -> str:
        """Name the variable of a resource."""
        return f"unit_{self.units.index(name)}"

    def used(self, place: str) -> tuple[list[str], list[str]]:
        """Return the variables of the agents and of the resources that a place uses."""
        rows = self.reads.at(place)
        lines = [self.line(row.agent) for row in rows if row.agent]
        units = [self.unit(row.on) for row in rows if row.on]
        return list(dict.fromkeys(lines)), list(dict.fromkeys(units))

    def once(self, place: str) -> list[str]:
        """Write the rows of a place once per tile."""
        code: list[str] = []
        for row in self.reads.at(place):
            there = [f"done >= {text(row.starts_at)}"] if row.starts_at != 0 else []
            code += self._guarded(row, there, self._statements(row, draining=False))
            code += self._kept(row, "tile")
        return code

    def step(self, place: str, draining: bool) -> list[str]:
        """Write a step of a loop, before or after its last new iteration."""
        code: list[str] = []
        loop = self.reads.loops.index(place)
        for row in self.reads.at(place):
            if draining and row.behind == 0:
                continue
            own = self._guarded(row, self._there(row, loop), self._statements(row, draining))
            own += self._kept(row, less(f"step_{loop}", row.behind))
            own += self._edges(row, loop)
            behind = text(row.behind)
            when = f"step_{loop} - first_{loop} >= {behind}"
            if draining:
                when += f" and step_{loop} - first_{loop} < steps_{loop} + {behind}"
            if own and row.behind != 0:
                own = [f"if {when}:", indent("\n".join(own), "    ")]
            code += own
        return code

    def _there(self, row: Event, loop: int) -> list[str]:
        """Write when a row takes part in an iteration."""
        iteration = less(f"step_{loop} - first_{loop}", row.behind)
        there = []
        if row.starts_at != 0:
            there.append(f"before_{loop} + {iteration} >= {text(row.starts_at)}")
        if row.skips != 0:
            there.append(f"{iteration} >= {text(row.skips)}")
        if row.every != 1:
            last = f"{iteration} == steps_{loop} - 1"
            there.append(f"(({iteration} + 1) % ({text(row.every)}) == 0 or {last})")
        return there

    def _guarded(self, row: Event, there: list[str], statements: list[str]) -> list[str]:
        if not there or not statements:
            return statements
        code = [f"if {' and '.join(there)}:", *(f"    {line}" for line in statements)]
        if row.name in self._named:
            code += ["else:", f"    end_{row.name} = NEVER"]
        return code

    def _statements(self, row: Event, draining: bool) -> list[str]:
        needs = [self.reads.value(read) for read in self.reads.of[row.name]]
        if draining and row.drain_after:
            needs.append(f"end_{row.drain_after}")
        needs = list(dict.fromkeys(needs))
        code = []
        lines = [self.line(row.agent)] if row.agent else []
        if row.asynchronous and row.agent and needs:  # held until it can be issued
            code.append(f"{lines[0]} = {latest_of([*lines, *needs])}")
            needs = []
        units = [self.unit(row.on)] if row.on and row.agent else []
        begin = latest_of([*lines, *units, *needs] or ["NEVER"])
        end = f"{begin} + {row.takes}" if row.takes else begin
        targets = [] if row.asynchronous else lines
        targets = [*targets, *units, *([f"end_{row.name}"] if row.name in self._named else [])]
        if row.name in self.floating:
            code.append(f"floating = latest(floating, {end})")
        if targets:
            code.append(f"{' = '.join([*targets, end])}  # {row.name}")
        return code

    def _kept(self, row: Event, at: str) -> list[str]:
        kept = any(one.row == row and one.kind == FLAT for one in self.reads.buffers)
        return [f"ends_{row.name}[({at}) & mask] = end_{row.name}"] if kept else []

    def _edges(self, row: Event, loop: int) -> list[str]:
        """Write a row's last and first end in a tile down where others read them."""
        kinds = [one.kind for one in self.reads.buffers if one.row == row]
        iteration = less(f"step_{loop} - first_{loop}", row.behind)
        code = []
        if LAST_OF in kinds:
            code += [f"if {iteration} == steps_{loop} - 1:"]
            code += [f"    last_{row.name}[tile & mask] = end_{row.name}"]
        if FIRST_OF in kinds:
            code += [f"if {iteration} == 0:"]
            code += [f"    first_{row.name}[tile & mask] = end_{row.name}"]
        return code
