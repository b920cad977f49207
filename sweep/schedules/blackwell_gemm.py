"""tcgen05: MMAs that one warp issues into Tensor Memory; others drain a tile during the next.

Pseudo-code::

    load:     for tiles, k: wait(empty slot); copy -> full
    mma:      for tiles: wait(accumulator empty)
                  for k: wait(full); issue mma -> empty at completion; last -> accumulator full
    epilogue: for tiles: wait(accumulator full)
                  for subtiles: read Tensor Memory, convert, to shared memory; TMA store
                  release the accumulator after the last read

With ``cta_pair=2`` two CTAs share each MMA: each keeps its rows of A and half of B. They are
alike, and one stands for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description import (
    START,
    After,
    Agent,
    Count,
    Duration,
    Event,
    Loop,
    Resource,
    Ring,
    Schedule,
)
from sweep.schedules._copy_rows import issued_copy_rows
from sweep.schedules._program_parts import Slots, k_tile_copies, tiles_of
from sweep.schedules._shared_names import transfer
from sweep.simulator.operations import Arrive, AsyncUse, Busy, Program
from sweep.simulator.simulation import Simulation

STAGE_BYTES = "(tile_m + tile_n / cta_pair) * tile_k * element_bytes"
EVENTS = (
    *issued_copy_rows("load"),
    Event("acquire", "mma", place=START),
    Event("mma", "mma", "TC", "t_mma", (After("arrive"),), asynchronous=True),
    Event("complete", takes="t_mma_latency", after=(After("mma"),)),
    Event("drain", "epilogue", takes="t_drain", after=(After("complete"),), place="out"),
    Event("write", "epilogue", "STORE", "t_write", asynchronous=True, place="out"),
)
RINGS = (
    Ring("ab", "stages", {"issue": ("complete",)}, "shared", STAGE_BYTES),
    Ring("accumulators", "accumulators", {"acquire": ("drain",)}, "tensor", "tile_n"),
    Ring(
        "staging", "store_stages", {"drain": ("write",)}, "shared", "2 * tile_m * tile_n / subtiles"
    ),
)
DECLARES = (
    Count("accumulators", 2, long_name="output tiles that Tensor Memory holds at a time"),
    Count("subtiles", 4, long_name="parts in which an output tile is drained"),
    Count("store_stages", 2, long_name="subtiles staged in shared memory for their stores"),
    Count("cta_pair", 1, long_name="CTAs that share each MMA", most=2),
    Resource("STORE"),
    transfer(STAGE_BYTES),
    Duration(
        "t_drain",
        "time to read a subtile from Tensor Memory, convert it and stage it in shared memory",
        "tile_m * tile_n / subtiles"
        " * (4 / tmem_bytes_per_cycle + 1 / fma_lanes + 2 / staging_bytes_per_cycle)",
    ),
    Duration(
        "t_write",
        "occupancy of the store path per subtile",
        "2 * tile_m * tile_n / (subtiles * mem_bytes_per_cycle)",
    ),
)


class _Kernel:
    """Barriers and units of the three agents."""

    def __init__(self, simulation: Simulation, p: Mapping[str, Any]) -> None:
        self.p = p
        self.tensor_core, self.copy_path, self.stores = (
            simulation.resource(name) for name in ("TC", "MEM", "STORE")
        )
        self.ring = Slots(p["stages"])
        self.accumulators = Slots(p["accumulators"], name="accumulator")
        self.staging = Slots(p["store_stages"], name="staging")

    def load(self) -> Program:
        """Fill the ring."""
        return k_tile_copies(self.p, self.copy_path, self.ring)

    def mma(self) -> Program:
        """Multiply each tile into an accumulator that has been read."""
        for tile in tiles_of(self.p, "k_tiles"):
            yield self.accumulators.wait_empty(tile.number)
            yield Busy("acquire", 0.0, tile.number)
            finished = self.accumulators.full(tile.number)
            if not tile.steps:
                yield Arrive(finished)
            for k in range(tile.steps):
                use = tile.first + k
                yield self.ring.wait_full(use)
                last = k == tile.steps - 1
                signals = (self.ring.empty(use), finished) if last else (self.ring.empty(use),)
                mma = ("mma", tile.p["t_mma"], tile.p["t_mma_latency"])
                yield AsyncUse(self.tensor_core, *mma, signals, tile.number, k)

    def epilogue(self) -> Program:
        """Read each tile by subtiles, stage and store them; the last read frees the accumulator."""
        outputs = tiles_of(self.p, "subtiles")
        for tile, output in zip(tiles_of(self.p, "k_tiles"), outputs, strict=True):
            if tile.steps:
                yield self.accumulators.wait_full(tile.number)
            for subtile in range(output.steps):
                store = output.first + subtile
                yield self.staging.wait_empty(store)
                yield Busy("drain", tile.p["t_drain"], tile.number, subtile)
                if subtile == output.steps - 1:
                    yield Arrive(self.accumulators.empty(tile.number))
                write, signals = ("write", tile.p["t_write"], 0.0), (self.staging.empty(store),)
                yield AsyncUse(self.stores, *write, signals, tile.number, subtile)


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    kernel = _Kernel(simulation, p)
    simulation.start("load", kernel.load())
    simulation.start("mma", kernel.mma())
    simulation.start("epilogue", kernel.epilogue())


SCHEDULE = Schedule(
    name="blackwell_gemm",
    shape="gemm",
    summary="tcgen05: a tile is drained from Tensor Memory while the next one multiplies",
    reference=(
        "CUTLASS sm100 KernelTmaWarpSpecialized1Sm and 2Sm; DeepGEMM sm100;"
        " CuTe DSL dense_gemm_persistent"
    ),
    agents=(Agent("load", warps=1), Agent("mma", warps=1), Agent("epilogue", warps=4)),
    events=EVENTS,
    program=program,
    loader="tma",
    producer=True,
    tile_level=True,
    loops=(Loop("main", "k_tiles"), Loop("out", "subtiles")),
    rings=RINGS,
    declares=DECLARES,
    flop="2 * tile_m * tile_n * tile_k * k_tiles",
    defaults={"gpu": "b200"},
)
