"""DRAM traffic of a matrix product against the tile shape and the order of tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from figures.drawing.entry import Entry
from figures.drawing.legends import legend_above
from figures.drawing.places import plain_number
from figures.drawing.requirements import require
from figures.drawing.style import COLOURS, PAGE_INCHES, caption, house_style
from sweep.tensorcore import sweep_traffic

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = 4096
TILES = ("64x64", "64x128", "128x64", "128x128", "128x256", "256x128", "256x256")
GROUPS = (1, 2, 4, 8, 16, 32)
COMPARED = (1, 4, 8)
"""Groups that are drawn as bars."""
MARKERS = "os^DvPX"
MICRO = 1e6


def dram_traffic(ds: xr.Dataset) -> Figure:
    """Draw the time of the DRAM traffic by tile, and over the group of a grouped order.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``sweep.tensorcore.sweep_traffic`` over tile and group; ``COMPARED`` says which groups
        are drawn as bars.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If the dataset lacks a variable or dimension.
    """
    from matplotlib.figure import Figure

    needed = ("seconds", "floor_seconds", "compute_seconds")
    require("dram_traffic", ds, needed, ("tile", "group"))
    with house_style():
        figure = Figure(figsize=(PAGE_INCHES, 3.0), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1.25, 1))
        bars = _bars(left, ds)
        lines = _lines(right, ds)
        for axes in (left, right):
            limits = _limits(axes, ds)
        legend_above(figure, [*bars, *limits])
        right.legend(handles=lines, title="tile", ncols=2, loc="upper right")
        left.set_ylim(0, 1.08 * MICRO * float(ds.seconds.fillna(0.0).max()) or 1.0)
        caption(figure, note=_note(ds))
    return figure


def _bars(axes: Axes, ds: xr.Dataset) -> list[Any]:
    groups = [group for group in COMPARED if group in ds.group.values]
    at, width = np.arange(ds.sizes["tile"]), 0.8 / max(len(groups), 1)
    found = []
    for index, group in enumerate(groups):
        name = "row-major order" if group == 1 else f"groups of {group} rows"
        place = at + width * (index - (len(groups) - 1) / 2)
        times = MICRO * ds.seconds.sel(group=group).values
        shade = str(0.15 + 0.3 * index)
        found.append(axes.bar(place, times, 0.95 * width, color=shade, label=name))
    axes.set_xticks(at, [str(one) for one in ds.tile.values])
    axes.set(xlabel="output tile, M x N", ylabel="time of the DRAM traffic (µs)")
    axes.grid(False, axis="x")
    return found


def _lines(axes: Axes, ds: xr.Dataset) -> list[Any]:
    from matplotlib.ticker import FuncFormatter, NullLocator

    found = []
    for index, tile in enumerate(ds.tile.values):
        found += axes.plot(
            ds.group,
            MICRO * ds.seconds.sel(tile=tile),
            marker=MARKERS[index % len(MARKERS)],
            color=COLOURS[index % len(COLOURS)],
            label=str(tile),
        )
    axes.set_xscale("log", base=2)
    axes.set_xticks(ds.group.values)
    axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("rows of tiles in a group")
    return found


def _limits(axes: Axes, ds: xr.Dataset) -> list[Any]:
    """Draw the time of the arithmetic, and of reading and writing everything once."""
    return [
        axes.axhline(
            MICRO * float(ds[name].min()), linestyle=style, color=colour, linewidth=1, label=label
        )
        for name, style, colour, label in (
            ("compute_seconds", "--", "0.3", "arithmetic at the dense peak"),
            ("floor_seconds", ":", "0.3", "everything once"),
        )
    ]


def _note(ds: xr.Dataset) -> str:
    fixed = [f"{name}={ds[name].item()}" for name in ("gpu", "element_type") if not ds[name].dims]
    sizes = " x ".join(f"{ds[name].item():,}" for name in "mnk" if not ds[name].dims)
    return (
        f"Product of {sizes}, {', '.join(fixed)}. A tile per SM and wave; a wave reads every row"
        " and column strip that it touches once; C is written once with 2 bytes per element."
    )


def data() -> xr.Dataset:
    """Count the traffic of a product of 4096 x 4096 x 4096 for tiles and groups."""
    return sweep_traffic(SIZE, SIZE, SIZE, list(TILES), group=list(GROUPS))


ENTRY = Entry(
    name="dram_traffic",
    shows=(
        "Small tiles read so much that DRAM takes longer than the arithmetic; taking 64x64 tiles in"
        " groups of 8 rows more than halves it."
    ),
    data=data,
    draw=dram_traffic,
)
