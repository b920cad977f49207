"""The block product through shared memory: right in every layout, and what it costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import config

from analysis.data_path.bank_conflicts import ldmatrix_ways
from sweep.errors import InputError
from sweep.tensorcore import block_product, mma

PURE = bool(config.DISABLE_JIT)
SIDE = 64 if PURE else 128
LAYOUTS = [(None, 0), ("xor", 0), ((3, 3, 3), 0), ((2, 3, 3), 0), (None, 8), ("xor", 8)]


def matrices(m: int, n: int, k: int, seed: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((m, k)).astype(np.float16)
    b = rng.standard_normal((k, n)).astype(np.float16)
    return a, b, a.astype(float) @ b.astype(float)


@pytest.mark.parametrize(("swizzle", "pad"), LAYOUTS)
@pytest.mark.parametrize("bk", [32, 64])
def test_every_layout_agrees_with_fp64(swizzle: Any, pad: int, bk: int) -> None:
    a, b, exact = matrices(SIDE, SIDE, SIDE)
    c, counts = block_product(a, b, bk=bk, swizzle=swizzle, pad_elements=pad)
    assert c.dtype == np.float32
    assert np.abs(c - exact).max() <= 1e-5
    assert counts.mma == SIDE**3 // 2048
    assert counts.ldmatrix == counts.mma // 2
    assert counts.ideal_wavefronts == 4 * counts.ldmatrix
    ways = {("xor", 0): 1, ("xor", 8): 1, ((3, 3, 3), 0): 1, ((2, 3, 3), 0): bk // 32}
    expected = ways.get((swizzle, pad), int(ldmatrix_ways(2 * (bk + pad))))
    assert counts.wavefronts == expected * counts.ideal_wavefronts


def test_the_reference_counts() -> None:
    side = 128
    if PURE:
        pytest.skip("many seconds without compilation")
    a, b, _ = matrices(side, side, side)
    counts = block_product(a, b)[1]
    assert dict(counts) == {
        "mma": 1024, "ldmatrix": 512, "wavefronts": 2048, "ideal_wavefronts": 2048,
    }  # fmt: skip
    assert block_product(a, b, swizzle=None)[1].wavefronts == 16384
    assert block_product(a, b, bk=32, swizzle=None)[1].wavefronts == 8192


def test_fp16_accumulation_is_far_worse() -> None:
    a, b, exact = matrices(SIDE, SIDE, SIDE)
    fine = np.abs(block_product(a, b)[0] - exact).max()
    coarse, counts = block_product(a, b, accumulate="fp16")
    assert 1000 * fine < np.abs(coarse - exact).max() < 0.5
    assert np.array_equal(coarse, coarse.astype(np.float16))
    assert counts == block_product(a, b)[1]


@pytest.mark.parametrize("accumulate", ["fp32", "fp16"])
def test_it_is_a_chain_of_mma(accumulate: str) -> None:
    a, b, _ = matrices(16, 16, 48)
    c = block_product(a, b, (16, 16), 48, (16, 16), accumulate=accumulate)[0]
    for left in (0, 8):
        d = np.zeros((16, 8), dtype=np.float32)
        for k in (0, 16, 32):
            d = mma(a[:, k : k + 16], b[k : k + 16, left : left + 8], d, accumulate=accumulate)
        assert np.array_equal(c[:, left : left + 8], d)


def test_blocks_warps_and_matrices_of_any_shape() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.integers(-4, 5, (96, 80)), rng.integers(-4, 5, (80, 64))
    for block, warp, bk in (
        ((48, 32), (16, 32), 16),
        ("96x64", "48x16", 80),
        ((32, 64), (32, 64), 80),
    ):
        c, counts = block_product(a, b, block, bk, warp)
        assert np.array_equal(c, a @ b)
        assert counts.mma == 96 * 64 * 80 // 2048
        assert counts.wavefronts == counts.ideal_wavefronts
    c, counts = block_product(a, b, (96, 64), 80, (48, 32))
    # Per warp and 16 columns of K: 3 loads of A, 2 of B.
    assert counts.ldmatrix == 5 * 5 * 4


def test_fp16_rounding_of_the_accumulators() -> None:
    a, b = np.zeros((16, 32)), np.zeros((32, 16))
    a[0, 0], b[0, 0], a[0, 16], b[16, 0] = 2048, 1, 1, 1
    where = ((16, 16), 32, (16, 16))
    assert block_product(a, b, *where)[0][0, 0] == 2049
    assert block_product(a, b, *where, accumulate="fp16")[0][0, 0] == 2048
    a[0, 16] = 3
    assert block_product(a, b, *where, accumulate="fp16")[0][0, 0] == 2052
    a[0, 0], b[0, 0] = 60000, 2
    assert block_product(a, b, *where, accumulate="fp16")[0][0, 0] == np.inf
    # Subnormal numbers: multiples of 2^-24.
    a[0, 0], b[0, 0], a[0, 16] = 2.0**-12, 1.25 * 2.0**-11, 0
    assert block_product(a, b, *where, accumulate="fp16")[0][0, 0] == 2.0**-23
    a[0, 0] = -a[0, 0]
    assert block_product(a, b, *where, accumulate="fp16")[0][0, 0] == -(2.0**-23)


GOOD: dict[str, Any] = {"a": np.ones((64, 64)), "b": np.ones((64, 64))}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": np.ones((96, 64))}, "block M=64: must divide the 96 rows of a"),
        ({"b": np.ones((64, 96))}, "block N=64: must divide the 96 columns of b"),
        ({"bk": 48}, "bk=48: must divide the 64 columns of a"),
        ({"warp": (48, 32)}, "warp M=48: must divide the 64 block M"),
        ({"warp": (32, 48)}, "warp N=48: must divide the 64 block N"),
        ({"warp": (8, 32)}, "warp M=8: must be a multiple of 16"),
        ({"warp": (32, 8)}, "warp N=8: must be a multiple of 16"),
        ({"bk": 8}, "bk=8: must be a multiple of 16"),
        ({"bk": 0}, "bk=0: must be at least 1"),
        ({"warp": "32"}, "warp='32': must be 2 whole numbers"),
        ({"block": (64, 64, 64)}, "block=(64, 64, 64): must be 2 whole numbers"),
        ({"b": np.ones((32, 64))}, "must be M x K and K x N"),
        ({"a": np.ones(64)}, "must be M x K and K x N"),
        ({"a": np.ones((0, 64))}, "must be M x K and K x N"),
        ({"b": np.ones((64, 0))}, "no columns"),
        ({"swizzle": (3, 2, 3)}, "splits the 16-byte rows"),
        ({"swizzle": (1, 11, -1)}, "moves chunks out of a tile"),
        ({"swizzle": "yor"}, "must be None, 'xor'"),
        ({"accumulate": "fp64"}, "accumulate"),
        ({"pad_elements": 4}, "8 byte is no multiple of 16 byte"),
        ({"a": np.full((64, 64), None)}, "a: must be an array of real numbers"),
    ],
)
def test_refusals(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refusal:
        block_product(**(GOOD | change))
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)
