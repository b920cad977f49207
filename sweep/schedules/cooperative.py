"""Two consumer warpgroups share each output tile, half the rows each.

Their MMAs of a k-tile interleave on the Tensor Core, so the two hold it together and finish
together; a slot is free when both have released it. Timing equals ``persistent``; what differs
is the budget: half the accumulators per thread.

Pseudo-code::

    producer:   for every k-tile of every tile: wait(empty); issue(copy -> full)
    consumer_i: for tile in output_tiles:
                    for k: wait(full); mma(half i of k); arrive(empty)
                    epilogue()
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description import After, Event, Schedule
from sweep.schedules._ring import epilogue_row, producer_rows, release_row
from sweep.schedules._ring_programs import Ring
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import Program
from sweep.simulator.simulation import Simulation

CONSUMERS = ("consumer_0", "consumer_1")


def events(release: str) -> tuple[Event, ...]:
    """List the events of one k-tile, and the epilogues of a tile."""
    waits = tuple(
        Event(
            f"wait_copy_{i}",
            consumer,
            takes="t_sync",
            after=(After("arrive"),),
            operation="wait_copy",
            signals="partner",
        )
        for i, consumer in enumerate(CONSUMERS)
    )
    return (
        *producer_rows("release_0", "release_1"),
        *waits,
        Event(
            "mma",
            "consumer_0",
            on="TC",
            takes="t_mma",
            asynchronous=True,
            after=(After("wait_copy_1"),),
        ),
        Event("complete", takes="t_mma_latency", after=(After("mma"),), signals="mma"),
        *(release_row(release, who, f"release_{i}") for i, who in enumerate(CONSUMERS)),
        *(epilogue_row(who, f"epilogue_{i}") for i, who in enumerate(CONSUMERS)),
    )


def consumer(ring: Ring, partner: Barrier, mmas: list[Barrier], leads: bool) -> Program:
    """Multiply half of every output tile; both consumers meet before each MMA."""
    for tile in range(ring.output_tiles):
        yield from ring.mainloop(tile, mmas[tile], partner, leads)
        yield from ring.drain(tile, mmas[tile])
        yield ring.epilogue(tile)


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    ring = Ring(simulation, p, p["output_tiles"], sharers=2)
    partner = Barrier("partner", count=2)
    mmas = [Barrier("mma") for _ in range(ring.output_tiles)]
    simulation.start("producer", ring.producer())
    for i, name in enumerate(CONSUMERS):
        simulation.start(name, consumer(ring, partner, mmas, leads=i == 0))


SCHEDULE = Schedule(
    name="cooperative",
    family="gemm",
    summary="two consumer warpgroups share each output tile; both run the epilogue",
    reference="CUTLASS 3.x KernelTmaWarpSpecializedCooperative",
    agents=("producer", *CONSUMERS),
    events=events,
    program=program,
    loader="tma",
    producer=True,
    consumer_warpgroups=2,
    tile_level=True,
)
