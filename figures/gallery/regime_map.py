"""Which bottleneck binds over the latency of a copy and the depth of the ring."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import sweep
from figures.charts.heatmaps import heatmap
from figures.drawing.entry import Entry
from figures.drawing.requirements import require

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

NAME = "regime_map"


def regime_map(ds: xr.Dataset) -> Figure:
    """Draw ``bottleneck`` over ``t_latency`` and ``stages``, a panel per schedule.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``sweep.run`` with the dimensions t_latency and stages, and others for panels.

    Raises
    ------
    InputError
        If the dataset lacks one of the dimensions, or the bottleneck.
    """
    require(NAME, ds, variables=("bottleneck",), dims=("t_latency", "stages"))
    return heatmap(ds, "t_latency", "stages", "bottleneck", note="What sets the steady period.")


def data() -> xr.Dataset:
    """Sweep latency and stages of one warp that does everything, and of two that share the work."""
    return sweep.run(
        ["multistage", "warp_specialized"],
        t_latency=np.arange(0, 5001, 25),
        stages=range(1, 9),
    )


ENTRY = Entry(
    name=NAME,
    shows="Each stage covers one more MMA's worth of latency; a ring that is deep enough leaves the"
    " issue of copies (multistage) or the Tensor Core (warp_specialized) to bind.",
    data=data,
    draw=regime_map,
)
