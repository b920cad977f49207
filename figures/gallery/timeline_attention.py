"""Timelines of the four attention schedules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from figures.drawing.entry import Entry
from figures.timelines.picture import timeline
from figures.timelines.runs import timeline_traces

if TYPE_CHECKING:
    import xarray as xr

ONE = "attention_serial,attention_overlap"
TWO = "attention_pingpong,attention_pingpong_overlap"
BLOCKS = 8
"""Pairs of query rows and keys, the same for one warpgroup and for two."""


def data() -> list[xr.Dataset]:
    """Trace the same work by one warpgroup and by two."""
    return [
        *timeline_traces(ONE, {"kv_blocks": BLOCKS}),
        *timeline_traces(TWO, {"kv_blocks": BLOCKS // 2}),
    ]


ENTRY = Entry(
    name="timeline_attention",
    shows="Overlap inside a warpgroup and ping-pong between two both fill the Tensor Core"
    " while softmax runs.",
    data=data,
    draw=timeline,
)
