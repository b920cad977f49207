"""Where an element of a tile lies in shared memory: plain rows, padding, XOR swizzles.

A swizzle moves 16-byte chunks, what ``ldmatrix`` reads at once, so that the chunks of one column
lie in different banks. All layouts are permutations of addresses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sweep.errors import InputError, quoted
from sweep.inputs.reading import read_number, read_scalar
from sweep.quantities.arrays import Array
from sweep.quantities.variables import Variable

CHUNK_BYTES = 16
MOST_BITS = 52
"""Bits of an offset that a swizzle may reach."""
CHUNKS_PER_WAVEFRONT = 8
"""16-byte chunks in the 128 bytes that the banks deliver at once."""


@dataclass(frozen=True)
class Swizzle:
    """CUTLASS's ``Swizzle<B, M, S>``: XOR B bits of an offset, from bit M on, with the B bits S up.

    With S negative the bits from M on are XORed into those |S| up. Source: CuTe,
    ``include/cute/swizzle.hpp``.

    Examples
    --------
    >>> Swizzle(3, 3, 3)(64 * np.arange(4)).tolist()
    [0, 72, 144, 216]
    """

    bits: int
    base: int
    shift: int

    def __post_init__(self) -> None:
        for field, value in (("bits", self.bits), ("base", self.base), ("shift", self.shift)):
            limits = Variable(field, "physical", "1", field, "int64", lower=-(2**31), upper=2**31)
            object.__setattr__(self, field, read_scalar(field, value, limits))
        if self.bits < 0 or self.base < 0 or max(self.bits, self.base, abs(self.shift)) > 30:
            raise InputError(
                f"swizzle={self.name}: B and M must be 0 to 30, |S| at most 30 (bits, base, shift)"
            )
        if abs(self.shift) < self.bits:
            raise InputError(
                f"swizzle={self.name}: |S| must be at least B (shift and bits), or the bits overlap"
                " and two elements share an address"
            )
        if self.base + abs(self.shift) + self.bits > MOST_BITS:
            raise InputError(
                f"swizzle={self.name}: M + |S| + B must be at most {MOST_BITS} (bits, base, shift)"
            )

    @property
    def name(self) -> str:
        """As CUTLASS writes it."""
        return f"Swizzle<{self.bits},{self.base},{self.shift}>"

    def __call__(self, offsets: ArrayLike) -> Array:
        """Return where offsets go; it is its own inverse.

        Raises
        ------
        InputError
            If they are no whole numbers from 0 on.
        """
        limits = Variable("offsets", "physical", "1", "offsets", "int64", upper=2**53)
        return self.moved(read_number("offsets", offsets, limits))

    def moved(self, at: Array) -> Array:
        """Return where offsets go that are known to be whole numbers."""
        source = ((1 << self.bits) - 1) << (self.base + max(0, self.shift))
        moved = at & source
        return np.asarray(at ^ (moved >> self.shift if self.shift >= 0 else moved << -self.shift))


Layout = Swizzle | str | None
"""A swizzle; "xor", the one that fits the row; None for plain rows."""


def read_swizzle(swizzle: Any) -> Layout:
    """Return a layout: None, "xor", or the (B, M, S) of a Swizzle.

    Raises
    ------
    InputError
        If it is none of these.
    """
    if swizzle is None or isinstance(swizzle, Swizzle):
        return swizzle
    if isinstance(swizzle, str) and swizzle == "xor":
        return swizzle
    sizes = tuple(swizzle) if isinstance(swizzle, tuple | list) else ()
    if len(sizes) == 3 and all(type(one) is int or isinstance(one, np.integer) for one in sizes):
        return Swizzle(*(int(one) for one in sizes))
    raise InputError(
        f"swizzle={quoted(swizzle)}: must be None, 'xor' or three whole numbers (B, M, S)"
    )


def layout_name(layout: Layout) -> str:
    """Return a layout as it stands in a dataset: "none", "xor" or "Swizzle<3,3,3>"."""
    return layout.name if isinstance(layout, Swizzle) else layout or "none"


def splits_rows(layout: Layout, unit_bytes: int) -> bool:
    """Whether a swizzle of offsets in units of so many bytes splits 16-byte chunks.

    It moves blocks of 2^M units, by bits from M on whichever way it shifts.
    """
    if not isinstance(layout, Swizzle) or not layout.bits:
        return False
    return unit_bytes << layout.base < CHUNK_BYTES


def check_chunks(layout: Layout, unit_bytes: int) -> None:
    """Refuse a swizzle that ldmatrix cannot follow.

    Raises
    ------
    InputError
        If it splits the 16-byte rows of the 8 x 8 matrices.
    """
    if splits_rows(layout, unit_bytes):
        assert isinstance(layout, Swizzle)
        block = unit_bytes << layout.base
        raise InputError(
            f"swizzle={layout.name}: moves blocks of {block} byte ({1 << layout.base} x"
            f" {unit_bytes} byte) and splits the {CHUNK_BYTES}-byte rows that ldmatrix reads"
        )


def xor_chunk(row: ArrayLike, chunk: ArrayLike, row_chunks: ArrayLike) -> Array:
    """Return where a 16-byte chunk of a row goes in that row.

    Rows of g = gcd(chunks, 8) chunks modulo 8 come back to the same banks every 8 / g rows: the
    chunk index is XORed with (row // (8 / g)) modulo g. For 2^i chunks that is the usual
    row // max(1, 128 / row bytes) modulo the chunks, at most 8. It is a bijection on a row for
    every width, since g is a power of two that divides the chunks, and eight consecutive rows
    never conflict: 8 / g rows differ in the multiple of g, and g such blocks in the XORed bits.

    Examples
    --------
    >>> [xor_chunk(row, [0, 1, 2, 3], 4).tolist() for row in (0, 1, 2, 4)]
    [[0, 1, 2, 3], [0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1]]
    """
    period = np.gcd(np.asarray(row_chunks), CHUNKS_PER_WAVEFRONT)
    block = np.asarray(row) // (CHUNKS_PER_WAVEFRONT // period)
    return np.asarray(np.asarray(chunk) ^ block % period)


def chunk_addresses(
    row: ArrayLike, chunk: ArrayLike, pitch_bytes: ArrayLike, layout: Layout, unit_bytes: int = 2
) -> NDArray[np.int64]:
    """Return the byte addresses of 16-byte chunks of a tile.

    Parameters
    ----------
    row, chunk : array_like of int
        Row of the tile, and chunk in it.
    pitch_bytes : array_like of int
        Bytes from a row to the next, padding included; a multiple of 16.
    layout : Swizzle, "xor" or None
    unit_bytes : int
        What a ``Swizzle`` counts offsets in: the element size, or 1 for bytes.
    """
    pitch = np.asarray(pitch_bytes, dtype=np.int64)
    at = np.asarray(chunk, dtype=np.int64)
    if layout == "xor":
        at = xor_chunk(row, at, pitch // CHUNK_BYTES)
    linear = np.asarray(row, dtype=np.int64) * pitch + CHUNK_BYTES * at
    if isinstance(layout, Swizzle):
        return np.asarray(layout.moved(linear // unit_bytes) * unit_bytes, dtype=np.int64)
    return np.asarray(linear, dtype=np.int64)


def tile_addresses(
    rows: int, row_bytes: int, pitch_bytes: int, layout: Layout, unit_bytes: int = 2
) -> NDArray[np.int64]:
    """Return the address of every chunk of a tile, (rows, chunks), checked to be a bijection.

    Raises
    ------
    InputError
        If two chunks share an address or one lies outside the tile's rows.

    Examples
    --------
    >>> tile_addresses(2, 128, 128, Swizzle(3, 3, 3))[1, :3].tolist()
    [144, 128, 176]
    """
    check_chunks(layout, unit_bytes)
    chunks = np.arange(row_bytes // CHUNK_BYTES)
    found = chunk_addresses(np.arange(rows)[:, None], chunks, pitch_bytes, layout, unit_bytes)
    if np.unique(found).size != found.size:
        raise InputError(f"swizzle={layout_name(layout)}: two chunks of a tile share an address")
    if found.min() < 0 or found.max() >= rows * pitch_bytes:
        raise InputError(
            f"swizzle={layout_name(layout)}: moves chunks out of a tile of {rows} rows of"
            f" {pitch_bytes} byte; the tile must be a multiple of what it permutes"
        )
    return found
