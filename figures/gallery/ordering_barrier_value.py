"""What the ordering barrier of ping-pong attention is worth against first come, first served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.causes.ordering_barrier import ORDERING_SPACE, ordering_barrier
from figures.drawing.entry import Entry
from figures.drawing.legends import legend_above
from figures.drawing.places import places, plain_number
from figures.drawing.requirements import require
from figures.drawing.style import PAGE_INCHES, SEQUENTIAL, caption, house_style, schedule_colour

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DIMS = ("schedule", "t_gemm0", "t_gemm1")
LEAST_PERCENT = 0.1


def ordering_barrier_value(ds: xr.Dataset) -> Figure:
    """Draw how much longer it takes without the barrier: a cut of the space, and all of it.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``analysis.causes.ordering_barrier.ordering_barrier``, over schedule, t_gemm0, t_gemm1
        and any further dimensions.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If the dataset lacks ``slowdown`` or a dimension.
    """
    from matplotlib.figure import Figure

    require("ordering_barrier_value", ds, ("slowdown",), DIMS)
    longer = percent_longer(ds.slowdown)
    worst = longer.max([dim for dim in longer.dims if dim not in DIMS])
    most = max(float(worst.fillna(0.0).max()), 1e-9)
    with house_style():
        figure = Figure(figsize=(PAGE_INCHES, 2.6), layout="constrained")
        count = ds.sizes["schedule"]
        panels = figure.subplots(1, count + 1, width_ratios=[1] * count + [1.1])
        for axes, schedule in zip(panels, ds.schedule.values, strict=False):
            mesh = _plane(axes, ds, worst.sel(schedule=schedule), most)
            axes.set_title(str(schedule))
        panels[0].set_ylabel("t_gemm1, P V (cycle)")
        label = "most time lost\nwithout the barrier (%)"
        figure.colorbar(mesh, ax=panels[:count], label=label, pad=0.02)
        handles = _shares(panels[-1], longer)
        legend_above(figure, handles)
        caption(figure, note=_note(ds))
    return figure


def percent_longer(slowdown: xr.DataArray) -> Any:
    """Return by how many per cent first come, first served takes longer."""
    return 100 * (slowdown - 1)


def _plane(axes: Axes, ds: xr.Dataset, worst: xr.DataArray, most: float) -> Any:
    across, down = (places("ordering_barrier_value", ds, name) for name in ("t_gemm0", "t_gemm1"))
    plane = worst.transpose("t_gemm1", "t_gemm0").values[np.ix_(down.order, across.order)]
    mesh = axes.pcolormesh(
        across.edges, down.edges, np.ma.masked_invalid(plane), cmap=SEQUENTIAL, vmin=0, vmax=most
    )
    _diagonal(axes)
    for which, place in (("x", across), ("y", down)):
        place.dress(axes, which, 1.2, labelled=False)
    axes.set(xlim=(across.edges[0], across.edges[-1]), ylim=(down.edges[0], down.edges[-1]))
    axes.set_xlabel("t_gemm0, Q K$^T$ (cycle)")
    axes.grid(False)
    return mesh


def _diagonal(axes: Axes) -> Any:
    return axes.axline((1, 1), (2, 2), color="white", linewidth=1, label="_equal")


def _shares(axes: Axes, longer: xr.DataArray) -> list[Any]:
    """Draw which share of the whole space loses, or gains, at least so much."""
    from matplotlib.ticker import FuncFormatter

    handles = []
    for schedule in longer.schedule.values:
        found = longer.sel(schedule=schedule).values.ravel()
        found = found[np.isfinite(found)]
        for sign, style, word in ((1, "-", "longer"), (-1, "--", "shorter")):
            by = np.sort(sign * found)
            by = by[by >= LEAST_PERCENT]
            if by.size:
                share = 100 * np.arange(by.size, 0, -1) / found.size
                colour = schedule_colour(str(schedule))
                label = f"{schedule}: {word}"
                handles += axes.step(by, share, style, where="pre", color=colour, label=label)
    axes.set(xscale="log", yscale="log", title="every point", xlabel="by at least (%)")
    axes.set_ylabel("share of the points (%)")
    axes.set_ylim(0.01, 100)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(plain_number))
    return handles


def _note(ds: xr.Dataset) -> str:
    points = ds.slowdown.size // ds.sizes["schedule"]
    others = [str(dim) for dim in ds.slowdown.dims if dim not in DIMS]
    over = f" the most over {', '.join(others)};" if others else ""
    return (
        f"Left:{over} on the white line t_gemm0 = t_gemm1. Right: {points:,} points of each"
        " schedule, which share takes longer, or shorter, first come, first served than in the"
        " fixed order. Times in cycles."
    )


def data() -> xr.Dataset:
    """Simulate the whole space in both orders."""
    return ordering_barrier(**ORDERING_SPACE)


ENTRY = Entry(
    name="ordering_barrier_value",
    shows=(
        "Where P V takes longer than Q K^T, ping-pong attention loses up to 44 % without the"
        " barrier; with the overlap inside a warpgroup it gains"
        " nothing there, and costs up to 13 %."
    ),
    data=data,
    draw=ordering_barrier_value,
)
