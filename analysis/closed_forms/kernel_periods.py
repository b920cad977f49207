"""Steady periods of published kernels: what one more output tile, block or k-tile costs.

Each is the largest ratio of a circuit's time to its steps (Baccelli, Cohen, Olsder, Quadrat,
*Synchronization and Linearity*, 1992, section 3.2). Where copies are said to keep up, every way
round through a ring's slot costs no more than the work between the same two events, so that no
circuit through it is needed.
"""

from __future__ import annotations

from typing import Any

from analysis.closed_forms.arithmetic import Arithmetic, Values


def blackwell_gemm(p: Values, use: Arithmetic) -> Any:
    """Return cycles per output tile: ``max(K mma, E, (K mma + mma_latency + E) / accumulators)``.

    K k-tiles, and an epilogue E of ``subtiles`` drains. The Tensor Core multiplies without a gap,
    or the epilogue warps drain without one, or an accumulator goes round: acquired, multiplied
    into, complete, drained, ``accumulators`` tiles before it is acquired again.
    """
    main_loop, epilogue = p["k_tiles"] * p["t_mma"], p["subtiles"] * p["t_drain"]
    in_turn = main_loop + p["t_mma_latency"] + epilogue
    return use.largest(main_loop, epilogue, in_turn / p["accumulators"])


def attention_kv_serial(p: Values, use: Arithmetic) -> Any:
    """Return cycles per block: ``max(W, M, (M + t_latency + t_gemm0 + t_gemm1) / kv_stages)``.

    W is the warpgroup's work on a block and M its two copies. The rings: GEMM0 of block j frees
    a slot for K(j + S); V(j + S - 1) follows on the copy path, arrives, and is used by GEMM1, after
    which comes GEMM0 of block j + S. Through one ring alone there is less in S blocks; from GEMM1
    through V(j + S) and K(j + S + 2) to GEMM1 again M + t_latency + W in S + 2, which is no more
    than the circuit given and twice W less a GEMM0 and a GEMM1.
    """
    gemms = p["t_gemm0"] + p["t_gemm1"]
    copies = p["t_load_k"] + p["t_load_v"]
    return use.largest(
        gemms + p["t_exp"] + p["t_softmax"],
        copies,
        (copies + p["t_latency"] + gemms) / p["kv_stages"],
    )


def products_of_a_block(p: Values) -> Any:
    """Return the Tensor Core's work on a block of FlashAttention-4 forward, both query tiles."""
    return 2 * (p["t_qk"] + p["t_pv_a"] + p["t_pv_b"])


def fa4_forward(p: Values, use: Arithmetic) -> Any:
    """Return cycles per block of keys, loads hidden: the largest of six circuits.

    The Tensor Core; the SFU; a softmax warpgroup; a query tile from its scores through softmax
    and P V to its next scores, where the first part of P V runs during the rest of softmax; the
    same through the correction of its output; the correction warpgroup. The two query tiles meet
    on the Tensor Core and on the SFU only, and a circuit through both is a mean of those.
    """
    products = p["t_pv_a"] + p["t_pv_b"]
    exponentials = p["t_exp_a"] + p["t_exp_b"]
    maxima = p["t_qk"] + p["t_mma_latency"] + p["t_max"]
    return use.largest(
        products_of_a_block(p),
        2 * exponentials,
        p["t_max"] + exponentials + p["t_sum"],
        maxima + use.largest(p["t_exp_a"] + p["t_pv_a"], exponentials) + p["t_pv_b"],
        maxima + p["t_fix"] + products,
        2 * p["t_fix"],
    )


def fa4_forward_three_slots(p: Values, use: Arithmetic) -> Any:
    """Return the same with a ring of three slots, where K(i) waits for V(i - 2): a lower bound.

    V(i - 2) is freed by the second query tile's P V in the step before the first one's Q K(i), so
    a load, its latency, that product and the second tile's P V are in series; and so are, over
    two blocks, a load with its latency, the scores, both query tiles' exponentials and the last
    part of P V.
    """
    load = p["t_load_k"] + p["t_latency"] + p["t_qk"]
    exponentials = 2 * (p["t_exp_a"] + p["t_exp_b"])
    return use.largest(
        fa4_forward(p, use),
        load + p["t_pv_a"] + p["t_pv_b"],
        (load + p["t_mma_latency"] + p["t_max"] + exponentials + p["t_pv_b"]) / 2,
    )


def products_and_read(p: Values) -> Any:
    """Return the five products of a block of the backward pass and the read of dQ, in series."""
    five = (p[f"t_gemm_{name}"] for name in ("s", "dp", "dv", "dk", "dq"))
    return sum(five, start=p["t_read"])


def fa4_backward(p: Values, use: Arithmetic) -> Any:
    """Return cycles per block of queries, loads hidden: the largest of five circuits.

    dP shares the columns of dQ, so the Tensor Core waits for the read of dQ between the two: its
    five products and the read are in series. Then softmax from S to dV; the gradient of the
    scores from dP through dK and dQ and its read to the next dP; the compute warpgroups; the
    reduce warpgroup.
    """
    scores = p["t_gemm_s"] + p["t_exp"] + p["t_gemm_dv"]
    gradient = p["t_gemm_dp"] + p["t_ds"] + p["t_gemm_dk"] + p["t_gemm_dq"] + p["t_read"]
    return use.largest(
        products_and_read(p),
        scores,
        gradient,
        p["t_exp"] + p["t_ds"],
        p["t_read"] + p["t_add"],
    )


def fp8_promoted(p: Values, use: Arithmetic) -> Any:
    """Return cycles per k-tile: ``max(2 t_mma_wg, 2 t_promote, t_mma_wg + t_promote)``.

    Two warpgroups share the Tensor Core and the CUDA cores; each multiplies, then promotes.
    """
    return _fp8_promoted(p, use, 2)


def fp8_promoted_one(p: Values, use: Arithmetic) -> Any:
    """Return cycles per k-tile, ``t_mma_wg + t_promote``: one warpgroup does both in turn."""
    return _fp8_promoted(p, use, 1)


def _fp8_promoted(p: Values, use: Arithmetic, warpgroups: int) -> Any:
    mma, promote = p["t_mma_wg"], p["t_promote"]
    return use.largest(warpgroups * mma, warpgroups * promote, mma + promote)


def mixed_input(p: Values, use: Arithmetic) -> Any:
    """Return cycles per k-tile: ``max(convert, mma, (convert + mma) / register_buffers)``.

    The warpgroup converts, the Tensor Core multiplies, and a register buffer is filled and read
    once every ``register_buffers`` k-tiles.
    """
    convert, mma = p["t_convert"], p["t_mma"]
    return use.largest(convert, mma, (convert + mma) / p["register_buffers"])
