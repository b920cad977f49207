"""Warp-specialised over many output tiles: the producer runs ahead across tile boundaries.

Pseudo-code::

    producer: for every k-tile of every tile: wait(empty); issue(copy -> full)
    consumer: for tile in output_tiles:
                  for k: wait(full); mma(k); arrive(empty)
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
    """List the events of one k-tile, and the epilogue of a tile."""
    return (*producer_rows("release"), *consumer_rows(release), epilogue_row())


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    ring = Ring(simulation, p, p["output_tiles"])
    simulation.start("producer", ring.producer())
    simulation.start("consumer", consumer(ring))


SCHEDULE = Schedule(
    name="persistent",
    family="gemm",
    summary="warp_specialized over many output tiles; the producer runs ahead across them",
    reference="CUTLASS 3.x persistent tile scheduler with one consumer",
    agents=("producer", "consumer"),
    events=events,
    program=program,
    loader="tma",
    producer=True,
    consumer_warpgroups=1,
    tile_level=True,
)
