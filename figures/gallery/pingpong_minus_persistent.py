"""What ping-pong is worth over k_tiles and epilogue_weight, and where it stops paying."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import sweep
from figures.charts.differences import difference_map
from figures.drawing.entry import Entry

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

NAME = "pingpong_minus_persistent"
SCHEDULES = ("pingpong", "persistent")
PAYS = 1.0
"""Points of per cent that the second consumer should bring at least."""


def pingpong_minus_persistent(ds: xr.Dataset) -> Figure:
    """Draw the difference in ``tc_utilization`` over ``k_tiles`` and ``epilogue_weight``.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``sweep.run`` with the dimensions schedule, k_tiles and epilogue_weight.

    Raises
    ------
    InputError
        If the dataset lacks a dimension or one of the two schedules.
    """
    note = f"Contours in points of %; below {PAYS:g} ping-pong does not pay."
    return difference_map(
        ds,
        NAME,
        SCHEDULES,
        "k_tiles",
        "epilogue_weight",
        levels=(PAYS, 5, 10, 20, 30),
        note=note,
    )


def data() -> xr.Dataset:
    """Sweep the length of the main loop and the weight of the epilogue, both in octaves."""
    return sweep.run(
        SCHEDULES,
        k_tiles=np.unique(np.round(2 ** np.arange(2, 9.01, 0.125))).astype(int),
        epilogue_weight=2 ** np.arange(-3, 4.01, 0.125),
        output_tiles=16,
    )


ENTRY = Entry(
    name=NAME,
    shows="Ping-pong hides epilogues: worth most where epilogue and main loop take equally long,"
    " nothing where the main loop is long.",
    data=data,
    draw=pingpong_minus_persistent,
)
