"""Timelines of kernels whose warpgroups also add up or convert: FP8 promotion, mixed inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from figures.drawing.entry import Entry
from figures.timelines.picture import timeline
from figures.timelines.runs import timeline_traces

if TYPE_CHECKING:
    import xarray as xr

SCHEDULES = "fp8_promoted,fp8_promoted_one,mixed_input"
PARAMETERS = {"k_tiles": 6, "output_tiles": 2}


def data() -> list[xr.Dataset]:
    """Trace two short output tiles of each."""
    return timeline_traces(SCHEDULES, PARAMETERS)


ENTRY = Entry(
    name="timeline_promoted_and_mixed",
    shows="Two warpgroups promote by turns and keep the Tensor Core busy; one alone leaves it idle"
    " while it adds. A second register buffer lets the next k-tile be converted under the MMAs.",
    data=data,
    draw=timeline,
)
