"""The text of a loop: its steps, and leaps over those that repeat.

Steps are compared with a snapshot that is renewed at powers of two (Brent 1980); the last
iteration is always performed. What the steps read outside their loop is the same in all of them:
a leap waits until it no longer holds any agent up.
"""

from __future__ import annotations

from collections.abc import Iterator

from sweep.recurrence.general.row_tables import FLAT
from sweep.recurrence.unrolled.reads import Row
from sweep.recurrence.unrolled.row_text import RowText, guarded, indented
from sweep.recurrence.unrolled.state_text import StateText


class LoopText:
    """Writes one loop.

    Parameters
    ----------
    rows : RowText
    state : StateText
    place : int
    """

    def __init__(self, rows: RowText, state: StateText, place: int) -> None:
        self.rows, self.state, self.place = rows, state, place
        self.reads = rows.reads
        self.inside = self.reads.in_place(place)
        self.steps = rows.steps(place)
        self.skewed = any(self.reads.always(row.behind) != 0 for row in self.inside)
        self.leaps = bool(state.loop_times(place)) and not self.reads.varies(place)

    def written(self) -> Iterator[str]:
        """Write the loop."""
        drain = self.reads.in_place(self.reads.drain) if self.place == 1 else ()
        yield f"base_{self.place} = tile * {self.steps}"
        for row in self.inside:
            last, first = self.rows.edges(row, "NEVER")
            yield from (*last, *first)
        yield f"total = {self._total()}"
        yield "step = 0"
        if self.leaps:
            yield from self._before()
        yield "while step < total:"
        if drain and self.skewed:
            yield from indented([f"if step == {self.steps}:", *indented(self._once(drain))])
        for row in self.inside:
            yield from indented(self._in_step(row))
        yield "    step += 1"
        if self.leaps:
            yield from indented(self._leap())
        if drain:
            yield from guarded(f"total <= {self.steps}" if self.skewed else "", self._once(drain))

    def _total(self) -> str:
        if not self.skewed:
            return self.steps
        most = ["0", *(self.rows.count(row.behind) for row in self.inside)]
        return f"{self.steps} + max({', '.join(most)}) if {self.steps} > 0 else 0"

    def _once(self, rows: tuple[Row, ...]) -> list[str]:
        return [line for row in rows for line in self.rows.performed(row, "tile", "0", "1")]

    def _in_step(self, row: Row) -> list[str]:
        """Write a row's instance of a step, where there is one."""
        behind, base = self.rows.count(row.behind), f"base_{self.place}"
        if not self.skewed:
            return self.rows.performed(row, f"({base} + step)", "step", self.steps)
        iteration = f"(step - {behind})" if behind != "0" else "step"
        lines = self.rows.performed(row, f"({base} + {iteration})", iteration, self.steps)
        return guarded(f"0 <= {iteration} < {self.steps}", lines)

    def _before(self) -> Iterator[str]:
        """Write what is noted before the first step."""
        yield "power = 0"
        yield "mark = 0"
        yield "floor = 0.0"
        yield f"steady = {self._steady()}"
        yield "constant = NEVER"
        for row in self.inside:
            for read in self.reads.of_row[row.number]:
                if read.kind != FLAT:
                    value = self.rows.value(read, "tile", "0")
                    line = f"constant = latest(constant, {value})"
                    yield from guarded(self.rows.shares_slot(read), [line])

    def _steady(self) -> str:
        """Write the step from which every row has its instance."""
        terms = ["0"]
        for row in self.inside:
            behind, skips = self.rows.count(row.behind), self.rows.count(row.skips)
            starts = self.rows.count(row.starts)
            terms += [f"{behind} + max({skips}, {starts} - base_{self.place})"]
        terms = [one for one in terms if one != f"0 + max(0, 0 - base_{self.place})"]
        return f"max({', '.join(terms)})" if len(terms) > 1 else terms[0]

    def _leap(self) -> list[str]:
        """Write the comparison with the snapshot, the leap, and the next snapshot."""
        times = self.state.loop_times(self.place)
        first, *others = times
        alike = " and ".join(
            [f"{name} == loop_was[{at}] + moved" for at, name in enumerate(others, 1)] or ["True"]
        )
        every = [
            f"(step - mark) % {self.rows.count(row.every)} == 0"
            for row in self.inside
            if self.reads.always(row.every) != 1
        ]
        ready = " and ".join(["constant <= floor", *every])
        agents = [name for name in times if name.startswith("agent_")]
        floor = agents[0] if len(agents) == 1 else f"min({', '.join(agents)})"
        return [
            f"if power >= 0 and step >= steady and step < {self.steps} - 1:",
            "    renew = power == 0",
            "    if power > 0:",
            f"        moved = {first} - loop_was[0]",
            "        renew = step - mark >= power",
            f"        if {alike}:",
            *indented(indented(indented(self.state.loop_listed(self.place, "now")))),
            f"            if {ready} and advanced_by(now, loop_was, moved, size):",
            f"                leapt = ({self.steps} - 1 - step) // (step - mark) * (step - mark)",
            "                shift = leapt // (step - mark) * moved",
            "                pace = moved / (step - mark)",
            "                loose = latest(loose, loose_loop + shift)",
            "                loose_tile = latest(loose_tile, loose_loop + shift)",
            *indented(indented(indented(indented(self.state.loop_moved(self.place))))),
            "                power = -1",
            "                renew = False",
            "    if renew:",
            "        power = max(1, 2 * power)",
            "        mark = step",
            *indented(indented(self.state.loop_listed(self.place, "loop_was"))),
            f"        floor = {floor if agents else 'math.inf'}",
            "        loose_loop = NEVER",
        ]
