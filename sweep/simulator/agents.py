"""Agents of the event-driven simulator: each runs its program and asks for resources."""

from __future__ import annotations

from typing import NamedTuple

from sweep.description.trace_rows import TraceRow
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import AsyncUse, Program, Use


class Agent:
    """A warp or warpgroup, running its program."""

    __slots__ = ("index", "name", "program", "rows", "since", "waited_for", "waits")

    def __init__(self, name: str, index: int, program: Program) -> None:
        self.name = name
        self.index = index
        self.program = program
        self.rows: list[TraceRow] = []
        self.since = 0.0  # end of its previous operation
        self.waited_for = ""  # the last barrier it was held at since then
        self.waits: tuple[Barrier, int] | None = None


class Request(NamedTuple):
    """A use that an agent has asked a resource for."""

    agent: Agent
    use: Use | AsyncUse
    since: float
    asked: float
    row: int
