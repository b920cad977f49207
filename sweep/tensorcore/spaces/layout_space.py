"""Shared-memory layouts side by side: wavefronts of ldmatrix over whole spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sweep.quantities.arrays import Array
from sweep.quantities.data_path import DATA_PATH
from sweep.tensorcore.shared_memory.ldmatrix import (
    IDEAL_WAVEFRONTS,
    check_element_bytes,
    worst_wavefronts,
)
from sweep.tensorcore.shared_memory.swizzle import (
    CHUNK_BYTES,
    layout_name,
    read_swizzle,
    splits_rows,
)
from sweep.tensorcore.spaces.data_path_space import evaluate, label_axis, number_axis

if TYPE_CHECKING:
    import xarray as xr


_REFUSED = {name: code for code, name in enumerate(DATA_PATH["refused"].flag_meanings)}


def sweep_layouts(
    row_elements: Any,
    element_bytes: Any = 2,
    swizzle: Any = None,
    pad_elements: Any = 0,
) -> xr.Dataset:
    """Count the wavefronts of ldmatrix.x4, the worst of a tile, for every combination of layouts.

    Parameters
    ----------
    row_elements, element_bytes, pad_elements : int or sequence of int
        A sequence is a dimension.
    swizzle : None, "xor", (B, M, S), or a list of them
        On element offsets.

    Returns
    -------
    xarray.Dataset
        ``wavefronts`` and ``ways`` (wavefronts / ideal), NaN where ldmatrix cannot load the layout;
        ``refused`` says why: unaligned_rows (not at multiples of 16 bytes) or split_rows (by the
        swizzle). Also ``ideal_wavefronts`` and ``row_bytes``.

    Raises
    ------
    InputError
        If a value is none of these.

    Examples
    --------
    >>> ds = sweep_layouts([16, 32, 64], swizzle=[None, "xor", (3, 3, 3)])
    >>> ds.ways.values.tolist()
    [[2.0, 4.0, 8.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    layouts = label_axis("swizzle", swizzle, read_swizzle, layout_name)
    sizes = number_axis("element_bytes", element_bytes)
    for size in np.unique(sizes.argument.array):
        check_element_bytes(int(size))

    def call(swizzle: Any, element_bytes: int, row_elements: Array, pad_elements: Array) -> Any:
        row, pad = row_elements * element_bytes, pad_elements * element_bytes
        unaligned = (row % CHUNK_BYTES != 0) | (pad % CHUNK_BYTES != 0)
        refused = np.where(unaligned, _REFUSED["unaligned_rows"], _REFUSED["none"])
        if splits_rows(swizzle, element_bytes):
            refused = np.full(row.shape, _REFUSED["split_rows"])
        fine = refused == _REFUSED["none"]
        taken = np.full(row.shape, np.nan)
        taken[fine] = worst_wavefronts(row[fine], (row + pad)[fine], swizzle, element_bytes)
        return {
            "wavefronts": taken,
            "ideal_wavefronts": np.full(row.shape, IDEAL_WAVEFRONTS),
            "ways": taken / IDEAL_WAVEFRONTS,
            "row_bytes": row,
            "refused": refused.astype(np.int8),
        }

    grids = [number_axis("row_elements", row_elements), number_axis("pad_elements", pad_elements)]
    return evaluate(call, [layouts, sizes], grids, flagged=False)
