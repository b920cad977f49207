"""Bytes in flight that the memory path of every GPU asks for, against what a ring can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.memory.littles_law import in_flight
from figures.drawing.entry import Entry
from figures.drawing.requirements import require
from figures.drawing.style import COLOURS, COLUMN_INCHES, axis_label, caption, house_style
from sweep.hardware.budgets import stages_that_fit

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

NAME = "littles_law"
GPUS = ("a100_sxm", "h100_sxm", "h200_sxm", "b200")
LEVELS = ("dram", "l2", "shared_memory")
WORDS = {"dram": "DRAM", "l2": "L2", "shared_memory": "shared memory"}
TILE = "128x128x64"
KIB = 1024


def littles_law(ds: xr.Dataset) -> Figure:
    """Draw ``in_flight_bytes`` per level and GPU, and ``ring_bytes`` as a mark.

    Parameters
    ----------
    ds : xarray.Dataset
        ``in_flight_bytes`` over gpu and level, NaN where not known; ``ring_bytes`` over gpu.

    Raises
    ------
    InputError
        If the dataset lacks one of them.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import StrMethodFormatter

    require(NAME, ds, variables=("in_flight_bytes", "ring_bytes"), dims=("gpu", "level"))
    at = np.arange(ds.sizes["gpu"])
    width = 0.8 / max(ds.sizes["level"], 1)
    with house_style():
        figure = Figure(figsize=(COLUMN_INCHES, 2.8), layout="constrained")
        axes = figure.subplots()
        for number, level in enumerate(ds.level.values.tolist()):
            offset = (number - (ds.sizes["level"] - 1) / 2) * width
            axes.bar(
                at + offset,
                ds.in_flight_bytes.sel(level=level) / KIB,
                width,
                color=COLOURS[number % len(COLOURS)],
                label=WORDS.get(level, level),
            )
        axes.hlines(
            ds.ring_bytes / KIB, at - 0.45, at + 0.45, color="black", label="deepest ring that fits"
        )
        axes.set(yscale="log", ylabel="bytes in flight per SM (KiB)", xlabel=axis_label(ds.gpu))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.set_xticks(at, ds.gpu.values.tolist())
        axes.grid(visible=False, axis="x")
        figure.legend(loc="outside upper center", ncols=2)
        caption(figure, ds, note="Bandwidth x latency of each level of the memory path.")
    return figure


def data() -> xr.Dataset:
    """Take the GPUs whose memory path is known, and the ring of a tile that suits them all."""
    import xarray as xr

    found: dict[str, list[Any]] = {"needs": [], "holds": []}
    for gpu in GPUS:
        rows = {row.level: row for row in in_flight(gpu, TILE, stages=1)}
        slot = next(iter(rows.values())).ring_bytes
        found["needs"].append([rows[one].sm_bytes if one in rows else np.nan for one in LEVELS])
        found["holds"].append(int(stages_that_fit(slot, shared_memory(gpu), 0, True)) * slot)
    attrs = {"units": "byte", "long_name": "bytes in flight per SM"}
    return xr.Dataset(
        {
            "in_flight_bytes": (("gpu", "level"), found["needs"], attrs),
            "ring_bytes": ("gpu", found["holds"], {"units": "byte", "long_name": "largest ring"}),
        },
        coords={
            "gpu": ("gpu", list(GPUS), {"units": "1", "long_name": "GPU"}),
            "level": ("level", list(LEVELS), {"units": "1", "long_name": "level"}),
            "tile": ((), TILE, {"units": "1", "long_name": "CTA tile, M x N x K"}),
        },
    )


def shared_memory(gpu: str) -> int:
    """Return the bytes of shared memory that a block of this GPU can have."""
    from sweep.hardware.lookup import find_gpu

    return int(find_gpu(gpu).smem_per_block_bytes or 0)


ENTRY = Entry(
    name=NAME,
    shows="A ring of stages holds more bytes than any level of the memory path needs in flight:"
    " depth is there, bandwidth may not be.",
    data=data,
    draw=littles_law,
)
