"""Points to results: blocks of a space through the compiled kernels, on any number of threads.

A block is a contiguous piece of one schedule's grid. Every block is computed the same way
whoever computes it and writes to its own piece of the result, so the same input gives the same
bytes for any number of threads.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sweep.description import RESOURCES, Count, Event, Schedule
from sweep.description.circuits import uses_of
from sweep.description.counts import linear
from sweep.engine.feasibility import feasibility
from sweep.inputs.space import Space
from sweep.quantities.variables import OUTPUTS, VARIABLES
from sweep.recurrence.folding import EXTENSIONS

Array = NDArray[Any]
Values = Mapping[str, Array]
Outputs = dict[str, Array]
Progress = Callable[[int, int], None]

BLOCK_POINTS = 1 << 16
"""Points between two looks at Ctrl-C and progress: a few milliseconds."""
FEWEST_POINTS = 1 << 11
UNWRITTEN: Mapping[str, float] = {"f": -math.inf, "i": -128}
"""What outputs hold before they are written, by kind of number; no result is one of these."""
TIMING = ("cycles", "period", "bottleneck")
"""What kernels write; the rest follows from it."""


@dataclass(frozen=True)
class Variant:
    """One kernel of a schedule, and the code of the choice (release, arbitration) it serves."""

    name: Literal["plain", "consumer", "hardware", "fifo"]
    code: int

    def load(self, schedule: Schedule) -> Any:
        """Return the kernel, compiled if need be."""
        from sweep.recurrence.fifo import FifoKernel
        from sweep.recurrence.kernels import kernel_of

        if self.name == "fifo":
            return FifoKernel(schedule)
        if self.name == "plain":
            return kernel_of(schedule, "consumer", True)
        return kernel_of(schedule, self.name, False)


@dataclass(frozen=True)
class Block:
    """A piece of the grid of ``space.schedules[index]``, and the kernels that its space needs."""

    index: int
    slices: tuple[slice, ...]
    points: int
    variants: tuple[Variant, ...]


def blocks(space: Space, points: int = BLOCK_POINTS) -> Iterator[Block]:
    """Cut a space into blocks of about ``points`` points, contiguous in memory.

    A block is a range along one dimension, whole along those after it.
    """
    pairs = list(zip(space.schedules, space.values, strict=True))
    variants = [variants_of(schedule, values) for schedule, values in pairs]
    if any(variant.name == "fifo" for own in variants for variant in own):
        steps = max(int(values[schedule.loop].max()) for schedule, values in pairs)
        points = max(1, points * 4 // max(4, steps))  # no jumps: a step costs some 0.2 us
    for index, own in enumerate(variants):
        for slices in _pieces(space.grid, points):
            count = math.prod(part.stop - part.start for part in slices)
            yield Block(index, slices, count, own)


def _pieces(grid: tuple[int, ...], points: int) -> Iterator[tuple[slice, ...]]:
    axis = len(grid)
    whole = 1
    while axis > 0 and whole * grid[axis - 1] <= points:
        axis -= 1
        whole *= grid[axis]
    trailing = tuple(slice(0, size) for size in grid[axis:])
    if axis == 0:
        yield trailing
        return
    step = max(1, points // whole)
    for outer in np.ndindex(*grid[: axis - 1]):
        leading = tuple(slice(i, i + 1) for i in outer)
        for start in range(0, grid[axis - 1], step):
            yield (*leading, slice(start, min(start + step, grid[axis - 1])), *trailing)


def allocate(shape: tuple[int, ...]) -> Outputs:
    """Return arrays of zeros for every output."""
    return {name: np.zeros(shape, VARIABLES[name].dtype) for name in OUTPUTS}


def _blank(outputs: Mapping[str, Array]) -> None:
    """Fill outputs with what nothing writes, so that what stays unwritten is seen."""
    for array in outputs.values():
        _looked_at(array).fill(UNWRITTEN[array.dtype.kind])


def _check_written(outputs: Mapping[str, Array]) -> None:
    for name, array in outputs.items():
        seen = _looked_at(array)
        missing = np.count_nonzero(seen == UNWRITTEN[array.dtype.kind])
        if missing:
            raise RuntimeError(
                f"output {name!r} is in the registry, and nothing writes it: {missing} of"
                f" {seen.size} points"
            )


def _looked_at(array: Array) -> Array:
    """Return a view of the points that are looked at: all of a few, about 1024 of many.

    All of a million would take a third longer than the fastest schedule itself.
    """
    flat = array.reshape(-1)
    return flat[:: max(1, flat.size // 1024)]


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
    threads = threads or usable_processors()
    share = max(FEWEST_POINTS, space.points // (4 * threads))  # work for every thread
    todo = list(blocks(space, min(BLOCK_POINTS, share)))
    for schedule, values in zip(space.schedules, space.values, strict=True):
        prepare(schedule, values)

    def run(block: Block) -> int:
        where: Any = (block.index, *block.slices, ...)
        piece = {name: array[where] for name, array in outputs.items()}
        run_block(space, block, piece)
        return block.points

    workers = min(threads, len(todo))
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
    """Load, and compile if need be, the kernels that some values need."""
    for variant in variants_of(schedule, values):
        variant.load(schedule)


def variants_of(schedule: Schedule, values: Values) -> tuple[Variant, ...]:
    """Return the kernels that some values need."""
    off = not any(np.any(values[name]) for name in EXTENSIONS if name in values)
    first = Variant("plain" if off else "consumer", 0)
    choice = _choice(schedule)
    if not choice:
        return (first,)
    second = Variant("hardware" if choice == "release" else "fifo", 1)
    return tuple((first, second)[code] for code in np.unique(values[choice]))


def _choice(schedule: Schedule) -> str:
    """Name the choice that decides between a schedule's kernels, if there is one."""
    if schedule.release_modes:
        return "release"
    return "arbitration" if "arbitration" in schedule.parameters else ""


def run_block(space: Space, block: Block, out: Outputs) -> None:
    """Run one block into ``out``: arrays of the block's shape, C-contiguous.

    Timing that does not exist (a deadlock; a period under fifo) is NaN.

    Raises
    ------
    RuntimeError
        If an output of the registry is left unwritten: an error of the library.
    """
    _blank(out)
    schedule = space.schedules[block.index]
    values = {name: _piece(a, block.slices) for name, a in space.values[block.index].items()}
    shape = out["cycles"].shape
    flat = [out[name].reshape(-1) for name in TIMING]
    points = {name: _spread(values[name], shape) for name in schedule.parameters}
    for variant in block.variants:
        kernel = variant.load(schedule)
        if len(block.variants) == 1:
            kernel.run(points, *flat)
            continue
        chosen = np.flatnonzero(points[_choice(schedule)] == variant.code)
        if chosen.size == 0:
            continue
        part = [array[chosen] for array in flat]  # as unwritten as the whole
        kernel.run({name: array[chosen] for name, array in points.items()}, *part)
        for whole, array in zip(flat, part, strict=True):
            whole[chosen] = array
    finish_block(schedule, values, out)
    _check_written(out)


def finish_block(schedule: Schedule, values: Values, out: Outputs) -> None:
    """Fill in what follows from cycles and period: utilisations, throughput, feasibility.

    What cannot exist has no numbers, whatever its placeholders gave.
    """
    _rates(schedule, values, out)
    dead = np.isnan(out["cycles"])  # durations are finite: only a deadlock has no makespan
    for name, flags in feasibility(schedule, values, dead)._asdict().items():
        out[name][...] = flags
    if values["impossible"].any():
        nowhere = np.broadcast_to(values["impossible"] != 0, dead.shape)
        for name in OUTPUTS:
            if VARIABLES[name].kind == "output":
                out[name][nowhere] = np.nan
        out["bottleneck"][nowhere] = 0


def _rates(schedule: Schedule, values: Values, out: Outputs) -> None:
    """Fill in the utilisations and the throughput from cycles and period."""
    steps = values[schedule.loop].astype(np.float64)
    tiles = values["output_tiles"] if schedule.tile_level else 1
    per_period = steps if schedule.tile_level else 1.0
    events = schedule.events("consumer")
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        for resource in RESOURCES:
            utilization = out[f"{resource.lower()}_utilization"]
            if resource in schedule.resources:
                held = _held(events, resource, values, steps * tiles, tiles)
                np.divide(held, out["cycles"], out=utilization)
            else:
                np.multiply(out["cycles"], 0.0, out=utilization)  # never held; NaN stays
        per_tile = 1.0 if schedule.tile_level else 0.0
        work = _held(events, "TC", values, per_period, per_tile, steady=True)
        np.divide(work, out["period"], out=out["steady_tc_utilization"])
        seconds = out["cycles"] / values["clock_hz"]
        useful = values["flop_per_step"] * steps * tiles * values["sm_count"]
        np.divide(useful * 1e-12, seconds, out=out["tflops"])


def _held(
    events: tuple[Event, ...],
    resource: str,
    values: Values,
    steps: Any,
    tiles: Any,
    steady: bool = False,
) -> Any:
    """Return the cycles a resource is held over that many steps and tiles.

    Events that start late are left out until then, in a steady state not at all.
    """
    held: Any = np.float64(0)
    for per_step, times in ((True, steps), (False, tiles)):
        for event in uses_of(events, resource, per_step=per_step):
            if event.starts_at == 0 or steady:
                held = held + values[event.takes] * times
            else:
                late = _value(event.starts_at, values)
                held = held + values[event.takes] * np.maximum(times - late, 0)
    return held


def _value(count: Count, values: Values) -> Any:
    """Return a count at every point."""
    return sum(values[name] * n if name else n for name, n in linear(count))


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
