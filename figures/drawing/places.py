"""Where the values of a coordinate stand on an axis: numbers to scale, names side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from figures.drawing.style import axis_label
from sweep.errors import InputError
from sweep.quantities.arrays import Array

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


LOG_RANGE = 10
"""Geometric steps over at least such a range are drawn on a logarithmic axis."""
FEW = 9
"""Up to so many numbers each have a tick of their own."""
LETTER_INCHES = 0.065
"""Width of a letter of a tick label, with room to spare."""


def plain_number(value: float, _: int | None = None) -> str:
    """Write a number on an axis, with commas between thousands."""
    return f"{value:,.10g}" if abs(value) < 1e7 else f"{value:.4g}"


def logarithmic(axes: Axes, which: str) -> None:
    """Make the x or y axis logarithmic, with ticks at 1, 2, 5, 10, ... in plain digits."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set(**{f"{which}scale": "log"})
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(plain_number))
    axis.set_minor_locator(NullLocator())


class Places(NamedTuple):
    """A coordinate on an axis.

    Attributes
    ----------
    dim : str
        The dimension that it runs along.
    order : numpy.ndarray of int
        Which index stands where, from left to right.
    centres, edges : numpy.ndarray of float
        In units of the axis.
    names : tuple of str
        Of values that are not numbers; empty for numbers.
    log : bool
    label : str
    """

    dim: str
    order: Array
    centres: Array
    edges: Array
    names: tuple[str, ...]
    log: bool
    label: str

    def dress(self, axes: Axes, which: str, inches: float, labelled: bool = True) -> None:
        """Set scale, ticks and label of the x or y axis, which is about so many inches long."""
        axis = axes.xaxis if which == "x" else axes.yaxis
        if self.log:
            logarithmic(axes, which)
        if self.names:
            axis.set_ticks(self.centres, labels=list(self.names))
            if which == "x" and LETTER_INCHES * sum(len(one) + 1 for one in self.names) > inches:
                axis.set_tick_params(rotation=90)
        elif self._every_value_fits(inches):
            axis.set_ticks(self.centres, labels=[plain_number(one) for one in self.centres])
        if labelled:
            axis.set_label_text(self.label)

    def _every_value_fits(self, inches: float) -> bool:
        at = np.log(self.edges) if self.log else self.edges
        narrow = np.diff(at).min() / (at[-1] - at[0]) * inches
        longest = max(len(plain_number(one)) for one in self.centres)
        return bool(len(self.centres) <= FEW and narrow > LETTER_INCHES * (longest + 1))


def places(figure: str, ds: xr.Dataset, name: str) -> Places:
    """Place a coordinate of one dimension on an axis.

    Parameters
    ----------
    figure : str
        Who asks, for the message.
    ds : xarray.Dataset
    name : str
        A dimension, or a coordinate or variable along one.

    Raises
    ------
    InputError
        If there is none of that name, it is not along one dimension, or has a value twice.
    """
    if name not in ds and name not in ds.dims:
        known = ", ".join(map(str, ds.dims)) or "none"
        raise InputError(f"{figure}: the dataset has no dimension {name!r}; it has {known}")
    coordinate = ds[name]
    if len(coordinate.dims) != 1:
        raise InputError(f"{figure}: {name!r} runs along {len(coordinate.dims)} dimensions, not 1")
    values, dim = coordinate.values, str(coordinate.dims[0])
    if np.unique(values).size < values.size:
        raise InputError(
            f"{figure}: {name!r} has a value twice; take the dimension {dim!r} instead"
        )
    label = axis_label(coordinate)
    if values.dtype.kind not in "iufb":
        at = np.arange(values.size)
        names = tuple(str(one) for one in values)
        return Places(
            dim, at, at.astype(float), np.arange(values.size + 1) - 0.5, names, False, label
        )
    order = np.argsort(values)
    centres = values[order].astype(float)
    if not np.isfinite(centres).all():
        raise InputError(f"{figure}: {name!r} has values that are not finite")
    log = is_geometric(centres)
    return Places(dim, order, centres, cell_edges(centres, log), (), log, label)


def is_geometric(values: Array) -> bool:
    """Whether ascending numbers are nearer to equal ratios than to equal steps, and far apart.

    Examples
    --------
    >>> is_geometric(np.array([1.0, 4.0, 16.0, 64.0])), is_geometric(np.array([1.0, 33.0, 64.0]))
    (True, False)
    """
    if values.size < 3 or values[0] <= 0 or values[-1] < LOG_RANGE * values[0]:
        return False
    steps, ratios = np.diff(values), np.diff(np.log(values))
    return bool(ratios.std() / ratios.mean() < steps.std() / steps.mean())


def cell_edges(centres: Array, log: bool = False) -> Array:
    """Return the edges of cells around ascending centres: half-way, the outer ones as wide.

    Examples
    --------
    >>> cell_edges(np.array([1.0, 2.0, 4.0])).tolist()
    [0.5, 1.5, 3.0, 5.0]
    """
    at = np.log(centres) if log else centres
    inner = (at[1:] + at[:-1]) / 2
    first, last = (inner[:1], inner[-1:]) if inner.size else (at - 0.5, at + 0.5)
    edges = np.concatenate([2 * at[:1] - first, inner, 2 * at[-1:] - last])
    return np.asarray(np.exp(edges) if log else edges)
