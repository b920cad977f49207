"""DRAM traffic of row-major waves in closed form, and what no order of tiles can beat."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analysis.checked import plain, read, whole


def floor_sum(count: int, divisor: int, step: int, start: int) -> int:
    """Return the sum over i < count of floor((step i + start) / divisor), in logarithmic time.

    Whole quotients are summed as an arithmetic progression; for the rest the lattice points under
    the line are counted along the other axis, as in Euclid's algorithm. Whole numbers, ``count``,
    ``step`` and ``start`` at least 0 and ``divisor`` at least 1.

    Examples
    --------
    >>> floor_sum(4, 10, 6, 3) == sum((6 * i + 3) // 10 for i in range(4))
    True
    """
    count, divisor = whole("count", count), whole("divisor", divisor)
    return _floor_sum(count, divisor, whole("step", step), whole("start", start))


def _floor_sum(count: int, divisor: int, step: int, start: int) -> int:
    total = 0
    while count > 0:
        total += count * (count - 1) // 2 * (step // divisor) + count * (start // divisor)
        step, start = step % divisor, start % divisor
        top = step * count + start
        count, start = divmod(top, divisor)
        step, divisor = divisor, step
    return total


def row_major_strips(grid_m: int, grid_n: int, slots: int) -> tuple[int, int]:
    """Return the row and the column strips that all waves of a row-major order read, summed.

    A wave is a range of tiles: it touches the rows from floor(first / columns) to
    floor(last / columns), and as many columns as it has tiles, at most all. **Exact**, in
    logarithmic time where counting takes one step per wave.

    Parameters
    ----------
    grid_m, grid_n : int
        Rows and columns of output tiles.
    slots : int
        Tiles of a wave.

    Raises
    ------
    InputError
        For anything but one whole number from 1 on.

    Examples
    --------
    >>> row_major_strips(32, 16, 132)
    (35, 64)
    """
    grid_m, grid_n = whole("grid_m", grid_m), whole("grid_n", grid_n)
    slots = whole("slots", slots)
    full, tail = divmod(grid_m * grid_n, slots)
    rows = _floor_sum(full, grid_n, slots, slots - 1) - _floor_sum(full, grid_n, slots, 0) + full
    columns = full * min(slots, grid_n)
    if tail:
        rows += grid_m - full * slots // grid_n
        columns += min(tail, grid_n)
    return rows, columns


def fewest_wave_elements(tiles: ArrayLike, tile_m: ArrayLike, tile_n: ArrayLike) -> Any:
    """Return the fewest elements, over K, that so many tiles can touch: 2 sqrt(tiles BM BN).

    A **bound** for every order: r x c strips hold at most r c tiles, and r BM + c BN is least where
    the two are equal, a square of elements.

    Examples
    --------
    >>> fewest_wave_elements(64, 128, 128)
    2048.0
    """
    count, rows, columns = read(tiles=tiles, tile_m=tile_m, tile_n=tile_n)
    return plain(2 * np.sqrt(count.astype(np.float64) * rows * columns))
