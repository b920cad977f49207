"""Where the Tensor Core's time goes: busy, and idle by cause, a bar per schedule."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

import sweep
from analysis.causes.idle_time import idle_time
from figures.drawing.categories import spaced
from figures.drawing.entry import Entry
from figures.drawing.legends import legend_above
from figures.drawing.requirements import require
from figures.drawing.style import (
    BOTTLENECK_COLOURS,
    OPERATION_COLOURS,
    PAGE_INCHES,
    caption,
    house_style,
)

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

BUSY = "0.88"
CAUSE_COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "fill": "#56B4E9",
        "latency": BOTTLENECK_COLOURS["ring_depth"],
        "mma_latency": BOTTLENECK_COLOURS["mma_latency"],
        "sync": "#332288",
        "issue": BOTTLENECK_COLOURS["copy_issue"],
        "bandwidth": BOTTLENECK_COLOURS["copy_bandwidth"],
        "store": OPERATION_COLOURS["store"],
        "epilogue": BOTTLENECK_COLOURS["epilogue"],
        "exp": BOTTLENECK_COLOURS["exp"],
        "softmax": BOTTLENECK_COLOURS["softmax"],
        "drain": "#888888",
    }
)
NOTE = "Fill and drain: what a longer run does not multiply."
LEAST_NAMED = 4.0
"""Per cent: shorter pieces are not wide enough for their number."""
SCHEDULES = (
    "sync",
    "register_staged",
    "multistage",
    "warp_specialized",
    "persistent",
    "cooperative",
    "pingpong",
    "attention_serial",
    "attention_overlap",
    "attention_pingpong",
    "attention_pingpong_overlap",
)


def idle_time_by_cause(ds: xr.Dataset) -> Figure:
    """Draw the makespan of every schedule in shares: the Tensor Core busy, then idle by cause.

    Parameters
    ----------
    ds : xarray.Dataset
        ``idle_time`` over cause and schedule, as ``analysis.causes.idle_time.idle_time`` gives, and
        ``cycles`` over schedule.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If the dataset lacks one of them.
    """
    from matplotlib.figure import Figure

    require("idle_time_by_cause", ds, ("idle_time", "cycles"), ("cause", "schedule"))
    names = [str(one) for one in ds.schedule.values]
    share = (100 * ds.idle_time / ds.cycles).transpose("cause", "schedule").fillna(0.0)
    at = np.arange(len(names))
    with house_style():
        figure = Figure(figsize=(PAGE_INCHES, 0.9 + 0.24 * len(names)), layout="constrained")
        axes = figure.subplots()
        busy = np.where(ds.cycles.notnull().values, 100 - share.sum("cause").values, 0.0)
        handles = [_bars(axes, at, busy, np.zeros(at.size), BUSY, "Tensor Core busy")]
        before = busy
        for cause in ds.cause.values:
            widths = share.sel(cause=cause).values
            if (widths > 0).any():
                colour, label = CAUSE_COLOURS.get(str(cause), "0.5"), spaced(str(cause))
                handles.append(_bars(axes, at, widths, before, colour, label))
                before = before + widths
        axes.set_yticks(at, names)
        axes.invert_yaxis()
        axes.set(xlim=(0, 100), xlabel="share of the makespan (%)")
        axes.grid(False, axis="y")
        legend_above(figure, handles)
        caption(figure, _common(ds), note=f"{NOTE} {_own_defaults(ds)}")
    return figure


def _common(ds: xr.Dataset) -> xr.Dataset:
    """Return what all schedules that have it have alike; their own defaults are in the note."""
    return ds.drop_vars([name for name in ds.coords if ds[name].dims and name not in ds.dims])


def _own_defaults(ds: xr.Dataset) -> str:
    """Name what the schedules have each their own of; 0 and NaN stand for having none."""
    parts = []
    for name in ("t_issue", "kv_blocks"):
        values = np.unique(ds[name].values) if name in ds.coords and ds[name].dims else np.zeros(0)
        known = [f"{one:,.6g}" for one in values if np.isfinite(one) and one != 0]
        parts += [f"{name}={' or '.join(known)} by the schedule"] if known else []
    return f"{', '.join(parts)};" if parts else ""


def _bars(axes: Any, at: Any, widths: Any, left: Any, colour: str, label: str) -> Any:
    bars = axes.barh(at, widths, 0.78, left=left, color=colour, label=label)
    texts = [f"{width:.1f}" if width >= LEAST_NAMED else "" for width in widths]
    dark = label == "Tensor Core busy" or _is_light(colour)
    axes.bar_label(bars, texts, label_type="center", fontsize=6, color="black" if dark else "white")
    return bars


def _is_light(colour: str) -> bool:
    """Whether black reads better than white on a colour, by its relative luminance."""
    from matplotlib.colors import to_rgb

    return float(np.dot(to_rgb(colour), (0.2126, 0.7152, 0.0722))) > 0.45


def data() -> xr.Dataset:
    """Share out the idle time of every schedule at its defaults."""
    ds = sweep.run(list(SCHEDULES))
    return idle_time(ds).assign(cycles=ds.cycles)


ENTRY = Entry(
    name="idle_time_by_cause",
    shows=(
        "A ring takes away the latency, a producer the issue, ping-pong the epilogue and the"
        " softmax; what is left is the first tile's fill and the last one's drain."
    ),
    data=data,
    draw=idle_time_by_cause,
)
