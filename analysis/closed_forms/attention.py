"""Makespans of the attention schedules, service in the fixed order.

N is ``kv_blocks``. Notation of the docstrings: g0, g1, e, s for ``t_gemm0``, ``t_gemm1``,
``t_exp``, ``t_softmax``; G = g0 + g1 (a block's Tensor-Core work), X = e + s (its softmax),
m = max(e, s). With two warpgroups A and B a *turn* is one block of one of them, 2 N in all,
served A, B, A, B on every resource.
"""

from __future__ import annotations

from typing import Any

from analysis.closed_forms.arithmetic import Arithmetic, Values


def _gemms(p: Values) -> Any:
    return p["t_gemm0"] + p["t_gemm1"]


def _softmax(p: Values) -> Any:
    return p["t_exp"] + p["t_softmax"]


def attention_serial(p: Values, use: Arithmetic) -> Any:
    """Return ``N * (G + X)``: one warpgroup, four operations in series."""
    return p["kv_blocks"] * (_gemms(p) + _softmax(p))


def attention_overlap(p: Values, use: Arithmetic) -> Any:
    """Return ``g0 + (N - 1) * max(g0, X) + X + N * g1``.

    GEMM0 of block j + 1 and the softmax of block j both start when GEMM1 of block j - 1 ends, and
    GEMM1 of block j waits for both: a fork and a meeting per block. The first GEMM0 has no softmax
    beside it, the last softmax no GEMM0.
    """
    blocks, softmax = p["kv_blocks"], _softmax(p)
    beside = (blocks - 1) * use.largest(p["t_gemm0"], softmax)
    return p["t_gemm0"] + beside + softmax + blocks * p["t_gemm1"]


def attention_pingpong(p: Values, use: Arithmetic) -> Any:
    """Return ``max(2 N G, G + X + b)``, b what a path through softmax adds beyond one block.

    A path that never leaves the Tensor Core weighs 2 N G. Any other makes t >= 1 *trips*, each the
    four operations of one block in series (G + X), which leads to the same warpgroup's next block,
    two turns on; between trips it passes from turn to turn on one resource, at ``G`` on the Tensor
    Core, e or s elsewhere, at most ma = max(G, m) each. There are 2 N turns, hence 2 N - 1
    passages less one for each further trip and one where trips join:

    * one trip: 2 N - 1 passages. On the Tensor Core before the trip's softmax the turns follow
      each other as g1 and g0 of different blocks, so that one passage is only g0 (a first GEMM0),
      only g1 (a last GEMM1), or m: ``max(g0, g1, m) + (2 N - 2) * ma``.
    * two trips (N >= 2): a whole GEMM1, GEMM0 pair joins them: ``X + G + (2 N - 3) * ma``.
    * more trips: each replaces two passages, linear in their number, so N of them is the other
      extreme: ``(N - 1) * (X + G) + ma``.
    """
    blocks, gemms, softmax = p["kv_blocks"], _gemms(p), _softmax(p)
    slower = use.largest(p["t_exp"], p["t_softmax"])
    passage = use.largest(gemms, slower)
    one = use.largest(p["t_gemm0"], p["t_gemm1"], slower) + (2 * blocks - 2) * passage
    more = use.largest(
        softmax + gemms + (2 * blocks - 3) * passage,
        (blocks - 1) * (softmax + gemms) + passage,
    )
    beyond = use.where(blocks >= 2, use.largest(one, more), one)
    return use.largest(2 * blocks * gemms, gemms + softmax + beyond)


def attention_pingpong_hidden_softmax(p: Values, use: Arithmetic) -> Any:
    """Return ``(2 N - 1) * G + max(G, 2 X, X + max(g0, g1))``: X <= G and two blocks or more.

    Then a trip (G + X) costs no more than the two passages it replaces (2 G), so two trips are
    enough, and with m <= X <= G every passage is one on the Tensor Core. What softmax costs is
    seen once, at the start and end: ``2 X - G`` where that is positive.
    """
    gemms, softmax = _gemms(p), _softmax(p)
    either = use.largest(p["t_gemm0"], p["t_gemm1"])
    return (2 * p["kv_blocks"] - 1) * gemms + use.largest(gemms, 2 * softmax, softmax + either)


def attention_pingpong_overlap(p: Values, use: Arithmetic) -> Any:
    """Return the largest of the paths with 0, 1, 2 and N trips, each from both starts.

    With GEMM0 a block ahead, a trip is softmax and GEMM1 of one block, H = X + g1: softmax of the
    next block of the warpgroup follows at once, its GEMM0 being done. Passages cost ma = max(G, m)
    as in `attention_pingpong`. The start matters: a path's first trip may follow GEMM0 of block
    0, or all four GEMM0 that come first on the Tensor Core and one GEMM1, or the first trip
    itself: a = max(4 g0 + g1, g0 + H) is when both ways are past.

    * no trip: 2 N G, the Tensor Core alone.
    * one trip: g0 + H and then only SFU or FMA, m for each of 2 N - 1 turns; or back on the Tensor
      Core, where the last GEMM1 of each warpgroup and one more stand without a GEMM0 beside them,
      3 g1, and 2 N - 4 whole passages are left.
    * start a, one trip, and m or g1 for the turn at the end: a + H + (2 N - 4) ma + max(m, g1).
    * start a and two trips (N >= 3): a + 2 H + (2 N - 5) ma; each further trip replaces two
      passages, so N - 1 trips are the other extreme: a + (N - 1) H + ma.

    With one block there is nothing to overlap, and the makespan is that of `attention_pingpong`.
    """
    blocks, gemms, softmax = p["kv_blocks"], _gemms(p), _softmax(p)
    gemm0, gemm1 = p["t_gemm0"], p["t_gemm1"]
    slower = use.largest(p["t_exp"], p["t_softmax"])
    passage = use.largest(gemms, slower)
    trip = softmax + gemm1
    start = use.largest(4 * gemm0 + gemm1, gemm0 + trip)
    single = use.largest(2 * gemms, gemms + softmax + use.largest(gemm0, gemm1, slower))
    two = use.largest(
        2 * blocks * gemms,
        gemm0 + trip + (2 * blocks - 1) * slower,
        gemm0 + trip + 3 * gemm1 + (2 * blocks - 4) * passage,
        start + trip + (2 * blocks - 4) * passage + use.largest(slower, gemm1),
    )
    three = use.largest(
        start + 2 * trip + (2 * blocks - 5) * passage,
        start + (blocks - 1) * trip + passage,
    )
    several = use.where(blocks >= 3, use.largest(two, three), two)
    return use.where(blocks >= 2, several, single)
