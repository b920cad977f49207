"""Points to results: blocks of a space through the compiled kernels, on any number of threads.

A block is a contiguous piece of one schedule's grid. Every block is computed the same way
whoever computes it and writes to its own piece of the result, so the same input gives the same
bytes for any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.circuits import work_per_step
from sweep.description import Schedule
from sweep.feasibility import feasibility
from sweep.folding import EXTENSIONS
from sweep.space import Space
from sweep.variables import OUTPUTS, VARIABLES

Array = NDArray[Any]
Values = Mapping[str, Array]
Outputs = dict[str, Array]
Progress = Callable[[int, int], None]

BLOCK_POINTS = 1 << 16
"""Points between two looks at Ctrl-C and progress: a few milliseconds."""
RESOURCES = ("TC", "MEM", "SFU", "FMA")
UNORDERED = VARIABLES["bottleneck"].flag_meanings.index("unordered")


@dataclass(frozen=True)
class Block:
    """A piece of the grid of ``space.schedules[index]``."""

    index: int
    slices: tuple[slice, ...]
    points: int


def blocks(space: Space, points: int = BLOCK_POINTS) -> Iterator[Block]:
    """Cut a space into blocks of about ``points`` points, contiguous in memory.

    A block is a range along one dimension, whole along those after it.
    """
    grid = space.grid
    axis = len(grid)
    whole = 1
    while axis > 0 and whole * grid[axis - 1] <= points:
        axis -= 1
        whole *= grid[axis]
    step = max(1, points // whole)
    for index in range(len(space.schedules)):
        if axis == 0:
            yield Block(index, tuple(slice(0, size) for size in grid), whole)
            continue
        for outer in np.ndindex(*grid[: axis - 1]):
            for start in range(0, grid[axis - 1], step):
                stop = min(start + step, grid[axis - 1])
                leading = tuple(slice(i, i + 1) for i in outer)
                trailing = tuple(slice(0, size) for size in grid[axis:])
                slices = (*leading, slice(start, stop), *trailing)
                yield Block(index, slices, (stop - start) * whole)


def allocate(shape: tuple[int, ...]) -> Outputs:
    """Return empty arrays for every output."""
    return {name: np.zeros(shape, VARIABLES[name].dtype) for name in OUTPUTS}


def result_bytes(points: int) -> int:
    """Return the size of the outputs of that many points."""
    return points * sum(np.dtype(VARIABLES[name].dtype).itemsize for name in OUTPUTS)


def run_space(
    space: Space, threads: int | None = None, progress: Progress | None = None
) -> Outputs:
    """Run every point of a space.

    Parameters
    ----------
    space : Space
    threads : int, optional
        How many blocks to run side by side; the processors this process may use by default.
    progress : callable, optional
        Called with the points done and the points in all after every block.

    Returns
    -------
    dict of str to numpy.ndarray
        Every output, of shape (schedules, *grid).
    """
    outputs = allocate((len(space.schedules), *space.grid))
    todo = list(blocks(space))
    for index in dict.fromkeys(block.index for block in todo):
        prepare(space.schedules[index], space.values[index])

    def run(block: Block) -> int:
        where: Any = (block.index, *block.slices, ...)
        piece = {name: array[where] for name, array in outputs.items()}
        run_block(space, block, piece)
        return block.points

    workers = min(threads or usable_processors(), len(todo))
    done = 0
    if workers == 1:
        for block in todo:
            done += run(block)
            if progress is not None:
                progress(done, space.points)
        return outputs
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(run, block) for block in todo]
        try:
            for future in as_completed(futures):
                done += future.result()
                if progress is not None:
                    progress(done, space.points)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return outputs


def usable_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def prepare(schedule: Schedule, values: Values) -> None:
    """Load, and compile if need be, the kernels that some points need."""
    from sweep.fifo import fifo_kernel
    from sweep.kernel import kernel_of

    for key in _variants(schedule, values):
        if key == "fifo":
            fifo_kernel()
        else:
            kernel_of(schedule, *_variant(key))


def run_block(space: Space, block: Block, out: Outputs) -> None:
    """Run one block into ``out``: arrays of the block's shape, C-contiguous.

    Timing that does not exist (a deadlock; a period under fifo) is NaN.
    """
    schedule = space.schedules[block.index]
    values = {name: _piece(a, block.slices) for name, a in space.values[block.index].items()}
    shape = out["cycles"].shape
    flat = {name: out[name].reshape(-1) for name in ("cycles", "period", "bottleneck")}
    points = {name: _spread(values[name], shape) for name in schedule.parameters}
    variants = _variants(schedule, values)
    for key, mode in variants.items():
        if len(variants) == 1:
            _run_variant(schedule, key, points, flat)
            continue
        chosen = np.flatnonzero(_mode(schedule, points) == mode)
        part = {name: np.empty(chosen.size, array.dtype) for name, array in flat.items()}
        _run_variant(schedule, key, {name: a[chosen] for name, a in points.items()}, part)
        for name, array in part.items():
            flat[name][chosen] = array
    _rates(schedule, values, out)
    dead = np.isnan(out["cycles"])
    out["feasible"][...], out["infeasible_reason"][...] = feasibility(schedule, values, dead)


def _variants(schedule: Schedule, values: Values) -> dict[str, int]:
    """Name the kernel variants that some points need, with their choice's code."""
    off = not any(np.any(values[name]) for name in EXTENSIONS if name in values)
    plain = "plain" if off else "consumer"
    if schedule.release_modes:
        names = {0: plain, 1: "hardware"}
        codes = np.unique(values["release"])
    elif "arbitration" in schedule.parameters:
        names = {0: plain, 1: "fifo"}
        codes = np.unique(values["arbitration"])
    else:
        return {plain: 0}
    return {names[int(code)]: int(code) for code in codes}


def _variant(key: str) -> tuple[str, bool]:
    return ("consumer", True) if key == "plain" else (key, False)


def _mode(schedule: Schedule, points: Values) -> Array:
    return points["release" if schedule.release_modes else "arbitration"]


def _run_variant(schedule: Schedule, key: str, points: Values, out: Outputs) -> None:
    from sweep.fifo import fifo_kernel, fifo_programs
    from sweep.kernel import kernel_of

    if key == "fifo":
        size = out["cycles"].size
        takes = np.stack([np.broadcast_to(points[name], size) for name in schedule.durations])
        programs, resources = fifo_programs(schedule), len(schedule.resources)
        fifo_kernel()(programs, resources, takes, points[schedule.loop], out["cycles"])
        out["period"][...] = np.nan
        out["bottleneck"][...] = UNORDERED
        return
    kernel_of(schedule, *_variant(key)).run(points, out["cycles"], out["period"], out["bottleneck"])


def _rates(schedule: Schedule, values: Values, out: Outputs) -> None:
    """Fill in the utilisations and the throughput from cycles and period."""
    steps = values[schedule.loop].astype(np.float64)
    tiles = values["output_tiles"] if schedule.tile_level else 1
    per_period = steps if schedule.tile_level else 1.0
    events = schedule.events("consumer")
    with np.errstate(invalid="ignore", divide="ignore"):
        for resource in RESOURCES:
            held = sum((values[name] for name in work_per_step(events, resource)), np.float64(0))
            utilization = out[f"{resource.lower()}_utilization"]
            if resource in schedule.resources:
                np.divide(held * steps * tiles, out["cycles"], out=utilization)
            else:
                utilization[np.isnan(out["cycles"])] = np.nan
            if resource == "TC":
                np.divide(held * per_period, out["period"], out=out["steady_tc_utilization"])
        seconds = out["cycles"] / values["clock_hz"]
        useful = values["flop_per_step"] * steps * tiles * values["sm_count"]
        np.divide(useful * 1e-12, seconds, out=out["tflops"])


def _piece(array: Array, slices: tuple[slice, ...]) -> Array:
    """Cut a block out of an array that has length 1 where it is constant."""
    return array[
        tuple(
            part if size > 1 else slice(None)
            for part, size in zip(slices, array.shape, strict=True)
        )
    ]


def _spread(array: Array, shape: tuple[int, ...]) -> Array:
    """Lay an array out along the points of a block; a constant costs no memory."""
    points = int(np.prod(shape, dtype=np.int64))
    if array.size == 1:
        return np.broadcast_to(array.reshape(1), (points,))
    return np.broadcast_to(array, shape).reshape(-1)
