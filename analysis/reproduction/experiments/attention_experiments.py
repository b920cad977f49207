"""Attention schedules on three generations: the exponential against the Tensor Core."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from analysis.reproduction.experiments.gemm_experiments import Computation, percent
from analysis.reproduction.experiments.setup import Setup

B200_GEMM, A100_GEMM = 256, 1024
"""Cycles of a GEMM of a block on Tensor Cores of twice and of half the rate."""


def _duration(name: str) -> Callable[[Setup], float]:
    return lambda setup: setup.durations()[name]


def _exp_over_gemm(element_type: str) -> Computation:
    def compute(setup: Setup) -> float:
        takes = setup.durations(element_type=element_type)
        return takes["t_exp"] / (takes["t_gemm0"] + takes["t_gemm1"])

    return compute


COMPUTED: Mapping[str, Computation] = {
    "fa.gemm": _duration("t_gemm"),
    "fa.exp": _duration("t_exp"),
    "fa.softmax": _duration("t_softmax"),
    "fa.ratio": _exp_over_gemm("bf16"),
    "fa.serial": percent("tc_utilization", "attention_serial"),
    "fa.pingpong": percent("tc_utilization", "attention_pingpong", kv_blocks=16),
    "fa.overlap": percent("tc_utilization", "attention_overlap", kv_blocks=32),
    "fa.overlap.est": percent("steady_tc_utilization", "attention_overlap"),
    "fa.both": percent("tc_utilization", "attention_pingpong_overlap", kv_blocks=16),
    "fa.b200.overlap": percent(
        "tc_utilization", "attention_overlap", t_gemm=B200_GEMM, kv_blocks=32
    ),
    "fa.b200.both": percent(
        "tc_utilization", "attention_pingpong_overlap", t_gemm=B200_GEMM, kv_blocks=16
    ),
    "fa.b200.sfu": percent(
        "sfu_utilization", "attention_pingpong_overlap", t_gemm=B200_GEMM, kv_blocks=16
    ),
    "fa.a100.serial": percent("tc_utilization", "attention_serial", t_gemm=A100_GEMM),
    "fp8.ratio": _exp_over_gemm("fp8"),
}
