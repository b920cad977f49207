"""Two GEMMs in one kernel, act(A B) C: the product between them never leaves the SM.

The first loop multiplies k-tiles of A and B into one accumulator; its activated tile stays in
shared memory; the second loop multiplies it, a slice of its columns at a time, with C.

Pseudo-code::

    load:     for tiles: for k: wait(empty); copy A(k), B(k)
                         for n: wait(empty); copy C(n)
    mma:      for tiles: for k: wait(A(k), B(k)); issue mma_b -> empty
                         wait(activated)
                         for n: wait(C(n)); issue mma_c -> empty
    epilogue: for tiles: wait(last mma_b); activate, to shared memory
                         wait(last mma_c); write the output
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sweep.description import END, After, Agent, Count, Duration, Event, Loop, Ring, Schedule
from sweep.schedules._copy_rows import copy_rows
from sweep.schedules._program_parts import Slots, Tile, load, tiles_of
from sweep.schedules._shared_names import TENSOR_CORE, output
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import Arrive, AsyncUse, Busy, Program, Wait
from sweep.simulator.simulation import Simulation

FIRST, MIDDLE, SECOND = "first", "middle", "second"


def _mma(operand: str, place: str, *after: After) -> Event:
    name, takes = f"mma_{operand}", f"t_mma_{operand}"
    return Event(name, "mma", "TC", takes, after, asynchronous=True, place=place)


EVENTS = (
    *copy_rows("load", "load_b", "b_in", "t_load_b", FIRST),
    _mma("b", FIRST, After("b_in")),
    Event("act", "epilogue", takes="t_act", after=(After("mma_b"),), place=MIDDLE),
    *copy_rows("load", "load_c", "c_in", "t_load_c", SECOND),
    _mma("c", SECOND, After("act"), After("c_in")),
    Event("out", "epilogue", takes="t_out", after=(After("mma_c"),), place=END),
)
_AB_BYTES = "(tile_m + tile_n) * tile_k * element_bytes"
_C_BYTES = "tile_n * tile_k * element_bytes"
RINGS = (
    Ring("ab", "stages", {"load_b": ("mma_b",)}, "shared", _AB_BYTES),
    Ring("c", "stages", {"load_c": ("mma_c",)}, "shared", _C_BYTES),
    Ring("activated", 1, (), "shared", "tile_m * tile_n * element_bytes"),
    Ring("products", 2, (), "tensor", "tile_n"),
)
_MMA = f"2 * tile_m * tile_n * tile_k / {TENSOR_CORE}"
DECLARES = (
    Count("n_tiles", 4, least=0, long_name="slices of the columns of the product in between"),
    Duration(
        "t_load_b",
        "occupancy of the copy path by a k-tile of the first GEMM",
        f"{_AB_BYTES} / mem_bytes_per_cycle",
    ),
    Duration(
        "t_load_c",
        "occupancy of the copy path by a slice of the second GEMM's operand",
        f"{_C_BYTES} / mem_bytes_per_cycle",
    ),
    Duration("t_mma_b", "occupancy of the Tensor Core by a k-tile of the first GEMM", _MMA),
    Duration("t_mma_c", "occupancy of the Tensor Core by a slice of the second GEMM", _MMA),
    Duration(
        "t_act",
        "time to activate the product between two GEMMs",
        "tile_m * tile_n * (4 / tmem_bytes_per_cycle + 1 / fma_lanes"
        " + element_bytes / staging_bytes_per_cycle)",
    ),
    output(
        "tile_m * tile_n * (1 / fma_lanes + 2 / staging_bytes_per_cycle)",
    ),
)


class _Kernel:
    """Barriers and units of the three agents."""

    def __init__(self, simulation: Simulation, p: Mapping[str, Any]) -> None:
        self.p = p
        self.tensor_core, self.copy_path = simulation.resource("TC"), simulation.resource("MEM")
        self.ab, self.c = Slots(p["stages"], name="AB"), Slots(p["stages"], name="C")
        self.product = Barrier("first product")
        self.activated = Barrier("activated")
        self.output = Barrier("second product")

    def _tiles(self) -> Iterator[tuple[Tile, Tile]]:
        """Yield each tile as its first and as its second loop see it."""
        return zip(tiles_of(self.p, "k_tiles"), tiles_of(self.p, "n_tiles"), strict=True)

    def load(self) -> Program:
        """Load k-tiles of the first GEMM, then slices of the second one's operand."""
        for tiles in self._tiles():
            for name, tile, ring in zip(
                ("load_b", "load_c"), tiles, (self.ab, self.c), strict=True
            ):
                for step in range(tile.steps):
                    use = tile.first + step
                    yield ring.wait_empty(use)
                    yield load(self.copy_path, name, tile, step, (ring.full(use),))

    def mma(self) -> Program:
        """Multiply A and B; when the product is activated, multiply it with C."""
        for first, second in self._tiles():
            yield from self._multiply("mma_b", first, self.ab, self.product)
            if second.steps:
                yield Wait(self.activated, second.number + 1)
            yield from self._multiply("mma_c", second, self.c, self.output)

    def _multiply(self, name: str, tile: Tile, ring: Slots, done: Barrier) -> Program:
        for step in range(tile.steps):
            use = tile.first + step
            yield ring.wait_full(use)
            signals = (ring.empty(use), done) if step == tile.steps - 1 else (ring.empty(use),)
            mma = (name, tile.p[f"t_{name}"], 0.0)
            yield AsyncUse(self.tensor_core, *mma, signals, tile.number, step)

    def epilogue(self) -> Program:
        """Activate the first product of each tile, and write the second."""
        for first, second in self._tiles():
            yield Wait(self.product, first.filled + (first.steps > 0))
            yield Busy("act", first.p["t_act"], first.number, 0)
            yield Arrive(self.activated)
            yield Wait(self.output, second.filled + (second.steps > 0))
            yield Busy("out", second.p["t_out"], second.number)


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    kernel = _Kernel(simulation, p)
    simulation.start("load", kernel.load())
    simulation.start("mma", kernel.mma())
    simulation.start("epilogue", kernel.epilogue())


SCHEDULE = Schedule(
    name="chained_gemm",
    shape="gemm",
    summary="two GEMMs fused: the activated product between them stays on the SM",
    reference="CUTLASS examples/13_two_tensor_op_fusion (B2B GEMM); fused MLP kernels",
    agents=(Agent("load", warps=1), Agent("mma", warps=1), Agent("epilogue", warps=4)),
    events=EVENTS,
    program=program,
    loader="tma",
    producer=True,
    consumer_warpgroups=1,
    tile_level=True,
    loops=(Loop(FIRST, "k_tiles"), Loop(MIDDLE, 1), Loop(SECOND, "n_tiles")),
    rings=RINGS,
    declares=DECLARES,
    flop="2 * tile_m * tile_n * tile_k * (k_tiles + n_tiles)",
    defaults={"gpu": "b200", "tile": "128x128x64"},
)
