"""One warpgroup with a producer: GEMM0, exp, the rest of softmax and GEMM1 of a block in series.

Pseudo-code::

    producer:    load Q; for j: load K(j); load V(j - 1)
    warpgroup_0: wait(Q)
                 for j: wait(K(j)); gemm0(j); exp; softmax; wait(V(j)); gemm1(j)
                 out
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description import Schedule
from sweep.schedules._kv_attention import FLOP, LOOPS, agents, declares, names, rings, rows
from sweep.schedules._kv_programs import run_program
from sweep.simulator.simulation import Simulation

WARPGROUPS = 1


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    run_program(simulation, p, names(WARPGROUPS), overlap=False)


SCHEDULE = Schedule(
    name="attention_kv_serial",
    shape="attention",
    summary="one warpgroup in series; keys and values come through rings",
    reference="FlashAttention-2, arXiv 2307.08691; FlashAttention-3 with one warpgroup",
    agents=agents(WARPGROUPS),
    events=rows(WARPGROUPS),
    program=program,
    loader="tma",
    producer=True,
    consumer_warpgroups=WARPGROUPS,
    kv_blocks=32,
    tile_level=True,
    loops=LOOPS,
    rings=rings(WARPGROUPS),
    declares=declares(WARPGROUPS),
    flop=FLOP,
)
