"""The compiled count of the row and column strips that each wave of tiles touches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.compiling.kept import once
from sweep.compiling.numba_options import compiled

Array = Any

POINTS_PER_SLICE = 2**14
"""Ctrl-C is seen between slices."""


def _touched(
    m: Array,
    n: Array,
    tile_m: Array,
    tile_n: Array,
    group: Array,
    slots: Array,
    rows: Array,
    columns: Array,
    most: Array,
) -> None:
    """Sum over the waves the rows of A and columns of B that they touch, and the most of both.

    A wave is a range of the grouped order, so it touches whole middle groups and parts of two. In
    a part, c tiles in a row of the order touch min(c, height) rows.
    """
    for point in range(m.shape[0]):
        grid_m, grid_n = -(-m[point] // tile_m[point]), -(-n[point] // tile_n[point])
        taken = min(group[point], grid_m)
        span = taken * grid_n
        tiles = grid_m * grid_n
        # Elements that the last row and column of tiles lack.
        lack_m = grid_m * tile_m[point] - m[point]
        lack_n = grid_n * tile_n[point] - n[point]
        last_group = (grid_m - 1) // taken
        sum_rows, sum_columns, largest = 0, 0, 0
        for first in range(0, tiles, slots[point]):
            last = min(first + slots[point], tiles) - 1
            from_group, to_group = first // span, last // span
            begin, end = first - from_group * span, last - to_group * span
            from_height = min(taken, grid_m - from_group * taken)
            to_height = min(taken, grid_m - to_group * taken)
            from_column, to_column = begin // from_height, end // to_height
            if from_group == to_group:
                count = end - begin + 1
                row_strips = min(count, to_height)
                reaches_bottom = begin % to_height + count >= to_height
                column_strips = to_column - from_column + 1
                reaches_right = to_column == grid_n - 1
            else:
                row_strips = min(span - begin, taken) + min(end + 1, to_height)
                row_strips += (to_group - from_group - 1) * taken
                reaches_bottom = end + 1 >= to_height
                column_strips = grid_n
                if to_group == from_group + 1 and to_column < from_column - 1:
                    column_strips += to_column + 1 - from_column
                reaches_right = True
            wave_rows = row_strips * tile_m[point]
            if reaches_bottom and to_group == last_group:
                wave_rows -= lack_m
            wave_columns = column_strips * tile_n[point]
            if reaches_right:
                wave_columns -= lack_n
            sum_rows += wave_rows
            sum_columns += wave_columns
            largest = max(largest, wave_rows + wave_columns)
        rows[point], columns[point], most[point] = sum_rows, sum_columns, largest


@once
def _kernel() -> Any:
    return compiled(f"void({', '.join(['int64[::1]'] * 9)})")(_touched)


def touched(points: Array) -> tuple[NDArray[np.int64], ...]:
    """Return rows and columns summed over waves, and the most rows + columns of a wave.

    Parameters
    ----------
    points : numpy.ndarray of int64, shape (6, points)
        M, N, tile M, tile N, group and slots.
    """
    found = np.empty((3, points.shape[1]), dtype=np.int64)
    for first in range(0, points.shape[1], POINTS_PER_SLICE):
        part = slice(first, first + POINTS_PER_SLICE)
        _kernel()(*(np.ascontiguousarray(row) for row in points[:, part]), *found[:, part])
    return tuple(found)
