"""Tensor Core utilisation against stages, a line per latency, a panel per schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from figures.style import COLOURS, PAGE_INCHES, axis_label, house_style
from sweep.errors import InputError

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

NEEDS = ("schedule", "stages", "t_latency")


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

    for dim in NEEDS:
        if dim not in ds.tc_utilization.dims:
            raise InputError(f"utilization_against_stages: the dataset has no dimension {dim!r}")
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
