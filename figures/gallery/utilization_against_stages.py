"""Tensor Core utilisation against stages, a line per latency, a panel per schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sweep
from figures.entry import Entry
from figures.requirements import require
from figures.style import COLOURS, PAGE_INCHES, axis_label, house_style

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

DIMS = ("schedule", "stages", "t_latency")


def utilization_against_stages(ds: xr.Dataset) -> Figure:
    """Draw ``tc_utilization`` over ``stages`` for every ``t_latency`` and ``schedule``.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``sweep.run`` with the dimensions schedule, stages and t_latency. Stages that do not
        fit the shared memory are drawn open.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If the dataset lacks one of the dimensions.
    """
    from matplotlib.figure import Figure

    require("utilization_against_stages", ds, variables=("tc_utilization", "feasible"), dims=DIMS)
    with house_style():
        figure = Figure(figsize=(PAGE_INCHES, 2.5), layout="constrained")
        panels = figure.subplots(1, ds.sizes["schedule"], sharey=True, squeeze=False)[0]
        for axes, schedule in zip(panels, ds.schedule.values, strict=True):
            one = ds.sel(schedule=schedule)
            for colour, latency in zip(COLOURS, one.t_latency.values, strict=False):
                line = one.sel(t_latency=latency)
                fits = line.feasible == 1
                axes.plot(line.stages, 100 * line.tc_utilization, color=colour, zorder=2)
                for mask, face in ((fits, colour), (~fits, "white")):
                    axes.plot(
                        line.stages[mask],
                        100 * line.tc_utilization[mask],
                        "o",
                        color=colour,
                        markerfacecolor=face,
                        markersize=4,
                        zorder=3,
                        label=f"{latency:,.0f}" if face == colour else None,
                    )
            axes.set_title(schedule)
            axes.set_xlabel(axis_label(ds.stages))
            axes.set_ylim(0, 103)
        panels[0].set_ylabel("Tensor Core utilisation (%)")
        panels[-1].legend(title="latency (cycle)", loc="lower right", ncols=2)
    return figure


def data() -> xr.Dataset:
    """Sweep stages at four latencies."""
    return sweep.run(
        ["multistage", "warp_specialized"],
        stages=range(1, 9),
        t_latency=[300, 700, 1500, 3000],
        k_tiles=64,
    )


ENTRY = Entry(
    name="utilization_against_stages",
    shows="A deeper ring hides more latency, up to what the copy issue or the fill leaves.",
    data=data,
    draw=utilization_against_stages,
)
