"""A timeline of FlashAttention-4 forward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from figures.drawing.entry import Entry
from figures.timelines.picture import timeline
from figures.timelines.runs import timeline_traces

if TYPE_CHECKING:
    import xarray as xr


def data() -> list[xr.Dataset]:
    """Trace two output tiles of six blocks on a B200."""
    return timeline_traces("fa4_forward", {})


ENTRY = Entry(
    name="timeline_fa4_forward",
    shows="Two query tiles share the Tensor Core: while one is multiplied, the softmax warpgroup of"
    " the other has the exponential units.",
    data=data,
    draw=timeline,
)
