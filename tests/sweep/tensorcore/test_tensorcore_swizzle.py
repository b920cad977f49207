"""Layouts are permutations, and the XOR swizzle is the usual one where that exists."""

from __future__ import annotations

import numpy as np
import pytest

from sweep.errors import InputError
from sweep.tensorcore.shared_memory.swizzle import (
    Swizzle,
    layout_name,
    read_swizzle,
    splits_rows,
    tile_addresses,
    xor_chunk,
)

SWIZZLES = [(b, m, s) for b in range(4) for m in range(3) for s in (*range(-4, -b), *range(b, 5))]


def bit_by_bit(offset: int, bits: int, base: int, shift: int) -> int:
    for bit in range(bits):
        low, high = (
            (base + bit, base + bit + shift) if shift >= 0 else (base + bit - shift, base + bit)
        )
        offset ^= ((offset >> high) & 1) << low
    return offset


@pytest.mark.parametrize(("bits", "base", "shift"), SWIZZLES)
def test_swizzle_moves_single_bits(bits: int, base: int, shift: int) -> None:
    # One bit at a time is right only since source and target bits are apart.
    offsets = np.arange(1024)
    moved = Swizzle(bits, base, shift)(offsets)
    assert moved.tolist() == [bit_by_bit(one, bits, base, shift) for one in offsets.tolist()]
    assert np.array_equal(Swizzle(bits, base, shift)(moved), offsets)


def test_shift_zero_takes_no_bits() -> None:
    assert Swizzle(0, 3, 0)(5) == 5
    with pytest.raises(InputError, match="at least B"):
        Swizzle(1, 3, 0)


@pytest.mark.parametrize("chunks", range(1, 41))
def test_xor_is_a_bijection_on_every_row(chunks: int) -> None:
    for row in range(20):
        moved = xor_chunk(row, np.arange(chunks), chunks)
        assert sorted(moved.tolist()) == list(range(chunks))


@pytest.mark.parametrize("chunks", [1, 2, 4, 8, 16, 24, 32])
def test_xor_is_the_usual_swizzle(chunks: int) -> None:
    row, chunk = np.arange(40)[:, None], np.arange(chunks)
    usual = chunk ^ (row // max(1, 128 // (16 * chunks))) % min(chunks, 8)
    assert np.array_equal(xor_chunk(row, chunk, chunks), usual)


@pytest.mark.parametrize(
    "layout", [None, "xor", Swizzle(3, 3, 3), Swizzle(2, 3, 3), Swizzle(1, 4, 2)]
)
@pytest.mark.parametrize(("row", "pitch"), [(64, 64), (128, 128), (256, 256), (128, 144)])
def test_tiles_keep_every_chunk(layout: object, row: int, pitch: int) -> None:
    rows = 64
    if pitch == 144 and isinstance(layout, Swizzle):
        layout = None  # a Swizzle permutes tiles of a power of two
    found = tile_addresses(rows, row, pitch, layout)  # type: ignore[arg-type]
    assert found.shape == (rows, row // 16)
    assert np.unique(found).size == found.size
    assert found.min() == 0
    assert found.max() < rows * pitch
    assert not (found % 16).any()


def test_plain_rows() -> None:
    assert tile_addresses(2, 32, 48, None).tolist() == [[0, 16], [48, 64]]


def test_a_tile_that_the_swizzle_leaves() -> None:
    with pytest.raises(InputError, match="moves chunks out of a tile of 3 rows of 64 byte"):
        tile_addresses(3, 64, 64, Swizzle(1, 5, -2))


@pytest.mark.parametrize(
    ("swizzle", "unit", "splits"),
    [((3, 3, 3), 2, False), ((3, 3, 3), 1, True), ((3, 4, 3), 1, False), ((3, 2, 3), 4, False),
     ((3, 1, 3), 4, True), ((1, 1, -2), 2, True), ((1, 3, -1), 2, False), ((0, 0, 0), 1, False)],
)  # fmt: skip
def test_what_splits_16_byte_rows(swizzle: tuple[int, int, int], unit: int, splits: bool) -> None:
    layout = read_swizzle(swizzle)
    assert splits_rows(layout, unit) is splits
    whole = np.arange(0, 4096, 16 // unit) if unit < 16 else np.arange(4096)
    kept = all(
        np.array_equal(layout(whole + i), layout(whole) + i)  # type: ignore[operator,misc]
        for i in range(16 // unit)
    )
    assert kept is not splits


def test_names() -> None:
    assert [layout_name(read_swizzle(one)) for one in (None, "xor", [3, 4, 3])] == [
        "none",
        "xor",
        "Swizzle<3,4,3>",
    ]
