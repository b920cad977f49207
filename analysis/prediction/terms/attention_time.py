"""Time of FlashAttention-3's forward pass on Hopper: block of keys, query tile, grid."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from sweep.quantities.arrays import Array

TILES: Mapping[tuple[str, int, int], tuple[int, int]] = MappingProxyType(
    {
        ("fp16", 64, 0): (192, 192),
        ("fp16", 64, 1): (192, 128),
        ("fp16", 128, 0): (128, 176),
        ("fp16", 128, 1): (128, 128),
        ("fp16", 256, 0): (128, 80),
        ("fp16", 256, 1): (128, 80),
        ("fp8", 64, 0): (192, 160),
        ("fp8", 64, 1): (192, 160),
        ("fp8", 128, 0): (128, 224),
        ("fp8", 128, 1): (128, 224),
        ("fp8", 256, 0): (128, 128),
        ("fp8", 256, 1): (128, 128),
    }
)
"""Queries and keys of a block by type, head dimension and causality (FlashAttention-3)."""
CLOCK = 1.83
"""GHz: the clock never binds."""
ROWS = 64
"""Queries of a warpgroup."""
FLOP_PER_CYCLE, EXP_PER_CYCLE = 4096.0, 16.0
SOFTMAX_PER_KEY = 2.0


class AttentionConstants(NamedTuple):
    """Fitted to published forward passes.

    Attributes
    ----------
    exposed_exp, exposed_softmax, block_base, fp8_layout : float
        Parts of the exponentials and of the rest of softmax that are left where warpgroups take
        turns; cycles of a block beside; part of the exponentials' time that rearranging fp8
        operands takes at head dimension 128.
    tile_base, fp8_tile : float
        Cycles of a query tile beside its blocks, and more of fp8.
    """

    exposed_exp: float = 0.385
    exposed_softmax: float = 0.1
    block_base: float = 268.0
    fp8_layout: float = 0.2
    tile_base: float = 4310.0
    fp8_tile: float = 6990.0


KEPT = AttentionConstants()


class Shape(NamedTuple):
    """Attention problems and their tiles, as arrays.

    Attributes
    ----------
    seq_q, seq_k, heads, batch, head_dim : Array
    causal, fp8 : Array
        Whether a query sees no later key; whether elements are fp8 (else 16-bit).
    block_m, block_n : Array
        Queries of a CTA, keys of a block.
    sm_count : Array
    """

    seq_q: Array
    seq_k: Array
    heads: Array
    batch: Array
    head_dim: Array
    causal: Array
    fp8: Array
    block_m: Array
    block_n: Array
    sm_count: Array


class Block(NamedTuple):
    """Cycles of a block of keys, and the limits among which it is the largest.

    Attributes
    ----------
    cycles, tensor, exp, chain, shared : Array
        The largest of the Tensor Core, the exponentials, a warpgroup's own chain, and
        warpgroups that take turns with part of the softmax exposed.
    """

    cycles: Array
    tensor: Array
    exp: Array
    chain: Array
    shared: Array


def block_cycles(shape: Shape, known: AttentionConstants = KEPT) -> Block:
    """Return the cycles of one block of keys for all warpgroups of a CTA."""
    groups = shape.block_m / ROWS
    rate = FLOP_PER_CYCLE * np.where(shape.fp8, 2.0, 1.0)
    product = 2 * ROWS * shape.block_n * shape.head_dim / rate
    both = 2 * product
    exp = ROWS * shape.block_n / EXP_PER_CYCLE
    softmax = SOFTMAX_PER_KEY * shape.block_n
    layout = np.where(shape.fp8, known.fp8_layout * exp * shape.head_dim / 128, 0.0)
    exposed = known.exposed_exp * exp + known.exposed_softmax * softmax
    exposed = exposed + known.block_base + layout
    limits = (groups * both, groups * exp, exp + softmax + product, groups * (both + exposed))
    largest = np.maximum(np.maximum(limits[0], limits[1]), np.maximum(limits[2], limits[3]))
    return Block(largest, *limits)


def grid_load(shape: Shape) -> tuple[Array, Array]:
    """Return query tiles per SM and blocks of keys per tile that the time is made of.

    Without causality whole waves of equal tiles; with it the mean load of an SM plus half of the
    longest tile, whose blocks are given out longest first.
    """
    per_head = np.ceil(shape.seq_q / shape.block_m)
    blocks = np.ceil(shape.seq_k / shape.block_n)
    tiles = shape.batch * shape.heads * per_head
    seen = _mean_causal_blocks(shape)
    filled = tiles / shape.sm_count
    rounds = np.where(shape.causal, filled + 0.5, np.ceil(filled))
    work = np.where(shape.causal, filled * seen + 0.5 * blocks, np.ceil(filled) * blocks)
    return rounds, work


def _mean_causal_blocks(shape: Shape) -> Array:
    """Return the mean over query tiles of ``ceil(last key seen / block)``, exactly."""
    per_head = np.ceil(shape.seq_q / shape.block_m).astype(np.int64)
    most = int(per_head.max())
    row = np.arange(1, most + 1)
    offset = (shape.seq_k - shape.seq_q)[..., None]
    last = np.minimum(row * shape.block_m[..., None], shape.seq_q[..., None]) + offset
    blocks = np.ceil(np.clip(last, 0, None) / shape.block_n[..., None])
    inside = row <= per_head[..., None]
    return np.asarray((blocks * inside).sum(axis=-1) / per_head)


def attention_seconds(shape: Shape, known: AttentionConstants = KEPT) -> tuple[Array, Block]:
    """Return the seconds of a forward pass, and a block's cycles."""
    block = block_cycles(shape, known)
    rounds, work = grid_load(shape)
    base = known.tile_base + np.where(shape.fp8, known.fp8_tile, 0.0)
    return (rounds * base + work * block.cycles) / (CLOCK * 1e9), block
