"""Registers per thread that a tile's accumulators need, against what a thread can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analysis.budgets.registers import (
    accumulator_budget,
    compiled_registers,
    most_consumer_registers,
)
from figures.drawing.entry import Entry
from figures.drawing.palette import BLUE, SKY, VERMILLION
from figures.drawing.requirements import require
from figures.drawing.style import PAGE_INCHES, axis_label, caption, house_style

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "register_budgets"
TILES = ("64x128x64", "64x256x64", "128x128x64", "128x256x64", "256x128x64", "256x256x64")
WARPGROUPS = (1, 2, 3)
PARTS = (("accumulators", BLUE), ("other", SKY))
MARKS = (("available", "-"), ("compiled", ":"))


def register_budgets(ds: xr.Dataset) -> Figure:
    """Draw accumulators and the rest, stacked, per tile; a panel per number of warpgroups.

    Parameters
    ----------
    ds : xarray.Dataset
        ``accumulators`` over tile and warpgroups; ``other``; ``available`` and ``compiled`` over
        warpgroups; registers per thread.

    Raises
    ------
    InputError
        If the dataset lacks one of them.
    """
    from matplotlib.figure import Figure

    names = ("accumulators", "other", "available", "compiled")
    require(NAME, ds, variables=names, dims=("tile", "warpgroups"))
    with house_style():
        figure = Figure(figsize=(PAGE_INCHES, 2.9), layout="constrained")
        panels = figure.subplots(1, ds.sizes["warpgroups"], sharey=True, squeeze=False)[0]
        for axes, warpgroups in zip(panels, ds.warpgroups.values.tolist(), strict=True):
            _panel(axes, ds.sel(warpgroups=warpgroups))
            axes.set_title(f"{warpgroups} warpgroup{'s' if warpgroups > 1 else ''} per tile")
            axes.set_xlabel(axis_label(ds.tile))
        panels[0].set_ylabel("registers per thread")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=5)
        caption(figure, ds, note="32-bit registers; one producer warpgroup keeps 24 a thread.")
    return figure


def _panel(axes: Axes, ds: xr.Dataset) -> None:
    at = np.arange(ds.sizes["tile"])
    below = np.zeros(at.size)
    for name, colour in PARTS:
        height = np.broadcast_to(ds[name].values, at.shape)
        axes.bar(at, height, bottom=below, color=colour, label=ds[name].attrs["long_name"])
        below = below + height
    limit = float(ds.available)
    over = np.flatnonzero(below > limit)
    axes.bar(
        at[over],
        below[over] - limit,
        bottom=limit,
        facecolor="none",
        edgecolor=VERMILLION,
        hatch="////",
        linewidth=1,
        label="does not fit: spills",
    )
    for name, style in MARKS:
        label = ds[name].attrs["long_name"]
        axes.axhline(float(ds[name]), color="black", linewidth=0.9, linestyle=style, label=label)
    names = ds.tile.values.tolist()
    axes.set_xticks(at, names, rotation=60, ha="right", rotation_mode="anchor")
    axes.grid(visible=False, axis="x")


def data() -> xr.Dataset:
    """Divide common tiles among one to three consumer warpgroups."""
    import xarray as xr

    grid = [[accumulator_budget(tile, n) for n in WARPGROUPS] for tile in TILES]
    unit = {"units": "1"}
    compiled = [min(compiled_registers(128 * (1 + n)), 255) for n in WARPGROUPS]
    available = [min(most_consumer_registers(consumers=n), 240) for n in WARPGROUPS]
    return xr.Dataset(
        {
            "accumulators": (
                ("tile", "warpgroups"),
                [[one.accumulators for one in row] for row in grid],
                unit | {"long_name": "accumulators"},
            ),
            "other": ((), grid[0][0].other, unit | {"long_name": "everything else"}),
            "available": ("warpgroups", available, unit | {"long_name": "after setmaxnreg"}),
            "compiled": ("warpgroups", compiled, unit | {"long_name": "at launch"}),
        },
        coords={
            "tile": ("tile", list(TILES), unit | {"long_name": "CTA tile, M x N x K"}),
            "warpgroups": ("warpgroups", list(WARPGROUPS), unit | {"long_name": "warpgroups"}),
        },
    )


ENTRY = Entry(
    name=NAME,
    shows="A warpgroup cannot own a 128x256 tile: 256 accumulators a thread, before anything else;"
    " two that share it can.",
    data=data,
    draw=register_budgets,
)
