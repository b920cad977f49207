"""Feeding over whole spaces of GPUs, tiles and element types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sweep.checks import check_choice
from sweep.tensorcore.inputs import read_shape
from sweep.tensorcore.names import element_type_of, find_gpu
from sweep.tensorcore.reuse import INSTRUCTIONS, OPERANDS, feeding
from sweep.tensorcore.space import evaluate, gpu_label, label_axis, shape_label
from sweep.tile import ELEMENT_BYTES

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

    A combination that ``feeding`` refuses has no values; ``impossible`` says why.

    Examples
    --------
    >>> ds = sweep_feeding(["a100_sxm", "h100_sxm", "b200"], ["32x32", "64x64"])
    >>> ds.feeds.values.tolist()
    [[1, 1], [0, 1], [0, 0]]
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
