"""Feeding over whole spaces of GPUs, tiles and element types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sweep.tensorcore.inputs import read_shapes
from sweep.tensorcore.reuse import feeding
from sweep.tensorcore.space import evaluate, gpu_label, label_axis, shape_label

if TYPE_CHECKING:
    import xarray as xr


def sweep_feeding(
    gpu: Any = "lecture",
    tile: Any = "64x256",
    operands: Any = "ss",
    *,
    instruction: str | None = None,
    element_type: Any = "fp16",
) -> xr.Dataset:
    """Evaluate ``feeding`` for every combination; a list is a dimension.

    Examples
    --------
    >>> ds = sweep_feeding(["a100_sxm", "h100_sxm", "b200"], ["32x32", "64x64"])
    >>> ds.feeds.values.tolist()
    [[1, 1], [0, 1], [0, 0]]
    """
    tiles = label_axis("tile", tile, shape_label)
    extents = read_shapes("tile", list(tiles.items), (2,), "64x256")

    def call(gpu: Any, element_type: Any, operands: Any, tile: Any) -> Any:
        shape = tuple(extent[tile] for extent in extents)
        return feeding(gpu, shape, operands, instruction=instruction, element_type=element_type)

    one_by_one = [
        label_axis("gpu", gpu, gpu_label),
        label_axis("element_type", element_type),
        label_axis("operands", operands),
    ]
    return evaluate(call, one_by_one, [tiles])
