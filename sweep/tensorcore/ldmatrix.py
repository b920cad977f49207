"""The rows that ldmatrix.x4 reads, and the wavefronts it takes in a layout."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sweep.errors import InputError
from sweep.tensorcore.banks import count
from sweep.tensorcore.inputs import numbers
from sweep.tensorcore.kernels import PHASE_LANES, PHASES, WARP
from sweep.tensorcore.swizzle import (
    CHUNK_BYTES,
    Layout,
    check_chunks,
    chunk_addresses,
    read_swizzle,
)

Array = NDArray[Any]

IDEAL_WAVEFRONTS = WARP * CHUNK_BYTES // 128
TRANSPOSED_BYTES = 2
OFFSETS = ("element", "byte")


def x4_addresses(
    row_bytes: ArrayLike, pitch_bytes: ArrayLike, layout: Layout, unit_bytes: int
) -> NDArray[np.int64]:
    """Return the 32 row addresses of the first ldmatrix.x4 of a tile, (..., 32).

    Its four matrices are 16 rows by 32 bytes, first down, then along; where a row has 16 bytes
    only, 32 rows.
    """
    lane = np.arange(WARP)
    matrix, row = lane // PHASE_LANES, lane % PHASE_LANES
    pitch = np.asarray(pitch_bytes)[..., None]
    narrow = np.asarray(row_bytes)[..., None] < 2 * CHUNK_BYTES
    rows = np.where(narrow, lane, row + PHASE_LANES * (matrix % 2))
    chunks = np.where(narrow, 0, matrix // 2)
    return chunk_addresses(rows, chunks, pitch, layout, unit_bytes)


def ldmatrix_wavefronts(
    row_elements: int,
    element_bytes: int = 2,
    swizzle: Any = None,
    pad_elements: int = 0,
    *,
    offsets: str = "element",
    transpose: bool = False,
) -> tuple[int, int]:
    """Count the wavefronts of an ldmatrix.x4, by simulating the banks.

    Parameters
    ----------
    row_elements : int
        Elements of a row of the tile, along K.
    element_bytes : {1, 2, 4}
    swizzle : None, "xor" or (B, M, S)
        Plain rows, the XOR swizzle that fits the row, or CUTLASS's Swizzle.
    pad_elements : int
        Unused elements after each row.
    offsets : {"element", "byte"}
        What (B, M, S) acts on.
    transpose : bool
        ldmatrix.trans, which exchanges 16-bit elements.

    Returns
    -------
    wavefronts, ideal : int
        128 bytes a wavefront: 4 where nothing conflicts.

    Raises
    ------
    InputError
        If rows do not start at multiples of 16 bytes, a swizzle splits them, or elements that are
        not 16 bits wide are to be transposed.

    Examples
    --------
    >>> ldmatrix_wavefronts(64), ldmatrix_wavefronts(64, swizzle="xor")
    ((32, 4), (4, 4))
    >>> ldmatrix_wavefronts(32, swizzle=(1, 3, 3)), ldmatrix_wavefronts(64, pad_elements=8)
    ((8, 4), (4, 4))
    """
    row, pad = numbers("row_elements", row_elements), numbers("pad_elements", pad_elements)
    size = check_element_bytes(element_bytes)
    if offsets not in OFFSETS:
        raise InputError(f"offsets={offsets!r}: must be 'element' or 'byte'")
    layout, unit = read_swizzle(swizzle), size if offsets == "element" else 1
    check_transpose(size, transpose)
    check_chunks(layout, unit)
    if row.ndim or pad.ndim:
        raise InputError("row_elements: must be one number; sweep_layouts takes many")
    for name, length in (("row_elements", row * size), ("pad_elements", pad * size)):
        if length % CHUNK_BYTES:
            raise InputError(
                f"{name}={length // size} of {size} byte: {length} byte is no multiple of"
                f" {CHUNK_BYTES} byte, where ldmatrix needs every row to start"
            )
    addresses = x4_addresses(row * size, (row + pad) * size, layout, unit)
    return int(count(addresses, CHUNK_BYTES)), IDEAL_WAVEFRONTS


def check_element_bytes(element_bytes: Any) -> int:
    """Return the size of an element, 1, 2 or 4 bytes."""
    if element_bytes not in (1, 2, 4) or type(element_bytes) is bool:
        raise InputError(f"element_bytes={element_bytes!r} byte: must be 1, 2 or 4 byte")
    return int(element_bytes)


def check_transpose(element_bytes: int, transpose: bool) -> None:
    """Refuse to transpose what ldmatrix.trans does not: it exchanges whole 16-bit elements."""
    if transpose and element_bytes != TRANSPOSED_BYTES:
        raise InputError(
            f"transpose with element_bytes={element_bytes} byte: ldmatrix.trans exchanges 2-byte"
            f" elements and would {'keep pairs' if element_bytes < 2 else 'split elements'} of"
            f" {element_bytes * 8}-bit data; store the operand along K instead"
        )


assert IDEAL_WAVEFRONTS == PHASES
