"""Timelines of kernels that accumulate in Tensor Memory: one accumulator, two, and two products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from figures.drawing.entry import Entry
from figures.timelines.picture import timeline
from figures.timelines.runs import timeline_traces

if TYPE_CHECKING:
    import xarray as xr

PARAMETERS = {"k_tiles": 4, "output_tiles": 3}


def data() -> list[xr.Dataset]:
    """Trace a short run of each on a B200."""
    return [
        *timeline_traces("blackwell_gemm", {**PARAMETERS, "accumulators": 1}),
        *timeline_traces("blackwell_gemm", {**PARAMETERS, "accumulators": 2}),
        *timeline_traces("chained_gemm", {"k_tiles": 4, "n_tiles": 2, "output_tiles": 3}),
    ]


ENTRY = Entry(
    name="timeline_tensor_memory",
    shows="With one accumulator the Tensor Core stops until a tile is read; with two the next"
    " one multiplies meanwhile. In chained products it waits for the activation between the two.",
    data=data,
    draw=timeline,
)
