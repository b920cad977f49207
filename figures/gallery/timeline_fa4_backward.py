"""A timeline of FlashAttention-4 backward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from figures.drawing.entry import Entry
from figures.timelines.picture import timeline
from figures.timelines.runs import timeline_traces

if TYPE_CHECKING:
    import xarray as xr


def data() -> list[xr.Dataset]:
    """Trace six blocks of queries of a tile on a B200."""
    return timeline_traces("fa4_backward", {"output_tiles": 1})


ENTRY = Entry(
    name="timeline_fa4_backward",
    shows="Five products of a block keep the Tensor Core busy, but for the read of dQ out of the"
    " Tensor Memory that the next block's dP needs.",
    data=data,
    draw=timeline,
)
