"""FP8 GEMM whose sums are promoted: rows, names and program for one or more consumer warpgroups.

The Tensor Core adds FP8 products with too few bits, so every ``promote_every`` k-tiles the CUDA
cores scale what it has summed and add it to FP32 registers: every 128 elements of K, four wgmma
(DeepSeek-V3, arXiv 2412.19437, section 3.3.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sweep.description import END, After, Agent, Count, Duration, Event, Ring
from sweep.schedules._copy_rows import issued_copy_rows
from sweep.schedules._program_parts import Slots, k_tile_copies, tiles_of
from sweep.schedules._shared_names import TENSOR_CORE, transfer
from sweep.simulator.operations import Arrive, Busy, Program, Use
from sweep.simulator.simulation import Simulation

COPIED_BYTES = "(tile_m + tile_n) * tile_k * element_bytes + 4 * tile_m"
"""A k-tile of A and B, and the FP32 scales of its rows of A."""


def consumers(warpgroups: int) -> tuple[str, ...]:
    """Name the warpgroups that multiply."""
    return tuple(f"consumer_{w}" for w in range(warpgroups))


def agents(warpgroups: int) -> tuple[Agent, ...]:
    """List the producer and the consumers, with DeepGEMM's registers."""
    registers = 248 if warpgroups == 1 else 232
    return (
        Agent("producer", warps=4, registers=40),
        *(Agent(name, warps=4, registers=registers) for name in consumers(warpgroups)),
    )


def rows(warpgroups: int) -> tuple[Event, ...]:
    """List the rows of a k-tile: its copy, then MMA and promotion of each warpgroup's rows."""
    return (
        *issued_copy_rows("producer"),
        *(row for w in range(warpgroups) for row in _consumer_rows(w)),
        *(
            Event(f"epilogue_{w}", name, takes="t_epilogue", place=END, operation="epilogue")
            for w, name in enumerate(consumers(warpgroups))
        ),
    )


def _consumer_rows(w: int) -> tuple[Event, Event]:
    name = f"consumer_{w}"
    return (
        Event(f"mma_{w}", name, "TC", "t_mma_wg", (After("arrive"),), operation="mma"),
        Event(f"promote_{w}", name, "FMA", "t_promote", every="promote_every", operation="promote"),
    )


def rings(warpgroups: int) -> tuple[Ring, ...]:
    """Declare the ring of k-tiles; TMA wants the scales of a slot on 128 bytes."""
    freed = tuple(f"mma_{w}" for w in range(warpgroups))
    return (Ring("ab", "stages", {"issue": freed}, "shared", slot_bytes),)


def slot_bytes(tile_m: Any, tile_n: Any, tile_k: Any, element_bytes: Any) -> Any:
    """Return (BM + BN) BK element bytes, and 4 BM bytes of scales rounded up to 128."""
    return (tile_m + tile_n) * tile_k * element_bytes + -(-4 * tile_m // 128) * 128


def declares(warpgroups: int) -> tuple[Count | Duration, ...]:
    """Declare the counts and durations of W warpgroups, each with BM / W rows of a tile."""
    return (
        Count("promote_every", 1, long_name="k-tiles that the Tensor Core adds before promotion"),
        transfer(COPIED_BYTES),
        Duration(
            "t_mma_wg",
            "occupancy of the Tensor Core by a k-tile's rows of one warpgroup",
            f"2 * tile_m * tile_n * tile_k / ({warpgroups} * {TENSOR_CORE})",
        ),
        Duration(
            "t_promote",
            "occupancy of the FMA lanes by the promotion of one warpgroup's sums",
            f"tile_m * tile_n / ({warpgroups} * fma_lanes)",
        ),
    )


def run_program(simulation: Simulation, p: Mapping[str, Any], warpgroups: int) -> None:
    """Add the producer and the consumers to the simulation."""
    names = consumers(warpgroups)
    copy_path = simulation.resource("MEM")
    ordered = p.get("arbitration") != "fifo"
    steps = sum(tile.steps for tile in tiles_of(p, "k_tiles"))
    tensor_core = simulation.resource("TC", names * steps if ordered else None)
    turns = (name for _ in _promotions(p) for name in names)
    cuda_cores = simulation.resource("FMA", turns if ordered else None)
    ring = Slots(p["stages"], readers=warpgroups)

    def consumer() -> Program:
        for tile in tiles_of(p, "k_tiles"):
            for k in range(tile.steps):
                use = tile.first + k
                yield ring.wait_full(use)
                yield Use(tensor_core, "mma", tile.p["t_mma_wg"], tile.number, k)
                yield Arrive(ring.empty(use))
                if _promotes(k, tile.steps, p):
                    yield Use(cuda_cores, "promote", tile.p["t_promote"], tile.number, k)
            yield Busy("epilogue", tile.p["t_epilogue"], tile.number)

    simulation.start("producer", k_tile_copies(p, copy_path, ring))
    for name in names:
        simulation.start(name, consumer())


def _promotes(k: int, steps: int, p: Mapping[str, Any]) -> bool:
    return (k + 1) % int(p["promote_every"]) == 0 or k == steps - 1


def _promotions(p: Mapping[str, Any]) -> Iterator[int]:
    """Yield the k-tiles after which sums are promoted."""
    for tile in tiles_of(p, "k_tiles"):
        yield from (k for k in range(tile.steps) if _promotes(k, tile.steps, p))
