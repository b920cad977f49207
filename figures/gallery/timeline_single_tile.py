"""Timelines of the schedules that work on one output tile, from none to all overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from figures.drawing.entry import Entry
from figures.timelines.picture import timeline
from figures.timelines.runs import timeline_traces

if TYPE_CHECKING:
    import xarray as xr

SCHEDULES = "sync,register_staged,multistage,warp_specialized"


def data() -> list[xr.Dataset]:
    """Trace a short run of each."""
    return timeline_traces(SCHEDULES, {"k_tiles": 6, "t_latency": 1500, "stages": 3})


ENTRY = Entry(
    name="timeline_single_tile",
    shows="Each schedule in turn removes a gap: staging hides copies behind MMAs, a ring"
    " hides their latency, a producer hides their issue.",
    data=data,
    draw=timeline,
)
