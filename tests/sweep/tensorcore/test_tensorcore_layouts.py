"""The fragments once more, as CuTe lays out threads and values: a second account of each map.

A layout maps (thread, value) to m + M k of A, n + N k of B and m + M n of C, a mode being pairs of
extent and stride, the first the fastest. Source: CUTLASS, ``include/cute/atom``,
``mma_traits_sm70.hpp``, ``sm80``, ``sm90`` and ``sm90_gmma``; int4 is not among them.
"""

from __future__ import annotations

import numpy as np
import pytest

from sweep.tensorcore import fragment
from sweep.tensorcore.instructions.instruction_shapes import MMA_TYPES, read_instruction

Mode = list[tuple[int, int]]
Layout = tuple[Mode, Mode]


def thread(across: int, *warps: tuple[int, int]) -> Mode:
    return [(4, across), (8, 1), *warps]


ONE: Mode = [(1, 0)]
C_8: Layout = thread(16), [(2, 8)]
C_16: Layout = thread(32), [(2, 16), (2, 8)]
LAYOUTS: dict[tuple[str, str], tuple[Layout, Layout, Layout]] = {
    ("m8n8k4", "fp64"): ((thread(8), ONE), (thread(8), ONE), C_8),
    ("m8n8k16", "int8"): ((thread(32), [(4, 8)]), (thread(32), [(4, 8)]), C_8),
    ("m8n8k128", "b1"): ((thread(256), [(32, 8)]), (thread(256), [(32, 8)]), C_8),
    ("m16n8k4", "tf32"): ((thread(16), [(2, 8)]), (thread(8), ONE), C_16),
    ("m16n8k4", "fp64"): ((thread(16), [(2, 8)]), (thread(8), ONE), C_16),
    ("m16n8k8", "fp16"): (C_16, (thread(16), [(2, 8)]), C_16),
    ("m16n8k8", "bf16"): (C_16, (thread(16), [(2, 8)]), C_16),
    ("m16n8k8", "tf32"): ((thread(16), [(2, 8), (2, 64)]), (thread(8), [(2, 32)]), C_16),
    ("m16n8k8", "fp64"): ((thread(16), [(2, 8), (2, 64)]), (thread(8), [(2, 32)]), C_16),
    ("m16n8k16", "fp16"): (
        (thread(32), [(2, 16), (2, 8), (2, 128)]),
        (thread(16), [(2, 8), (2, 64)]),
        C_16,
    ),
    ("m16n8k16", "int8"): ((thread(64), [(4, 16), (2, 8)]), (thread(32), [(4, 8)]), C_16),
    ("m16n8k16", "fp64"): ((thread(16), [(2, 8), (4, 64)]), (thread(8), [(4, 32)]), C_16),
    ("m16n8k32", "int8"): (
        (thread(64), [(4, 16), (2, 8), (2, 256)]),
        (thread(32), [(4, 8), (2, 128)]),
        C_16,
    ),
    ("m16n8k32", "fp8"): (
        (thread(64), [(4, 16), (2, 8), (2, 256)]),
        (thread(32), [(4, 8), (2, 128)]),
        C_16,
    ),
    ("m16n8k128", "b1"): ((thread(512), [(32, 16), (2, 8)]), (thread(256), [(32, 8)]), C_16),
    ("m16n8k256", "b1"): (
        (thread(512), [(32, 16), (2, 8), (2, 2048)]),
        (thread(256), [(32, 8), (2, 1024)]),
        C_16,
    ),
}
WARPS = (4, 16)
WGMMA_A: dict[str, tuple[int, Layout]] = {
    "tf32": (8, (thread(64, WARPS), [(2, 8), (2, 256)])),
    "fp16": (16, (thread(128, WARPS), [(2, 64), (2, 8), (2, 512)])),
    "bf16": (16, (thread(128, WARPS), [(2, 64), (2, 8), (2, 512)])),
    "int8": (32, (thread(256, WARPS), [(4, 64), (2, 8), (2, 1024)])),
    "fp8": (32, (thread(256, WARPS), [(4, 64), (2, 8), (2, 1024)])),
}


def offsets(mode: Mode) -> np.ndarray:
    """Return where each coordinate of a mode goes."""
    found = np.zeros(1, dtype=int)
    for extent, stride in mode:
        found = (stride * np.arange(extent)[:, None] + found).ravel()
    return found


def laid_out(layout: Layout, operand: str, rows: int) -> np.ndarray:
    """Return (lanes, elements, 2), as ``fragment`` does."""
    threads, values = map(offsets, layout)
    at = threads[:, None] + values
    pair = (at % rows, at // rows)
    return np.stack(pair[::-1] if operand == "b" else pair, axis=-1)


def test_all_but_int4_and_volta_are_there() -> None:
    every = {(shape, kind) for shape, kinds in MMA_TYPES.items() for kind in kinds}
    lacking = {one for one in every if one not in LAYOUTS}
    assert {(shape, kind) for shape, kind in lacking if kind != "int4"} == {
        ("m8n8k4", "fp16"), ("m16n8k16", "bf16"), ("m16n8k16", "fp8"),
    }  # fmt: skip
    assert np.array_equal(fragment("m16n8k16", "a", "bf16"), fragment("m16n8k16", "a", "fp16"))
    assert np.array_equal(fragment("m16n8k16", "a", "fp8"), fragment("m16n8k16", "a", "int8"))


@pytest.mark.parametrize(("shape", "kind"), LAYOUTS)
def test_mma(shape: str, kind: str) -> None:
    instruction = read_instruction(shape, kind)
    for operand, layout in zip("abc", LAYOUTS[shape, kind], strict=True):
        rows = instruction.n if operand == "b" else instruction.m
        assert np.array_equal(fragment(shape, operand, kind), laid_out(layout, operand, rows))


@pytest.mark.parametrize("kind", WGMMA_A)
@pytest.mark.parametrize("columns", [8, 16, 32, 64, 96, 128, 192, 256])
def test_wgmma(kind: str, columns: int) -> None:
    k, layout = WGMMA_A[kind]
    shape = f"m64n{columns}k{k}"
    assert np.array_equal(fragment(shape, "a", kind), laid_out(layout, "a", 64))
    held = thread(128, WARPS), [(2, 64), (2, 8), (columns // 8, 512)]
    assert np.array_equal(fragment(shape, "c", kind), laid_out(held, "c", 64))


@pytest.mark.parametrize(
    ("operand", "accumulate", "layout"),
    [
        ("a", "fp32", ([(8, 1)], [(4, 8)])),
        ("b", "fp32", ([(8, 1)], [(4, 8)])),
        ("c", "fp16", ([(8, 1)], [(8, 8)])),
        ("c", "fp32", ([(2, 1), (2, 16), (2, 4)], [(2, 8), (2, 2), (2, 32)])),
    ],
)
def test_volta(operand: str, accumulate: str, layout: Layout) -> None:
    """Eight threads of a quadpair: lanes 0 to 3 and 16 to 19, and 4, 8 and 12 further on."""
    held = fragment("m8n8k4", operand, "fp16", accumulate)
    quadpair = offsets([(4, 1), (2, 16)])
    for first in (0, 4, 8, 12):
        assert np.array_equal(held[quadpair + first], laid_out(layout, operand, 8))
