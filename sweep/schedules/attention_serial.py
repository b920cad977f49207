"""One warpgroup: GEMM0, exp, the rest of softmax, GEMM1, in series.

Pseudo-code::

    for j in kv_blocks: gemm0(j); exp(j); softmax(j); gemm1(j)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description import Event, Schedule
from sweep.schedules._attention_programs import serial, units_in_order
from sweep.schedules._softmax import gemm0_row, softmax_rows
from sweep.simulator.simulation import Simulation


def events(release: str) -> tuple[Event, ...]:
    """List the events of one block."""
    return (gemm0_row(0), *softmax_rows(0))


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    units = units_in_order(simulation, p, ("warpgroup_0",), ahead=1)
    simulation.start("warpgroup_0", serial(units, p))


SCHEDULE = Schedule(
    name="attention_serial",
    family="attention",
    summary="one warpgroup, nothing overlaps",
    reference="FlashAttention-2, arXiv 2307.08691",
    agents=("warpgroup_0",),
    events=events,
    program=program,
    consumer_warpgroups=1,
    kv_blocks=32,
)
