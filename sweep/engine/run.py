"""Points to results: blocks of a space through the compiled kernels, on any number of threads.

A block is a contiguous piece of one schedule's grid. Every block is computed the same way
whoever computes it and writes to its own piece of the result, so the same input gives the same
bytes for any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sweep.description import Schedule
from sweep.engine.blocks import BLOCK_POINTS, FEWEST_POINTS, Block, blocks, cut_out, laid_out
from sweep.engine.held_work import Work
from sweep.engine.outputs import TIMING, Outputs, allocate, check_shares, finish_block
from sweep.engine.variants import prepare
from sweep.host.processors import usable_processors
from sweep.host.work import Done, Progress, Stop, share_out
from sweep.inputs.space import Space
from sweep.inputs.values import TABLE
from sweep.quantities.arrays import Array, Values
from sweep.quantities.tile_table import Lines
from sweep.quantities.variables import RESIDENCY

UNWRITTEN: Mapping[str, float] = {"f": -math.inf, "i": -128}
"""What outputs hold before they are written, by kind of number; no result is one of these."""


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
    outputs = allocate((len(space.schedules), *space.grid), space.own_outputs)
    threads = threads or usable_processors()
    share = max(FEWEST_POINTS, space.points // (4 * threads))  # work for every thread
    todo = list(blocks(space, min(BLOCK_POINTS, share)))
    for schedule, values in zip(space.schedules, space.values, strict=True):
        prepare(schedule, values)

    def run(block: Block, stop: Stop) -> None:
        where: Any = (block.index, *block.slices, ...)
        piece = {name: array[where] for name, array in outputs.items()}
        run_block(space, block, piece)

    done = Done(space.points, progress=progress)
    share_out(todo, run, lambda block: block.points, done, threads, alone_here=True)
    return outputs


def run_block(space: Space, block: Block, out: Outputs) -> None:
    """Run one block into ``out``: arrays of the block's shape, C-contiguous.

    Timing that does not exist (a deadlock; a period under fifo) is NaN.

    Raises
    ------
    RuntimeError
        If an output of the registry is left unwritten, or a resource is held for longer than the
        run: errors of the library.
    """
    _blank(out)
    schedule = space.schedules[block.index]
    values = {name: cut_out(a, block.slices) for name, a in space.values[block.index].items()}
    shape = out["cycles"].shape
    flat = [out[name].reshape(-1) for name in TIMING]
    names = dict.fromkeys((*schedule.parameters, *RESIDENCY))
    points = {name: laid_out(values[name], shape) for name in names}
    tables = space.tables[block.index]
    points |= {name: laid_out(values[TABLE + name], shape) for name in tables}
    work = {name: laid_out(held, shape) for name, held in _held(schedule, values, tables, block)}
    for variant in block.variants:
        kernel = variant.load(schedule)
        given = [tables, work] if variant.name == "general" else []
        if len(block.variants) == 1:
            kernel.run(points, *given, *flat)
            continue
        chosen = variant.serves(points)
        if chosen.size == 0:
            continue
        part = [array[chosen] for array in flat]  # as unwritten as the whole
        if given:
            given = [tables, {name: array[chosen] for name, array in work.items()}]
        kernel.run({name: array[chosen] for name, array in points.items()}, *given, *part)
        for whole, array in zip(flat, part, strict=True):
            whole[chosen] = array
    finish_block(schedule, values, out, tables)
    check_shares(out)
    _check_written(out)


def _held(
    schedule: Schedule, values: Values, tables: Mapping[str, Lines], block: Block
) -> Iterator[tuple[str, Array]]:
    """Yield how long each resource is held in a period, where the general engine asks for it."""
    if any(variant.name == "general" for variant in block.variants):
        work = Work(schedule, values, tables)
        for resource in schedule.resources:
            yield resource, np.asarray(work.held_per_period(resource), np.float64)
