"""Two warpgroups that take turns, each with its next GEMM0 running during softmax.

Pseudo-code::

    warpgroup_i: gemm0(0); issue gemm0(1)
                 for j in kv_blocks: exp(j); softmax(j); gemm1(j); issue gemm0(j + 2)

Ordered service of the Tensor Core: 0 GEMM0(0), 1 GEMM0(0), 0 GEMM0(1), 1 GEMM0(1), then for each
j: 0 GEMM1(j), 0 GEMM0(j + 2), 1 GEMM1(j), 1 GEMM0(j + 2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description import Event, Schedule
from sweep.schedules._attention_programs import overlapped, units_in_order
from sweep.schedules._softmax import gemm0_row, softmax_rows
from sweep.simulator.simulation import Simulation


def events(release: str) -> tuple[Event, ...]:
    """List the events of one step: softmax and GEMM1 of block j - 2, then GEMM0 of block j."""
    return tuple(
        event
        for warpgroup in (0, 1)
        for event in (*softmax_rows(warpgroup, behind=2), gemm0_row(warpgroup, asynchronous=True))
    )


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    warpgroups = ("warpgroup_0", "warpgroup_1")
    units = units_in_order(simulation, p, warpgroups, ahead=2)
    for warpgroup in warpgroups:
        simulation.start(warpgroup, overlapped(units, p))


SCHEDULE = Schedule(
    name="attention_pingpong_overlap",
    family="attention",
    summary="both: two warpgroups take turns, each with its next GEMM0 in flight",
    reference="FlashAttention-3, arXiv 2407.08608, section 3",
    agents=("warpgroup_0", "warpgroup_1"),
    events=events,
    program=program,
    consumer_warpgroups=2,
    kv_blocks=16,
)
