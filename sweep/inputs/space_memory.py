"""What the values of a space take in memory, worked out before they are."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sweep.description import Schedule
from sweep.errors import InputError
from sweep.host.memory import available_bytes, human_bytes
from sweep.inputs.arguments import Argument
from sweep.inputs.rules import Rules, rules_of
from sweep.quantities.tile_table import TileTable

BYTES = 8
"""Of a number."""
ALWAYS_FREE = 1 << 20
"""Bytes that are there on any machine: asking how many are takes longer than a small space."""
MOST_VALUES = 1000
"""Of a schedule: far more than there are."""
TILES = "output tiles"
"""Stands for the axis that what follows from tables over tiles has while it is worked out."""


def check_derived_memory(
    schedule: Schedule, arguments: Mapping[str, Argument], sizes: Mapping[str, int]
) -> None:
    """Refuse axes whose products are needed as a whole and do not fit in memory.

    A space is held as one array per value, along the dimensions that the value depends on only;
    the grid itself never is. A value that is worked out from several axes has a number for each
    of their combinations.

    Raises
    ------
    InputError
        Naming the value and what it depends on.
    """
    found: dict[str, frozenset[str]] = {}
    rules = rules_of(schedule)
    tables = (one for argument in arguments.values() for one in _tables(argument))
    longest = max((len(one.entries) for one in tables), default=1)
    sizes = {**sizes, TILES: longest}
    if BYTES * MOST_VALUES * math.prod(sizes.values()) <= ALWAYS_FREE:
        return  # whatever depends on whatever
    for name in rules.needed:
        _dims_of(name, arguments, rules, found)
    worst, needed = "", 0
    for name, dims in found.items():
        own = BYTES * math.prod(sizes[dim] for dim in dims)
        worst, needed = (name, own) if own > needed else (worst, needed)
    total = sum(BYTES * math.prod(sizes[dim] for dim in dims) for dims in found.values())
    if total <= ALWAYS_FREE:
        return
    free = available_bytes()
    if total > free:
        axes = " x ".join(f"{dim} ({sizes[dim]:,})" for dim in sizes if dim in found[worst])
        raise InputError(
            f"{worst}: depends on {axes}, {human_bytes(needed)} of numbers,"
            f" {human_bytes(free)} are free: give fewer values, or {worst} itself"
        )


def _tables(argument: Argument) -> list[TileTable]:
    return [one for one in argument.labels if isinstance(one, TileTable)]


def _dims_of(
    name: str,
    arguments: Mapping[str, Argument],
    rules: Rules,
    found: dict[str, frozenset[str]],
) -> frozenset[str]:
    if name not in found:
        if name in arguments:
            own = {TILES} if _tables(arguments[name]) else set[str]()
            found[name] = frozenset(arguments[name].dims) - {"schedule"} | own
        else:
            needs = (_dims_of(need, arguments, rules, found) for need in rules.inputs(name))
            found[name] = frozenset[str]().union(*needs)
    return found[name]
