"""Write how a state moves into and out of arrays, by which jumps compare and change it."""

from __future__ import annotations

from typing import NamedTuple

from sweep.recurrence.code_text import function_code
from sweep.recurrence.state import Names
from sweep.recurrence.template import variables


class PackedRing(NamedTuple):
    """Where an array holds a ring, and the ring's position where it is written from there on."""

    name: str
    size: str
    offset: str
    position: str


class Packing:
    """The order in which an array holds the times of a state.

    Between tiles the position in a ring may be any, so a ring is written from there on; within
    the main loop whole rounds bring it back.

    Parameters
    ----------
    names : Names
    between_tiles : bool
        Whether it is the state between tiles or the main loop's.

    Attributes
    ----------
    size : str
        The array's length as an expression of the counts.
    """

    def __init__(self, names: Names, between_tiles: bool) -> None:
        self.times = [*names.times, *(names.outer_times if between_tiles else ())]
        self.rings: list[PackedRing] = []
        self.size = str(len(self.times))
        for ring in names.plan.rings:
            if ring.crosses_tiles or not between_tiles:
                position = names.plan.position(ring, ring.event) if between_tiles else ""
                self.rings.append(PackedRing(ring.name, ring.size, self.size, position))
                self.size += f" + {ring.size}"

    def write(self) -> list[str]:
        """Return the statements that write the state into the array ``into``."""
        found = [f"into[{i}] = {name}" for i, name in enumerate(self.times)]
        for ring in self.rings:
            if ring.position:
                given = f"into, {ring.offset}, {ring.name}, {ring.position}, {ring.size}"
                found += [f"rotated({given})"]
            else:
                found += [f"for index in range({ring.size}):"]
                found += [f"    into[{ring.offset} + index] = {ring.name}[index]"]
        return found

    def read(self, source: str, suffix: str = "") -> list[str]:
        """Return the statements that read the state, into names that end so, from an array."""
        found = [f"{name}{suffix} = {source}[{i}]" for i, name in enumerate(self.times)]
        for ring in self.rings:
            if ring.position:
                given = f"{source}, {ring.offset}, {ring.position}, {ring.size}"
                found += [f"rotate_back({ring.name}{suffix}, {given})"]
            else:
                found += [f"for index in range({ring.size}):"]
                found += [f"    {ring.name}{suffix}[index] = {source}[{ring.offset} + index]"]
        return found

    def shift(self) -> list[str]:
        """Return the statements that add ``shift`` to every time."""
        rings = [f"shift_ring({ring.name}, {ring.size}, shift)" for ring in self.rings]
        return [*(f"{name} += shift" for name in self.times), *rings]

    def moved_alike(self) -> str:
        """Return whether the whole state moved by ``moved``: scalars first, then the rings."""
        tests = [f"{name} - was[{i}] == moved" for i, name in enumerate(self.times) if i]
        for name, size, offset, _ in self.rings:
            tests.append(f"ring_moved({name}, was, {offset}, {size}, moved)")
        return " and ".join(tests) or "True"


def pack_code(names: Names) -> str:
    """Write ``pack``, which writes the main loop's state into an array."""
    named = variables(names)
    arguments = ", ".join(["into", *named["all_loop"], *named["all_given"]])
    body = Packing(names, between_tiles=False).write()
    return function_code("pack", arguments, "Write the main loop's state.", body)


def pack_tile_code(names: Names) -> str:
    """Write ``pack_tile``, which writes the state between tiles into an array."""
    named = variables(names)
    return function_code(
        "pack_tile",
        ", ".join(["into", *named["all_state"], *named["all_given"]]),
        "Write the state between tiles into an array, rings from their position on.",
        Packing(names, between_tiles=True).write(),
        "function",
    )
