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


def _touched(points: Array, start: int, stop: int, found: Array) -> None:
    """Sum over the waves the rows of A and columns of B that they touch, and the most of both.

    For points ``start`` to ``stop`` - 1; the rest as in ``touched``.

    A wave is a range of the grouped order, so it touches whole middle groups and parts of two. In
    a part, c tiles in a row of the order touch min(c, height) rows.
    """
    for point in range(start, stop):
        m, n = points[0, point], points[1, point]
        tile_m, tile_n = points[2, point], points[3, point]
        grid_m, grid_n = -(-m // tile_m), -(-n // tile_n)
        taken, slots = min(points[4, point], grid_m), points[5, point]
        span, tiles, last_group = taken * grid_n, grid_m * grid_n, (grid_m - 1) // taken
        # Elements that the last row and column of tiles lack.
        lack_m, lack_n = grid_m * tile_m - m, grid_n * tile_n - n
        sum_rows, sum_columns, largest = 0, 0, 0
        for first in range(0, tiles, slots):
            last = min(first + slots, tiles) - 1
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
            wave_rows, wave_columns = row_strips * tile_m, column_strips * tile_n
            if reaches_bottom and to_group == last_group:
                wave_rows -= lack_m
            if reaches_right:
                wave_columns -= lack_n
            sum_rows += wave_rows
            sum_columns += wave_columns
            largest = max(largest, wave_rows + wave_columns)
        found[0, point], found[1, point], found[2, point] = sum_rows, sum_columns, largest


@once
def _kernel() -> Any:
    return compiled("void(int64[:, ::1], int64, int64, int64[:, ::1])")(_touched)


def touched(points: Array) -> tuple[NDArray[np.int64], ...]:
    """Return rows and columns summed over waves, and the most rows + columns of a wave.

    Parameters
    ----------
    points : numpy.ndarray of int64, shape (6, points)
        M, N, tile M, tile N, group and slots.
    """
    given, count = np.ascontiguousarray(points), points.shape[1]
    found = np.empty((3, count), dtype=np.int64)
    for first in range(0, count, POINTS_PER_SLICE):
        _kernel()(given, first, min(first + POINTS_PER_SLICE, count), found)
    return tuple(found)
