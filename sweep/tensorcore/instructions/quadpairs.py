"""The register fragments of Volta's mma.m8n8k4 of fp16, which computes four products at once.

Lanes 4 q to 4 q + 3 and the same 16 further on, a quadpair, hold product q. In the order of the
quadpair's eight lanes, a lane holds a row of A, a column of B, and, where the accumulators are
fp16, a row of C; fp32 accumulators lie in 2 x 2 squares.

Source: PTX ISA 9.2, section 9.7.14.5.1, with A row-major and B column-major, as every other mma
takes them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sweep.quantities.arrays import Array
from sweep.tensorcore.instructions.instruction_shapes import QUADPAIRS, WARP

_ELEMENTS = {"a": 4, "b": 4, "c": 8}


def quadpair_of(lane: Array) -> Array:
    """Return which of the four products a lane takes part in."""
    return np.asarray(lane // 4 % QUADPAIRS)


def quadpair_fragment(operand: str, accumulator: str) -> NDArray[np.int64]:
    """Return the row and column of each element of each lane in its product's operand."""
    lane, i = np.meshgrid(np.arange(WARP), np.arange(_ELEMENTS[operand]), indexing="ij")
    high = 4 * (lane // 16)
    outer, inner = lane % 4 + high, i
    if operand == "c" and accumulator == "fp32":
        outer, inner = lane % 2 + (i & 2) + high, (i & 4) + (lane & 2) + i % 2
    pair = (inner, outer) if operand == "b" else (outer, inner)
    return np.stack(pair, axis=-1).astype(np.int64)
