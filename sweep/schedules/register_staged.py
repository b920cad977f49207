"""Double buffering through registers: copy k + 1 is in flight during MMA k.

Pseudo-code::

    issue(copy 0); wait(copy 0); store(0)
    for k in k_tiles:
        issue(copy k + 1)                 # lands in registers
        mma(k)
        wait(copy k + 1); store(k + 1)    # to the other shared-memory buffer
    epilogue()
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description import After, Event, Schedule
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import AsyncUse, Busy, Program, Use, Wait
from sweep.simulator.simulation import Simulation


def events(release: str) -> tuple[Event, ...]:
    """List the events of one step: copy k and, one step behind, MMA k - 1."""
    return (
        Event("issue", "warp", takes="t_issue"),
        Event("transfer", "warp", on="MEM", takes="t_transfer", asynchronous=True),
        Event("arrive", takes="t_latency", after=(After("transfer"),), signals="copy"),
        Event("mma", "warp", on="TC", takes="t_mma", behind=1),
        Event("wait_copy", "warp", takes="t_sync", after=(After("arrive"),)),
        Event("store", "warp", takes="t_store"),
        Event("epilogue", "warp", takes="t_epilogue", place="tile_end"),
    )


def warp(simulation: Simulation, p: Mapping[str, Any]) -> Program:
    """Copy tile k + 1 into registers during MMA k, then store it to the other buffer."""
    tensor_core, copy_path = simulation.resource("TC"), simulation.resource("MEM")
    copies = Barrier("copy")

    def issue_copy(k: int) -> Program:
        yield Busy("issue", p["t_issue"], 0, k)
        yield AsyncUse(copy_path, "transfer", p["t_transfer"], p["t_latency"], (copies,), 0, k)

    def store_copy(k: int) -> Program:
        yield Wait(copies, k + 1)
        yield Busy("wait_copy", p["t_sync"], 0, k)
        yield Busy("store", p["t_store"], 0, k)

    yield from issue_copy(0)
    yield from store_copy(0)
    for k in range(p["k_tiles"]):
        another = k + 1 < p["k_tiles"]
        if another:
            yield from issue_copy(k + 1)
        yield Use(tensor_core, "mma", p["t_mma"], 0, k)
        if another:
            yield from store_copy(k + 1)
    yield Busy("epilogue", p["t_epilogue"])


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    simulation.start("warp", warp(simulation, p))


SCHEDULE = Schedule(
    name="register_staged",
    family="gemm",
    summary="double buffering through registers: copy k+1 in flight during MMA k",
    reference="CUTLASS 2.x MmaPipelined, before cp.async",
    agents=("warp",),
    events=events,
    program=program,
    loader="cp_async",
    consumer_warpgroups=2,
    fixed_stages=2,
)
