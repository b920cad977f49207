"""Write the steady period per output tile, and whether it responds to a duration: policies.

A time may carry which component of the state between tiles it came from. So running one tile
tells what decides each component, and how much later: a policy. Its circuit with the largest
advance a tile is a circuit of the schedule, and gives each component a value, its bias. Running a
tile from there, either something is decided otherwise and later, which improves the policy, or
nothing is: then no circuit has more, and the circuit's advance over its tiles is the period,
exactly (Howard's policy iteration for max-plus maps; Cochet-Terrasson, Cohen, Gaubert, McGettrick,
Quadrat 1998). Near ties, which drift for thousands of tiles, take no longer than other points.
Times are multiplied by the circuit's length, so that its mean is on the grid.

With the bias, a tile advances every critical component by the period. To see whether a critical
circuit holds a duration, times carry its count as well; of two equal times the one with the larger
count is kept, and the same iteration asks whether counts can grow.

Pairs of time and count are added, subtracted and compared like numbers, so the recurrence and its
jumps hold unchanged. A complex number is such a pair: the code of a tile is written once more,
with ``later`` for ``latest``.
"""

from __future__ import annotations

import re
from textwrap import indent

from sweep.recurrence.code_text import function_code
from sweep.recurrence.state import COUNTED_ROWS, Names
from sweep.recurrence.tile_jumps import packing

POLICIES = 200
"""Policies tried before giving up; two or three are usual."""


def counted_code(source: str) -> str:
    """Write the functions of a tile, and ``pack_tile``, once more for times with counts.

    Parameters
    ----------
    source : str
        The functions for plain times.
    """
    wanted = [part for part in re.split(r"\n\n\n?(?=@)", source) if "def tiles_loop" not in part]
    text = "\n\n\n".join(part.strip() for part in wanted if part.lstrip().startswith("@"))
    for name in re.findall(r"^def (\w+)", text, re.MULTILINE):
        text = re.sub(rf"\b{name}\(", f"{name}_counted(", text)
    return re.sub(r"\blatest\(", "later(", text)


def settle_code(names: Names) -> str:
    """Write ``settle``: the period, as a circuit's advance over its tiles, and the bias there.

    ``length`` is 0 where no policy was found that nothing improves.
    """
    tile, pack, ahead = _one_tile(names)
    body = [
        *_prepared(names, "complex({name} * length, 0.0)", first="length = 1"),
        f"pack_tile_counted(start, {pack})",
        "for index in range(size):",
        "    value[index] = start[index].real - start[0].real",
        "if pace > 0.0:  # every component advances equally: the state is the bias",
        "    copy(bias, value, size)",
        "    return pace, length",
        "fill(origin, size, -1.0)",
        f"for _ in range({POLICIES}):",
        *(f"    {name}_counted = complex({name} * length, 0.0)" for name in names.durations),
        "    for index in range(size):",
        "        if abs(value[index].real) > EXACT:",
        "            return 0.0, 0",
        "        ahead[index] = complex(value[index].real, float(index))",
        indent(ahead, "    "),
        f"    {tile}",
        f"    pack_tile_counted(reached, {pack})",
        "    if not improve(reached, value, pace, length, origin, gain, size):",
        "        copy(bias, value, size)",
        "        return pace, length",
        "    pace, length = evaluate(origin, gain, value, length, seen, path, size)",
        "return 0.0, 0",
    ]
    arguments = f"pace, {names.counted_arguments}"
    summary = "Return the advance and the tiles of a critical circuit, and leave the bias."
    return function_code("settle", arguments, summary, body, "function")


def responds_code(names: Names) -> str:
    """Write ``responds``: 1 if a critical circuit holds a weighted duration, 0 if not, else -1."""
    tile, pack, ahead = _one_tile(names)
    weights = [f"weight_{name}" for name in names.durations]
    arguments = ", ".join(["length", *weights, names.counted_arguments])
    body = [
        *_prepared(names, "complex({name} * length, weight_{name} * TAGS)"),
        f"if {names.loop_count} > MOST_COUNTED:",
        "    return -1.0",
        "copy(start, bias, size)",
        "fill(value, size, 0.0)",
        "fill(origin, size, -1.0)",
        f"for _ in range({POLICIES}):",
        "    tag(ahead, start, value, size)",
        indent(ahead, "    "),
        f"    {tile}",
        f"    pack_tile_counted(reached, {pack})",
        "    if not read_policy(reached, start, value, origin, gain, size):",
        "        return 0.0",
        "    if gains_on_a_circuit(origin, gain, seen, size):",
        "        return 1.0",
        "    follow(origin, gain, value, seen, path, size)",
        "return -1.0",
    ]
    summary = "Return whether a critical circuit holds a weighted duration; -1 if it can't be told."
    return function_code("responds", arguments, summary, body, "function")


def _one_tile(names: Names) -> tuple[str, str, str]:
    """Write the call of a tile with counts, the arguments of packing, and unpacking ``ahead``."""
    pieces = packing(names)
    times = [*names.times, *names.outer_times]
    inside = ", ".join([*times, *names.integers, *names.scratch, *names.ring_names])
    given = [f"{name}_counted" for name in names.durations]
    passed = ", ".join(["round_steps", _counted(names, inside), *given, *names.counts])
    tile = f"{_counted(names, names.state)} = tile_counted({passed})"
    return tile, _counted(names, pieces["arguments"]), _counted(names, pieces["ahead"])


def _prepared(names: Names, duration: str, first: str = "") -> list[str]:
    """Write a state with counts, its rings, and the names of the rows of scratch."""
    times = [*names.times, *names.outer_times]
    rings = names.plan.rings
    return [
        *([first] if first else []),
        f"size = {names.tile_packed_size}",
        *(f"{name}_counted = {duration.format(name=name)}" for name in names.durations),
        *(f"{name}_counted = complex({name}, 0.0)" for name in times),
        *(f"with_counts({ring.name}_counted, {ring.name}, {ring.size})" for ring in rings),
        *(f"{name} = history_counted[{row}]" for row, name in enumerate(COUNTED_ROWS)),
    ]


def _counted(names: Names, text: str) -> str:
    """Rename the times and arrays in a piece of code to those that carry counts."""
    arrays = [*names.scratch, *names.ring_names]
    for name in [*names.times, *names.outer_times, *arrays]:
        text = re.sub(rf"\b{name}\b", f"{name}_counted", text)
    return text
