"""Timelines of the schedules that work on several output tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from figures.drawing.entry import Entry
from figures.timelines.picture import timeline
from figures.timelines.runs import timeline_traces

if TYPE_CHECKING:
    import xarray as xr

SCHEDULES = "persistent,cooperative,pingpong"
PARAMETERS = {"k_tiles": 4, "output_tiles": 4, "mem_bytes_per_cycle": 128, "epilogue_weight": 2}


def data() -> list[xr.Dataset]:
    """Trace a short run of each."""
    return timeline_traces(SCHEDULES, PARAMETERS)


ENTRY = Entry(
    name="timeline_output_tiles",
    shows="Persistent and cooperative kernels stop the Tensor Core for every epilogue; ping-"
    " pong runs one tile's epilogue under the next tile's MMAs.",
    data=data,
    draw=timeline,
)
