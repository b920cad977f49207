"""The compiled functions of the data path: banks, ldmatrix, mma and the block product.

They are in one file because changes of helpers are looked for in no other.
Nothing is allocated inside; scratch comes from outside.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sweep.compiling.kept import once
from sweep.compiling.numba_options import compiled, function, inlined

Array = Any
Side = Any
"""An operand: its shared memory, where its chunks lie there, its map of lanes, its fragments."""
Sums = Any
"""The accumulators of a block's mma, their map of lanes, and scratch for the sums."""
Warp = Any
"""What a warp works in: the addresses of its lanes, banks to count, and registers."""

BANKS = 32
WARP = 32
PHASE_LANES, PHASES = 8, 4
"""An ldmatrix.x4 is served as four 8x8 matrices, each of 8 lanes' 16-byte rows."""
MMA, LDMATRIX, WAVEFRONTS, IDEAL = range(4)
"""Columns of the counts."""
BM, BN, BK, WM, WN, HALF = range(6)
"""What the block product is told: block, warp tile, and whether it accumulates in FP16."""


@function
def served(addresses: Array, point: int, first: int, lanes: int, words: int, banks: Array) -> int:
    """Return the wavefronts of lanes that are served together.

    A bank gives one 4-byte word per wavefront, to every lane that wants it. Accesses are aligned
    to their size, so two of them are the same words or have none in common.
    """
    for bank in range(BANKS):
        banks[bank] = 0
    most = 0
    for lane in range(first, first + lanes):
        address = addresses[point, lane]
        known = False
        for other in range(first, lane):
            if addresses[point, other] == address:
                known = True
        if not known:
            for word in range(words):
                bank = (address // 4 + word) % BANKS
                banks[bank] += 1
                most = max(most, banks[bank])
    return most


def _count_wavefronts(addresses: Array, phase: int, words: int, banks: Array, found: Array) -> None:
    """Count the wavefronts of each row of addresses, ``phase`` lanes at a time."""
    for point in range(addresses.shape[0]):
        total = 0
        for first in range(0, addresses.shape[1], phase):
            lanes = min(phase, addresses.shape[1] - first)
            total += served(addresses, point, first, lanes, words, banks)
        found[point] = total


@function
def ldmatrix(memory: Array, addresses: Array, held: Array, block: int) -> None:
    """Load four 8x8 matrices of 16-bit elements: lane 8 j + i points to row i of matrix j.

    Lane l receives elements 2 (l % 4) and the next of row l // 4 of every matrix, a register each.
    """
    for matrix in range(PHASES):
        for lane in range(WARP):
            row = addresses[0, PHASE_LANES * matrix + lane // 4] // 2
            for element in range(2):
                at = row + 2 * (lane % 4) + element
                held[block, lane, 2 * matrix + element] = memory[at]


@function
def count_load(addresses: Array, banks: Array, counts: Array) -> None:
    """Count one ldmatrix.x4 and the wavefronts it takes."""
    counts[LDMATRIX] += 1
    counts[IDEAL] += PHASES
    for matrix in range(PHASES):
        first = PHASE_LANES * matrix
        counts[WAVEFRONTS] += served(addresses, 0, first, PHASE_LANES, 4, banks)


@inlined
def to_half(value: float) -> float:
    """Round to FP16, to nearest even."""
    size = abs(value)
    if not size < 65520.0:
        return value * np.inf if size >= 65520.0 else value
    _, exponent = math.frexp(size)
    place = max(exponent, -13) - 11
    nearest = math.ldexp(np.rint(math.ldexp(size, -place)), place)
    return math.copysign(nearest, value)


@function
def multiply(
    a: Array, i: int, b: Array, j: int, into: Array, tile: int, c_map: Array, half: int, sums: Array
) -> None:
    """Execute one m16n8k16: sum the products along K in FP32, then add to the accumulators."""
    for row in range(16):
        for k in range(16):
            left = a[i, row, k]
            for column in range(8):
                sums[1, k, column] = left * b[j, k, column]
        half_k = 8
        while half_k:
            for k in range(half_k):
                for column in range(8):
                    sums[1, k, column] += sums[1, half_k + k, column]
            half_k //= 2
        for column in range(8):
            sums[0, row, column] = sums[1, 0, column]
    for lane in range(WARP):
        for element in range(4):
            row, column = c_map[lane, element, 0], c_map[lane, element, 1]
            into[tile, lane, element] += sums[0, row, column]
            if half:
                into[tile, lane, element] = to_half(into[tile, lane, element])


@function
def stage(matrix: Array, first: int, k: int, side: Side) -> None:
    """Write a k-tile to shared memory, rows from ``first`` and columns from ``k`` on."""
    memory, table, _, _ = side
    rows, chunks = table.shape
    for row in range(rows):
        for at in range(8 * chunks):
            memory[table[row, at // 8] // 2 + at % 8] = matrix[first + row, k + at]


@function
def load_a(side: Side, first: int, k: int, block: int, warp: Warp, counts: Array) -> None:
    """Load the A fragment of 16 rows from ``first`` on, columns k to k + 15."""
    memory, table, lanes, matrix = side
    addresses, banks, held = warp
    for lane in range(WARP):
        part = lane // PHASE_LANES
        row = first + lane % PHASE_LANES + PHASE_LANES * (part % 2)
        addresses[0, lane] = table[row, k // 8 + part // 2]
    count_load(addresses, banks, counts)
    ldmatrix(memory, addresses, held, 0)
    for lane in range(WARP):
        for element in range(8):
            row, column = lanes[lane, element, 0], lanes[lane, element, 1]
            matrix[block, row, column] = held[0, lane, element]


@function
def load_b(side: Side, first: int, k: int, block: int, warp: Warp, counts: Array) -> None:
    """Load two B fragments, 16 columns from ``first`` on, stored as rows along K."""
    memory, table, lanes, matrix = side
    addresses, banks, held = warp
    for lane in range(WARP):
        part = lane // PHASE_LANES
        row = first + lane % PHASE_LANES + PHASE_LANES * (part // 2)
        addresses[0, lane] = table[row, k // 8 + part % 2]
    count_load(addresses, banks, counts)
    ldmatrix(memory, addresses, held, 0)
    for lane in range(WARP):
        for element in range(8):
            row, column = lanes[lane, element % 4, 0], lanes[lane, element % 4, 1]
            matrix[block + element // 4, row, column] = held[0, lane, element]


@function
def multiply_warp_tile(
    top: int, left: int, k: int, sizes: Array, a: Side, b: Side, c: Sums, warp: Warp, counts: Array
) -> None:
    """Load a warp's fragments of 16 columns along K and execute their mma."""
    accumulators, c_map, sums = c
    for i in range(sizes[WM] // 16):
        load_a(a, top + 16 * i, k, i, warp, counts)
    for j in range(sizes[WN] // 16):
        load_b(b, left + 16 * j, k, 2 * j, warp, counts)
    for i in range(sizes[WM] // 16):
        for j in range(sizes[WN] // 8):
            tile = (top // 16 + i) * (sizes[BN] // 8) + left // 8 + j
            multiply(a[3], i, b[3], j, accumulators, tile, c_map, sizes[HALF], sums)
            counts[MMA] += 1


@function
def multiply_k_tile(sizes: Array, a: Side, b: Side, c: Sums, warp: Warp, counts: Array) -> None:
    """Multiply what shared memory holds, warp by warp."""
    for top in range(0, sizes[BM], sizes[WM]):
        for left in range(0, sizes[BN], sizes[WN]):
            for k in range(0, sizes[BK], 16):
                multiply_warp_tile(top, left, k, sizes, a, b, c, warp, counts)


@function
def store_block(held: Sums, top: int, left: int, wide: int, c: Array) -> None:
    """Write a block's accumulators, ``wide`` mma next to each other, to C."""
    accumulators, c_map, _ = held
    for tile in range(accumulators.shape[0]):
        for lane in range(WARP):
            for element in range(4):
                row = top + 16 * (tile // wide) + c_map[lane, element, 0]
                column = left + 8 * (tile % wide) + c_map[lane, element, 1]
                c[row, column] = accumulators[tile, lane, element]


def _multiply_blocks(
    a: Array,
    b: Array,
    sizes: Array,
    a_table: Array,
    b_table: Array,
    a_map: Array,
    b_map: Array,
    c_map: Array,
    a_memory: Array,
    b_memory: Array,
    addresses: Array,
    banks: Array,
    held: Array,
    a_matrix: Array,
    b_matrix: Array,
    sums: Array,
    accumulators: Array,
    c: Array,
    counts: Array,
) -> None:
    """Multiply A (M x K) by B, given as its columns (N x K), block by block."""
    a_side = (a_memory, a_table, a_map, a_matrix)
    b_side = (b_memory, b_table, b_map, b_matrix)
    c_side, warp = (accumulators, c_map, sums), (addresses, banks, held)
    for top in range(0, a.shape[0], sizes[BM]):
        for left in range(0, b.shape[0], sizes[BN]):
            accumulators[:, :, :] = 0
            for k in range(0, a.shape[1], sizes[BK]):
                stage(a, top, k, a_side)
                stage(b, left, k, b_side)
                multiply_k_tile(sizes, a_side, b_side, c_side, warp, counts)
            store_block(c_side, top, left, sizes[BN] // 8, c)


@once
def count_wavefronts() -> Any:
    """Return the compiled counter: (addresses, lanes at a time, words, banks, found)."""
    return compiled("void(int64[:,::1], int64, int64, int64[::1], int64[::1])")(_count_wavefronts)


@once
def multiply_blocks() -> Any:
    """Return the compiled block product."""
    matrix, table, lanes, cube = "f4[:,::1]", "i8[:,::1]", "i8[:,:,::1]", "f4[:,:,::1]"
    arguments = [matrix, matrix, "i8[::1]", table, table, lanes, lanes, lanes, "f4[::1]", "f4[::1]"]
    arguments += [table, "i8[::1]", cube, cube, cube, cube, cube, matrix, "i8[::1]"]
    return compiled(f"void({', '.join(arguments)})")(_multiply_blocks)
