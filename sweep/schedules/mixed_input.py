"""Narrow weights: they are converted in registers to the activations' type before each MMA.

Pseudo-code::

    producer: for tiles, k: wait(empty slot); copy A and the narrow B -> full
    consumer: for tiles:
                  for k: wait(full); wait(a register buffer); convert B into it
                         issue mma from registers -> slot and register buffer free at its end
                  wait(last mma); epilogue
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description import (
    END,
    After,
    Agent,
    Count,
    Duration,
    Event,
    Factor,
    Loop,
    Ring,
    Schedule,
)
from sweep.schedules._copy_rows import issued_copy_rows
from sweep.schedules._program_parts import Slots, k_tile_copies, tiles_of
from sweep.schedules._shared_names import transfer
from sweep.simulator.operations import AsyncUse, Busy, Program
from sweep.simulator.resources import Resource
from sweep.simulator.simulation import Simulation

STAGE_BYTES = "(tile_m * element_bytes + tile_n * weight_bytes) * tile_k"
EVENTS = (
    *issued_copy_rows("producer"),
    Event("convert", "consumer", takes="t_convert", after=(After("arrive"),)),
    Event("mma", "consumer", "TC", "t_mma", asynchronous=True),
    Event("epilogue", "consumer", takes="t_epilogue", after=(After("mma"),), place=END),
)
RINGS = (
    Ring("ab", "stages", {"issue": ("mma",)}, "shared", STAGE_BYTES),
    Ring(
        "converted",
        "register_buffers",
        {"convert": ("mma",)},
        "registers",
        "tile_n * tile_k * element_bytes / (4 * 128)",
    ),
)
DECLARES = (
    Count("register_buffers", 2, long_name="k-tiles of weights converted ahead, in registers"),
    Factor("weight_bytes", 0.5, unit="byte", long_name="bytes of a weight before conversion"),
    Factor("convert_ops", 2.0, long_name="CUDA-core operations to convert a weight"),
    transfer(STAGE_BYTES),
    Duration(
        "t_convert",
        "time to convert a k-tile's weights",
        "tile_n * tile_k * convert_ops / fma_lanes",
    ),
)
"""Converting four 4-bit weights to FP16 takes two LOP3 at half rate, a subtraction, a fused
multiply-add and two multiplications by the scale, each on two weights: eight lane-cycles, two a
weight (Marlin, ``dequant`` and ``scale``; throughputs of the CUDA C++ Programming Guide).
"""


def consumer(p: Mapping[str, Any], tensor_core: Resource, ring: Slots, registers: Slots) -> Program:
    """Convert each k-tile into a free register buffer and issue its MMA."""
    for tile in tiles_of(p, "k_tiles"):
        for k in range(tile.steps):
            use = tile.first + k
            yield ring.wait_full(use)
            yield registers.wait_empty(use)
            yield Busy("convert", tile.p["t_convert"], tile.number, k)
            signals = (ring.empty(use), registers.empty(use))
            yield AsyncUse(tensor_core, "mma", tile.p["t_mma"], 0.0, signals, tile.number, k)
        if tile.steps:
            last = tile.first + tile.steps - 1
            yield registers.wait_read(last)
        yield Busy("epilogue", tile.p["t_epilogue"], tile.number)


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    tensor_core, copy_path = simulation.resource("TC"), simulation.resource("MEM")
    ring, registers = Slots(p["stages"]), Slots(p["register_buffers"], name="register buffer")
    simulation.start("producer", k_tile_copies(p, copy_path, ring))
    simulation.start("consumer", consumer(p, tensor_core, ring, registers))


SCHEDULE = Schedule(
    name="mixed_input",
    shape="gemm",
    summary="narrow weights are converted in registers while the Tensor Core multiplies",
    reference=(
        "Machete, and CUTLASS sm90 mixed-input GEMM with A from registers; Marlin, arXiv 2408.11743"
    ),
    agents=(Agent("producer", warps=4, registers=24), Agent("consumer", warps=4, registers=240)),
    events=EVENTS,
    program=program,
    loader="tma",
    producer=True,
    consumer_warpgroups=1,
    tile_level=True,
    loops=(Loop("main", "k_tiles"),),
    rings=RINGS,
    declares=DECLARES,
    flop="2 * tile_m * tile_n * tile_k * k_tiles",
    defaults={"tile": "64x128x64"},
)
