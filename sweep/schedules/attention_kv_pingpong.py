"""Two warpgroups with a producer: while one is in softmax the other has the Tensor Core.

Pseudo-code::

    producer:    load Q; for j: load K(j); load V(j - 1)
    warpgroup_w: wait(Q); wait(K(0)); gemm0(0)
                 for j: exp; softmax; wait(V(j)); gemm1(j); wait(K(j + 1)); gemm0(j + 1)
                 out

Ordered service of the Tensor Core, as named barriers enforce it: 0 GEMM0(0), 1 GEMM0(0), then
for each j: 0 GEMM1(j), 0 GEMM0(j + 1), 1 GEMM1(j), 1 GEMM0(j + 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description import Schedule
from sweep.schedules._kv_attention import FLOP, LOOPS, agents, declares, names, rings, rows
from sweep.schedules._kv_programs import run_program
from sweep.simulator.simulation import Simulation

WARPGROUPS = 2


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    run_program(simulation, p, names(WARPGROUPS), overlap=False)


SCHEDULE = Schedule(
    name="attention_kv_pingpong",
    shape="attention",
    summary="two warpgroups take turns; keys and values come through rings",
    reference="FlashAttention-3, arXiv 2407.08608, section 3.1; its hopper/flash_fwd_kernel_sm90.h",
    agents=agents(WARPGROUPS),
    events=rows(WARPGROUPS),
    program=program,
    loader="tma",
    producer=True,
    consumer_warpgroups=WARPGROUPS,
    kv_blocks=64,
    tile_level=True,
    loops=LOOPS,
    rings=rings(WARPGROUPS),
    declares=declares(WARPGROUPS),
    flop=FLOP,
)
