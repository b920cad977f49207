"""The Numba options, and the small compiled functions that every generated kernel calls.

This is the only file that names Numba options. ``nogil`` lets plain threads run slices side by
side (the workqueue threading layer aborts under them); ``error_model="numpy"`` gains 9 %; there
is no fastmath: the order of operations is part of the result. Without Numba's runtime
(``_nrt=False``) nothing can be allocated, and no array's references are counted, atomically, at
every call: sync takes 5 ns a point instead of 110.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from sweep.jit import numba
from sweep.kept import compile_kept

types: Any = numba.types

FINE, COARSE = 2.0**-20, 2.0**-10
SHORT_PERIOD = 2.0**26

Array = Any
Function = Callable[..., Any]

njit: Any = numba.njit  # its stubs know no "_nrt"

_OPTIONS = {"error_model": "numpy", "nogil": True, "_nrt": False}
_HELPER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **_OPTIONS}

function: Function = njit(**_HELPER)
"""Compile a helper that is called now and then."""

inlined: Function = njit(forceinline=True, **_HELPER)
"""Compile a helper into its caller."""


def batch(durations: int, counts: int) -> Function:
    """Compile a kernel over arrays of points, once for scalars and arrays alike.

    Parameters
    ----------
    durations, counts : int
        How many float64 and int64 arrays it takes, before the scratch rows and the outputs
        ``cycles``, ``period`` (float64) and ``bottleneck`` (int8). Inputs may be read-only and
        have any strides, 0 for a constant.
    """
    duration = types.Array(types.float64, 1, "A", readonly=True)
    count = types.Array(types.int64, 1, "A", readonly=True)
    scratch = types.float64[:, ::1]
    outputs = [types.float64[::1], types.float64[::1], types.int8[::1]]
    signature = types.void(*[duration] * durations, *[count] * counts, scratch, *outputs)
    return compiled(signature)


@inlined
def as_count(value: int) -> int:
    """Return an integer whose value is no part of its type.

    Numba types the literal 0 apart from a count and would compile every function twice.
    """
    return value + 0


@inlined
def perturbation(period: float) -> float:
    """Return the cycles by which a duration is lengthened to see whether the period responds.

    Finer than the grid, so as to pass no near tie, where 128 periods of such steps are exact
    (2**33 cycles); a step of the grid where they are longer.
    """
    return FINE if period < SHORT_PERIOD else COARSE


@inlined
def latest(a: float, b: float) -> float:
    """Return the larger of two times."""
    return a if a > b else b


@inlined
def common_multiple(a: int, b: int) -> int:
    """Return the least common multiple; ``a`` where ``b`` is no number of steps."""
    return a if b < 1 else a // math.gcd(a, b) * b


@inlined
def uniform(now: Array, was: Array, size: int) -> bool:
    """Whether all components have advanced equally."""
    moved = now[0] - was[0]
    for index in range(1, size):
        if now[index] - was[index] != moved:
            return False
    return True


@inlined
def repeats(now: Array, was: Array, advance: Array, size: int) -> bool:
    """Whether every component has advanced as before."""
    for index in range(size):
        if now[index] - was[index] != advance[index]:
            return False
    return True


@inlined
def ring_moved(ring: Array, was: Array, offset: int, size: int, moved: float) -> bool:
    """Whether every entry of a ring has advanced by ``moved``."""
    for index in range(size):
        if ring[index] - was[offset + index] != moved:
            return False
    return True


@inlined
def rotated(into: Array, offset: int, ring: Array, position: int, size: int) -> None:
    """Write a ring from its oldest entry on."""
    for index in range(size):
        at = position + index
        into[offset + index] = ring[at - size if at >= size else at]


@inlined
def rotate_back(ring: Array, source: Array, offset: int, position: int, size: int) -> None:
    """Read a ring from its oldest entry on."""
    for index in range(size):
        at = position + index
        ring[at - size if at >= size else at] = source[offset + index]


@inlined
def shift_ring(ring: Array, size: int, shift: float) -> None:
    """Add to every entry of a ring."""
    for index in range(size):
        ring[index] += shift


@inlined
def fill(array: Array, size: int, value: float) -> None:
    """Set the first entries of an array."""
    for index in range(size):
        array[index] = value


def compiled(signature: Any) -> Function:
    """Compile a function of this signature, and keep it on disk.

    The helpers it calls must be in its own file or here: changes are looked for nowhere else.
    """
    return lambda body: compile_kept(njit(**_OPTIONS)(body), signature)


def fifo_batch(serve: Function) -> Function:
    """Compile the service loop of ``fifo``: programs, resources, durations, steps, cycles."""
    programs = types.Array(types.int64, 3, "C", readonly=True)
    durations = types.Array(types.float64, 2, "A", readonly=True)
    steps = types.Array(types.int64, 1, "A", readonly=True)
    signature = types.void(programs, types.int64, durations, steps, types.float64[::1])
    kept: Function = compile_kept(njit(error_model="numpy", nogil=True)(serve), signature)
    return kept
