"""DRAM traffic of row-major waves in closed form, and what no order of tiles can beat."""

from __future__ import annotations

import math

from sweep.errors import InputError


def floor_sum(count: int, divisor: int, step: int, start: int) -> int:
    """Return the sum over i < count of floor((step i + start) / divisor), in logarithmic time.

    Whole quotients are summed as an arithmetic progression; for the rest the lattice points under
    the line are counted along the other axis, as in Euclid's algorithm.

    Examples
    --------
    >>> floor_sum(4, 10, 6, 3) == sum((6 * i + 3) // 10 for i in range(4))
    True
    """
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
        For a number below 1.

    Examples
    --------
    >>> row_major_strips(32, 16, 132)
    (35, 64)
    """
    for name, value in (("grid_m", grid_m), ("grid_n", grid_n), ("slots", slots)):
        if value < 1:
            raise InputError(f"{name}={value}: must be at least 1")
    full, tail = divmod(grid_m * grid_n, slots)
    rows = floor_sum(full, grid_n, slots, slots - 1) - floor_sum(full, grid_n, slots, 0) + full
    columns = full * min(slots, grid_n)
    if tail:
        rows += grid_m - full * slots // grid_n
        columns += min(tail, grid_n)
    return rows, columns


def fewest_wave_elements(tiles: int, tile_m: int, tile_n: int) -> float:
    """Return the fewest elements, over K, that so many tiles can touch: 2 sqrt(tiles BM BN).

    A **bound** for every order: r x c strips hold at most r c tiles, and r BM + c BN is least where
    the two are equal, a square of elements.

    Examples
    --------
    >>> fewest_wave_elements(64, 128, 128)
    2048.0
    """
    return 2 * math.sqrt(tiles * tile_m * tile_n)
