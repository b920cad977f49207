"""Stage budgets over whole spaces of GPUs, tiles, element types and latencies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sweep.tensorcore.inputs import numbers, read_shapes
from sweep.tensorcore.space import evaluate, gpu_label, label_axis, number_axis, shape_label
from sweep.tensorcore.stages import stage_budget

if TYPE_CHECKING:
    import xarray as xr


def sweep_stages(
    gpu: Any = "lecture",
    tile: Any = "128x256x64",
    element_type: Any = "bf16",
    latency_seconds: Any = 0.5e-6,
) -> xr.Dataset:
    """Evaluate ``stage_budget`` for every combination; a list is a dimension.

    A cell that cannot exist (an element type on a GPU without it) says why in ``impossible``, and
    has no numbers.

    Examples
    --------
    >>> ds = sweep_stages("lecture", ["128x128x32", "128x256x64"], "fp16", [0.5e-6, 1e-6])
    >>> ds.stages_needed.values.tolist()
    [[5, 9], [2, 3]]
    """
    tiles = label_axis("tile", tile, shape_label)
    extents = read_shapes("tile", list(tiles.items), (3,), "128x256x64")
    latency = np.atleast_1d(numbers("latency_seconds", latency_seconds))

    def call(gpu: Any, element_type: Any, tile: Any, latency_seconds: Any) -> Any:
        shape = tuple(extent[tile] for extent in extents)
        return stage_budget(gpu, shape, element_type, latency[latency_seconds])

    one_by_one = [label_axis("gpu", gpu, gpu_label), label_axis("element_type", element_type)]
    at_once = [tiles, number_axis("latency_seconds", latency_seconds)]
    return evaluate(call, one_by_one, at_once, cells="tile")
