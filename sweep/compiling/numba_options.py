"""The Numba options.

This is the only file that names Numba options. ``nogil`` lets plain threads run slices side by
side (the workqueue threading layer aborts under them); ``error_model="numpy"`` gains 9 %; there
is no fastmath: the order of operations is part of the result. Without Numba's runtime
(``_nrt=False``) nothing can be allocated, and no array's references are counted, atomically, at
every call: sync takes 5 ns a point instead of 110.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sweep.compiling.jit import numba
from sweep.compiling.kept import compile_kept

types: Any = numba.types


Array = Any
Function = Callable[..., Any]

njit: Any = numba.njit  # its stubs know no "_nrt"

_OPTIONS = {"error_model": "numpy", "nogil": True, "_nrt": False}
_HELPER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **_OPTIONS}

function: Function = njit(**_HELPER)
"""Compile a helper that is called now and then."""

inlined: Function = njit(forceinline=True, **_HELPER)
"""Compile a helper into its caller."""


def batch(durations: int, counts: int, counted: int = 0) -> Function:
    """Compile a kernel over arrays of points, once for scalars and arrays alike.

    Parameters
    ----------
    durations, counts : int
        How many float64 and int64 arrays it takes, before the scratch rows (``counted`` of them
        complex, in an array of their own, where there are any) and the outputs
        ``cycles``, ``period`` (float64) and ``bottleneck`` (int8). Inputs may be read-only and
        have any strides, 0 for a constant.
    """
    duration = types.Array(types.float64, 1, "A", readonly=True)
    count = types.Array(types.int64, 1, "A", readonly=True)
    scratch = types.float64[:, ::1]
    outputs = [types.float64[::1], types.float64[::1], types.int8[::1]]
    rows = [scratch, types.complex128[:, ::1]] if counted else [scratch]
    signature = types.void(*[duration] * durations, *[count] * counts, *rows, *outputs)
    return compiled(signature)


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


def unrolled_batch(body: Function) -> Function:
    """Compile a kernel that is written out for one description.

    It takes durations and counts with a column for each point, where its buffers are, room for
    these and for three lists of times, whether the period is per tile, and the outputs ``cycles``,
    ``period`` and which points it leaves.
    """
    i, f = types.int64, types.float64
    outputs = [f[::1], f[::1], types.int8[::1]]
    room = [i[:, ::1], f[::1], f[:, ::1], types.boolean]
    kept: Function = compiled(types.void(f[:, ::1], i[:, ::1], *room, *outputs))(body)
    return kept


def graph_batch(body: Function, graph: Any, run: Any, times: Any, text: bytes) -> Function:
    """Compile the service of who asks first, over points that share a graph.

    Parameters
    ----------
    body : callable
        Takes the three tuples of arrays, then the output ``cycles``.
    graph, run, times : type
        Named tuples; their arrays are C-contiguous, of these dimensions.
    text : bytes
        The source of constants in other files, which keys what is kept.
    """
    i, f = types.int64, types.float64

    def of(kind: Any, *arrays: Any) -> Any:
        return types.NamedTuple(arrays, kind)

    signature = types.void(
        of(graph, i[:, ::1], i[:, ::1], i[:, ::1], i[::1], i[::1], i[:, ::1], i[::1], i[::1],
           i[::1]),
        of(run, f[:, ::1], f[:, ::1], i[:, ::1], f[:, ::1], f[:, ::1], i[:, ::1], i[::1], i[::1],
           i[::1], f[:, ::1], i[::1], f[:, ::1], i[::1], f[::1]),
        of(times, f[:, ::1], f[:, :, ::1], i[::1], f[:, ::1]),
        f[::1],
    )  # fmt: skip
    kept: Function = compile_kept(njit(error_model="numpy", nogil=True)(body), signature, text)
    return kept


def general_batch(
    body: Function, program: Any, point: Any, state: Any, work: Any, text: bytes
) -> Function:
    """Compile the loop over points of the table-driven engine.

    Parameters
    ----------
    body : callable
        Takes the four tuples of arrays, then counts, durations, lines, sizes and starts with a
        column for each point, whether the period is per tile, and the outputs.
    program, point, state, work : type
        Named tuples; their arrays are C-contiguous, of these dimensions.
    text : bytes
        The source of all that it calls, which keys what is kept.
    """
    i, f = types.int64, types.float64

    def of(kind: Any, *arrays: Any) -> Any:
        return types.NamedTuple(arrays, kind)

    signature = types.void(
        of(program, i[:, ::1], i[:, ::1], i[::1], i[::1], i[::1], i[::1], i[:, ::1], i[:, ::1],
           i[::1], i[::1]),
        of(point, i[::1], f[::1], i[::1], i[::1], i[::1], i[::1], f[:, :, ::1], i[:, :, ::1],
           i[::1], f[::1]),
        of(state, f[:, :, :, ::1], f[:, ::1], f[:, :, :, ::1], i[:, :, ::1], f[:, :, :, :, ::1],
           i[:, :, :, ::1], i[:, ::1], i[:, ::1], f[::1], f[:, ::1], f[::1]),
        of(work, i[::1], i[::1], i[::1], i[:, ::1], f[::1], f[::1], f[::1], i[::1], i[::1]),
        i[:, ::1], f[:, ::1], i[:, ::1], i[:, ::1], f[:, ::1], types.boolean, f[::1], f[::1],
    )  # fmt: skip
    kept: Function = compile_kept(njit(error_model="numpy", nogil=True)(body), signature, text)
    return kept
