"""Attention as output tiles: key blocks under a mask, packed rows, and splits for decoding.

Sequence lengths and blocks are whole numbers of queries and keys; a tile is ``block_m`` rows.
"""

from __future__ import annotations

import operator
from fractions import Fraction

from sweep.errors import InputError, InputTypeError, quoted
from sweep.quantities.numbers import is_real

MOST_SPLITS = 128
"""FlashAttention-3, ``hopper/flash_api.cpp``: the most that its heuristic is asked for."""
ENOUGH = Fraction(85, 100)
"""Of the best wave efficiency, for the fewest splits that reach it."""
NEARLY_FULL = Fraction(8, 10)
FEWEST_BLOCKS = 4
FRAGMENT = 32
"""Scores that FlashAttention-4 converts together."""


def kv_blocks_of_tiles(
    seq_q: int,
    seq_k: int,
    block_m: int,
    block_n: int,
    *,
    causal: bool = False,
    heads_per_kv_head: int = 1,
) -> tuple[int, ...]:
    """Return the blocks of keys that each output tile of a head visits.

    ``ceil(keys / block_n)``, where a causal tile i sees
    ``max(0, min(seq_k, min((i + 1) block_m, seq_q) + seq_k - seq_q))`` keys: the last query is
    aligned with the last key.

    Parameters
    ----------
    seq_q, seq_k : int
        Queries and keys.
    block_m, block_n : int
        Rows of a tile, keys of a block.
    causal : bool
        Whether query i sees keys up to i + seq_k - seq_q only.
    heads_per_kv_head : int
        Queries of that many heads are packed into the rows of a tile, query by query.

    Raises
    ------
    InputError
        For anything but whole numbers of at least 1.

    References
    ----------
    FlashAttention-3, ``hopper/block.h``, ``BlockMN::get_n_block_min_max``.

    Examples
    --------
    >>> kv_blocks_of_tiles(512, 512, 128, 128, causal=True)
    (1, 2, 3, 4)
    >>> sum(kv_blocks_of_tiles(8192, 8192, 128, 128, causal=True)), 64 * 64
    (2080, 4096)
    """
    seq_q, seq_k, block_m, block_n, group = _whole_numbers(
        seq_q=seq_q,
        seq_k=seq_k,
        block_m=block_m,
        block_n=block_n,
        heads_per_kv_head=heads_per_kv_head,
    )
    tiles = range(_ceiling(seq_q * group, block_m))
    if not causal:
        return tuple(_ceiling(seq_k, block_n) for _ in tiles)
    queries = (min(_ceiling((i + 1) * block_m, group), seq_q) for i in tiles)
    keys = (max(0, min(seq_k, last + seq_k - seq_q)) for last in queries)
    return tuple(_ceiling(seen, block_n) for seen in keys)


def visible_scores(seq_q: int, seq_k: int, *, causal: bool = False) -> int:
    """Return how many query-key pairs of a head count: useful FLOP are 4 head_dim of each.

    Examples
    --------
    >>> visible_scores(3, 5), visible_scores(3, 5, causal=True), visible_scores(5, 3, causal=True)
    (15, 12, 6)
    """
    seq_q, seq_k = _whole_numbers(seq_q=seq_q, seq_k=seq_k)
    if not causal:
        return seq_q * seq_k
    before, triangle = max(seq_k - seq_q, 0), min(seq_q, seq_k)
    return triangle * before + triangle * (triangle + 1) // 2


def packed_rows(seq_q: int, heads_q: int, heads_kv: int) -> int:
    """Return the rows per key-value head when its query heads are packed into one tile.

    ``seq_q heads_q / heads_kv`` (grouped-query attention).

    Raises
    ------
    InputError
        If the query heads do not divide by the key-value heads.

    References
    ----------
    FlashAttention-3, ``hopper/heuristics.h``, ``should_pack_gqa``.

    Examples
    --------
    >>> packed_rows(seq_q=1, heads_q=64, heads_kv=8)
    8
    """
    seq_q, heads_q, heads_kv = _whole_numbers(seq_q=seq_q, heads_q=heads_q, heads_kv=heads_kv)
    if heads_q % heads_kv:
        raise InputError(f"heads_q={heads_q}: must be a multiple of heads_kv={heads_kv}")
    return seq_q * heads_q // heads_kv


def split_blocks(kv_blocks: int, kv_splits: int) -> tuple[int, ...]:
    """Return the blocks of each split: equal runs of ``ceil(kv_blocks / kv_splits)``.

    The last run takes what is left, and further ones nothing.

    References
    ----------
    FlashAttention-3, ``hopper/block.h``, ``BlockMN::get_n_block_min_max``.

    Examples
    --------
    >>> split_blocks(64, 6)
    (11, 11, 11, 11, 11, 9)
    """
    kv_blocks, kv_splits = _whole_numbers(kv_blocks=kv_blocks, kv_splits=kv_splits)
    run = _ceiling(kv_blocks, kv_splits)
    return tuple(max(0, min(run, kv_blocks - split * run)) for split in range(kv_splits))


def combine_bytes(rows: int, kv_splits: int, head_dim_v: int, element_bytes: float) -> float:
    """Return what the pass that combines splits moves, in bytes.

    ``rows (4 kv_splits (head_dim_v + 1) + head_dim_v element_bytes)``: it reads each split's
    output and log-sum-exp in FP32 and writes the output.

    Examples
    --------
    >>> combine_bytes(rows=8, kv_splits=2, head_dim_v=128, element_bytes=2)
    10304
    """
    rows, splits, width = _whole_numbers(rows=rows, kv_splits=kv_splits, head_dim_v=head_dim_v)
    if not is_real(element_bytes) or not 0 < element_bytes < float("inf"):
        raise InputError(f"element_bytes={quoted(element_bytes)}: must be above 0 byte")
    return rows * (4 * splits * (width + 1) + width * element_bytes)


def num_splits(row_blocks: int, sm_count: int, kv_blocks: int, most: int = MOST_SPLITS) -> int:
    """Return how many splits FlashAttention-3 chooses.

    One where the row blocks fill 0.8 of the SMs or there are at most 4 blocks of keys; else the
    fewest with 85 % of the best wave efficiency.

    Parameters
    ----------
    row_blocks : int
        Tiles of all heads and the batch.
    sm_count, kv_blocks : int
    most : int
        The most splits to consider.

    References
    ----------
    FlashAttention-3, ``hopper/heuristics.h``, ``num_splits_heuristic``; its exception for heads
    of keys and values that exceed 50 MiB of L2 is left out.

    Examples
    --------
    >>> num_splits(48, 108, 64), num_splits(8, 132, 64)
    (2, 15)
    """
    row_blocks, sm_count, kv_blocks, most = _whole_numbers(
        row_blocks=row_blocks, sm_count=sm_count, kv_blocks=kv_blocks, most=most
    )
    if row_blocks >= NEARLY_FULL * sm_count or kv_blocks <= FEWEST_BLOCKS:
        return 1
    choices = range(1, min(most, sm_count, kv_blocks) + 1)
    efficiency = [_wave_efficiency(row_blocks * splits, sm_count) for splits in choices]
    enough = ENOUGH * max(efficiency)
    return next(n for n, one in zip(choices, efficiency, strict=True) if one >= enough)


def _wave_efficiency(ctas: int, sm_count: int) -> Fraction:
    return Fraction(ctas, _ceiling(ctas, sm_count) * sm_count)


def emulated_share(
    ex2_emu_freq: int, ex2_emu_start_frg: int = 1, ex2_emu_res: int = 4, block_n: int = 128
) -> float:
    """Return the share of exponentials that FlashAttention-4 computes by polynomial.

    Of the ``block_n`` scores of a row, in fragments of 32, pairs number k with
    ``k mod ex2_emu_freq >= ex2_emu_freq - ex2_emu_res`` are emulated, but not in the fragments
    before ``ex2_emu_start_frg`` nor in the last.

    References
    ----------
    ``flash_attn/cute/softmax.py``, ``SoftmaxSm100.apply_exp2_convert``.

    Examples
    --------
    >>> emulated_share(10), emulated_share(16), emulated_share(8)
    (0.1875, 0.125, 0.25)
    """
    freq, start, res = (
        _whole_number(name, value, 0)
        for name, value in (
            ("ex2_emu_freq", ex2_emu_freq),
            ("ex2_emu_start_frg", ex2_emu_start_frg),
            ("ex2_emu_res", ex2_emu_res),
        )
    )
    (block_n,) = _whole_numbers(block_n=block_n)
    if block_n % FRAGMENT:
        raise InputError(f"block_n={block_n}: must be a multiple of {FRAGMENT} keys")
    if freq == 0:
        return 0.0
    pairs = sum(k % freq >= freq - res for k in range(0, FRAGMENT, 2))
    fragments = max(0, block_n // FRAGMENT - 1 - start)
    return 2 * pairs * fragments / block_n


def _ceiling(number: int, by: int) -> int:
    return -(-number // by)


def _whole_numbers(**numbers: int) -> tuple[int, ...]:
    return tuple(_whole_number(name, value, 1) for name, value in numbers.items())


def _whole_number(name: str, value: object, least: int) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputTypeError(f"{name}={quoted(value)}: must be a whole number") from None
    if number < least:
        raise InputError(f"{name}={quoted(number)}: must be at least {least}")
    return number
