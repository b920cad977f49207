"""What CTAs that share an SM are worth to schedules that do not overlap by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sweep
from figures.charts.comparison import compare
from figures.drawing.entry import Entry

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


def data() -> xr.Dataset:
    """Sweep the CTAs of an SM at three depths of tile, the same work for all."""
    return sweep.run(
        ["sync", "multistage"],
        gpu="b200",
        tile=["128x128x64", "128x128x128", "128x128x256"],
        ctas_per_sm=[1, 2, 3, 4, 6],
        output_tiles=12,
        k=4096,
        stages=2,
        tile_scheduler="single",
    )


def draw(ds: xr.Dataset) -> Figure:
    """Draw the utilisation over CTAs per SM, a line per tile, a panel per schedule."""
    return compare(ds, x="ctas_per_sm", by="tile")


ENTRY = Entry(
    name="co_resident_ctas_value",
    shows="CTAs that share an SM hide each other's latencies: four of sync reach what one with four"
    " times as deep a tile does not, until the copy path is full.",
    data=data,
    draw=draw,
)
