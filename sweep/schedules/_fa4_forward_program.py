"""The program of FlashAttention-4's forward pass: load, MMA, two softmax, correction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.schedules._program_parts import Slots, Tile, load, tiles_of
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import Arrive, AsyncUse, Busy, Program, Use, Wait
from sweep.simulator.simulation import Simulation


class _QueryTile:
    """The barriers of one of the two query tiles; each counts over the whole run."""

    def __init__(self) -> None:
        self.scores = Barrier("S full")
        self.maximum = Barrier("maximum")
        self.first_part = Barrier("P first part")
        self.all_of_p = Barrier("P")
        self.rescaled = Barrier("O rescaled")
        self.output = Barrier("O full")
        self.written = Barrier("O empty")


class FA4Forward:
    """Barriers and units of the five agents.

    Parameters
    ----------
    simulation : Simulation
        Where the units are added.
    p : mapping
        Every parameter of the schedule.
    """

    def __init__(self, simulation: Simulation, p: Mapping[str, Any]) -> None:
        self.p = p
        self.queries = Slots(1, readers=2, name="Q")
        self.kv = Slots(p["kv_stages"], name="KV")
        self.query_tiles = (_QueryTile(), _QueryTile())
        self.tensor_core, self.copy_path = simulation.resource("TC"), simulation.resource("MEM")
        blocks = sum(tile.steps for tile in tiles_of(p, "kv_blocks"))
        turns = ("softmax_0", "softmax_0", "softmax_1", "softmax_1") * blocks
        ordered = p["arbitration"] == "ordered"
        self.exponential = simulation.resource("SFU", turns if ordered else None)

    def load(self) -> Program:
        """Load the queries, then keys and values of each block into one ring."""
        for tile in tiles_of(self.p, "kv_blocks"):
            yield self.queries.wait_empty(tile.filled)
            read = (self.queries.full(tile.filled),) if tile.steps else ()  # else nobody reads it
            yield load(self.copy_path, "load_q", tile, signals=read)
            for i in range(tile.steps):
                keys = 2 * (tile.first + i)
                for name, use in (("load_k", keys), ("load_v", keys + 1)):
                    yield self.kv.wait_empty(use)
                    yield load(self.copy_path, name, tile, i, (self.kv.full(use),))

    def mma(self) -> Program:
        """Multiply S = Q K of the first block, then O += P V and the next S, tile by tile."""
        for tile in tiles_of(self.p, "kv_blocks"):
            for i in range(tile.steps + 1):
                for s in (0, 1):
                    if i > 0:
                        yield from self._output(tile, i - 1, s)
                    if i < tile.steps:
                        yield from self._scores(tile, i, s)

    def _scores(self, tile: Tile, i: int, s: int) -> Program:
        """Issue S = Q K; the second query tile releases the keys, the last block the queries."""
        keys = 2 * (tile.first + i)
        yield self.queries.wait_full(tile.filled)
        yield self.kv.wait_full(keys)
        released = [self.kv.empty(keys)] if s == 1 else []
        if i == tile.steps - 1:
            released.append(self.queries.empty(tile.filled))
        qk = ("qk", tile.p["t_qk"], tile.p["t_mma_latency"], (self.query_tiles[s].scores,))
        yield AsyncUse(self.tensor_core, *qk, tile.number, i, tuple(released))

    def _output(self, tile: Tile, i: int, s: int) -> Program:
        """Issue O += P V in two parts; the second query tile releases the values."""
        own, values = self.query_tiles[s], 2 * (tile.first + i) + 1
        block = tile.first + i + 1
        yield self.kv.wait_full(values)
        yield Wait(own.first_part, block)
        yield Wait(own.rescaled, block - tile.filled - 1)
        yield Wait(own.written, tile.number)
        yield AsyncUse(self.tensor_core, "pv_a", tile.p["t_pv_a"], 0.0, (), tile.number, i)
        yield Wait(own.all_of_p, block)
        signals = [self.kv.empty(values)] if s == 1 else []
        if i == tile.steps - 1:
            signals.append(own.output)
        pv_b = ("pv_b", tile.p["t_pv_b"], 0.0, tuple(signals))
        yield AsyncUse(self.tensor_core, *pv_b, tile.number, i)

    def softmax(self, s: int) -> Program:
        """Turn scores into P, in two parts, and tell the maxima first."""
        own = self.query_tiles[s]
        for tile in tiles_of(self.p, "kv_blocks"):
            for i in range(tile.steps):
                yield Wait(own.scores, tile.first + i + 1)
                yield Busy("max", tile.p["t_max"], tile.number, i)
                yield Arrive(own.maximum)
                yield Use(self.exponential, "exp_a", tile.p["t_exp_a"], tile.number, i)
                yield Arrive(own.first_part)
                yield Use(self.exponential, "exp_b", tile.p["t_exp_b"], tile.number, i)
                yield Arrive(own.all_of_p)
                yield Busy("sum", tile.p["t_sum"], tile.number, i)

    def correction(self) -> Program:
        """Rescale each output from the second block on; write and release it at the end."""
        for tile in tiles_of(self.p, "kv_blocks"):
            for i in range(1, tile.steps):
                for own in self.query_tiles:
                    yield Wait(own.maximum, tile.first + i + 1)
                    yield Busy("fix", tile.p["t_fix"], tile.number, i)
                    yield Arrive(own.rescaled)
            for own in self.query_tiles:
                yield Wait(own.output, tile.filled + (tile.steps > 0))
                yield Busy("out", tile.p["t_out"], tile.number)
                yield Arrive(own.written)


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    kernel = FA4Forward(simulation, p)
    simulation.start("load", kernel.load())
    simulation.start("mma", kernel.mma())
    for s in (0, 1):
        simulation.start(f"softmax_{s}", kernel.softmax(s))
    simulation.start("correction", kernel.correction())
