"""Write whether the period per output tile responds to a duration, on a critical circuit or not.

A time may carry a count: how often a duration is on the path that leads to it. Of two equal times
the one with the larger count is kept. Such pairs are added, subtracted and compared like numbers,
so the recurrence, its jumps and their proof hold unchanged. A complex number is such a pair: the
code of a tile is written once more, with ``later`` for ``latest``.

Below the counts a time carries the component of the state that it came from. So one settled group
of tiles tells what decides each component, and with how many of the duration: a policy, whose
circuits are critical where all of them advance most. One that holds the duration answers yes. If
none does, the counts that follow from the policy are tried on the next group: where nothing grows,
no critical circuit holds it; else the policy was improved (Howard's policy iteration; Cochet-
Terrasson et al. 1998).
"""

from __future__ import annotations

import re
from textwrap import indent

from sweep.code_text import function_code
from sweep.names import COUNTED_ROWS, Names
from sweep.tile_jumping import packing

POLICIES = 64
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


def responds_code(names: Names) -> str:
    """Write ``responds``: 1 if a critical circuit holds a weighted duration, 0 if not, else -1."""
    pieces = packing(names)
    times = [*names.times, *names.outer_times]
    weights = [f"weight_{name}" for name in names.durations]
    arguments = ", ".join(["group", *weights, names.counted_arguments])
    pack = _counted(names, pieces["arguments"])
    inside = ", ".join([*times, *names.integers, *names.scratch, *names.ring_names])
    given = [f"{name}_counted" for name in names.durations]
    passed = ", ".join(["round_steps", _counted(names, inside), *given, *names.counts])
    body = [
        f"size = {names.tile_packed_size}",
        f"if group * {names.loop_count} > MOST_COUNTED:",
        "    return -1.0",
        *(f"{name}_counted = complex({name}, weight_{name} * TAGS)" for name in names.durations),
        *(f"{name}_counted = complex({name}, 0.0)" for name in times),
        *(
            f"with_counts({ring.name}_counted, {ring.name}, {ring.size})"
            for ring in names.plan.rings
        ),
        *(f"{name} = history_counted[{row}]" for row, name in enumerate(COUNTED_ROWS)),
        f"pack_tile_counted(start, {pack})",
        "fill(value, size, 0.0)",
        "fill(origin, size, -1.0)",
        f"for _ in range({POLICIES}):",
        "    tag(ahead, start, value, size)",
        indent(_counted(names, pieces["ahead"]), "    "),
        "    for _ in range(group):",
        f"        {_counted(names, names.state)} = tile_counted({passed})",
        f"    pack_tile_counted(reached, {pack})",
        "    if not read_policy(reached, start, value, origin, gain, size):",
        "        return 0.0",
        "    if gains_on_a_circuit(origin, gain, seen, size):",
        "        return 1.0",
        "    follow(origin, gain, value, seen, path, size)",
        "    copy(start, reached, size)",
        "return -1.0",
    ]
    summary = "Return whether a critical circuit holds a weighted duration; -1 if it can't be told."
    return function_code("responds", arguments, summary, body, "function")


def _counted(names: Names, text: str) -> str:
    """Rename the times and arrays in a piece of code to those that carry counts."""
    arrays = [*names.scratch, *names.ring_names]
    for name in [*names.times, *names.outer_times, *arrays]:
        text = re.sub(rf"\b{name}\b", f"{name}_counted", text)
    return text
