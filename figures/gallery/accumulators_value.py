"""What accumulators in Tensor Memory are worth, against the length of the main loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sweep
from figures.charts.comparison import compare
from figures.drawing.entry import Entry

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


def data() -> xr.Dataset:
    """Sweep accumulators and k-tiles of the Blackwell kernel."""
    return sweep.run(
        "blackwell_gemm", accumulators=[1, 2, 3], k_tiles=[1, 2, 4, 8, 16, 32, 64], output_tiles=8
    )


def draw(ds: xr.Dataset) -> Figure:
    """Draw the utilisation over k-tiles, a line per number of accumulators."""
    return compare(ds, x="k_tiles", by="accumulators")


ENTRY = Entry(
    name="accumulators_value",
    shows="A second accumulator hides the read of a tile and is worth most where the main loop"
    " takes as long as that; a third gains nothing more, and does not fit.",
    data=data,
    draw=draw,
)
