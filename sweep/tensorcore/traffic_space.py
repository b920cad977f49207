"""DRAM traffic over whole spaces of products, tiles, orders and clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sweep.instructions import PORTABLE_CLUSTER_CTAS
from sweep.tensorcore.inputs import numbers, read_shapes
from sweep.tensorcore.space import evaluate, gpu_label, label_axis, number_axis, shape_label
from sweep.tensorcore.traffic import dram_traffic

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
    max_cluster_ctas: int = PORTABLE_CLUSTER_CTAS,
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
    tiles, clusters = (
        label_axis("tile", tile, shape_label),
        label_axis("cluster", cluster, shape_label),
    )
    tile_extents = read_shapes("tile", list(tiles.items), (2, 3), "128x256")
    cluster_extents = read_shapes("cluster", list(clusters.items), (2,), "2x1")
    counts = {
        name: np.atleast_1d(numbers(name, value))
        for name, value in (("m", m), ("n", n), ("k", k), ("group", group))
    }

    def call(gpu: Any, element_type: Any, tile: Any, cluster: Any, **index: Any) -> Any:
        values = {name: counts[name][at] for name, at in index.items()}
        return dram_traffic(
            **values,
            tile=tuple(extent[tile] for extent in tile_extents),
            gpu=gpu,
            order="grouped",
            cluster=tuple(extent[cluster] for extent in cluster_extents),
            element_type=element_type,
            max_cluster_ctas=max_cluster_ctas,
        )

    one_by_one = [label_axis("gpu", gpu, gpu_label), label_axis("element_type", element_type)]
    sizes = [number_axis(name, value) for name, value in (("m", m), ("n", n), ("k", k))]
    at_once = [*sizes, tiles, number_axis("group", group), clusters]
    return evaluate(call, one_by_one, at_once, cells="cluster")
