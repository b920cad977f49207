"""Which output tile is taken when: row-major and grouped orders of a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sweep.errors import InputError, unknown_name
from sweep.tensorcore.inputs import numbers

Array = NDArray[Any]

ORDERS = ("row", "grouped")


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
    index = np.arange(grid_m * grid_n, dtype=np.int64)
    return np.stack(tile_at(index, grid_m, grid_n, group), axis=-1)


def tile_at(
    index: ArrayLike, grid_m: ArrayLike, grid_n: ArrayLike, group: ArrayLike = 1
) -> tuple[Array, Array]:
    """Return the row and column of the tile that is taken as number ``index``.

    Examples
    --------
    >>> [int(place) for place in tile_at(5, 3, 2, group=2)]
    [2, 1]
    """
    rows, columns = np.asarray(grid_m), np.asarray(grid_n)
    taken = np.minimum(np.asarray(group), rows)
    which, local = np.divmod(np.asarray(index), taken * columns)
    first = which * taken
    height = np.minimum(taken, rows - first)
    return np.asarray(first + local % height), np.asarray(local // height)


def read_group(order: str, group: Any) -> Array:
    """Return how many rows of tiles an order takes together.

    Raises
    ------
    InputError
        If there is no such order, or a group is given to one without groups.
    """
    if order not in ORDERS:
        raise unknown_name("order", order, ORDERS)
    found = numbers("group", group)
    if order == "row" and (found != 1).any():
        raise InputError(f"group={group}: has no effect on order='row'; give order='grouped'")
    return found
