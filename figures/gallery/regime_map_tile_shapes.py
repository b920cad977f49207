"""Which bottleneck binds over tile shapes, on several GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sweep
from figures.charts.heatmaps import heatmap
from figures.drawing.entry import Entry
from figures.drawing.requirements import require

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

NAME = "regime_map_tile_shapes"
SIDES = tuple(range(32, 257, 32))
TILE_K = 64


def regime_map_tile_shapes(ds: xr.Dataset) -> Figure:
    """Draw ``bottleneck`` over ``tile_n`` and ``tile_m``, a panel per GPU.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``sweep.run`` with the dimensions tile_m and tile_n, and others for panels.

    Raises
    ------
    InputError
        If the dataset lacks one of the dimensions, or the bottleneck.
    """
    require(NAME, ds, variables=("bottleneck",), dims=("tile_m", "tile_n"))
    note = f"Tiles M x N x {TILE_K}: what sets the steady period."
    figure = heatmap(ds, "tile_n", "tile_m", "bottleneck", note=note)
    for axes in figure.axes:
        axes.set_xticks(ds.tile_n.values[1::2])
        axes.set_yticks(ds.tile_m.values[1::2])
    return figure


def data() -> xr.Dataset:
    """Sweep the two sides of the tile."""
    import xarray as xr

    tiles = xr.DataArray(
        [[f"{m}x{n}x{TILE_K}" for n in SIDES] for m in SIDES],
        dims=("tile_m", "tile_n"),
        coords={"tile_m": list(SIDES), "tile_n": list(SIDES)},
    )
    ds = sweep.run(
        "warp_specialized", tile=tiles, gpu=["lecture", "h100_sxm", "b200"], k=4096, stages=4
    )
    ds["tile_m"].attrs = {"units": "elements", "long_name": "rows of the tile"}
    ds["tile_n"].attrs = {"units": "elements", "long_name": "columns of the tile"}
    return ds


ENTRY = Entry(
    name=NAME,
    shows="Only large tiles reuse their copies often enough to keep the Tensor Core busy; at the L2"
    " bandwidth measured on H100 none that fits does.",
    data=data,
    draw=regime_map_tile_shapes,
)
