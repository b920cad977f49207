"""Two consumers take alternate output tiles: one multiplies while the other runs its epilogue.

An ordered barrier passes the right to run a main loop from one to the other.

Pseudo-code::

    producer:   for every k-tile of every tile: wait(empty); issue(copy -> full)
    consumer_i: for tile in output_tiles[i::2]:
                    wait(turn)
                    for k: wait(full); mma(k); arrive(empty)
                    pass(turn)
                    epilogue()
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description import After, Event, Schedule
from sweep.schedules._ring import consumer_rows, epilogue_row, producer_rows
from sweep.schedules._ring_programs import Ring
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import Arrive, Busy, Program, Wait
from sweep.simulator.simulation import Simulation


def events(release: str) -> tuple[Event, ...]:
    """List the events of one k-tile, and the turn and epilogue of a tile."""
    return (
        *producer_rows("release"),
        Event(
            "wait_turn",
            "consumer",
            takes="t_sync",
            after=(After("pass_turn", lag=1),),
            starts_at=1,
            place="tile_start",
        ),
        *consumer_rows(release),
        Event("pass_turn", "consumer", place="before_drain", signals="turn"),
        epilogue_row(),
    )


def consumer(ring: Ring, turn: Barrier, i: int) -> Program:
    """Multiply every other output tile, each main loop in its turn."""
    for tile in range(i, ring.output_tiles, 2):
        mmas = Barrier("mma")
        if tile > 0:
            yield Wait(turn, tile)
            yield Busy("wait_turn", ring.tiles[tile]["t_sync"], tile)
        yield from ring.mainloop(tile, mmas)
        yield Arrive(turn, "pass_turn", tile)
        yield from ring.drain(tile, mmas)
        yield ring.epilogue(tile)


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    # The turn orders the issues; this decides only ties, where the next tile is issued at the
    # very time at which the turn passes.
    tiles = range(p["output_tiles"])
    k_tiles = p["k_tiles"] if isinstance(p["k_tiles"], tuple) else (p["k_tiles"],) * len(tiles)
    mma_order = (f"consumer_{tile % 2}" for tile in tiles for _ in range(k_tiles[tile]))
    ring = Ring(simulation, p, len(tiles), mma_order=mma_order)
    turn = Barrier("turn")
    simulation.start("producer", ring.producer())
    for i in (0, 1):
        simulation.start(f"consumer_{i}", consumer(ring, turn, i))


SCHEDULE = Schedule(
    name="pingpong",
    family="gemm",
    summary="two consumers take alternate tiles; one's epilogue hides behind the other's MMAs",
    reference="CUTLASS 3.x KernelTmaWarpSpecializedPingpong",
    agents=("producer", "consumer_0", "consumer_1"),
    events=events,
    program=program,
    loader="tma",
    producer=True,
    consumer_warpgroups=2,
    turns=2,
    tile_level=True,
)
