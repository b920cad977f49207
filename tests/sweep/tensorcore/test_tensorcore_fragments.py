"""Fragment maps: the PTX ISA's tables, bijections, and what attention makes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sweep.errors import InputError
from sweep.tensorcore import fragment
from sweep.tensorcore.instructions.instruction_shapes import MMA_TYPES, read_instruction

LANES = np.arange(32)
FLOATS = ("fp16", "fp32")
SHAPES = [(shape, kind) for shape, kinds in MMA_TYPES.items() for kind in kinds]


def table(elements: int, row: Callable[..., Any], column: Callable[..., Any]) -> np.ndarray:
    """Return what a rule says of every lane and element: g = lane >> 2, t = lane % 4, i."""
    lane, i = np.meshgrid(LANES, np.arange(elements), indexing="ij")
    pair = (rule(lane >> 2, lane % 4, i) for rule in (row, column))
    return np.stack([np.broadcast_to(one, lane.shape) for one in pair], axis=-1)


def upper(g: Any, t: Any, i: Any) -> Any:
    """Row of accumulators of 16 x 8."""
    return np.where(i < 2, g, g + 8)


# As the PTX ISA writes them, section 9.7.14.5.1 to 13.
ACCUMULATOR_16 = table(4, upper, lambda g, t, i: t * 2 + (i & 1))
ACCUMULATOR_8 = table(2, lambda g, t, i: g, lambda g, t, i: t * 2 + (i & 1))
PTX = {
    ("m8n8k4", "fp64", "a"): table(1, lambda g, t, i: g, lambda g, t, i: t),
    ("m8n8k4", "fp64", "b"): table(1, lambda g, t, i: t, lambda g, t, i: g),
    ("m8n8k4", "fp64", "c"): ACCUMULATOR_8,
    ("m8n8k16", "int8", "a"): table(4, lambda g, t, i: g, lambda g, t, i: t * 4 + i),
    ("m8n8k16", "int8", "b"): table(4, lambda g, t, i: t * 4 + i, lambda g, t, i: g),
    ("m8n8k16", "int8", "c"): ACCUMULATOR_8,
    ("m8n8k32", "int4", "a"): table(8, lambda g, t, i: g, lambda g, t, i: t * 8 + i),
    ("m8n8k32", "int4", "b"): table(8, lambda g, t, i: t * 8 + i, lambda g, t, i: g),
    ("m8n8k32", "int4", "c"): ACCUMULATOR_8,
    ("m8n8k128", "b1", "a"): table(32, lambda g, t, i: g, lambda g, t, i: t * 32 + i),
    ("m8n8k128", "b1", "b"): table(32, lambda g, t, i: t * 32 + i, lambda g, t, i: g),
    ("m8n8k128", "b1", "c"): ACCUMULATOR_8,
    ("m16n8k4", "tf32", "a"): table(2, lambda g, t, i: g + 8 * i, lambda g, t, i: t),
    ("m16n8k4", "tf32", "b"): table(1, lambda g, t, i: t, lambda g, t, i: g),
    ("m16n8k4", "fp64", "a"): table(
        2, lambda g, t, i: np.where(i == 0, g, g + 8), lambda g, t, i: t
    ),
    ("m16n8k4", "fp64", "b"): table(1, lambda g, t, i: t, lambda g, t, i: g),
    ("m16n8k4", "fp64", "c"): ACCUMULATOR_16,
    ("m16n8k8", "bf16", "a"): table(4, upper, lambda g, t, i: t * 2 + (i & 1)),
    ("m16n8k8", "bf16", "b"): table(2, lambda g, t, i: t * 2 + i, lambda g, t, i: g),
    ("m16n8k8", "tf32", "a"): table(
        4,
        lambda g, t, i: np.where(i % 2 == 0, g, g + 8),
        lambda g, t, i: np.where(i < 2, t, t + 4),
    ),
    ("m16n8k8", "tf32", "b"): table(2, lambda g, t, i: t + 4 * i, lambda g, t, i: g),
    ("m16n8k8", "fp64", "a"): table(
        4,
        lambda g, t, i: np.where(i % 2 == 0, g, g + 8),
        lambda g, t, i: np.where(i < 2, t, t + 4),
    ),
    ("m16n8k8", "fp64", "b"): table(
        2, lambda g, t, i: np.where(i == 0, t, t + 4), lambda g, t, i: g
    ),
    ("m16n8k16", "fp16", "a"): table(
        8,
        lambda g, t, i: np.where((i < 2) | (i >= 4) & (i < 6), g, g + 8),
        lambda g, t, i: t * 2 + (i & 1) + np.where(i < 4, 0, 8),
    ),
    ("m16n8k16", "fp16", "b"): table(
        4, lambda g, t, i: t * 2 + (i & 1) + np.where(i < 2, 0, 8), lambda g, t, i: g
    ),
    ("m16n8k16", "fp16", "c"): ACCUMULATOR_16,
    ("m16n8k16", "int8", "a"): table(
        8, lambda g, t, i: np.where(i < 4, g, g + 8), lambda g, t, i: t * 4 + (i & 3)
    ),
    ("m16n8k16", "int8", "b"): table(4, lambda g, t, i: t * 4 + i, lambda g, t, i: g),
    ("m16n8k16", "fp64", "a"): table(
        8,
        lambda g, t, i: np.where(i % 2 == 0, g, g + 8),
        lambda g, t, i: np.where(i % 2 == 0, i * 2 + t, i * 2 - 2 + t),
    ),
    ("m16n8k16", "fp64", "b"): table(4, lambda g, t, i: t + i * 4, lambda g, t, i: g),
    ("m16n8k32", "int8", "a"): table(
        16,
        lambda g, t, i: np.where((i < 4) | (i >= 8) & (i < 12), g, g + 8),
        lambda g, t, i: t * 4 + (i & 3) + np.where(i < 8, 0, 16),
    ),
    ("m16n8k32", "fp8", "b"): table(
        8, lambda g, t, i: t * 4 + (i & 3) + np.where(i < 4, 0, 16), lambda g, t, i: g
    ),
    ("m16n8k32", "int4", "a"): table(
        16, lambda g, t, i: np.where(i < 8, g, g + 8), lambda g, t, i: t * 8 + (i & 7)
    ),
    ("m16n8k32", "int4", "b"): table(8, lambda g, t, i: t * 8 + (i & 7), lambda g, t, i: g),
    ("m16n8k64", "int4", "a"): table(
        32,
        lambda g, t, i: np.where((i < 8) | (i >= 16) & (i < 24), g, g + 8),
        lambda g, t, i: t * 8 + (i & 7) + np.where(i < 16, 0, 32),
    ),
    ("m16n8k64", "int4", "b"): table(
        16, lambda g, t, i: t * 8 + (i & 7) + np.where(i < 8, 0, 32), lambda g, t, i: g
    ),
    ("m16n8k64", "int4", "c"): ACCUMULATOR_16,
    ("m16n8k128", "b1", "a"): table(
        64, lambda g, t, i: np.where(i < 32, g, g + 8), lambda g, t, i: t * 32 + (i & 31)
    ),
    ("m16n8k128", "b1", "b"): table(32, lambda g, t, i: t * 32 + i, lambda g, t, i: g),
    # Of i < 64 the PTX ISA has t * 32 + i, which is past the end of K; it means i & 31.
    ("m16n8k256", "b1", "a"): table(
        128,
        lambda g, t, i: np.where((i < 32) | (i >= 64) & (i < 96), g, g + 8),
        lambda g, t, i: t * 32 + (i & 31) + np.where(i < 64, 0, 128),
    ),
    ("m16n8k256", "b1", "b"): table(
        64, lambda g, t, i: t * 32 + (i & 31) + np.where(i < 32, 0, 128), lambda g, t, i: g
    ),
}


@pytest.mark.parametrize(("shape", "kind", "operand"), PTX)
def test_maps_are_those_of_the_ptx_isa(shape: str, kind: str, operand: str) -> None:
    assert np.array_equal(fragment(shape, operand, kind), PTX[shape, kind, operand])


def test_lane_0_in_full() -> None:
    assert fragment("m16n8k16", "A")[0].tolist() == [
        [0, 0], [0, 1], [8, 0], [8, 1], [0, 8], [0, 9], [8, 8], [8, 9],
    ]  # fmt: skip


def test_second_register_of_m16n8k8_starts_at_row_8() -> None:
    assert fragment("m16n8k8", "a")[0, 2].tolist() == [8, 0]


def assert_bijection(shape: str, operand: str, kind: str, accumulate: str | None = None) -> None:
    instruction = read_instruction(shape, kind)
    rows, columns = instruction.extents(operand)[-2:]
    held = fragment(shape, operand, kind, accumulate)
    every = {(row, column) for row in range(rows) for column in range(columns)}
    for product in range(instruction.products):
        lanes = [x for x in range(len(held)) if instruction.products == 1 or x // 4 % 4 == product]
        places = held[lanes].reshape(-1, 2)
        assert len(places) == rows * columns
        assert {tuple(place) for place in places.tolist()} == every


@pytest.mark.parametrize(("shape", "kind"), SHAPES)
@pytest.mark.parametrize("operand", ["a", "b", "c"])
def test_every_map_is_a_bijection(shape: str, kind: str, operand: str) -> None:
    assert_bijection(shape, operand, kind)


@pytest.mark.parametrize("operand", ["a", "b", "c"])
@pytest.mark.parametrize("accumulate", ["fp32", "fp16"])
def test_voltas_quadpairs_cover_a_product_each(operand: str, accumulate: str) -> None:
    assert_bijection("m8n8k4", operand, "fp16", accumulate)


def test_voltas_fragments_are_those_of_the_ptx_isa() -> None:
    """Section 9.7.14.5.1, row-major A and column-major B, bit by bit."""
    for lane in range(32):
        low = lane % 4 if lane < 16 else lane % 4 + 4
        a, b = (fragment("m8n8k4", one, "fp16")[lane].tolist() for one in "ab")
        assert a == [[low, i] for i in range(4)]
        assert b == [[i, low] for i in range(4)]
        half, single = (fragment("m8n8k4", "c", "fp16", one)[lane].tolist() for one in FLOATS)
        assert half == [[low, i] for i in range(8)]
        high = 0 if lane < 16 else 4
        assert single == [
            [(lane & 0b1) + (i & 0b10) + high, (i & 0b100) + (lane & 0b10) + (i & 0b1)]
            for i in range(8)
        ]


@pytest.mark.parametrize(("k", "kind"), [(8, "tf32"), (16, "bf16"), (32, "fp8"), (32, "int8")])
@pytest.mark.parametrize("columns", [8, 16, 32, 128, 256])
def test_wgmma_of_every_type(k: int, kind: str, columns: int) -> None:
    shape = f"m64n{columns}k{k}"
    for operand in ("a", "c"):
        assert_bijection(shape, operand, kind)
    assert np.array_equal(fragment(shape, "d", kind), fragment(f"m64n{columns}k16", "c"))
    warps = fragment(shape, "a", kind).reshape(4, 32, -1, 2)
    mma = "m16n8k16" if kind == "bf16" else f"m16n8k{k}"
    for warp, held in enumerate(warps):
        # Four warps side by side hold what an mma's warp holds, 16 rows further down each.
        assert np.array_equal(held - [16 * warp, 0], fragment(mma, "a", kind))


def test_columns_of_an_integer_wgmma() -> None:
    """PTX ISA, wgmma's table of shapes: 8, 16, 24, 32, 48, 64 and so on to 256."""
    there = []
    for columns in range(8, 257, 8):
        assert fragment(f"m64n{columns}k32", "c", "fp8").shape == (128, columns // 2, 2)
        try:
            fragment(f"m64n{columns}k32", "c", "int8")
        except InputError:
            continue
        there.append(columns)
    assert there == [8, 16, 24, 32, *range(48, 257, 16)]


@pytest.mark.parametrize("columns", range(8, 257, 8))
def test_wgmma_accumulators(columns: int) -> None:
    shape = f"m64n{columns}k16"
    assert_bijection(shape, "c", "bf16")
    held = fragment(shape, "c")
    assert held.shape == (128, columns // 2, 2)
    lane, i = np.meshgrid(np.arange(128), np.arange(columns // 2), indexing="ij")
    assert np.array_equal(held[..., 0], 16 * (lane // 32) + lane % 32 // 4 + 8 * (i // 2 % 2))
    assert np.array_equal(held[..., 1], 8 * (i // 4) + 2 * (lane % 4) + i % 2)


def test_an_accumulator_is_the_left_half_of_the_next_a() -> None:
    assert np.array_equal(fragment("m16n8k16", "c"), fragment("m16n8k16", "a")[:, :4])
    assert np.array_equal(fragment("m64n16k16", "c"), fragment("m64n16k16", "a"))


def test_a_map_cannot_be_spoiled_for_the_next_caller() -> None:
    fragment("m16n8k16", "a")[...] = -1
    assert fragment("m16n8k16", "a").min() == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("m64n12k16", "c"), "N=12, wgmma takes multiples of 8 columns up to 256"),
        (("m64n264k16", "c"), "N=264"),
        (("m64n0k16", "c"), "N=0"),
        (("m64n64k16", "b"), "reads B from shared memory"),
        (("m64n64k16", "c", "int8"), "takes fp16, bf16"),
        (("m64n64k32", "c", "bf16"), "takes int8, fp8"),
        (("m64n64k8", "a", "fp16"), "takes tf32"),
        (("m64n40k32", "c", "int8"), "N=40, wgmma takes 8, 16, 24, 32 columns or multiples of 16"),
        (("m64n64k4", "c"), "unknown shape 'm64n64k4'"),
        (("m8n8k4", "a", "bf16"), "m8n8k4 takes fp16, fp64"),
        (("m8n8k16", "a", "int4"), "m8n8k16 takes int8"),
        (("m16n8k64", "a", "int8"), "m16n8k64 takes int4"),
        (("m16n8k16", "c", "bf16", "fp16"), "accumulates in 32 bits only (fp32)"),
        (("m8n8k4", "c", "fp64", "fp32"), "accumulates in 64 bits only (fp64)"),
        (("m8n8k4", "c", "fp16", "int32"), "accumulates in fp32 or fp16"),
        (("m8n8k16", "c", "int8", "fp32"), "accumulates in 32 bits only (int32)"),
        (("m16n8k16", "c", "fp16", "fp61"), "unknown accumulate 'fp61'"),
        (("m16n8k16", "e"), "operand"),
        (("m16n8k16", 3), "operand"),
        (("m16n8k15", "a"), "did you mean 'm16n8k16'"),
        (("m16n8k32", "a", "fp16"), "m16n8k32 takes int8, fp8"),
        (("m16n8k16", "a", "fp61"), "did you mean"),
        ((7, "a"), "shape"),
    ],
)
def test_refusals(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError) as refusal:
        fragment(*arguments)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)
