"""Little's law as a bound: the copy bandwidth that a ring reaches, against stages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import sweep
from analysis.memory.littles_law import ring_bandwidth as bound
from figures.drawing.entry import Entry
from figures.drawing.requirements import require
from figures.drawing.style import COLOURS, COLUMN_INCHES, axis_label, caption, house_style
from sweep.hardware.durations import ELEMENT_BYTES, stage_bytes
from sweep.hardware.shapes import parse_shape

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

NAME = "ring_bandwidth"
FINE = 200
"""Points of a bound's line."""


def ring_bandwidth(ds: xr.Dataset) -> Figure:
    """Draw the steady copy bandwidth over ``stages`` per ``t_latency``, and Little's bound on it.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``sweep.run`` of one schedule with a ring and no epilogue between its k-tiles, over
        stages and t_latency, with a tile.

    Raises
    ------
    InputError
        If the dataset lacks a dimension, the period, or the tile.
    """
    from matplotlib.figure import Figure

    needed = ("period", "tile", "element_type", "t_issue", "t_transfer", "t_mma")
    require(NAME, ds, variables=needed, dims=("stages", "t_latency"))
    slot = _stage_bytes(ds)
    with house_style():
        figure = Figure(figsize=(COLUMN_INCHES, 3.0), layout="constrained")
        axes = figure.subplots()
        reached = slot / ds.period
        for number, latency in enumerate(ds.t_latency.values.tolist()):
            colour = COLOURS[number % len(COLOURS)]
            trip = float(ds.t_issue + ds.t_transfer + ds.t_mma) + latency
            depths = np.linspace(0, ds.stages.values.max(), FINE)
            per_slot = bound(1, slot, trip) if np.isfinite([slot, trip]).all() else np.nan
            axes.plot(depths, depths * per_slot, color=colour, linewidth=0.9)
            line = reached.sel(t_latency=latency)
            axes.plot(ds.stages, line, "o", color=colour, label=f"{latency:,.6g}")
        peak = slot / float(max(ds.t_transfer, ds.t_mma, ds.t_issue))
        axes.axhline(peak, color="0.4", linestyle="--", linewidth=0.9)
        axes.annotate("Tensor Core or copy path", (0.05, peak), va="bottom", fontsize=6)
        axes.set(ylim=(0, 1.3 * peak), xlim=(0, ds.stages.values.max() + 0.3))
        axes.set(xlabel=axis_label(ds.stages), ylabel="copy bandwidth per SM (byte/cycle)")
        axes.legend(title=axis_label(ds.t_latency, columns=26), loc="lower right", ncols=2)
        caption(figure, ds, note="Points: simulated. Lines: stages x stage bytes / round trip.")
    return figure


def _stage_bytes(ds: xr.Dataset) -> float:
    m, n, k = parse_shape("tile", ds["tile"].item())
    return float(stage_bytes(m, n, k, ELEMENT_BYTES[ds["element_type"].item()]))


def data() -> Any:
    """Sweep stages at four latencies."""
    return sweep.run(
        "warp_specialized", stages=range(1, 7), t_latency=[300, 700, 1500, 3000], tile="128x128x64"
    )


ENTRY = Entry(
    name=NAME,
    shows="The bandwidth that a ring reaches is what it holds over its round trip, until the Tensor"
    " Core or the copy path is busy all the time.",
    data=data,
    draw=ring_bandwidth,
)
