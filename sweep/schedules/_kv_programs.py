"""The programs of attention with its loads: the producer, and W warpgroups that share K and V."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.schedules._attention_programs import tensor_core_turns
from sweep.schedules._program_parts import Slots, Tile, load, tiles_of
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import Arrive, AsyncUse, Busy, Program, Use, Wait
from sweep.simulator.simulation import Simulation


class KVKernel:
    """Barriers and units of one kernel.

    Parameters
    ----------
    simulation : Simulation
        Where the units are added.
    p : mapping
        Every parameter of the schedule.
    warpgroups : tuple of str
        Who computes, in the order of their turns.
    ahead : int
        How many blocks GEMM0 runs ahead of GEMM1: 1, or 2 with the overlap.
    """

    def __init__(
        self, simulation: Simulation, p: Mapping[str, Any], warpgroups: tuple[str, ...], ahead: int
    ) -> None:
        self.p = p
        self.ahead = ahead
        readers = len(warpgroups)
        self.queries = Slots(1, readers, "Q")
        self.keys = Slots(p["kv_stages"], readers, "K")
        self.values = Slots(p["kv_stages"], readers, "V")
        self.copy_path = simulation.resource("MEM")
        ordered = p["arbitration"] == "ordered"
        blocks = [tile.steps for tile in tiles_of(p, "kv_blocks")]
        gemms = (turn for count in blocks for turn in tensor_core_turns(warpgroups, count, ahead))
        self.tensor_core = simulation.resource("TC", gemms if ordered else None)
        turns = warpgroups * sum(blocks) if ordered else None
        self.exponential = simulation.resource("SFU", turns)
        self.cuda_cores = simulation.resource("FMA", turns)

    def producer(self) -> Program:
        """Load a tile's queries, then each block of keys with the values of the one before."""
        for tile in tiles_of(self.p, "kv_blocks"):
            yield self.queries.wait_empty(tile.filled)
            read = (self.queries.full(tile.filled),) if tile.steps else ()  # else nobody reads it
            yield load(self.copy_path, "load_q", tile, signals=read)
            for j in range(tile.steps + 1):
                if j < tile.steps:
                    yield self.keys.wait_empty(tile.first + j)
                    yield load(self.copy_path, "load_k", tile, j, (self.keys.full(tile.first + j),))
                if j > 0:
                    block = tile.first + j - 1
                    yield self.values.wait_empty(block)
                    yield load(self.copy_path, "load_v", tile, j - 1, (self.values.full(block),))

    def serial(self) -> Program:
        """Run each block's GEMM0, exp, the rest of softmax and GEMM1 in series."""
        for tile in tiles_of(self.p, "kv_blocks"):
            for j in range(tile.steps):
                yield self.queries.wait_full(tile.filled)
                yield self.keys.wait_full(tile.first + j)
                yield Use(self.tensor_core, "gemm0", tile.p["t_gemm0"], tile.number, j)
                for read in self._read_by_gemm0(tile, j):
                    yield Arrive(read)
                yield from self._softmax(tile, j)
            yield Busy("out", tile.p["t_out"], tile.number)

    def overlapped(self) -> Program:
        """Run the same with the next GEMM0 in flight during softmax.

        GEMM0 of block j + 2 is issued after GEMM1 of block j and once the scores of block j + 1
        are there.
        """
        scores = Barrier("gemm0")
        for tile in tiles_of(self.p, "kv_blocks"):
            for j in range(min(2, tile.steps)):
                yield from self._issue_gemm0(tile, j, scores)
            for j in range(tile.steps):
                yield Wait(scores, tile.first + j + 1)
                yield from self._softmax(tile, j)
                if j + 2 < tile.steps:
                    yield from self._issue_gemm0(tile, j + 2, scores)
            yield Busy("out", tile.p["t_out"], tile.number)

    def _issue_gemm0(self, tile: Tile, j: int, scores: Barrier) -> Program:
        yield Wait(scores, tile.first + j)
        yield self.queries.wait_full(tile.filled)
        yield self.keys.wait_full(tile.first + j)
        signals = (scores, *self._read_by_gemm0(tile, j))
        gemm0 = ("gemm0", tile.p["t_gemm0"], 0.0)
        yield AsyncUse(self.tensor_core, *gemm0, signals, tile.number, j)

    def _read_by_gemm0(self, tile: Tile, j: int) -> tuple[Barrier, ...]:
        """Return what GEMM0 of a block releases: its keys, after the last block the queries."""
        keys = self.keys.empty(tile.first + j)
        return (keys, self.queries.empty(tile.filled)) if j == tile.steps - 1 else (keys,)

    def _softmax(self, tile: Tile, j: int) -> Program:
        """Run exp, the rest of softmax and GEMM1 of a block; release its values."""
        yield Use(self.exponential, "exp", tile.p["t_exp"], tile.number, j)
        yield Use(self.cuda_cores, "softmax", tile.p["t_softmax"], tile.number, j)
        yield self.values.wait_full(tile.first + j)
        yield Use(self.tensor_core, "gemm1", tile.p["t_gemm1"], tile.number, j)
        yield Arrive(self.values.empty(tile.first + j))


def run_program(
    simulation: Simulation, p: Mapping[str, Any], warpgroups: tuple[str, ...], overlap: bool
) -> None:
    """Add the producer and the warpgroups to the simulation."""
    kernel = KVKernel(simulation, p, warpgroups, ahead=2 if overlap else 1)
    simulation.start("producer", kernel.producer())
    for name in warpgroups:
        simulation.start(name, kernel.overlapped() if overlap else kernel.serial())
