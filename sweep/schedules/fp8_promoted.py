"""FP8 with block scales, two consumer warpgroups: one multiplies while the other promotes its sums.

Pseudo-code::

    producer:   for tiles, k: wait(empty slot); copy A, B and scales of A -> full
    consumer_w: for tiles:
                    for k: wait(full); wgmma of its rows; arrive(empty)
                        every promote_every k-tiles, and after the last: promote the sums
                    epilogue
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description import Loop, Schedule
from sweep.schedules._fp8_promotion import agents, declares, rings, rows, run_program
from sweep.simulator.simulation import Simulation

WARPGROUPS = 2


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    run_program(simulation, p, WARPGROUPS)


SCHEDULE = Schedule(
    name="fp8_promoted",
    shape="gemm",
    summary="FP8, two warpgroups: sums are promoted on CUDA cores while the other multiplies",
    reference="DeepGEMM, impls/sm90_fp8_gemm_1d2d.cuh",
    agents=agents(WARPGROUPS),
    events=rows(WARPGROUPS),
    program=program,
    loader="tma",
    producer=True,
    consumer_warpgroups=WARPGROUPS,
    tile_level=True,
    loops=(Loop("main", "k_tiles"),),
    rings=rings(WARPGROUPS),
    declares=declares(WARPGROUPS),
    flop="2 * tile_m * tile_n * tile_k * k_tiles",
    defaults={"tile": "128x128x128", "element_type": "fp8"},
)
