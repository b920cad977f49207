"""Timelines of attention with its loads: one warpgroup, two by turns, and two that work ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from figures.drawing.entry import Entry
from figures.timelines.picture import timeline
from figures.timelines.runs import timeline_traces

if TYPE_CHECKING:
    import xarray as xr

PARAMETERS = {"gpu": "h100_sxm", "kv_blocks": 5, "output_tiles": 2}
SCHEDULES = "attention_kv_serial,attention_kv_pingpong,attention_kv_pingpong_overlap"


def data() -> list[xr.Dataset]:
    """Trace two output tiles of each on an H100."""
    return timeline_traces(SCHEDULES, PARAMETERS)


ENTRY = Entry(
    name="timeline_kv_attention",
    shows="Keys and values arrive while earlier blocks are used; between output tiles the Tensor"
    " Core waits for the next queries, which need the room of the last ones.",
    data=data,
    draw=timeline,
)
