"""Stage budgets over whole spaces of GPUs, tiles, element types and latencies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sweep.hardware.durations import ELEMENT_BYTES
from sweep.hardware.lookup import find_gpu
from sweep.inputs.call_arguments import read_shape
from sweep.inputs.hardware_names import element_type_of
from sweep.tensorcore.budgets.stages import stage_budget
from sweep.tensorcore.spaces.data_path_space import (
    evaluate,
    gpu_label,
    label_axis,
    number_axis,
    shape_label,
)

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
    tiles = label_axis(
        "tile", tile, lambda one: read_shape("tile", one, (3,), "128x256x64"), shape_label
    )
    one_by_one = [
        label_axis("gpu", gpu, find_gpu, gpu_label),
        label_axis("element_type", element_type, element_type_of(ELEMENT_BYTES), str),
    ]
    return evaluate(
        stage_budget, one_by_one, [tiles, number_axis("latency_seconds", latency_seconds)]
    )
