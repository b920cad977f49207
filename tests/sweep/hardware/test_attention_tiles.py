"""Blocks per tile, packed rows, splits and emulated shares, against counting them one by one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sweep.errors import InputError
from sweep.hardware.attention_tiles import (
    combine_bytes,
    emulated_share,
    kv_blocks_of_tiles,
    num_splits,
    packed_rows,
    split_blocks,
    visible_scores,
)


def sees(query: int, key: int, seq_q: int, seq_k: int) -> bool:
    return key <= query + seq_k - seq_q


def counted(seq_q: int, seq_k: int, block_m: int, block_n: int, group: int) -> tuple[int, ...]:
    """Count, tile by tile, the blocks of keys up to the last one that any row sees."""
    blocks = []
    for first in range(0, seq_q * group, block_m):
        queries = {row // group for row in range(first, min(first + block_m, seq_q * group))}
        seen = [key for key in range(seq_k) for q in queries if sees(q, key, seq_q, seq_k)]
        blocks.append(math.ceil((max(seen) + 1) / block_n) if seen else 0)
    return tuple(blocks)


def test_causal_blocks_are_those_that_a_row_of_the_tile_sees() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        seq_q, seq_k, block_m, block_n = (int(n) for n in rng.integers(1, 40, 4))
        group = int(rng.choice([1, 1, 2, 3, 8]))
        shape = (seq_q, seq_k, block_m, block_n)
        found = kv_blocks_of_tiles(*shape, causal=True, heads_per_kv_head=group)
        assert found == counted(*shape, group), (shape, group)
        whole = kv_blocks_of_tiles(*shape, heads_per_kv_head=group)
        assert whole == (math.ceil(seq_k / block_n),) * len(found)


def test_causal_square_visits_half_the_blocks_and_the_diagonal() -> None:
    """8,192 queries and keys in blocks of 128 x 128: 2,080 of 4,096 block pairs."""
    blocks = kv_blocks_of_tiles(8192, 8192, 128, 128, causal=True)
    assert (sum(blocks), len(blocks) ** 2) == (2080, 4096)


def test_visible_scores_counts_pairs() -> None:
    for seq_q in range(1, 9):
        for seq_k in range(1, 9):
            pairs = [sees(q, k, seq_q, seq_k) for q in range(seq_q) for k in range(seq_k)]
            assert visible_scores(seq_q, seq_k, causal=True) == sum(pairs)
            assert visible_scores(seq_q, seq_k) == len(pairs)


def test_packed_rows_of_decoding() -> None:
    """FlashAttention-3 packs 8 query heads per key-value head: 8 useful rows of a 64-row block."""
    assert packed_rows(seq_q=1, heads_q=64, heads_kv=8) == 8
    with pytest.raises(InputError, match=r"^heads_q=10: must be a multiple of heads_kv=4$"):
        packed_rows(1, 10, 4)


def test_splits_are_equal_runs_of_all_blocks() -> None:
    for blocks in range(1, 70):
        for splits in range(1, 40):
            runs = split_blocks(blocks, splits)
            assert (sum(runs), len(runs), max(runs)) == (blocks, splits, -(-blocks // splits))
            assert all(one in (runs[0], 0) for one in runs if one != min(set(runs) - {0}))


def published_num_splits(row_blocks: int, sm_count: int, kv_blocks: int) -> int:
    """The rule as FlashAttention-3 states it, in floating point (``hopper/heuristics.h``)."""
    if row_blocks >= 0.8 * sm_count or kv_blocks <= 4:
        return 1
    waves = [row_blocks * n / sm_count for n in range(1, min(128, sm_count, kv_blocks) + 1)]
    efficiency = [one / math.ceil(one) for one in waves]
    return next(n for n, one in enumerate(efficiency, 1) if one >= 0.85 * max(efficiency) - 1e-12)


def test_number_of_splits_is_the_published_rule() -> None:
    assert num_splits(48, 108, 64) == 2
    assert num_splits(8, 132, 64) == 15
    rng = np.random.default_rng(2)
    for _ in range(500):
        row_blocks, kv_blocks = (int(n) for n in rng.integers(1, 200, 2))
        sm_count = int(rng.choice([84, 108, 132, 148]))
        expected = published_num_splits(row_blocks, sm_count, kv_blocks)
        assert num_splits(row_blocks, sm_count, kv_blocks) == expected
    assert num_splits(8, 132, 64, most=4) <= 4


def test_combining_reads_every_split_and_writes_the_output() -> None:
    rows, splits, width = 8, 15, 128
    read = sum(rows * (width + 1) * 4 for _ in range(splits))
    assert combine_bytes(rows, splits, width, 2) == read + rows * width * 2


@pytest.mark.parametrize("frequency, share", [(10, 0.1875), (16, 0.125), (8, 0.25), (0, 0)])
def test_emulated_share(frequency: int, share: float) -> None:
    """``ex2_emu_freq`` of FlashAttention-4, two fragments of four, counted score by score."""
    emulated = [
        fragment in (1, 2) and frequency > 0 and (k - k % 2) % frequency >= frequency - 4
        for fragment in range(4)
        for k in range(32)
    ]
    assert emulated_share(frequency) == sum(emulated) / 128 == share


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: kv_blocks_of_tiles(0, 1, 1, 1), "seq_q=0: must be at least 1"),
        (lambda: kv_blocks_of_tiles(1, 1, 1.5, 1), "block_m=1.5: must be a whole number"),  # type: ignore[arg-type]
        (lambda: split_blocks(True, 1), "kv_blocks=True: must be a whole number"),
        (lambda: num_splits(1, 1, "x"), "kv_blocks='x': must be a whole number"),  # type: ignore[arg-type]
        (lambda: emulated_share(-1), "ex2_emu_freq=-1: must be at least 0"),
        (lambda: emulated_share(8, block_n=100), "block_n=100: must be a multiple of 32 keys"),
        (lambda: combine_bytes(1, 1, 1, 0), "element_bytes=0: must be above 0 byte"),
    ],
)
def test_what_is_no_shape_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message
