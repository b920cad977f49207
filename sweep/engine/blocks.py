"""A space in blocks: pieces of a grid that one kernel call runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sweep.engine.variants import Variant, variants_of
from sweep.inputs.space import Space
from sweep.quantities.arrays import Array

BLOCK_POINTS = 1 << 16
"""Points between two looks at Ctrl-C and progress: a few milliseconds."""


FEWEST_POINTS = 1 << 11


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


def cut_out(array: Array, slices: tuple[slice, ...]) -> Array:
    """Cut a block out of an array that has length 1 where it is constant."""
    return array[
        tuple(
            part if size > 1 else slice(None)
            for part, size in zip(slices, array.shape, strict=True)
        )
    ]


def laid_out(array: Array, shape: tuple[int, ...]) -> Array:
    """Lay an array out along the points of a block; a constant costs no memory."""
    points = int(np.prod(shape, dtype=np.int64))
    if array.size == 1:
        return np.broadcast_to(array.reshape(1), (points,))
    return np.broadcast_to(array, shape).reshape(-1)
