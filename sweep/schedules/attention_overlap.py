"""One warpgroup, a two-stage pipeline: GEMM0 of block j + 1 runs during softmax of block j.

Pseudo-code::

    gemm0(0)
    for j in kv_blocks:
        issue gemm0(j + 1)                # asynchronous
        exp(j); softmax(j); gemm1(j)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description import Event, Schedule
from sweep.schedules._attention_programs import overlapped, units_in_order
from sweep.schedules._softmax import gemm0_row, softmax_rows
from sweep.simulator.simulation import Simulation


def events(release: str) -> tuple[Event, ...]:
    """List the events of one step: GEMM0 of block j, then softmax and GEMM1 of block j - 1."""
    return (gemm0_row(0, asynchronous=True), *softmax_rows(0, behind=1))


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    units = units_in_order(simulation, p, ("warpgroup_0",), ahead=2)
    simulation.start("warpgroup_0", overlapped(units, p))


SCHEDULE = Schedule(
    name="attention_overlap",
    family="attention",
    summary="one warpgroup; the next GEMM0 runs during softmax",
    reference="FlashAttention-3, arXiv 2407.08608, section 3.2",
    agents=("warpgroup_0",),
    events=events,
    program=program,
    consumer_warpgroups=1,
    kv_blocks=32,
)
