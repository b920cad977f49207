"""What the values of a space take in memory, worked out before they are."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sweep.description import Schedule
from sweep.errors import InputError
from sweep.host.memory import available_bytes, human_bytes
from sweep.inputs.arguments import Argument
from sweep.inputs.derivation import BUDGET, THROUGHPUT, inputs_of

BYTES = 8
"""Of a number."""
ALWAYS_FREE = 1 << 20
"""Bytes that are there on any machine: asking how many are takes longer than a small space."""


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
    names = (*schedule.parameters, *THROUGHPUT, *BUDGET[schedule.family])
    for name in names:
        _dims_of(name, arguments, found)
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


def _dims_of(
    name: str, arguments: Mapping[str, Argument], found: dict[str, frozenset[str]]
) -> frozenset[str]:
    if name not in found:
        if name in arguments:
            found[name] = frozenset(arguments[name].dims) - {"schedule"}
        else:
            needs = (_dims_of(need, arguments, found) for need in inputs_of(name))
            found[name] = frozenset().union(*needs)
    return found[name]
