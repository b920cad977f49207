"""Which output tile is taken when: row-major and grouped orders of a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sweep.errors import InputError, shorten
from sweep.host.memory import available_bytes, human_bytes
from sweep.inputs.call_arguments import Arguments, numbers
from sweep.inputs.labels import check_choice
from sweep.inputs.reading import read_scalar
from sweep.quantities.arrays import Array
from sweep.quantities.data_path import DATA_PATH

ORDERS = ("row", "grouped")
_WORDS = 10
"""Integers per tile that an order works in."""


def tile_order(grid_m: int, grid_n: int, group: int = 1) -> NDArray[np.int64]:
    """Return the row and column of every tile of a grid in the order they are taken.

    ``group`` rows of tiles are walked together, down the rows first, then along the columns, so
    that the tiles of a wave form a block rather than a strip. The last group takes the rows that
    are left: the order is a bijection for every grid. ``group`` 1 is row-major.

    Parameters
    ----------
    grid_m, grid_n : int
        Rows and columns of tiles.
    group : int
        Rows of tiles that are walked together.

    Returns
    -------
    numpy.ndarray of int64, shape (grid_m * grid_n, 2)

    References
    ----------
    Triton's matrix multiplication tutorial, "L2 Cache Optimizations" (GROUP_SIZE_M).

    Examples
    --------
    >>> tile_order(3, 2, group=2).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [2, 1]]
    """
    rows, columns, taken = (
        read_scalar(name, value, DATA_PATH[name])
        for name, value in (("grid_m", grid_m), ("grid_n", grid_n), ("group", group))
    )
    needed, free = 8 * _WORDS * rows * columns, available_bytes()
    if needed > free:
        raise InputError(
            f"grid_m={rows}, grid_n={columns}: the order needs {human_bytes(needed)} of memory,"
            f" {human_bytes(free)} are free"
        )
    index = np.arange(rows * columns, dtype=np.int64)
    return np.stack(_at(index, np.asarray(rows), np.asarray(columns), np.asarray(taken)), axis=-1)


def tile_at(
    index: ArrayLike, grid_m: ArrayLike, grid_n: ArrayLike, group: ArrayLike = 1
) -> tuple[Array, Array]:
    """Return the row and column of the tile that is taken as number ``index``.

    Examples
    --------
    >>> [int(place) for place in tile_at(5, 3, 2, group=2)]
    [2, 1]
    """
    given = Arguments()
    for name, value in (
        ("index", index),
        ("grid_m", grid_m),
        ("grid_n", grid_n),
        ("group", group),
    ):
        given.number(name, value)
    at, rows, columns, taken = given.arrays().values()
    if (beyond := at >= rows * columns).any():
        raise InputError(
            f"index={at[beyond].ravel()[0]}: must be below the"
            f" {(rows * columns)[beyond].ravel()[0]} tiles of the grid"
        )
    return _at(at, rows, columns, taken)


def _at(index: Array, rows: Array, columns: Array, group: Array) -> tuple[Array, Array]:
    taken = np.minimum(group, rows)
    which, local = np.divmod(index, taken * columns)
    first = which * taken
    height = np.minimum(taken, rows - first)
    return np.asarray(first + local % height), np.asarray(local // height)


def check_group(order: str, group: Any) -> None:
    """Check an order of tiles, and how many rows of tiles it takes together.

    Raises
    ------
    InputError
        If there is no such order, or a group is given to one without groups.
    """
    check_choice("order", order, ORDERS)
    if order == "row" and (numbers("group", group) != 1).any():
        raise InputError(
            f"group={shorten(group)}: has no effect on order='row'; give order='grouped'"
        )
