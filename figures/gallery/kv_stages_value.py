"""What stages of keys and values are worth: three attention kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sweep
from figures.charts.comparison import compare
from figures.drawing.entry import Entry

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


def data() -> xr.Dataset:
    """Sweep the stages of keys and values at two head dimensions on an H100."""
    return sweep.run(
        ["attention_kv_serial", "attention_kv_pingpong", "attention_kv_pingpong_overlap"],
        kv_stages=range(1, 6),
        head_dim=[64, 128],
        output_tiles=1,
        kv_blocks=32,
        gpu="h100_sxm",
    )


def draw(ds: xr.Dataset) -> Figure:
    """Draw the utilisation over stages, a line per kernel, a panel per head dimension."""
    return compare(ds, x="kv_stages")


ENTRY = Entry(
    name="kv_stages_value",
    shows="A second stage of keys and values hides their loads; at head dimension 128 ping-pong"
    " alone gains from a third, the overlap inside a warpgroup does not need it.",
    data=data,
    draw=draw,
)
