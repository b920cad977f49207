"""Write the leaps over steps and tiles that repeat: see ``jumps``, whose rules these are."""

from __future__ import annotations

from textwrap import indent

from sweep.recurrence.code_text import latest_of
from sweep.recurrence.general.straight_reads import Buffer, Reads, less, most, text
from sweep.recurrence.general.straight_rows import Rows
from sweep.recurrence.general.tables import FLAT

EACH = 4
"""Up to this step each is compared with the one before: most loops settle that early."""


def block(head: str, body: list[str]) -> list[str]:
    """Write a statement with a body."""
    return [head, indent("\n".join(body or ["pass"]), "    ")]


class Leaps:
    """The code that compares a state with a snapshot, renewed at powers of two (Brent 1980).

    Parameters
    ----------
    reads : Reads
    rows : Rows
    """

    def __init__(self, reads: Reads, rows: Rows) -> None:
        self.reads, self.rows = reads, rows

    def depths(self) -> list[str]:
        """Write how many ends of each ring matter, in its loop and between tiles."""
        code = []
        for one in self.reads.buffers:
            if one.kind == FLAT and self.reads.in_loop(one.row):
                code.append(f"loop_depth_{one.name} = {self.reads.depth_in_loop(one.row)}")
            code.append(f"depth_{one.name} = {self.reads.depth(one)}")
        return code

    def over_steps(self, place: str) -> list[str]:
        """Write what follows a step of a loop."""
        loop = self.reads.loops.index(place)
        lines, units = self.rows.used(place)
        scalars = [*lines, *units, *(f"end_{n}" for n in self.reads.carried_rows(place))]
        if not lines:
            return []
        rings = [
            (one.name, self._upto(one, loop), f"loop_depth_{one.name}")
            for one in self.reads.buffers
            if one.kind == FLAT and self.reads.place[one.row.name] == place
        ]
        step = f"step_{loop} - first_{loop}"
        found = self._found(scalars, rings)
        alike = [f"period % ({text(r.every)}) == 0" for r in self.reads.at(place) if r.every != 1]
        leap = [
            f"periods = (steps_{loop} - 1 - ({step})) // period",
            "shift = periods * moved",
            *(f"{name} += shift" for name in scalars),
            *(f"put_later({name}, {upto}, {size}, shift)" for name, upto, size in rings),
            f"first_{loop} -= periods * period",
            "power = 0",
            *(["loop_moved, loop_period = moved, period"] if loop == 0 else []),
        ]
        floor = self._floor(place, scalars, rings)
        search = [
            f"period = step_{loop} - mark",
            f"moved = {scalars[0]} - was_{scalars[0]}",
            *block(f"if {' and '.join([*found, *alike])}:", [*floor, *block("if settled:", leap)]),
            *block(
                "if power == period:",
                self._mark(
                    scalars, rings, f"step_{loop}", f"power if {step} < {EACH} else 2 * power"
                ),
            ),
        ]
        fresh = self._mark(scalars, rings, f"step_{loop}", "1")
        inner = [*block("if power > 0:", search), *block("elif power < 0:", fresh)]
        return block(f"if steady_{loop} <= {step} < steps_{loop} - 1:", inner)

    def steady_from(self, place: str) -> str:
        """Write the step from which every row of a loop has its instance."""
        loop = self.reads.loops.index(place)
        firsts = []
        for row in self.reads.at(place):
            late = [text(row.skips)] if row.skips != 0 else ["0"]
            late += [f"{text(row.starts_at)} - before_{loop}"] if row.starts_at != 0 else []
            firsts.append(f"{text(row.behind)} + {most(late) if late != ['0'] else '0'}")
        return most(firsts) if firsts else "0"

    def _upto(self, buffer: Buffer, loop: int) -> str:
        return less(f"step_{loop}", buffer.row.behind)

    def _found(self, scalars: list[str], rings: list[tuple[str, str, str]]) -> list[str]:
        found = [f"{name} == was_{name} + moved" for name in scalars[1:]]
        found += [f"advanced({n}, was_{n}, {upto}, {size}, moved)" for n, upto, size in rings]
        return found or ["True"]

    def _mark(
        self, scalars: list[str], rings: list[tuple[str, str, str]], at: str, power: str
    ) -> list[str]:
        code = [f"mark, power = {at}, {power}"]
        code += [f"was_{name} = {name}" for name in scalars]
        return code + [f"note_last({n}, was_{n}, {upto}, {size})" for n, upto, size in rings]

    def _floor(
        self, place: str, scalars: list[str], rings: list[tuple[str, str, str]]
    ) -> list[str]:
        """Write whether what a loop waits for outside it is over at the snapshot."""
        constants = [
            self.reads.value(read)
            for row in self.reads.at(place)
            for read in self.reads.of[row.name]
            if read.kind != FLAT
        ]
        if not constants:
            return ["settled = True"]
        code = [f"earliest = {scalars[0]}"]
        code += [f"earliest = min(earliest, {name})" for name in scalars[1:] if name[:4] != "end_"]
        carried = [name for name in scalars if name[:4] == "end_"]
        code += [f"earliest = min(earliest, {n} if {n} > NEVER else earliest)" for n in carried]
        code += [f"earliest = earliest_of_last({n}, {u}, {s}, earliest)" for n, u, s in rings]
        return [*code, f"settled = {latest_of(dict.fromkeys(constants))} <= earliest - moved"]

    # Between tiles.

    def lines(self) -> list[tuple[str, str]]:
        """Return the variables of agents, one for each that takes turns, and their names."""
        found = []
        for at, role in enumerate(self.reads.tables.roles):
            if role.turns == 1:
                found.append((f"agent_{at}", f"agent_{at}"))
            for later in range(role.turns) if role.turns > 1 else ():
                held = f"agents_{at}[(turn_{at} + {later}) % {role.turns}]"
                found.append((held, f"agent_{at}_{later}"))
        return found

    def over_tiles(self) -> list[str]:
        """Write what follows a tile."""
        lines = self.lines()
        units = [f"unit_{at}" for at in range(len(self.rows.units))]
        carried = [f"end_{name}" for name in self.reads.carried_over_tiles()]
        rings = []
        for one in self.reads.buffers:
            looped = one.kind == FLAT and self.reads.in_loop(one.row)
            upto = (
                f"step_{self.reads.loops.index(self.reads.place[one.row.name])}"
                if looped
                else "tile"
            )
            rings.append((one.name, upto, f"depth_{one.name}"))
        earliest = [f"earliest = {lines[0][0]}"]
        earliest += [f"earliest = min(earliest, {name})" for name, _ in lines[1:]]
        found = [f"{name} - tile_was_{kept} == moved" for name, kept in lines[1:]]
        found += [f"{name} == tile_was_{name} + moved" for name in carried]
        found += [f"latest({name}, earliest) - tile_was_{name} == moved" for name in units]
        found += [f"advanced({n}, tile_was_{n}, {upto}, {size}, moved)" for n, upto, size in rings]
        leap = [
            "periods = (output_tiles - 1 - done) // period",
            "shift = periods * moved",
            *(f"{name} += shift" for name, _ in lines),
            *(f"{name} += shift" for name in (*units, *carried)),
            *(["floating += shift"] if self.rows.floating else []),
            *(f"put_later({n}, {upto}, {size}, shift)" for n, upto, size in rings),
            "done += periods * period",
            *(
                f"before_{at} += periods * period * steps_{at}"
                for at in range(len(self.reads.loops))
            ),
            "tile_moved, tile_period = moved, period",
            "tile_power = 0",
        ]

        def marked(power: str) -> list[str]:
            code = [f"tile_mark, tile_power = tile, {power}"]
            code += [f"tile_was_{kept} = {name}" for name, kept in lines]
            code += [f"tile_was_{name} = {name}" for name in carried]
            code += [f"tile_was_{name} = latest({name}, earliest)" for name in units]
            return code + [f"note_last({n}, tile_was_{n}, {u}, {s})" for n, u, s in rings]

        search = [
            "period = tile - tile_mark",
            f"moved = {lines[0][0]} - tile_was_{lines[0][1]}",
            *block(f"if {' and '.join(found or ['True'])}:", leap),
            *block("elif period == tile_power:", marked("2 * tile_power")),
        ]
        late = [
            f"done >= {text(r.starts_at)}"
            for r in self.reads.rows
            if r.starts_at != 0 and not self.reads.in_loop(r)
        ]
        late += [
            f"before_{self.reads.loops.index(self.reads.place[r.name])} >= {text(r.starts_at)}"
            for r in self.reads.rows
            if r.starts_at != 0 and self.reads.in_loop(r)
        ]
        fresh = block(f"elif {' and '.join(['tile_power < 0', *late])}:", marked("1"))
        inner = [*earliest, *block("if tile_power > 0:", search), *fresh]
        return block("if tile_power != 0 and done < output_tiles - 1:", inner)
