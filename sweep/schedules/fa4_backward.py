"""FlashAttention-4 backward, one CTA: a tile is a block of keys, the loop runs over query blocks.

dQ and dP share columns of Tensor Memory, so dP of the next block waits until dQ has been read.

Pseudo-code::

    load:    load K, V; for j: load Q(j); load dO(j)
    mma:     for j: S(j) = Q K^T; dK += dS^T Q(j - 1); dQ(j - 1) = dS K
                    wait(dQ(j - 1) read); dP(j) = dO V^T; wait(P(j)); dV += P^T dO(j)
             at the end: dK, dQ of the last block
    compute: for j: wait(S(j)); exp -> P(j); wait(dP(j)); dS(j)
             wait(last dQ); write dK, dV
    reduce:  for j: wait(dQ(j)); read it, release its columns; add it to global memory
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description import END, START, After, Agent, Event, Loop, Ring, Schedule
from sweep.schedules._copy_rows import copy_rows
from sweep.schedules._fa4_backward_names import BLOCK, DECLARES
from sweep.schedules._program_parts import Slots, Tile, load, tiles_of
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import Arrive, AsyncUse, Busy, Program, Use, Wait
from sweep.simulator.simulation import Simulation


def _mma(name: str, *after: After, behind: int = 0) -> Event:
    takes = f"t_gemm_{name}"
    return Event(name, "mma", "TC", takes, after, asynchronous=True, behind=behind)


WRITTEN = After("out", lag=1)
EVENTS = (
    *copy_rows("load", "load_kv", "kv_in", "t_load_kv", START),
    *copy_rows("load", "load_q", "q_in", "t_load"),
    *copy_rows("load", "load_do", "do_in", "t_load"),
    _mma("s", After("q_in"), After("kv_in")),
    _mma("dk", After("ds"), WRITTEN, behind=1),
    _mma("dq", behind=1),
    Event("read", "reduce", takes="t_read", after=(After("dq"),), behind=1),
    Event("add", "reduce", takes="t_add", behind=1),
    _mma("dp", After("do_in"), After("read", lag=1)),
    Event("p", "compute", "SFU", "t_exp", (After("s"),)),
    _mma("dv", After("p"), WRITTEN),
    Event("ds", "compute", takes="t_ds", after=(After("dp"),)),
    Event("out", "compute", takes="t_out", after=(After("dq"),), place=END),
)
_ROWS = f"{BLOCK} * head_dim * element_bytes"
RINGS = (
    Ring("kv", 1, {"load_kv": ("dq",)}, "shared", f"2 * {_ROWS}"),
    Ring("q", "q_stages", {"load_q": ("dk",)}, "shared", _ROWS),
    Ring("do", "do_stages", {"load_do": ("dv",)}, "shared", _ROWS),
    Ring("ds", 1, (), "shared", f"{BLOCK} * {BLOCK} * element_bytes"),
    Ring("dq_staging", 2, (), "shared", f"{BLOCK} * 32 * 4"),
    Ring("scores", 2, (), "tensor", f"{BLOCK}"),
    Ring("sums", 2, (), "tensor", "head_dim"),
)


class _Kernel:
    """Barriers and units of the four agents; barriers count blocks of the whole run."""

    def __init__(self, simulation: Simulation, p: Mapping[str, Any]) -> None:
        self.p = p
        self.key_block = Slots(1, name="KV")
        self.q = Slots(p["q_stages"], name="Q")
        self.do = Slots(p["do_stages"], name="dO")
        self.s, self.probabilities, self.dp, self.ds, self.dq, self.read, self.written = (
            Barrier(name) for name in ("S", "P", "dP", "dS", "dQ", "dQ read", "dK and dV written")
        )
        self.tensor_core, self.copy_path, self.exponential = (
            simulation.resource(name) for name in ("TC", "MEM", "SFU")
        )

    def load(self) -> Program:
        """Load the block of keys and values, then each block of queries and output gradients."""
        for tile in tiles_of(self.p, "q_blocks"):
            yield self.key_block.wait_empty(tile.filled)
            read = (self.key_block.full(tile.filled),) if tile.steps else ()  # else nobody reads
            yield load(self.copy_path, "load_kv", tile, signals=read)
            for j in range(tile.steps):
                for ring, name in ((self.q, "load_q"), (self.do, "load_do")):
                    block = tile.first + j
                    yield ring.wait_empty(block)
                    times = tile.p["t_load"], tile.p["t_latency"]
                    there = (ring.full(block),)
                    yield AsyncUse(self.copy_path, name, *times, there, tile.number, j)

    def mma(self) -> Program:
        """Issue S(j), then dK and dQ of the block before, dP(j), dV(j)."""
        for tile in tiles_of(self.p, "q_blocks"):
            for j in range(tile.steps + 1):
                block = tile.first + j
                if j < tile.steps:
                    yield self.q.wait_full(block)
                    yield self.key_block.wait_full(tile.filled)
                    yield self._issue("s", tile, j, self.s)
                if j > 0:
                    yield Wait(self.ds, block)
                    yield Wait(self.written, tile.number)
                    yield self._issue("dk", tile, j - 1, self.q.empty(block - 1))
                    last = (self.key_block.empty(tile.filled),) if j == tile.steps else ()
                    yield self._issue("dq", tile, j - 1, self.dq, *last)
                if j < tile.steps:
                    yield self.do.wait_full(block)
                    yield Wait(self.read, block)
                    yield self._issue("dp", tile, j, self.dp)
                    yield Wait(self.probabilities, block + 1)
                    yield Wait(self.written, tile.number)
                    yield self._issue("dv", tile, j, self.do.empty(block))

    def _issue(self, name: str, tile: Tile, j: int, *signals: Barrier) -> AsyncUse:
        takes = tile.p[f"t_gemm_{name}"]
        return AsyncUse(self.tensor_core, name, takes, 0.0, signals, tile.number, j)

    def compute(self) -> Program:
        """Turn S into P and dP into dS; write dK and dV when the last product is done."""
        for tile in tiles_of(self.p, "q_blocks"):
            for j in range(tile.steps):
                block = tile.first + j + 1
                yield Wait(self.s, block)
                yield Use(self.exponential, "p", tile.p["t_exp"], tile.number, j)
                yield Arrive(self.probabilities)
                yield Wait(self.dp, block)
                yield Busy("ds", tile.p["t_ds"], tile.number, j)
                yield Arrive(self.ds)
            yield Wait(self.dq, tile.first + tile.steps)
            yield Busy("out", tile.p["t_out"], tile.number)
            yield Arrive(self.written)

    def reduce(self) -> Program:
        """Read each dQ, which frees its columns, and add it to global memory."""
        for tile in tiles_of(self.p, "q_blocks"):
            for j in range(tile.steps):
                yield Wait(self.dq, tile.first + j + 1)
                yield Busy("read", tile.p["t_read"], tile.number, j)
                yield Arrive(self.read)
                yield Busy("add", tile.p["t_add"], tile.number, j)


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    kernel = _Kernel(simulation, p)
    for name in ("load", "mma", "reduce", "compute"):
        simulation.start(name, getattr(kernel, name)())


SCHEDULE = Schedule(
    name="fa4_backward",
    shape="attention",
    summary="FlashAttention-4 backward: five products a block, dQ and dP share Tensor Memory",
    reference="FlashAttention-4, arXiv 2603.05451; flash_attn/cute/flash_bwd_sm100.py, one CTA",
    agents=(
        Agent("load", warps=2, registers=88),  # one loads, one is idle
        Agent("mma", warps=2, registers=88),  # one issues MMAs, one the stores
        Agent("reduce", warps=4, registers=152),
        Agent("compute", warps=8, registers=136),
    ),
    events=EVENTS,
    program=program,
    loader="tma",
    producer=True,
    consumer_warpgroups=3,
    tile_level=True,
    loops=(Loop("q", "q_blocks"),),
    rings=RINGS,
    declares=DECLARES,
    flop=f"5 * 2 * {BLOCK} * {BLOCK} * head_dim * q_blocks",
    defaults={"gpu": "b200"},
)
