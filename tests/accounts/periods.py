"""Steady periods written down by hand, as exact fractions: the largest ratio of each schedule.

Per k-tile, or per block of every warpgroup; single-tile schedules only. ``None``: no steady state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

Point = Mapping[str, Any]
Period = Any
"""A Fraction where the durations are."""


def _sync(p: Point) -> Period:
    return p["t_issue"] + p["t_transfer"] + p["t_latency"] + p["t_sync"] + p["t_mma"]


def _register_staged(p: Point) -> Period:
    longer = max(p["t_mma"], p["t_transfer"] + p["t_latency"])
    return p["t_issue"] + longer + p["t_sync"] + p["t_store"]


def _multistage(p: Point) -> Period:
    warp = p["t_issue"] + p["t_sync"] + p["t_mma"]
    trip = warp + p["t_transfer"] + p["t_latency"]
    return max(warp, p["t_transfer"], trip / p["stages"])


def _warp_specialized(p: Point) -> Period:
    """Producer, copy path, Tensor Core, a slot's round trip, the MMAs in flight and their slots."""
    producer = p["t_sync"] + p["t_issue"]
    copy = producer + p["t_transfer"] + p["t_latency"] + p["t_sync"]
    mma = p["t_mma"] + p["t_mma_latency"]
    ratios = [producer, p["t_transfer"], p["t_mma"], (copy + mma) / p["stages"]]
    if p["release"] == "consumer":
        free = p["stages"] - p["mma_in_flight"]
        if free < 1:
            return None
        ratios += [(p["t_sync"] + mma) / (p["mma_in_flight"] + 1), copy / free]
    return max(ratios)


def _gemms_and_softmax(p: Point) -> tuple[Period, Period]:
    return p["t_gemm0"] + p["t_gemm1"], p["t_exp"] + p["t_softmax"]


def _attention_serial(p: Point) -> Period:
    return sum(_gemms_and_softmax(p), Fraction(0))


def _attention_overlap(p: Point) -> Period:
    return max(p["t_gemm0"], p["t_exp"] + p["t_softmax"]) + p["t_gemm1"]


def _attention_pingpong(p: Point) -> Period:
    gemms, softmax = _gemms_and_softmax(p)
    return max(2 * gemms, gemms + softmax, 2 * p["t_exp"], 2 * p["t_softmax"])


def _attention_pingpong_overlap(p: Point) -> Period:
    gemms, softmax = _gemms_and_softmax(p)
    return max(2 * gemms, softmax + p["t_gemm1"], 2 * p["t_exp"], 2 * p["t_softmax"])


PERIODS: Final[Mapping[str, Callable[[Point], Period]]] = {
    "sync": _sync,
    "register_staged": _register_staged,
    "multistage": _multistage,
    "warp_specialized": _warp_specialized,
    "attention_serial": _attention_serial,
    "attention_overlap": _attention_overlap,
    "attention_pingpong": _attention_pingpong,
    "attention_pingpong_overlap": _attention_pingpong_overlap,
}


def exact(p: Point) -> dict[str, Any]:
    """Return a point with its durations as fractions."""
    return {name: Fraction(value) if name.startswith("t_") else value for name, value in p.items()}


def responds(name: str, p: Point, duration: str) -> bool:
    """Whether a binding circuit contains the duration: the period grows with it."""
    period = PERIODS[name]
    longer = period({**p, duration: p[duration] + Fraction(1, 2**40)})
    shorter = period(p)
    return longer is not None and shorter is not None and longer > shorter


def bottleneck(name: str, p: Point) -> str:
    """Name what sets the period, by the table of precedence: the first that holds.

    A duration of zero is contained in nothing. Latency is part of a circuit exactly where that
    goes through a slot of the ring.
    """
    period = PERIODS[name](p)
    if period is None:
        return "none" if p["k_tiles"] > p["stages"] else "no_steady_state"
    if period == 0:
        return "no_work"
    groups = 2 if "pingpong" in name else 1
    attention = name.startswith("attention")
    work = {"tensor_core": ("t_gemm0", "t_gemm1"), "exp": ("t_exp",), "softmax": ("t_softmax",)}
    if not attention:
        work = {"tensor_core": ("t_mma",), "copy_bandwidth": ("t_transfer",)}
    for cause, durations in work.items():
        if period == groups * sum(p[one] for one in durations):
            return cause
    if p.get("t_mma_latency", 0) > 0 and responds(name, p, "t_mma_latency"):
        return "mma_latency"
    if "stages" in p:
        if responds(name, p, "t_latency"):
            return "ring_depth"
        if p["t_issue"] > 0 and responds(name, p, "t_issue"):
            return "copy_issue"
    return "serial_chain"
