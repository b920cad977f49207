"""A matrix product the way a CTA does it: shared memory, ldmatrix, fragments, mma, and counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sweep.errors import InputError
from sweep.inputs.call_arguments import one_of_many, read_shape
from sweep.inputs.labels import check_choice
from sweep.quantities.arrays import Array
from sweep.tensorcore.compiled_loops import BANKS, WARP, multiply_blocks
from sweep.tensorcore.instructions.accumulators import accumulators_of
from sweep.tensorcore.instructions.elements import held_in
from sweep.tensorcore.instructions.fragments import fragment
from sweep.tensorcore.instructions.instruction_shapes import OPERANDS
from sweep.tensorcore.record import Record
from sweep.tensorcore.shared_memory.swizzle import CHUNK_BYTES, read_swizzle, tile_addresses

SHAPE = "m16n8k16"
ELEMENT_BYTES = 2


@dataclass(frozen=True, eq=False, repr=False)
class Counts(Record):
    """Instructions and wavefronts of a block product.

    Attributes
    ----------
    mma, ldmatrix : int
        m16n8k16 and ldmatrix.x4 instructions.
    wavefronts, ideal_wavefronts : int
        What the loads took of shared memory, simulated bank by bank, and without conflicts.
    """

    mma: int
    ldmatrix: int
    wavefronts: int
    ideal_wavefronts: int


def block_product(
    a: ArrayLike,
    b: ArrayLike,
    block: Any = (64, 64),
    bk: int = 64,
    warp: Any = (32, 32),
    swizzle: Any = "xor",
    accumulate: str = "fp32",
    pad_elements: int = 0,
) -> tuple[NDArray[np.float32], Counts]:
    """Multiply two FP16 matrices through shared memory, ldmatrix and mma.m16n8k16.

    Each block of C walks along K; a k-tile of A and one of B (stored by columns, so that both have
    rows of ``bk`` elements) are written to shared memory in the layout, every warp loads its
    fragments from there and executes its mma. Only the layout decides what arrives where.

    Parameters
    ----------
    a, b : array_like
        M x K and K x N, rounded to FP16.
    block, warp : tuple of int or str
        M x N of a CTA's and of a warp's tile, (64, 64) or "64x64".
    bk : int
        Elements along K of a k-tile.
    swizzle : None, "xor" or (B, M, S)
        As in ``ldmatrix_wavefronts``, on element offsets.
    accumulate : {"fp32", "fp16"}
        FP16 rounds the accumulators after every mma.
    pad_elements : int
        Unused elements after each row of a k-tile.

    Returns
    -------
    c : numpy.ndarray of float32, M x N
    counts : Counts

    Raises
    ------
    InputError
        If blocks do not divide the matrices, warps the blocks or mma the warps; if the layout
        splits 16-byte rows or is no bijection on a k-tile.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.standard_normal((2, 128, 128)).astype(np.float16)
    >>> c, counts = block_product(a, b)
    >>> counts.mma, counts.ldmatrix, counts.wavefronts, counts.ideal_wavefronts
    (1024, 512, 2048, 2048)
    >>> block_product(a, b, swizzle=None)[1].wavefronts
    16384
    """
    left, right = held_in("a", a, "fp16"), held_in("b", b, "fp16").T
    sizes = _sizes(left, right, block, bk, warp)
    check_choice("accumulate", accumulate, accumulators_of("fp16"))
    tables, pitch = _layout(sizes, swizzle, pad_elements)
    c = np.empty((left.shape[0], right.shape[0]), dtype=np.float32)
    counts = np.zeros(4, dtype=np.int64)
    multiply_blocks()(
        np.ascontiguousarray(left),
        np.ascontiguousarray(right),
        np.append(sizes, accumulate == "fp16").astype(np.int64),
        *tables,
        *(fragment(SHAPE, operand) for operand in OPERANDS),
        *(np.full(rows * pitch // ELEMENT_BYTES, np.nan, np.float32) for rows in sizes[:2]),
        *_scratch(sizes),
        c,
        counts,
    )
    return c, Counts(*(int(count) for count in counts))


def _layout(sizes: Array, swizzle: Any, pad_elements: Any) -> tuple[list[Array], int]:
    """Return where the 16-byte chunks of both k-tiles lie, and the bytes from row to row."""
    block_m, block_n, block_k = (int(size) for size in sizes[:3])
    pad = one_of_many("pad_elements", pad_elements)
    if pad * ELEMENT_BYTES % CHUNK_BYTES:
        raise InputError(
            f"pad_elements={pad} element: {pad * ELEMENT_BYTES} byte is no multiple of"
            f" {CHUNK_BYTES} byte, where ldmatrix needs every row to start"
        )
    layout, row = read_swizzle(swizzle), block_k * ELEMENT_BYTES
    pitch = row + pad * ELEMENT_BYTES
    return [tile_addresses(rows, row, pitch, layout) for rows in (block_m, block_n)], pitch


def _scratch(sizes: Array) -> list[Array]:
    """Return the lane addresses, banks, registers and operands that the kernel works in."""
    warp_m, warp_n = sizes[3:]
    return [
        np.empty((1, WARP), np.int64),
        np.empty(BANKS, np.int64),
        np.empty((1, WARP, 8), np.float32),
        np.empty((warp_m // 16, 16, 16), np.float32),
        np.empty((warp_n // 8, 16, 8), np.float32),
        np.empty((2, 16, 8), np.float32),
        np.empty((sizes[0] * sizes[1] // 128, WARP, 4), np.float32),
    ]


def _sizes(left: Array, right: Array, block: Any, bk: Any, warp: Any) -> NDArray[np.int64]:
    """Return block M, N, K and warp M, N, checked to divide what they must."""
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[1] or not left.size:
        raise InputError(
            f"a, b: have shapes {left.shape} and {right.T.shape}; must be M x K and K x N"
        )
    if not right.size:
        raise InputError(f"b: has shape {right.T.shape}, no columns")
    block_m, block_n = read_shape("block", block, (2,), "64x64")
    warp_m, warp_n = read_shape("warp", warp, (2,), "32x32")
    block_k = one_of_many("bk", bk)
    checks = (
        ("block M", block_m, "rows of a", left.shape[0]),
        ("block N", block_n, "columns of b", right.shape[0]),
        ("bk", block_k, "columns of a", left.shape[1]),
        ("warp M", warp_m, "block M", block_m),
        ("warp N", warp_n, "block N", block_n),
    )
    for name, part, whole_name, whole in checks:
        if whole % part:
            raise InputError(f"{name}={part}: must divide the {whole} {whole_name}")
    for name, size in (("warp M", warp_m), ("warp N", warp_n), ("bk", block_k)):
        if size % 16:
            raise InputError(
                f"{name}={size}: must be a multiple of 16, what one ldmatrix.x4 covers"
            )
    return np.array([block_m, block_n, block_k, warp_m, warp_n], dtype=np.int64)
