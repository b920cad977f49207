"""The points of a dataset by two quantities, and those of them that no other beats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from figures.drawing.infeasible import reasons
from sweep.errors import InputError
from sweep.quantities.arrays import Array

if TYPE_CHECKING:
    import xarray as xr


class Points(NamedTuple):
    """Points that have both values.

    Attributes
    ----------
    x, y : numpy.ndarray of float
    fits : numpy.ndarray of bool
    by : numpy.ndarray
        What is told by colour.
    labels : list of str
        Which point is which.
    """

    x: Array
    y: Array
    fits: Array
    by: Array
    labels: list[str]


def flat_points(
    ds: xr.Dataset, x: str, y: str, by: str, labels: Sequence[str]
) -> tuple[Points, dict[str, Array]]:
    """Return all points that have both values, and which of them do not fit by the reason."""
    import xarray as xr

    unfit = reasons(ds)
    names = list(dict.fromkeys([x, y, *([by] if by else []), *labels]))
    arrays = xr.broadcast(*(ds[name].reset_coords(drop=True) for name in names), *unfit.values())
    columns = {name: one.values.ravel() for name, one in zip(names, arrays, strict=False)}
    for name in (x, y):
        if columns[name].dtype.kind not in "iufb":
            raise InputError(f"pareto: {name!r} has no numbers")
    known = np.isfinite(columns[x].astype(float)) & np.isfinite(columns[y].astype(float))
    masks = [one.values.ravel()[known] for one in arrays[len(names) :]]
    fits = ~np.logical_or.reduce(masks) if masks else np.full(int(known.sum()), True)
    texts = [[value_text(one) for one in columns[name][known]] for name in labels]
    points = Points(
        columns[x][known].astype(float),
        columns[y][known].astype(float),
        fits,
        columns[by][known] if by else np.zeros(int(known.sum()), dtype=int),
        [", ".join(parts) for parts in zip(*texts, strict=True)],
    )
    shown = {reason: mask for reason, mask in zip(unfit, masks, strict=True) if mask.any()}
    return points, shown


def on_front(x: Array, y: Array) -> Array:
    """Return which points no other beats, less being better in both; equal points all are.

    Sorted by x, then y, a point is beaten if a y of a smaller x is at most its own, or one of
    the same x is less.

    Examples
    --------
    >>> on_front(np.array([1.0, 2.0, 2.0, 3.0]), np.array([5.0, 3.0, 3.0, 4.0])).tolist()
    [True, True, True, False]
    """
    if not x.size:
        return np.zeros(0, dtype=bool)
    columns, which = np.unique(x, return_inverse=True)
    least = np.full(columns.size, np.inf)
    np.minimum.at(least, which, y)
    before = np.concatenate([[np.inf], np.minimum.accumulate(least)[:-1]])
    return np.asarray((y == least[which]) & (y < before[which]))


def value_text(value: Any) -> str:
    """Write a value in a legend."""
    return value if isinstance(value, str) else f"{value:,.6g}"
