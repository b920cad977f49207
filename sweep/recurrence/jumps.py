"""Write a schedule's jumps and policies: what fills the holes of their templates."""

from __future__ import annotations

import re

from sweep.recurrence.packing import Packing
from sweep.recurrence.state import Names
from sweep.recurrence.template import fill, text_of, variables


def round_jumps_code(names: Names) -> str:
    """Write ``main_loop``: steady steps with jumps over whole rounds, see ``round_jumps``."""
    packing = Packing(names, between_tiles=False)
    unsettled = names.loop_unsettled
    lines = {
        "size": [f"size = {packing.size}"],
        "shift": packing.shift(),
        "unpack_now": packing.read("now"),
        "unpack_was": packing.read("was"),
        "settle": [f"while ({unsettled}) and steps > 0:"] if unsettled else [],
        "moved_alike": [f"if {packing.moved_alike()}:"],
    }
    return fill(text_of("round_jumps"), variables(names), lines)


def tile_jumps_code(names: Names) -> str:
    """Write ``tiles_loop``: output tiles with jumps over groups of tiles, see ``tile_jumps``."""
    packing = Packing(names, between_tiles=True)
    lines = {
        "size": [f"size = {packing.size}"],
        "shift": packing.shift(),
        "unpack_ahead": packing.read("ahead"),
        "unpack_kept": packing.read("kept"),
        "unsettled": [f"if {names.unsettled}:"] if names.unsettled else [],
    }
    return fill(text_of("tile_jumps"), variables(names), lines)


def policies_code(names: Names) -> str:
    """Write ``settle`` and ``responds``, see ``policies``."""
    packing = Packing(names, between_tiles=True)
    times = [*names.times, *names.outer_times]
    longer = [f"{name}_counted = complex({name} * length, " for name in names.durations]
    weights = [f"weight_{name} * TAGS" for name in names.durations]
    lines = {
        "size": [f"size = {packing.size}"],
        "durations": [f"{one}0.0)" for one in longer],
        "tags": [f"{one}{weight})" for one, weight in zip(longer, weights, strict=True)],
        "state": [
            *(f"{name}_counted = complex({name}, 0.0)" for name in times),
            *(f"with_counts({r.name}_counted, {r.name}, {r.size})" for r in names.plan.rings),
        ],
        "unpack": packing.read("ahead", suffix="_counted"),
        "beyond_counting": [f"if {names.loop_count} > MOST_COUNTED:"],
    }
    return fill(text_of("policies"), variables(names), lines)


def counted_code(source: str) -> str:
    """Write functions once more for times that carry counts, see ``policies``.

    Parameters
    ----------
    source : str
        The functions of a tile, and ``pack_tile``, for plain times.
    """
    for name in re.findall(r"^def (\w+)", source, re.MULTILINE):
        source = re.sub(rf"\b{name}\(", f"{name}_counted(", source)
    return re.sub(r"\blatest\(", "later(", source)
