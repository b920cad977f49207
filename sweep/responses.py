"""Write which durations the period per output tile responds to: those on a critical path.

A time may carry a count: how often a duration is on the path that leads to it. Of two equal times
the one with the larger count is kept. Such pairs are added, subtracted and compared like numbers,
so the recurrence, its jumps and their proof hold unchanged, and the largest advance of a settled
group of tiles is the period with the most that any critical circuit contains of the duration (see
``tile_jumping``). A complex number is such a pair: the code of a tile is written once more, with
``later`` for ``latest``.
"""

from __future__ import annotations

import re
from textwrap import indent

from sweep.code_text import function_code
from sweep.names import Names
from sweep.tile_jumping import packing

GROUPS = 96
"""Groups of tiles run in search of counts that repeat, before giving up."""


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
    """Write ``most_often``: the most that a critical circuit contains of some durations."""
    pieces = packing(names)
    times = [*names.times, *names.outer_times]
    weights = [f"weight_{name}" for name in names.durations]
    arguments = ", ".join(["group", *weights, names.counted_arguments])
    rings = [
        f"with_counts({ring.name}_counted, {ring.name}, {ring.size})" for ring in names.plan.rings
    ]
    pack = _counted(names, pieces["arguments"])
    inside = ", ".join([*times, *names.integers, *names.scratch, *names.ring_names])
    given = [f"{name}_counted" for name in names.durations]
    passed = ", ".join(["round_steps", _counted(names, inside), *given, *names.counts])
    tile = f"tile_counted({passed})"
    ahead = _counted(names, pieces["ahead"])
    restore = _counted(names, pieces["now"])
    body = [
        f"size = {names.tile_packed_size}",
        *(f"{name}_counted = complex({name}, weight_{name})" for name in names.durations),
        *(f"{name}_counted = complex({name}, 0.0)" for name in times),
        *rings,
        *(
            f"{name} = history_counted[{row}]"
            for row, name in enumerate(("start", "now", "ahead", "reached", "stride"))
        ),
        f"pack_tile_counted(start, {pack})",
        "fill(stride, size, math.nan)",
        f"for _ in range({GROUPS}):",
        "    for _ in range(group):",
        f"        {_counted(names, names.state)} = {tile}",
        f"    pack_tile_counted(now, {pack})",
        "    if uniform(now, start, size):",
        "        return (now[0] - start[0]).imag",
        "    if repeats(now, start, stride, size):",
        "        for index in range(size):",
        "            drift = size * (stride[index] - stride[0])",
        "            ahead[index] = now[index] - now[0] + drift",
        indent(ahead, "        "),
        "        for _ in range(group):",
        f"            {_counted(names, names.state)} = {tile}",
        f"        pack_tile_counted(reached, {pack})",
        "        if repeats(reached, ahead, stride, size):",
        "            return counts_of_the_latest(stride, size)",
        indent(restore, "        "),
        "    for index in range(size):",
        "        stride[index] = now[index] - start[index]",
        "    copy(start, now, size)",
        "return -1.0",
    ]
    summary = "Return the most that a critical circuit contains of the weighted durations."
    return function_code("most_often", arguments, summary, body, "function")


def _counted(names: Names, text: str) -> str:
    """Rename the times and arrays in a piece of code to those that carry counts."""
    arrays = [*names.scratch, *names.ring_names]
    for name in [*names.times, *names.outer_times, *arrays]:
        text = re.sub(rf"\b{name}\b", f"{name}_counted", text)
    return text
