"""Wavefronts: the simulation of 32 banks against a naive twin, formulas and known cases."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.data_path.bank_conflicts import ldmatrix_ways, least_padding, strided_ways
from sweep.errors import InputError
from sweep.tensorcore import ldmatrix_wavefronts, wavefronts
from sweep.tensorcore.shared_memory.ldmatrix import x4_addresses

RNG = np.random.default_rng(3)
WIDTHS = range(16, 513, 16)


def naive(addresses: list[int], size: int) -> int:
    """Count byte by byte: which words does each bank have to give to each group of lanes?"""
    total, lanes = 0, min(32, 128 // size) if size > 4 else 32
    for first in range(0, len(addresses), lanes):
        words = {(a + i) // 4 for a in addresses[first : first + lanes] for i in range(size)}
        total += max(sum(word % 32 == bank for word in words) for bank in range(32))
    return total


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("spread", [8, 40, 400])
def test_random_accesses_against_a_naive_count(size: int, spread: int) -> None:
    for lanes in (1, 5, 8, 31, 32):
        addresses = size * RNG.integers(0, spread, (10, lanes))
        expected = [naive(row, size) for row in addresses.tolist()]
        assert wavefronts(addresses, size).tolist() == expected


@pytest.mark.parametrize("element_bytes", [1, 2, 4])
def test_plain_rows_conflict_by_the_formula(element_bytes: int) -> None:
    for row in WIDTHS:
        for padding in range(0, 145, 16):
            taken, ideal = ldmatrix_wavefronts(
                row // element_bytes, element_bytes, None, padding // element_bytes
            )
            assert ideal == 4
            assert taken == 4 * ldmatrix_ways(row + padding)


@pytest.mark.parametrize("element_bytes", [1, 2, 4])
def test_the_xor_swizzle_never_conflicts(element_bytes: int) -> None:
    for row in WIDTHS:
        for padding in (0, 16, 32):
            taken = ldmatrix_wavefronts(
                row // element_bytes, element_bytes, "xor", padding // element_bytes
            )
            assert taken == (4, 4)


@pytest.mark.parametrize(
    ("row_bytes", "ways"), [(32, 2), (64, 4), (96, 2), (128, 8), (80, 1), (144, 1)]
)
def test_known_ways(row_bytes: int, ways: int) -> None:
    assert ldmatrix_ways(row_bytes) == ways
    assert ldmatrix_wavefronts(row_bytes // 2) == (4 * ways, 4)


def test_padding_by_16_bytes_is_enough() -> None:
    for row in WIDTHS:
        padding = int(least_padding(row))
        assert ldmatrix_wavefronts(row // 2, pad_elements=padding // 2) == (4, 4)
        assert padding in (0, 16)
        assert padding == 0 or ldmatrix_ways(row) > 1


@pytest.mark.parametrize(
    ("columns", "swizzle", "ways"),
    [
        (64, (3, 3, 3), 1),
        (64, (2, 3, 3), 2),
        (64, (1, 3, 3), 4),
        (64, (0, 3, 3), 8),
        (32, (3, 3, 3), 1),
        (32, (2, 3, 3), 1),
        (32, (1, 3, 3), 2),
    ],
)
def test_cutlass_swizzles(columns: int, swizzle: tuple[int, int, int], ways: int) -> None:
    assert ldmatrix_wavefronts(columns, 2, swizzle) == (4 * ways, 4)
    b, m, s = swizzle
    assert ldmatrix_wavefronts(columns, 2, (b, m + 1, s), offsets="byte") == (4 * ways, 4)
    assert ldmatrix_wavefronts(2 * columns, 1, (b, m + 1, s)) == (4 * ways, 4)


def test_strided_words() -> None:
    lanes = np.arange(32)
    for stride in range(70):
        assert wavefronts(4 * stride * lanes, 4) == strided_ways(stride)


def test_one_load_is_an_int_and_many_are_an_array() -> None:
    assert type(wavefronts(4 * np.arange(32), 4)) is int
    assert wavefronts(np.zeros((2, 3, 32), dtype=int), 16).shape == (2, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((64, 1, (3, 3, 3)), "splits the 16-byte rows"),
        ((64, 2, (3, 2, 3)), "splits the 16-byte rows"),
        ((64, 2, (2, 0, -2)), "splits the 16-byte rows"),
        ((64, 2, (3, 3, 2)), "|S| must be at least B"),
        ((64, 2, (-1, 3, 3)), "B and M must be 0 to 30"),
        ((64, 2, "xr"), "must be None, 'xor' or three whole numbers"),
        ((64, 2, (3, 3)), "must be None, 'xor' or three whole numbers"),
        ((64, 2, (3, 3, 1.5)), "must be None, 'xor' or three whole numbers"),
        ((20, 2), "40 byte is no multiple of 16 byte"),
        ((64, 2, None, 4), "8 byte is no multiple of 16 byte"),
        ((64, 3), "element_bytes=3 byte: must be 1, 2 or 4 byte"),
        ((64, True), "must be 1, 2 or 4 byte"),
        ((0,), "row_elements=0 element: must be at least 1 element"),
        ((64, 2, None, -8), "pad_elements=-8 element: must be at least 0"),
        (([64, 32],), "must be one number"),
    ],
)
def test_refused_layouts(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InputError) as refusal:
        ldmatrix_wavefronts(*arguments)  # type: ignore[arg-type]
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_8_bit_data_is_not_transposed() -> None:
    assert ldmatrix_wavefronts(64, 2, "xor", transpose=True) == (4, 4)
    for size, reason in ((1, "keep pairs of 8-bit data"), (4, "split elements of 32-bit data")):
        with pytest.raises(InputError, match=reason):
            ldmatrix_wavefronts(64, size, transpose=True)


def test_what_an_x4_load_reads() -> None:
    narrow = x4_addresses(16, 16, None, 2)
    assert narrow.tolist() == [16 * row for row in range(32)]
    wide = x4_addresses([64, 128], [64, 144], None, 2)
    for pitch, found in zip((64, 144), wide.tolist(), strict=True):
        assert found == [
            pitch * (row + 8 * down) + 16 * along
            for along in range(2)
            for down in range(2)
            for row in range(8)
        ]


def test_offsets_are_elements_or_bytes() -> None:
    with pytest.raises(InputError, match="'element' or 'byte'"):
        ldmatrix_wavefronts(64, offsets="bit")


@pytest.mark.parametrize(
    ("addresses", "size", "message"),
    [
        (np.arange(32), 4, "byte_addresses=1 byte: accesses of 4 byte must be aligned"),
        (4 * np.arange(33), 4, "1 to 32"),
        (np.zeros(0, dtype=int), 4, "byte_addresses: is empty"),
        (4, 4, "1 to 32"),
        ([-4], 4, "must be at least 0 byte"),
        ([0.5], 4, "must be a whole number"),
        ([0], 3, "must be 1, 2, 4, 8 or 16 byte"),
        ([0], True, "must be 1, 2, 4, 8 or 16 byte"),
    ],
)
def test_refused_accesses(addresses: object, size: int, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        wavefronts(addresses, size)  # type: ignore[arg-type]
    assert message in str(refusal.value)


def test_the_formula_refuses_what_ldmatrix_does() -> None:
    for pitch in (0, 24, -16):
        with pytest.raises(InputError, match="positive multiple of 16 byte"):
            ldmatrix_ways(pitch)
