"""Agents of the event-driven simulator: each runs its program and asks for resources."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sweep.description.trace_rows import TraceRow
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import AsyncUse, Program, Use


class Cta:
    """What agents belong to: which tiles of the SM theirs are, and how much has yet to end.

    Parameters
    ----------
    first, stride : int
        Tile u of its programs is tile ``first + stride * u`` of the SM.
    over : callable, optional
        Called when all its agents and asynchronous uses have ended.
    """

    __slots__ = ("_over", "first", "left", "stride")

    def __init__(
        self, first: int = 0, stride: int = 1, over: Callable[[], None] | None = None
    ) -> None:
        self.first, self.stride = first, stride
        self.left = 0
        self._over = over

    def ended(self) -> None:
        """Note that an agent or an asynchronous use has ended."""
        self.left -= 1
        if not self.left and self._over is not None:
            self._over()


class Agent:
    """A warp or warpgroup, running its program."""

    __slots__ = ("cta", "index", "name", "program", "rows", "since", "waited_for", "waits")

    def __init__(self, name: str, index: int, program: Program, cta: Cta) -> None:
        self.name = name
        self.cta = cta
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


class Landing(NamedTuple):
    """Barriers that get an arrival from a CTA, after the latency of a use."""

    barriers: tuple[Barrier, ...]
    cta: Cta
