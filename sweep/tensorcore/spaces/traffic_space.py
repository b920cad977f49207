"""DRAM traffic over whole spaces of products, tiles, orders and clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sweep.hardware.durations import ELEMENT_BYTES
from sweep.hardware.instructions import PORTABLE_CLUSTER_CTAS
from sweep.hardware.lookup import find_gpu
from sweep.inputs.call_arguments import check_lengths, read_shape
from sweep.inputs.hardware_names import element_type_of
from sweep.tensorcore.spaces.data_path_space import (
    evaluate,
    gpu_label,
    label_axis,
    number_axis,
    shape_label,
)
from sweep.tensorcore.traffic.traffic import dram_traffic

if TYPE_CHECKING:
    import xarray as xr


def sweep_traffic(
    m: Any,
    n: Any,
    k: Any,
    tile: Any = "128x256",
    gpu: Any = "lecture",
    *,
    group: Any = 1,
    cluster: Any = "1x1",
    element_type: Any = "fp16",
    max_cluster_ctas: Any = PORTABLE_CLUSTER_CTAS,
) -> xr.Dataset:
    """Evaluate ``dram_traffic`` for every combination; a list is a dimension.

    ``group`` 1 is row-major order, others are grouped. A cell that cannot exist (a cluster on a
    GPU without) says why in ``impossible``, and has no numbers.

    Examples
    --------
    >>> ds = sweep_traffic(8192, 8192, 8192, ["128x128", "128x256"], group=[1, 8])
    >>> (ds.bytes / 2**20).round().values.tolist()
    [[4292.0, 1800.0], [2332.0, 1552.0]]
    """
    sizes = [number_axis(name, value) for name, value in (("m", m), ("n", n), ("k", k))]
    at_once = [
        *sizes,
        label_axis(
            "tile", tile, lambda one: read_shape("tile", one, (2, 3), "128x256"), shape_label
        ),
        number_axis("group", group),
        label_axis(
            "cluster", cluster, lambda one: read_shape("cluster", one, (2,), "2x1"), shape_label
        ),
        number_axis("max_cluster_ctas", max_cluster_ctas),
    ]
    check_lengths("tile", at_once[3].items)
    one_by_one = [
        label_axis("gpu", gpu, find_gpu, gpu_label),
        label_axis("element_type", element_type, element_type_of(ELEMENT_BYTES), str),
    ]

    def call(**given: Any) -> Any:
        return dram_traffic(**given, order="grouped")

    return evaluate(call, one_by_one, at_once)
