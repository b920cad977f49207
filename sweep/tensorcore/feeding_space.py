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

    A cell that cannot exist (32 rows of wgmma, wgmma on another GPU than Hopper) says why in
    ``impossible``: its numbers are NaN, its flags no and its texts empty.

    Examples
    --------
    >>> ds = sweep_feeding(["a100_sxm", "h100_sxm", "b200"], ["32x32", "64x64"], instruction="mma")
    >>> ds.feeds.values.tolist()
    [[1, 1], [0, 1], [0, 0]]
    >>> ds = sweep_feeding("h100_sxm", ["64x256", "32x32"], ["ss", "rs"])
    >>> ds.verdict.values.tolist()
    [['fed', 'starved'], ['fed', '']]
    >>> print(ds.impossible.values[1, 1])
    tile=32x32: wgmma takes multiples of 64 rows and of 8 columns up to 256
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
    return evaluate(call, one_by_one, [tiles], cells="tile")
