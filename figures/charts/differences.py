"""A map of what one schedule gains over another: blue is gain, red loss, white neither."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from figures.drawing.places import Places, places
from figures.drawing.requirements import require
from figures.drawing.style import COLUMN_INCHES, DIVERGING, axis_label, caption, house_style
from sweep.errors import InputError

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

LABEL_COLUMNS = 24
"""Letters of an axis label per line: what a panel of this height holds."""


def difference_map(
    ds: xr.Dataset,
    figure_name: str,
    schedules: tuple[str, str],
    x: str,
    y: str,
    levels: tuple[float, ...] = (),
    note: str = "",
) -> Figure:
    """Draw the utilisation of the first schedule minus that of the second, in points of per cent.

    Parameters
    ----------
    ds : xarray.Dataset
        With ``tc_utilization`` over schedule, ``x`` and ``y``; NaN stays grey.
    figure_name : str
        For error messages.
    schedules : tuple of str
    x, y : str
        Dimensions.
    levels : tuple of float
        Contours, in points of per cent.
    note : str
        Stands before the parameters in the caption.

    Raises
    ------
    InputError
        If the dataset lacks a variable, a dimension or one of the two schedules.
    """
    from matplotlib.figure import Figure

    gain = utilization_gain(ds, figure_name, schedules, x, y)
    across, down = places(figure_name, ds, x), places(figure_name, ds, y)
    plane = 100 * gain.transpose(y, x).values[np.ix_(down.order, across.order)]
    low, high = _range(plane)
    with house_style():
        figure = Figure(figsize=(COLUMN_INCHES, 3.0), layout="constrained")
        axes = figure.subplots()
        mesh = axes.pcolormesh(
            across.edges,
            down.edges,
            np.ma.masked_invalid(plane),
            cmap=_part_of_diverging(low, high),
            vmin=low,
            vmax=high,
            rasterized=plane.size > 4096,
        )
        axes.grid(visible=False)
        axes.set_facecolor("0.8")
        axes.set(xscale=_scale(across), yscale=_scale(down))
        _octaves(axes, across, down)
        axes.set_xlabel(axis_label(ds[x], columns=LABEL_COLUMNS))
        axes.set_ylabel(axis_label(ds[y], columns=LABEL_COLUMNS))
        figure.colorbar(mesh, ax=axes, label="Tensor Core utilisation\n(points of %)")
        axes.set_title(f"{schedules[0]} $-$ {schedules[1]}")
        caption(figure, ds.sel(schedule=list(schedules)), note=note)
        _contours(axes, across, down, plane, levels)
    return figure


def utilization_gain(
    ds: xr.Dataset, figure: str, schedules: tuple[str, str], x: str, y: str
) -> xr.DataArray:
    """Return how much more ``tc_utilization`` the first schedule has, over ``x`` and ``y``."""
    require(figure, ds, variables=("tc_utilization",), dims=("schedule", x, y))
    for name in schedules:
        if name not in ds.schedule.values:
            raise InputError(f"{figure}: the dataset has no schedule {name!r}")
    first, second = (ds.tc_utilization.sel(schedule=name, drop=True) for name in schedules)
    gain: xr.DataArray = first - second
    more = ", ".join(str(dim) for dim in gain.dims if dim not in (x, y))
    if more:
        raise InputError(f"{figure}: select one value of {more} first")
    return gain


def _range(plane: Any) -> tuple[float, float]:
    """Return the range of the values and zero, never empty."""
    known = plane[np.isfinite(plane)]
    low, high = min(known.min(initial=0.0), 0.0), max(known.max(initial=0.0), 0.0)
    return (float(low), float(high)) if low < high else (-1.0, 1.0)


def _part_of_diverging(low: float, high: float) -> Colormap:
    """Cut the diverging map so that zero stays white and equal distances equally strong."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    most = max(-low, high)
    shades = np.linspace(0.5 + low / most / 2, 0.5 + high / most / 2, 256)
    return ListedColormap(colormaps[DIVERGING](shades))


def _scale(where: Places) -> str:
    return "log" if where.log else "linear"


def _octaves(axes: Axes, across: Places, down: Places) -> None:
    """Write the ticks of logarithmic axes as numbers, a factor of 4 apart."""
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    for axis, where in ((axes.xaxis, across), (axes.yaxis, down)):
        if where.log:
            axis.set_major_locator(LogLocator(4))
            axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(StrMethodFormatter("{x:,.6g}"))


def _contours(
    axes: Axes, across: Places, down: Places, plane: Any, levels: tuple[float, ...]
) -> None:
    """Draw those contours that exist: Matplotlib warns of others, and of maps of one line."""
    known = plane[np.isfinite(plane)]
    there = [one for one in levels if known.size and known.min() < one < known.max()]
    if not there or min(plane.shape) < 2:
        return
    lines = axes.contour(
        across.centres,
        down.centres,
        np.ma.masked_invalid(plane),
        levels=there,
        colors="black",
        linewidths=0.9,
        linestyles="solid",
    )
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # settle the layout, which decides where labels fit
    axes.clabel(lines, fmt="%g", fontsize=7)
