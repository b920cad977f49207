"""One buffer, nothing overlaps: issue a copy, wait for it, multiply.

Pseudo-code::

    for k in k_tiles:
        issue(copy k); wait(copy k); mma(k)
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
    """List the events of one k-tile."""
    return (
        Event("issue", "warp", takes="t_issue"),
        Event("transfer", "warp", on="MEM", takes="t_transfer", asynchronous=True),
        Event("arrive", takes="t_latency", after=(After("transfer"),), signals="copy"),
        Event("wait_copy", "warp", takes="t_sync", after=(After("arrive"),)),
        Event("mma", "warp", on="TC", takes="t_mma"),
        Event("epilogue", "warp", takes="t_epilogue", place="tile_end"),
    )


def warp(simulation: Simulation, p: Mapping[str, Any]) -> Program:
    """Issue a copy, wait for it, multiply."""
    tensor_core, copy_path = simulation.resource("TC"), simulation.resource("MEM")
    copies = Barrier("copy")
    for k in range(p["k_tiles"]):
        yield Busy("issue", p["t_issue"], 0, k)
        yield AsyncUse(copy_path, "transfer", p["t_transfer"], p["t_latency"], (copies,), 0, k)
        yield Wait(copies, k + 1)
        yield Busy("wait_copy", p["t_sync"], 0, k)
        yield Use(tensor_core, "mma", p["t_mma"], 0, k)
    yield Busy("epilogue", p["t_epilogue"])


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """Add the agents to the simulation."""
    simulation.start("warp", warp(simulation, p))


SCHEDULE = Schedule(
    name="sync",
    family="gemm",
    summary="one buffer, nothing overlaps: copy, wait, multiply",
    reference="the baseline of every tiled GEMM",
    agents=("warp",),
    events=events,
    program=program,
    loader="cp_async",
    consumer_warpgroups=2,
    fixed_stages=1,
)
