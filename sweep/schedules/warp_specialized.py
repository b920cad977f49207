"""A producer warp fills a ring of stages, a consumer multiplies; full and empty barriers.

Pseudo-code::

    producer: for k: wait(empty[k % stages]); issue(copy k -> full[k % stages])
    consumer: for k: wait(full[k % stages]); mma(k); arrive(empty[k % stages])
              epilogue()
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description import Event, Schedule
from sweep.schedules._ring import consumer_rows, epilogue_row, producer_rows
from sweep.schedules._ring_programs import Ring, consumer
from sweep.simulator.simulation import Simulation


def events(release: str) -> tuple[Event, ...]:
    """List the events of one k-tile."""
    return (*producer_rows("release"), *consumer_rows(release), epilogue_row())


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    ring = Ring(simulation, p, output_tiles=1)
    simulation.start("producer", ring.producer())
    simulation.start("consumer", consumer(ring))


SCHEDULE = Schedule(
    name="warp_specialized",
    family="gemm",
    summary="a producer fills a ring of stages, a consumer multiplies",
    reference="CUTLASS 3.x KernelTmaWarpSpecialized",
    agents=("producer", "consumer"),
    events=events,
    program=program,
    loader="tma",
    producer=True,
    consumer_warpgroups=2,
)
