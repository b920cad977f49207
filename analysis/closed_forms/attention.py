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

    The Tensor Core serves A0 B0 | A1 A0 | B1 B0 | ... | A1 | B1 (A0: a GEMM0 of A). A path that
    never leaves it weighs 2 N G. Any other makes t >= 1 *trips*, each the four operations of one
    block in series (G + X), which replaces two *passages* from turn to turn on one resource. A
    passage costs G on the Tensor Core, e or s elsewhere, at most ma = max(G, m); t trips leave
    2 N + 1 - 2 t of them.

    * one trip: it begins with the first GEMM0 or ends with the last GEMM1, but not both, for A's
      and B's turns alternate; on the Tensor Core one passage is then short, the first GEMM0s side
      by side or the last GEMM1s: ``max(g0, g1, m) + (2 N - 2) * ma``.
    * two trips (N >= 2): one at each end, with whole passages between: ``X + G + (2 N - 3) * ma``.
    * more trips: the weight is linear in their number, so N of them, one warpgroup's chain, are
      the other extreme: ``(N - 1) * (X + G) + ma``.
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
    """Return the largest of the paths with 0, 1, 2 and N - 1 trips after A's first GEMM1.

    The Tensor Core serves A0 B0 A0 B0 | A1 A0 | B1 B0 | ... | A1 | B1 | A1 | B1: the last four
    GEMM1 have no GEMM0 beside them. With GEMM0 ahead, a *trip* is the softmax and GEMM1 of one
    block, H = X + g1: the warpgroup's next softmax follows at once. It replaces two passages of
    at most ma = max(G, m). A's first GEMM1 ends at a = max(4 g0 + g1, g0 + H) or later, and
    2 N - 1 turns follow.

    * The Tensor Core alone: 2 N G.
    * g0 + H, A's first block, and then SFU or FMA only: m for each of 2 N - 1 turns.
    * g0 + H and then the Tensor Core only: 2 N - 1 GEMM1 but 2 N - 4 GEMM0 remain, that is
      ``3 g1 + (2 N - 4) * ma``.
    * a, passages, and B's last trip: the passage before it, between two of the last four GEMM1, is
      g1 on the Tensor Core and m elsewhere: ``a + H + (2 N - 4) * ma + max(m, g1)``.
    * a, whole passages, and B's last two trips (N >= 3): ``a + 2 H + (2 N - 5) * ma``. Each
      further trip replaces two passages, so one passage and N - 1 trips are the other extreme:
      ``a + (N - 1) * H + ma``.

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
