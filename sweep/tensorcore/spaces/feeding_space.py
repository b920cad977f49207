"""Feeding over whole spaces of GPUs, tiles and element types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sweep.hardware.durations import ELEMENT_BYTES
from sweep.hardware.lookup import find_gpu
from sweep.inputs.call_arguments import read_shape
from sweep.inputs.hardware_names import element_type_of
from sweep.inputs.labels import check_choice
from sweep.tensorcore.budgets.reuse import OPERANDS, feeding
from sweep.tensorcore.instructions.availability import INSTRUCTIONS
from sweep.tensorcore.spaces.data_path_space import evaluate, gpu_label, label_axis, shape_label

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
    if instruction is not None:
        check_choice("instruction", instruction, INSTRUCTIONS)
    tiles = label_axis(
        "tile", tile, lambda one: read_shape("tile", one, (2,), "64x256"), shape_label
    )

    def call(gpu: Any, element_type: Any, operands: Any, tile: Any) -> Any:
        return feeding(gpu, tile, operands, instruction=instruction, element_type=element_type)

    one_by_one = [
        label_axis("gpu", gpu, find_gpu, gpu_label),
        label_axis("element_type", element_type, element_type_of(ELEMENT_BYTES), str),
        label_axis("operands", operands, lambda one: check_choice("operands", one, OPERANDS), str),
    ]
    return evaluate(call, one_by_one, [tiles])
