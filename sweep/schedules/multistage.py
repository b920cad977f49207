"""A ring of stages filled with cp.async by the warps that also multiply.

Pseudo-code::

    for k in range(stages - 1): issue(copy k)
    for k in k_tiles:
        issue(copy k + stages - 1)        # if there is one
        wait(copy k); mma(k)
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
    """List the events of one step: copy k and, stages - 1 steps behind, its MMA."""
    return (
        Event("issue", "warp", takes="t_issue"),
        Event("transfer", "warp", on="MEM", takes="t_transfer", asynchronous=True),
        Event("arrive", takes="t_latency", after=(After("transfer"),), signals="copy"),
        Event("wait_copy", "warp", takes="t_sync", after=(After("arrive"),), behind="stages - 1"),
        Event("mma", "warp", on="TC", takes="t_mma", behind="stages - 1"),
        Event("epilogue", "warp", takes="t_epilogue", place="tile_end"),
    )


def warp(simulation: Simulation, p: Mapping[str, Any]) -> Program:
    """Keep ``stages - 1`` copies in flight ahead of the MMAs."""
    tensor_core, copy_path = simulation.resource("TC"), simulation.resource("MEM")
    copies = Barrier("copy")
    ahead = p["stages"] - 1

    def issue_copy(k: int) -> Program:
        yield Busy("issue", p["t_issue"], 0, k)
        yield AsyncUse(copy_path, "transfer", p["t_transfer"], p["t_latency"], (copies,), 0, k)

    for k in range(min(ahead, p["k_tiles"])):
        yield from issue_copy(k)
    for k in range(p["k_tiles"]):
        if k + ahead < p["k_tiles"]:
            yield from issue_copy(k + ahead)
        yield Wait(copies, k + 1)
        yield Busy("wait_copy", p["t_sync"], 0, k)
        yield Use(tensor_core, "mma", p["t_mma"], 0, k)
    yield Busy("epilogue", p["t_epilogue"])


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    simulation.start("warp", warp(simulation, p))


SCHEDULE = Schedule(
    name="multistage",
    family="gemm",
    summary="a ring of stages filled with cp.async by the warps that also multiply",
    reference="CUTLASS 2.x MmaMultistage (Ampere)",
    agents=("warp",),
    events=events,
    program=program,
    loader="cp_async",
    consumer_warpgroups=2,
)
