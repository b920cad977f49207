"""One mma from its fragments, against FP64."""

from __future__ import annotations

import numpy as np
import pytest

from sweep.errors import InputError
from sweep.tensorcore import fragment, mma
from sweep.tensorcore.instructions.elements import FORMATS, held_in, rounded
from sweep.tensorcore.instructions.instruction_shapes import MMA_TYPES, read_instruction
from sweep.tensorcore.instructions.multiply import load

RNG = np.random.default_rng(7)
SHAPES = [(shape, kind) for shape, kinds in MMA_TYPES.items() for kind in kinds]


WIDE = [("m64n40k16", "bf16"), ("m64n24k8", "tf32"), ("m64n128k32", "fp8"), ("m64n48k32", "int8")]
EXACT = {"int8": (-128, 128), "int4": (-8, 8), "b1": (0, 2)}


def operands(shape: str, kind: str, count: int) -> list[np.ndarray]:
    instruction = read_instruction(shape, kind)
    sizes = [instruction.extents(one) for one in ("a", "b", "c")]
    if kind in EXACT:
        return [RNG.integers(*EXACT[kind], (count, *size)) for size in sizes]
    found = [RNG.standard_normal((count, *size)) for size in sizes]
    kept = np.float64 if kind == "fp64" else np.float32
    return [
        *(held_in("a", one, kind).astype(float) for one in found[:2]),
        found[2].astype(kept).astype(float),
    ]


@pytest.mark.parametrize(("shape", "kind"), [*SHAPES, *WIDE])
def test_100_random_instructions_agree_with_fp64(shape: str, kind: str) -> None:
    a, b, c = operands(shape, kind, 100)
    d = mma(a, b, c, shape, kind)
    error = np.abs(d - (a @ b + c)).max()
    assert error <= {**dict.fromkeys(EXACT, 0), "fp64": 2e-14}.get(kind, 4e-6)
    assert d.dtype == {**dict.fromkeys(EXACT, np.int32), "fp64": np.float64}.get(kind, np.float32)


def test_fp16_accumulation_is_far_worse() -> None:
    a, b, c = operands("m16n8k16", "fp16", 100)
    exact = a @ b + c
    fine = np.abs(mma(a, b, c) - exact).max()
    coarse = np.abs(mma(a, b, c, accumulate="fp16") - exact).max()
    assert coarse > 500 * fine
    assert coarse < 0.02


def test_fp16_accumulators_are_fp16() -> None:
    a, b, c = operands("m16n8k16", "fp16", 1)
    d = mma(a, b, c, accumulate="fp16")
    assert np.array_equal(d, d.astype(np.float16).astype(np.float32))
    expected = np.float32(0)
    product = (a.astype(np.float32) @ b.astype(np.float32)) + c.astype(np.float16)
    assert np.abs(d - product + expected).max() < 0.01


def test_integers_are_exact_and_placed() -> None:
    a, b, c = np.zeros((16, 16)), np.zeros((16, 8)), np.zeros((16, 8))
    a[3, 11], b[11, 6], c[3, 6] = 5, 7, 1
    d = mma(a, b, c)
    assert d[3, 6] == 36
    assert np.count_nonzero(d) == 1


@pytest.mark.parametrize(("shape", "kind"), SHAPES)
def test_fragments_give_what_matrices_give(shape: str, kind: str) -> None:
    given, instruction = operands(shape, kind, 3), read_instruction(shape, kind)
    maps = [fragment(shape, one, kind) for one in ("a", "b", "c")]
    lanes = [load(one, held, instruction) for one, held in zip(given, maps, strict=True)]
    expected = load(mma(*given, shape, kind), maps[2], instruction)
    assert np.array_equal(mma(*lanes, shape, kind), expected)


@pytest.mark.parametrize(("shape", "kind"), WIDE)
def test_a_warpgroups_fragments_give_what_matrices_give(shape: str, kind: str) -> None:
    a, b, c = operands(shape, kind, 2)
    held_a, held_c = (fragment(shape, one, kind) for one in ("a", "c"))
    d = mma(load(a, held_a), b, load(c, held_c), shape, kind)
    assert np.array_equal(d, load(mma(a, b, c, shape, kind), held_c))


def test_a_lanes_registers_multiply_what_they_hold() -> None:
    """Lane by lane, by the PTX ISA's rules alone: no map of ours takes part in the product."""
    a, b = (RNG.integers(-8, 8, size) for size in ((16, 64), (64, 8)))
    c = np.zeros((16, 8), dtype=int)
    for lane in range(32):
        g, t = lane >> 2, lane % 4
        for i in range(32):
            row = g if i < 8 or 16 <= i < 24 else g + 8
            k = t * 8 + (i & 7) + (32 if i >= 16 else 0)
            c[row] += a[row, k] * b[k]
    lanes = [
        load(one, fragment("m16n8k64", operand, "int4"))
        for one, operand in ((a, "a"), (b, "b"), (np.zeros_like(c), "c"))
    ]
    found = mma(*lanes, "m16n8k64", "int4")
    for lane in range(32):
        g, t = lane >> 2, lane % 4
        assert found[lane].tolist() == [c[g if i < 2 else g + 8, t * 2 + (i & 1)] for i in range(4)]


@pytest.mark.parametrize("accumulate", ["fp32", "fp16"])
def test_volta_computes_four_products_at_once(accumulate: str) -> None:
    a, b = (RNG.integers(-4, 5, size) for size in ((4, 8, 4), (4, 4, 8)))
    c = RNG.integers(-4, 5, (4, 8, 8))
    d = mma(a, b, c, "m8n8k4", accumulate=accumulate)
    assert np.array_equal(d, a @ b + c)
    # Quadpair by quadpair, in the registers of the PTX ISA: rows of A, columns of B.
    held = np.zeros((2, 32, 4))
    for lane in range(32):
        product, low = lane // 4 % 4, lane % 4 + 4 * (lane >= 16)
        held[:, lane] = a[product, low], b[product, :, low]
    places = fragment("m8n8k4", "c", "fp16", accumulate)
    registers = np.array([[c[lane // 4 % 4, *at] for at in places[lane]] for lane in range(32)])
    found = mma(*held, registers, "m8n8k4", accumulate=accumulate)
    for lane in range(32):
        assert found[lane].tolist() == [d[lane // 4 % 4, *at] for at in places[lane]]


def test_integers_wrap_around() -> None:
    c = np.full((8, 8), 2**31 - 1)
    d = mma(np.ones((8, 16)), np.ones((16, 8)), c, "m8n8k16", "int8")
    assert d.dtype == np.int32
    assert (d == -(2**31) + 15).all()
    assert (mma(np.ones((8, 16)), np.ones((16, 8)), -c, "m8n8k16", "int8") == -c + 16).all()


def test_fp64_is_not_rounded_to_fp32() -> None:
    a, b, c = np.full((8, 4), 1 + 2.0**-40), np.eye(4, 8), np.full((8, 8), 2.0**-50)
    d = mma(a, b, c, "m8n8k4", "fp64")
    assert d[0, 0] == 1 + 2.0**-40 + 2.0**-50
    assert d[0, 7] == 2.0**-50


def test_attention_feeds_its_accumulators_on() -> None:
    """P = S as a lane holds it is the left half of A: no trip through shared memory."""
    q, k, v = (
        RNG.integers(-3, 4, (16, 16)),
        RNG.integers(-3, 4, (16, 8)),
        RNG.integers(-3, 4, (8, 8)),
    )
    scores = load(mma(q, k, np.zeros((16, 8))), fragment("m16n8k16", "c"))
    a = np.concatenate([scores, np.zeros_like(scores)], axis=-1)
    b = load(np.concatenate([v, np.zeros((8, 8))]), fragment("m16n8k16", "b"))
    out = mma(a, b, np.zeros((32, 4)))
    assert np.array_equal(out, load(q @ k @ v, fragment("m16n8k16", "c")))


@pytest.mark.parametrize("kind", ["fp16", "bf16", "tf32", "fp8"])
def test_rounding_to_a_type(kind: str) -> None:
    form = FORMATS[kind]
    step = 2.0 ** (1 - form.significand)
    tiny = 2.0 ** (form.least_exponent + 1 - form.significand)
    values = [1 + step / 2, 1 + 3 * step / 2, 1 + step, tiny, tiny / 2, 1.5 * tiny, form.largest]
    expected = [1, 1 + 2 * step, 1 + step, tiny, 0, 2 * tiny, form.largest]
    assert rounded(values, form).tolist() == expected
    assert rounded([-v for v in values], form).tolist() == [-v for v in expected]
    assert abs(rounded(form.largest * 1.5, form)) == (448 if kind == "fp8" else np.inf)
    assert np.isnan(rounded(np.nan, form))


def test_fp16_rounds_as_numpy_does() -> None:
    values = np.concatenate(
        [RNG.standard_normal(2000) * 10.0 ** RNG.integers(-9, 5, 2000), [65519, 65520]]
    )
    with np.errstate(over="ignore"):
        assert np.array_equal(held_in("a", values, "fp16"), values.astype(np.float16))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": np.ones((16, 8))}, "a: has shape (16, 8), m16n8k16 takes (..., 16, 16)"),
        ({"b": np.ones((8, 16))}, "b: has shape (8, 16)"),
        ({"c": np.ones((8, 16))}, "c: has shape"),
        ({"c": np.ones((16, 8), dtype=complex)}, "c: must be an array of real numbers"),
        ({"a": np.full((16, 16), "x")}, "a: must be an array of real numbers"),
        ({"accumulate": "fp64"}, "accumulate"),
        ({"element_type": "bf16", "accumulate": "fp16"}, "accumulates in 32 bits only"),
        ({"element_type": "fp4"}, "takes fp16, bf16, int8, fp8"),
        ({"element_type": "int8", "a": np.full((16, 16), 128)}, "a=128: int8"),
        ({"element_type": "int8", "a": np.full((16, 16), 0.5)}, "a=0.5: int8"),
        ({"element_type": "int8", "c": np.full((16, 8), 0.5)}, "c=0.5: int32"),
        ({"element_type": "int8", "c": np.full((16, 8), 2**31)}, "c=2147483648: int32"),
        ({"element_type": "int8", "accumulate": "fp32"}, "32 bits only (int32)"),
        ({"shape": "m8n8k4"}, "a: has shape (16, 16), m8n8k4 takes (..., 4, 8, 4)"),
    ],
)
def test_refusals(change: dict[str, object], message: str) -> None:
    arguments = {"a": np.ones((16, 16)), "b": np.ones((16, 8)), "c": np.ones((16, 8))} | change
    with pytest.raises(InputError) as refusal:
        mma(**arguments)  # type: ignore[arg-type]
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)
