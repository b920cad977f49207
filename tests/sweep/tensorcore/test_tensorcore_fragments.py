"""Fragment maps: the PTX ISA's tables, bijections, and what attention makes of them."""

from __future__ import annotations

import numpy as np
import pytest

from sweep.errors import InputError
from sweep.tensorcore import fragment
from sweep.tensorcore.instructions.fragments import MMA_TYPES, read_instruction

LANES = range(32)
SHAPES = [(shape, kind) for shape, kinds in MMA_TYPES.items() for kind in kinds]


def table(rule: object, elements: int) -> list[list[tuple[int, int]]]:
    assert callable(rule)
    return [[rule(lane // 4, lane % 4, i) for i in range(elements)] for lane in LANES]


# As the PTX ISA writes them, g = lane >> 2, t = lane % 4.
PTX = {
    ("m16n8k16", "fp16", "a"): table(
        lambda g, t, i: (g + 8 * (i // 2 % 2), 2 * t + i % 2 + 8 * (i // 4)), 8
    ),
    ("m16n8k16", "fp16", "b"): table(lambda g, t, i: (2 * t + i % 2 + 8 * (i // 2), g), 4),
    ("m16n8k16", "fp16", "c"): table(lambda g, t, i: (g + 8 * (i >> 1), 2 * t + (i & 1)), 4),
    ("m16n8k8", "bf16", "a"): table(lambda g, t, i: (g + 8 * (i // 2), 2 * t + i % 2), 4),
    ("m16n8k8", "bf16", "b"): table(lambda g, t, i: (2 * t + i, g), 2),
    ("m16n8k8", "tf32", "a"): table(lambda g, t, i: (g + 8 * (i % 2), t + 4 * (i // 2)), 4),
    ("m16n8k8", "tf32", "b"): table(lambda g, t, i: (t + 4 * i, g), 2),
    ("m16n8k4", "tf32", "a"): table(lambda g, t, i: (g + 8 * i, t), 2),
    ("m16n8k4", "tf32", "b"): table(lambda g, t, i: (t, g), 1),
    ("m16n8k32", "int8", "a"): table(
        lambda g, t, i: (g + 8 * (i // 4 % 2), 4 * t + i % 4 + 16 * (i // 8)), 16
    ),
    ("m16n8k32", "fp8", "b"): table(lambda g, t, i: (4 * t + i % 4 + 16 * (i // 4), g), 8),
    ("m16n8k16", "int8", "a"): table(lambda g, t, i: (g + 8 * (i // 4), 4 * t + i % 4), 8),
    ("m16n8k16", "int8", "b"): table(lambda g, t, i: (4 * t + i, g), 4),
}


@pytest.mark.parametrize(("shape", "kind", "operand"), PTX)
def test_maps_are_those_of_the_ptx_isa(shape: str, kind: str, operand: str) -> None:
    expected = np.array(PTX[shape, kind, operand])
    assert np.array_equal(fragment(shape, operand, kind), expected)


def test_lane_0_in_full() -> None:
    assert fragment("m16n8k16", "A")[0].tolist() == [
        [0, 0], [0, 1], [8, 0], [8, 1], [0, 8], [0, 9], [8, 8], [8, 9],
    ]  # fmt: skip


def test_second_register_of_m16n8k8_starts_at_row_8() -> None:
    assert fragment("m16n8k8", "a")[0, 2].tolist() == [8, 0]


def assert_bijection(shape: str, operand: str, kind: str) -> None:
    rows, columns = read_instruction(shape, kind).extents(operand)
    places = fragment(shape, operand, kind).reshape(-1, 2)
    assert len(places) == rows * columns
    assert {tuple(place) for place in places.tolist()} == {
        (row, column) for row in range(rows) for column in range(columns)
    }


@pytest.mark.parametrize(("shape", "kind"), SHAPES)
@pytest.mark.parametrize("operand", ["a", "b", "c"])
def test_every_map_is_a_bijection(shape: str, kind: str, operand: str) -> None:
    assert_bijection(shape, operand, kind)


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
