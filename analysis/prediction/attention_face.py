"""Predictions of attention as a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.prediction.arguments import Arguments
from analysis.prediction.as_dataset import as_dataset
from analysis.prediction.cards import architecture
from analysis.prediction.constants import HOPPER
from analysis.prediction.status import reasons
from analysis.prediction.terms.attention_time import (
    CLOCK,
    TILES,
    Block,
    Shape,
    attention_seconds,
    grid_load,
)
from sweep.quantities.arrays import Array
from sweep.quantities.predicted import predicted_code

if TYPE_CHECKING:
    import xarray as xr

ATTENTION = (
    "gpu",
    "seq_q",
    "seq_k",
    "heads",
    "batch",
    "head_dim",
    "causal",
    "element_type",
    "direction",
)
NEEDED = ("gpu", "seq_q", "heads", "head_dim")
HALF_WIDTH = 0.13
"""80 % quantile of |log error|, leaving one type, head dimension and causality out."""
SHORTEST = 1024
CALIBRATED = ("h100_sxm",)
ALIKE = ("h800_sxm", "h200_sxm")
"""With the SMs and the clock of an H100 SXM."""


def attention_dataset(parameters: dict[str, Any]) -> xr.Dataset:
    """Predict forward passes of FlashAttention-3."""
    arguments = Arguments(parameters, ATTENTION, NEEDED, "attention")
    shape, tiled = _shape(arguments)
    seconds, block = attention_seconds(shape)
    flop = 4.0 * shape.batch * shape.heads * shape.seq_q * shape.seq_k * shape.head_dim
    seen = shape.seq_k - (shape.seq_q - 1) / 2
    flop = np.where(shape.causal, flop * np.minimum(1, seen / shape.seq_k), flop)
    reason = _reason(arguments, shape, tiled)
    rate = np.where(shape.fp8, 8192.0, 4096.0) * shape.sm_count * CLOCK * 1e9
    tflops = flop / seconds / 1e12
    rounds, _ = grid_load(shape)
    numbers = {
        "tflops": tflops,
        "utilization": flop / seconds / rate,
        "sm_clock_hz": np.asarray(CLOCK * 1e9),
        "pipe_utilization": flop / seconds / rate,
        "seconds": seconds,
        "problem_cycles": seconds * CLOCK * 1e9,
        "ctas_per_sm": np.ones(()),
        "waves": rounds,
        "tiles": shape.batch * shape.heads * np.ceil(shape.seq_q / shape.block_m),
        "k_tile_period": block.cycles,
    }
    outside = reason > 0
    width = HALF_WIDTH * np.where(outside, 2.0, 1.0)
    return as_dataset(arguments, numbers, width, _binding(block), reason)


def _shape(arguments: Arguments) -> tuple[Shape, Array]:
    """Return the problems with their tiles, and whether their tile is known."""
    codes, cards = arguments.codes("gpu")
    counts = np.array([card.sm_count or 0 for card in cards])[codes]
    queries = arguments.number("seq_q")
    dim, causal = arguments.number("head_dim"), arguments.number("causal") > 0
    types = arguments.texts("element_type")
    names, dims, masks = np.broadcast_arrays(types, dim, causal)
    tiles = [
        TILES.get(("fp8" if name == "fp8" else "fp16", int(size), int(mask)))
        if name in ("fp8", "fp16", "bf16")
        else None
        for name, size, mask in zip(names.flat, dims.flat, masks.flat, strict=True)
    ]
    tiled = np.array([one is not None for one in tiles]).reshape(names.shape)
    sides = np.array([one or (128, 128) for one in tiles]).reshape(*names.shape, 2)
    fields = (
        queries,
        arguments.number("seq_k", queries),
        arguments.number("heads"),
        arguments.number("batch"),
        dim,
        causal,
        types == "fp8",
        sides[..., 0],
        sides[..., 1],
        np.maximum(1, counts),
    )
    return Shape(*np.broadcast_arrays(*fields)), tiled


def _reason(arguments: Arguments, shape: Shape, tiled: Array) -> Array:
    codes, cards = arguments.codes("gpu")
    hopper = np.array([architecture(card) == HOPPER for card in cards])[codes]
    like = np.array([card.name in (*CALIBRATED, *ALIKE) for card in cards])[codes]
    conditions = {
        "small_problem": np.minimum(shape.seq_q, shape.seq_k) < SHORTEST,
        "gpu": ~like,
        "element_type": ~tiled,
        "backward": arguments.texts("direction") == "backward",
        "architecture": ~hopper,
    }
    return reasons(conditions, arguments.shape)


def _binding(block: Block) -> Array:
    """Return what the longest of the block's limits is."""
    limits = np.stack([block.tensor, block.exp, block.chain, block.shared])
    names = ("tensor_core", "exp", "serial_chain", "softmax")
    codes = np.array([predicted_code("binding", name) for name in names])
    found: Array = codes[limits.argmax(axis=0)]
    return found
