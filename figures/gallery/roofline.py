"""The roofline of the copy path with the schedules on it: what each tile reaches of its ceiling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import sweep
from analysis.memory.roofline import ridge_point
from analysis.memory.roofline import roofline as ceiling
from figures.drawing.entry import Entry
from figures.drawing.requirements import require
from figures.drawing.style import (
    PAGE_INCHES,
    caption,
    house_style,
    schedule_colour,
    schedule_marker,
)

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "roofline"
SCHEDULES = ("sync", "register_staged", "multistage", "warp_specialized")
TILES = ("64x64x64", "128x64x64", "128x128x64", "128x256x64", "256x256x64")
GPUS = ("lecture", "h100_sxm")
VARIABLES = ("steady_tc_utilization", "flop_per_byte", "flop_per_cycle", "bytes_per_cycle")


def roofline(ds: xr.Dataset) -> Figure:
    """Draw steady FLOP per cycle over FLOP per copied byte, a panel per GPU, under its roofline.

    Parameters
    ----------
    ds : xarray.Dataset
        ``steady_tc_utilization`` over schedule, tile and gpu, ``flop_per_byte`` over tile, and
        ``flop_per_cycle`` and ``bytes_per_cycle`` over gpu.

    Raises
    ------
    InputError
        If the dataset lacks one of them.
    """
    from matplotlib.figure import Figure

    require(NAME, ds, variables=VARIABLES, dims=("schedule", "tile", "gpu"))
    with house_style():
        figure = Figure(figsize=(PAGE_INCHES, 3.0), layout="constrained")
        panels = figure.subplots(1, ds.sizes["gpu"], sharex=True, sharey=True, squeeze=False)[0]
        for axes, gpu in zip(panels, ds.gpu.values.tolist(), strict=True):
            _panel(axes, ds.sel(gpu=gpu))
            axes.set_xlabel("arithmetic intensity (FLOP/copied byte)")
        panels[0].set_ylabel("attained (FLOP/cycle per SM)")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=5)
        note = f"Steady state. Tiles from left to right: {', '.join(ds.tile.values.tolist())}."
        caption(figure, ds, note=note)
    return figure


def _panel(axes: Axes, ds: xr.Dataset) -> None:
    from matplotlib.ticker import NullLocator, StrMethodFormatter

    peak, bandwidth = float(ds.flop_per_cycle), float(ds.bytes_per_cycle)
    ends = float(ds.flop_per_byte.min()) / 2, float(ds.flop_per_byte.max()) * 2
    ridge = ridge_point(peak, bandwidth) if np.isfinite([peak, bandwidth]).all() else np.nan
    intensities = np.sort([one for one in (*ends, ridge) if np.isfinite(one * ridge)])
    heights = ceiling(intensities, peak, bandwidth) if intensities.size else intensities
    axes.plot(intensities, heights, color="0.3", label="roofline")
    names = ds.schedule.values.tolist()
    for size, schedule in zip(np.linspace(9, 3, len(names)), names, strict=True):
        axes.plot(
            ds.flop_per_byte,
            peak * ds.steady_tc_utilization.sel(schedule=schedule),
            linestyle="none",
            marker=schedule_marker(schedule),
            color=schedule_colour(schedule),
            markerfacecolor="none",
            markersize=size,
            label=schedule,
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
        axis.set_minor_locator(NullLocator())
    axes.set_title(f"{ds.gpu.item()}: {bandwidth:g} byte/cycle, ridge at {ridge:.0f} FLOP/byte")


def data() -> xr.Dataset:
    """Run the single-tile schedules on tiles of growing intensity."""
    ds = sweep.run(SCHEDULES, tile=TILES, gpu=GPUS, k=4096, stages=3)
    sides = np.array([[int(side) for side in tile.split("x")] for tile in TILES])
    m, n, _ = sides.T
    cards = [sweep.GPUS[name] for name in GPUS]
    intensity = {"units": "FLOP/byte", "long_name": "arithmetic intensity at the copy path"}
    return ds.assign(
        flop_per_byte=("tile", m * n / (m + n), intensity),
        flop_per_cycle=("gpu", [card.tc_flop_per_cycle for card in cards], {"units": "FLOP/cycle"}),
        bytes_per_cycle=(
            "gpu",
            [card.mem_bytes_per_cycle for card in cards],
            {"units": "byte/cycle"},
        ),
    )


ENTRY = Entry(
    name=NAME,
    shows="The roofline is a ceiling that only schedules which overlap copies and MMAs come near.",
    data=data,
    draw=roofline,
)
