"""Two warpgroups: while one is in softmax the other has the Tensor Core.

Pseudo-code::

    warpgroup_i: for j in kv_blocks: gemm0(j); exp(j); softmax(j); gemm1(j)

Ordered service of the Tensor Core, as named barriers enforce it: 0 GEMM0(0), 1 GEMM0(0), then
for each j: 0 GEMM1(j), 0 GEMM0(j + 1), 1 GEMM1(j), 1 GEMM0(j + 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description import Event, Schedule
from sweep.schedules._attention_programs import serial, units_in_order
from sweep.schedules._softmax import gemm0_row, softmax_rows
from sweep.simulator.simulation import Simulation


def events(release: str) -> tuple[Event, ...]:
    """List the events of one step: softmax and GEMM1 of block j - 1, then GEMM0 of block j."""
    return (*softmax_rows(0, behind=1), gemm0_row(0), *softmax_rows(1, behind=1), gemm0_row(1))


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    warpgroups = ("warpgroup_0", "warpgroup_1")
    units = units_in_order(simulation, p, warpgroups, ahead=1)
    for warpgroup in warpgroups:
        simulation.start(warpgroup, serial(units, p))


SCHEDULE = Schedule(
    name="attention_pingpong",
    family="attention",
    summary="two warpgroups take turns on the Tensor Core",
    reference="FlashAttention-3, arXiv 2407.08608, section 3.1",
    agents=("warpgroup_0", "warpgroup_1"),
    events=events,
    program=program,
    consumer_warpgroups=2,
    kv_blocks=16,
)
