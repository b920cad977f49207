"""Hand-written recurrences of the attention schedules under ordered arbitration.

Same conventions as `recurrences_single_tile`; the attention schedules have no extensions. `a` and
`b` are the two warpgroups' clocks, and `tc`, `sfu` and `fma` the times their resources get free.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit, prange

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@njit(cache=True)
def attention_serial(
    t_gemm0: float, t_gemm1: float, t_exp: float, t_softmax: float, kv_blocks: int
) -> float:
    """GEMM0, exp, softmax, GEMM1 in turn."""
    block = t_gemm0 + t_exp + t_softmax + t_gemm1
    warpgroup = 0.0
    for _ in range(kv_blocks):
        warpgroup += block
    return warpgroup


@njit(parallel=True, cache=True)
def attention_serial_batch(
    t_gemm0: Floats, t_gemm1: Floats, t_exp: Floats, t_softmax: Floats, kv_blocks: Ints
) -> Floats:
    """`attention_serial` for every point."""
    cycles = np.empty(kv_blocks.size)
    for i in prange(kv_blocks.size):
        cycles[i] = attention_serial(t_gemm0[i], t_gemm1[i], t_exp[i], t_softmax[i], kv_blocks[i])
    return cycles


@njit(cache=True)
def attention_overlap(
    t_gemm0: float, t_gemm1: float, t_exp: float, t_softmax: float, kv_blocks: int
) -> float:
    """GEMM0 of the next block runs during this block's softmax."""
    softmax = t_exp + t_softmax
    scores = t_gemm0  # end of GEMM0 of the block in hand
    tc = t_gemm0
    warpgroup = 0.0
    for _ in range(kv_blocks - 1):
        next_scores = (warpgroup if warpgroup > tc else tc) + t_gemm0
        warpgroup = (scores if scores > warpgroup else warpgroup) + softmax
        warpgroup = (next_scores if next_scores > warpgroup else warpgroup) + t_gemm1
        tc = warpgroup
        scores = next_scores
    warpgroup = (scores if scores > warpgroup else warpgroup) + softmax
    return warpgroup + t_gemm1


@njit(parallel=True, cache=True)
def attention_overlap_batch(
    t_gemm0: Floats, t_gemm1: Floats, t_exp: Floats, t_softmax: Floats, kv_blocks: Ints
) -> Floats:
    """`attention_overlap` for every point."""
    cycles = np.empty(kv_blocks.size)
    for i in prange(kv_blocks.size):
        cycles[i] = attention_overlap(t_gemm0[i], t_gemm1[i], t_exp[i], t_softmax[i], kv_blocks[i])
    return cycles


@njit(cache=True)
def attention_pingpong(
    t_gemm0: float, t_gemm1: float, t_exp: float, t_softmax: float, kv_blocks: int
) -> float:
    """Two serial warpgroups; a turn on TC is GEMM1 of a block, then GEMM0 of the next."""
    turn = t_gemm1 + t_gemm0
    a = t_gemm0
    b = t_gemm0 + t_gemm0
    tc = b
    sfu = 0.0
    fma = 0.0
    for j in range(kv_blocks):
        sfu = (a if a > sfu else sfu) + t_exp
        fma = (sfu if sfu > fma else fma) + t_softmax
        a = fma
        sfu = (b if b > sfu else sfu) + t_exp
        fma = (sfu if sfu > fma else fma) + t_softmax
        b = fma
        if j == kv_blocks - 1:
            turn = t_gemm1
        a = (a if a > tc else tc) + turn
        b = (b if b > a else a) + turn
        tc = b
    return tc


@njit(parallel=True, cache=True)
def attention_pingpong_batch(
    t_gemm0: Floats, t_gemm1: Floats, t_exp: Floats, t_softmax: Floats, kv_blocks: Ints
) -> Floats:
    """`attention_pingpong` for every point."""
    cycles = np.empty(kv_blocks.size)
    for i in prange(kv_blocks.size):
        cycles[i] = attention_pingpong(t_gemm0[i], t_gemm1[i], t_exp[i], t_softmax[i], kv_blocks[i])
    return cycles


@njit(cache=True)
def attention_pingpong_overlap(
    t_gemm0: float, t_gemm1: float, t_exp: float, t_softmax: float, kv_blocks: int
) -> float:
    """Two warpgroups, each with GEMM0 of the block after next queued behind its GEMM1."""
    a_scores = t_gemm0  # end of GEMM0 of the block in hand, and of the next block
    b_scores = a_scores + t_gemm0
    tc = b_scores
    a_next = b_next = tc
    if kv_blocks > 1:
        a_next = tc + t_gemm0
        b_next = a_next + t_gemm0
        tc = b_next
    a = b = sfu = fma = 0.0
    for j in range(kv_blocks):
        ready = a_scores if a_scores > a else a
        sfu = (ready if ready > sfu else sfu) + t_exp
        fma = (sfu if sfu > fma else fma) + t_softmax
        a = fma
        ready = b_scores if b_scores > b else b
        sfu = (ready if ready > sfu else sfu) + t_exp
        fma = (sfu if sfu > fma else fma) + t_softmax
        b = fma
        gemm0 = t_gemm0 if j + 2 < kv_blocks else 0.0
        a = (a if a > tc else tc) + t_gemm1
        a_scores, a_next = a_next, a + gemm0
        b = (b if b > a_next else a_next) + t_gemm1
        b_scores, b_next = b_next, b + gemm0
        tc = b_next
    return b


@njit(parallel=True, cache=True)
def attention_pingpong_overlap_batch(
    t_gemm0: Floats, t_gemm1: Floats, t_exp: Floats, t_softmax: Floats, kv_blocks: Ints
) -> Floats:
    """`attention_pingpong_overlap` for every point."""
    cycles = np.empty(kv_blocks.size)
    for i in prange(kv_blocks.size):
        cycles[i] = attention_pingpong_overlap(
            t_gemm0[i], t_gemm1[i], t_exp[i], t_softmax[i], kv_blocks[i]
        )
    return cycles
