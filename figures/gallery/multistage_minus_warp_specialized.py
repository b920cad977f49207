"""What a producer warp is worth: multistage minus warp_specialized over issue cost and latency."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import sweep
from figures.charts.differences import difference_map
from figures.drawing.entry import Entry

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

NAME = "multistage_minus_warp_specialized"
SCHEDULES = ("multistage", "warp_specialized")


def multistage_minus_warp_specialized(ds: xr.Dataset) -> Figure:
    """Draw the difference in ``tc_utilization`` over ``t_issue`` and ``t_latency``.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``sweep.run`` with the dimensions schedule, t_issue and t_latency.

    Raises
    ------
    InputError
        If the dataset lacks a dimension or one of the two schedules.
    """
    note = "Contours in points of %: what multistage loses by issuing its own copies."
    return difference_map(
        ds, NAME, SCHEDULES, "t_latency", "t_issue", levels=(-20, -15, -10, -5, -1), note=note
    )


def data() -> xr.Dataset:
    """Sweep issue cost and latency."""
    return sweep.run(
        SCHEDULES, t_issue=np.arange(0, 401, 5), t_latency=np.arange(0, 5001, 50), k_tiles=64
    )


ENTRY = Entry(
    name=NAME,
    shows="Specialised warps gain what the issue of copies takes from the warp that multiplies,"
    " and nothing where latency starves both.",
    data=data,
    draw=multistage_minus_warp_specialized,
)
