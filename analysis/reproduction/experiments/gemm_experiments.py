"""GEMM schedules on the lecture's tile: utilisations, stages, issue cost, bandwidth, epilogues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from analysis.budgets.shared_memory import gemm_shared_memory
from analysis.memory.roofline import exposed_epilogue_utilization, hidden_epilogue_utilization
from analysis.reproduction.experiments.setup import Setup
from analysis.rings.design_space import fewest_stages
from analysis.rings.stages import textbook_stages
from sweep.hardware.durations import ISSUE_CYCLES

Computation = Callable[[Setup], float]

K_TILES = 64
HALF_BANDWIDTH = 0.5


def percent(output: str, schedule: str, **parameters: Any) -> Computation:
    """Return the computation of a share of a simulated point, in per cent."""
    return lambda setup: 100 * float(setup.simulate(schedule, **parameters)[output])


def _utilization(schedule: str, **parameters: Any) -> Computation:
    return percent("tc_utilization", schedule, k_tiles=K_TILES, **parameters)


def _half_bandwidth(output: str, schedule: str) -> Computation:
    def compute(setup: Setup) -> float:
        bandwidth = HALF_BANDWIDTH * setup.field("mem_bytes_per_cycle")
        return percent(output, schedule, k_tiles=K_TILES, mem_bytes_per_cycle=bandwidth)(setup)

    return compute


def _lead_without_issue(setup: Setup) -> float:
    reached = (
        _utilization(schedule, stages=4, t_issue=0)(setup)
        for schedule in ("multistage", "warp_specialized")
    )
    return next(reached) - next(reached)


def _fewest_stages(t_latency: float) -> Computation:
    return lambda setup: int(
        fewest_stages(
            "multistage",
            t_latency=t_latency,
            k_tiles=K_TILES,
            gpu=setup.gpu,
            tile=setup.tile,
            element_type=setup.element_type,
        )
    )


def _textbook(t_latency: float) -> Computation:
    def compute(setup: Setup) -> float:
        takes = setup.durations()
        issue = ISSUE_CYCLES["cp_async"]
        return float(textbook_stages(issue, takes["t_transfer"], t_latency, takes["t_mma"]))

    return compute


def _kibibytes_of_stages(stages: int) -> Computation:
    def compute(setup: Setup) -> float:
        limit = int(setup.field("smem_per_block_bytes"))
        found = gemm_shared_memory(setup.tile, stages, limit, setup.element_type, producer=False)
        return found.total / 1024

    return compute


def _exposed_bound(k_tiles: int) -> Computation:
    def compute(setup: Setup) -> float:
        takes = setup.durations()
        loop = k_tiles * takes["t_mma"]
        return 100 * float(exposed_epilogue_utilization(loop, takes["t_epilogue"]))

    return compute


def _hidden_bound(k_tiles: int, output_tiles: int, epilogue_weight: float) -> Computation:
    def compute(setup: Setup) -> float:
        takes = setup.durations(epilogue_weight=epilogue_weight)
        loop, epilogue = k_tiles * takes["t_mma"], takes["t_epilogue"]
        return 100 * float(hidden_epilogue_utilization(loop, epilogue, output_tiles))

    return compute


SHORT: Mapping[str, Any] = {"k_tiles": 4, "output_tiles": 8, "stages": 4}
HEAVY: Mapping[str, Any] = {"k_tiles": 16, "output_tiles": 8, "epilogue_weight": 8}

COMPUTED: Mapping[str, Computation] = {
    "sync.util": _utilization("sync"),
    "register.util": _utilization("register_staged"),
    "multistage.s2": _utilization("multistage", stages=2),
    "multistage.s3": _utilization("multistage", stages=3),
    "multistage.s4": _utilization("multistage", stages=4),
    "multistage.cap": percent("steady_tc_utilization", "multistage", stages=3),
    "stages.l300": _fewest_stages(300),
    "stages.l700": _fewest_stages(700),
    "stages.l1500": _fewest_stages(1500),
    "stages.l3000": _fewest_stages(3000),
    "stages.bytes5": _kibibytes_of_stages(5),
    "stages.rule1500": _textbook(1500),
    "ws.util": _utilization("warp_specialized", stages=4),
    "ws.issue0": _lead_without_issue,
    "ws.issue800": _utilization("warp_specialized", stages=4, t_issue=800),
    "ws.issue1500": percent("steady_tc_utilization", "warp_specialized", t_issue=1500),
    "halfbw.ws": _half_bandwidth("tc_utilization", "warp_specialized"),
    "halfbw.ms": _half_bandwidth("tc_utilization", "multistage"),
    "halfbw.mem": _half_bandwidth("mem_utilization", "warp_specialized"),
    "epi.k256.one": percent("tc_utilization", "persistent", **SHORT),
    "epi.k256.cap": _exposed_bound(k_tiles=4),
    "epi.k256.pp": percent("tc_utilization", "pingpong", **SHORT),
    "epi.k1024x8.one": percent("tc_utilization", "persistent", **HEAVY),
    "epi.k1024x8.pp": percent("tc_utilization", "pingpong", **HEAVY),
    "epi.k1024x8.cap": _hidden_bound(**HEAVY),
}
