"""The rows that ldmatrix.x4 reads, and the wavefronts it takes in a layout."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sweep.errors import InputError, quoted
from sweep.inputs.call_arguments import one_of, one_of_many
from sweep.inputs.reading import read_flag
from sweep.quantities.arrays import Array
from sweep.tensorcore.compiled_loops import PHASE_LANES, PHASES, WARP
from sweep.tensorcore.shared_memory.banks import count
from sweep.tensorcore.shared_memory.swizzle import (
    CHUNK_BYTES,
    Layout,
    Swizzle,
    check_chunks,
    chunk_addresses,
    read_swizzle,
)

IDEAL_WAVEFRONTS = WARP * CHUNK_BYTES // 128
TRANSPOSED_BYTES = 2
TILE_ROWS = 256
"""Rows of the largest tile that a CTA holds."""
OFFSETS = ("element", "byte")


def x4_addresses(
    row_bytes: ArrayLike,
    pitch_bytes: ArrayLike,
    layout: Layout,
    unit_bytes: int,
    first_row: ArrayLike = 0,
    first_chunk: ArrayLike = 0,
) -> NDArray[np.int64]:
    """Return the 32 row addresses of an ldmatrix.x4 of a tile, by default the first, (..., 32).

    Its four matrices are 16 rows by 32 bytes, first down, then along; where a row has 16 bytes
    only, 32 rows.
    """
    lane = np.arange(WARP)
    matrix, row = lane // PHASE_LANES, lane % PHASE_LANES
    pitch = np.asarray(pitch_bytes)[..., None]
    narrow = np.asarray(row_bytes)[..., None] < 2 * CHUNK_BYTES
    rows = np.where(narrow, lane, row + PHASE_LANES * (matrix % 2))
    chunks = np.where(narrow, 0, matrix // 2)
    rows = rows + np.asarray(first_row)[..., None]
    chunks = chunks + np.asarray(first_chunk)[..., None]
    return chunk_addresses(rows, chunks, pitch, layout, unit_bytes)


def worst_wavefronts(
    row_bytes: ArrayLike, pitch_bytes: ArrayLike, layout: Layout, unit_bytes: int
) -> NDArray[np.int64]:
    """Return the most wavefronts that an ldmatrix.x4 of a tile takes.

    Plain rows and the XOR swizzle that fits the row treat all of them alike. A ``Swizzle`` moves
    chunks by bits of the address, so that where an x4 lies matters: all of a tile of 256 rows are
    looked at.
    """
    rows, pitches = np.broadcast_arrays(np.asarray(row_bytes), np.asarray(pitch_bytes))
    if not isinstance(layout, Swizzle):
        return count(x4_addresses(rows, pitches, layout, unit_bytes), CHUNK_BYTES)
    pairs = zip(rows.ravel().tolist(), pitches.ravel().tolist(), strict=True)
    found = [_worst(row, pitch, layout, unit_bytes) for row, pitch in pairs]
    return np.array(found, dtype=np.int64).reshape(rows.shape)


def _worst(row_bytes: int, pitch_bytes: int, layout: Layout, unit_bytes: int) -> int:
    chunks = row_bytes // CHUNK_BYTES
    step = 2 * PHASE_LANES if chunks > 1 else WARP
    first_chunks = np.arange(0, max(chunks - 1, 1), 2)
    seen: list[Array] = []
    for first_row in range(0, TILE_ROWS, step):
        at = x4_addresses(row_bytes, pitch_bytes, layout, unit_bytes, first_row, first_chunks)
        # Only the banks matter, and chunks are never two at one address: few patterns are left.
        seen.append(np.unique(at // CHUNK_BYTES % PHASE_LANES, axis=0))
    patterns = np.unique(np.concatenate(seen), axis=0)
    apart = 128 * np.arange(WARP)
    return int(count(patterns * CHUNK_BYTES + apart, CHUNK_BYTES).max())


def ldmatrix_wavefronts(
    row_elements: int,
    element_bytes: int = 2,
    swizzle: Any = None,
    pad_elements: int = 0,
    *,
    offsets: str = "element",
    transpose: bool = False,
) -> tuple[int, int]:
    """Count the wavefronts of an ldmatrix.x4, the worst of a tile, by simulating the banks.

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
    row, pad = (
        one_of_many(name, value, "sweep_layouts")
        for name, value in (("row_elements", row_elements), ("pad_elements", pad_elements))
    )
    size = check_element_bytes(element_bytes)
    if not isinstance(offsets, str) or offsets not in OFFSETS:
        raise InputError(f"offsets={quoted(offsets)}: must be 'element' or 'byte'")
    layout, unit = read_swizzle(swizzle), size if offsets == "element" else 1
    check_transpose(size, read_flag("transpose", transpose))
    check_chunks(layout, unit)
    for name, length in (("row_elements", row * size), ("pad_elements", pad * size)):
        if length % CHUNK_BYTES:
            raise InputError(
                f"{name}={length // size} of {size} byte: {length} byte is no multiple of"
                f" {CHUNK_BYTES} byte, where ldmatrix needs every row to start"
            )
    return int(worst_wavefronts(row * size, (row + pad) * size, layout, unit)), IDEAL_WAVEFRONTS


def check_element_bytes(element_bytes: Any) -> int:
    """Return the size of an element, 1, 2 or 4 bytes."""
    return one_of("element_bytes", element_bytes, (1, 2, 4), "byte")


def check_transpose(element_bytes: int, transpose: bool) -> None:
    """Refuse to transpose what ldmatrix.trans does not: it exchanges whole 16-bit elements."""
    if transpose and element_bytes != TRANSPOSED_BYTES:
        raise InputError(
            f"transpose with element_bytes={element_bytes} byte: ldmatrix.trans exchanges 2-byte"
            f" elements and would {'keep pairs' if element_bytes < 2 else 'split elements'} of"
            f" {element_bytes * 8}-bit data; store the operand along K instead"
        )


assert IDEAL_WAVEFRONTS == PHASES
