"""What emulated exponentials are worth in FlashAttention-4, P handed over whole or in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sweep
from figures.charts.comparison import compare
from figures.drawing.entry import Entry

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


def data() -> xr.Dataset:
    """Sweep the emulated share and the part of P that is handed over first on two GPUs."""
    return sweep.run(
        "fa4_forward",
        gpu=["b200", "b300"],
        emulated_share=[0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.5],
        p_split=[0.75, 1.0],
        output_tiles=1,
        kv_blocks=32,
    )


def draw(ds: xr.Dataset) -> Figure:
    """Draw the utilisation over the emulated share, a line per part, a panel per GPU."""
    return compare(ds, x="emulated_share", by="p_split")


ENTRY = Entry(
    name="emulated_exponentials_value",
    shows="Handed over whole, P keeps a B200's Tensor Core waiting for exponentials until a quarter"
    " is emulated; handing three quarters over first gains the same. B300 needs neither.",
    data=data,
    draw=draw,
)
