"""Tensor Core utilisation against stages, a line per latency, a panel per schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sweep
from figures.charts.closed_form_points import closed_form_cycles
from figures.drawing.entry import Entry
from figures.drawing.requirements import require
from figures.drawing.style import COLOURS, PAGE_INCHES, axis_label, caption, house_style

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VARIABLES = ("cycles", "tc_utilization", "feasible")
DIMS = ("schedule", "stages", "t_latency")
NOTE = "Points: simulated; open ones do not fit the shared memory. Lines: closed forms."


def utilization_against_stages(ds: xr.Dataset) -> Figure:
    """Draw ``tc_utilization`` over ``stages`` for every ``t_latency`` and ``schedule``.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``sweep.run`` with the dimensions schedule, stages and t_latency. Stages that do not
        fit are drawn open; the line is the schedule's closed form.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If the dataset lacks one of the dimensions.
    """
    from matplotlib.figure import Figure

    require("utilization_against_stages", ds, variables=VARIABLES, dims=DIMS)
    with house_style():
        figure = Figure(figsize=(PAGE_INCHES, 2.7), layout="constrained")
        panels = figure.subplots(1, ds.sizes["schedule"], sharey=True, squeeze=False)[0]
        for axes, schedule in zip(panels, ds.schedule.values.tolist(), strict=True):
            one = ds.sel(schedule=schedule)
            cycles = closed_form_cycles(one, schedule)
            for number, latency in enumerate(one.t_latency.values):
                line = one.sel(t_latency=latency)
                form = None if cycles is None else cycles.sel(t_latency=latency)
                _draw(axes, line, form, COLOURS[number % len(COLOURS)])
            axes.set_title(schedule)
            axes.set_xlabel(axis_label(ds.stages))
            axes.set_xticks(ds.stages.values)
            axes.set_ylim(0, 103)
        panels[0].set_ylabel("Tensor Core utilisation (%)")
        panels[-1].legend(title=axis_label(ds.t_latency), loc="lower right", ncols=2)
        caption(figure, ds, note=NOTE)
    return figure


def _draw(axes: Axes, line: xr.Dataset, cycles: Any, colour: str) -> None:
    fits = (line.feasible != 0).values
    style: dict[str, Any] = {"color": colour, "linestyle": "none", "marker": "o", "zorder": 3}
    stages, percent = line.stages.values, 100 * line.tc_utilization.values
    if cycles is not None:
        # Held time of the Tensor Core over the form's makespan in place of the simulated one.
        formula = percent * line.cycles.values / cycles.values
        axes.plot(stages, formula, color=colour, zorder=2)
    axes.plot(stages[fits], percent[fits], label=f"{float(line.t_latency):,.6g}", **style)
    axes.plot(stages[~fits], percent[~fits], markerfacecolor="white", **style)


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
