"""The small compiled functions on times that carry counts, by which policies are found."""

from __future__ import annotations

import math

from sweep.compiling.numba_options import Array, function, inlined
from sweep.compiling.runtime import fill

TAGS = 1 << 20
"""More than the components of a state: what a count is multiplied by, to carry its origin."""

MOST_COUNTED = 1 << 31
"""Steps of a main loop whose count a time can carry beside its origin."""

GRIDS = 1024.0
"""Steps of the grid in a cycle."""


@inlined
def later(a: complex, b: complex) -> complex:
    """Return the larger of two times that carry counts; of equal times the one with more."""
    return a if a.real > b.real or (a.real == b.real and a.imag > b.imag) else b


@inlined
def with_counts(into: Array, times: Array, size: int) -> None:
    """Write times as times whose counts are 0."""
    for index in range(size):
        into[index] = complex(times[index], 0.0)


@function
def tag(into: Array, times: Array, value: Array, size: int) -> None:
    """Write times that carry each its value as a count, and its own index."""
    for index in range(size):
        into[index] = complex(times[index].real, value[index].real * TAGS + index)


@function
def read_policy(
    now: Array, start: Array, value: Array, origin: Array, gain: Array, size: int
) -> bool:
    """Read off which component decided each, and the counts gained; whether any value grew.

    Only among the components that advance most: the others have no origin (-1).
    """
    most = now[0].real - start[0].real
    for index in range(1, size):
        most = max(most, now[index].real - start[index].real)
    grew = False
    for index in range(size):
        if now[index].real - start[index].real == most:
            carried = int(now[index].imag)
            came_from = carried % TAGS
            count = carried // TAGS
            better = count > value[index].real
            if better or origin[index].real < 0.0:  # of equals the one before stays
                origin[index] = came_from
                gain[index] = count - value[came_from].real
            grew = grew or better
        else:
            origin[index] = -1.0
            gain[index] = 0.0
    return grew


@function
def improve(
    reached: Array, value: Array, pace: float, scale: int, origin: Array, gain: Array, size: int
) -> bool:
    """Let what was reached later than its value and the pace say decide from now on.

    ``value`` and ``reached`` are in units of 1 / ``scale``; gains are not. Returns whether
    anything changed.
    """
    changed = False
    for index in range(size):
        if origin[index].real < 0.0 or reached[index].real > value[index].real + pace:
            came_from = int(reached[index].imag) % TAGS
            origin[index] = came_from
            gain[index] = (reached[index].real - value[came_from].real) / scale
            changed = True
    return changed


@function
def evaluate(
    origin: Array, gain: Array, value: Array, scale: int, seen: Array, path: Array, size: int
) -> tuple[float, int]:
    """Find the circuit of a policy that gains most a step, and the values that it makes.

    Returns its gain and its length, the new scale of the values; one value on each circuit stays,
    as near as the grid allows.
    """
    fill(seen, size, 0.0)
    most, length = -1.0, 1
    for first in range(size):
        index = first
        while seen[index].real == 0.0:
            seen[index] = first + 1.0
            index = int(origin[index].real)
        if seen[index].real == first + 1.0:
            total = gain[index].real
            steps = 1
            at = int(origin[index].real)
            while at != index:
                total += gain[at].real
                steps += 1
                at = int(origin[at].real)
            if total * length > most * steps:
                most, length = total, steps
    fill(seen, size, 0.0)
    for first in range(size):
        depth = 0
        index = first
        while seen[index].real == 0.0:
            seen[index] = 1.0
            path[depth] = index
            depth += 1
            index = int(origin[index].real)
        root = index if seen[index].real == 1.0 else -1
        if root >= 0:
            value[root] = math.floor(value[root].real / scale * length * GRIDS) / GRIDS
        while depth > 0:
            depth -= 1
            at = int(path[depth].real)
            seen[at] = 2.0
            if at != root:
                value[at] = value[int(origin[at].real)].real + gain[at].real * length - most
    return most, length


@function
def gains_on_a_circuit(origin: Array, gain: Array, seen: Array, size: int) -> bool:
    """Whether following the origins leads round a circuit that gains."""
    fill(seen, size, 0.0)
    for first in range(size):
        index = first
        while index >= 0 and seen[index].real == 0.0:
            seen[index] = first + 1.0
            index = int(origin[index].real)
        if index >= 0 and seen[index].real == first + 1.0:
            total = gain[index].real
            at = int(origin[index].real)
            while at != index:
                total += gain[at].real
                at = int(origin[at].real)
            if total > 0.0:
                return True
    return False


@function
def follow(origin: Array, gain: Array, value: Array, seen: Array, path: Array, size: int) -> None:
    """Set every value to its origin's and what it gained; one on each circuit stays."""
    fill(seen, size, 0.0)
    for first in range(size):
        depth = 0
        index = first
        while index >= 0 and seen[index].real == 0.0:
            seen[index] = 1.0
            path[depth] = index
            depth += 1
            index = int(origin[index].real)
        root = index if index >= 0 and seen[index].real == 1.0 else -1
        while depth > 0:
            depth -= 1
            at = int(path[depth].real)
            seen[at] = 2.0
            if at != root and origin[at].real >= 0.0:
                value[at] = value[int(origin[at].real)].real + gain[at].real
