"""Resources of the event-driven simulator, where requests queue."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Protocol


class Named(Protocol):
    """Who asks: an agent."""

    @property
    def name(self) -> str:
        """Its name."""


class Queued(Protocol):
    """A request as a resource sees it: by whom."""

    @property
    def agent(self) -> Named:
        """Who made it."""


class Resource:
    """A resource that serves one use at a time, without preemption.

    Parameters
    ----------
    name : str
        TC, MEM, SFU or FMA.
    service_order : iterable of str, optional
        The agents to serve, one use each turn; first come first served where None.
    """

    __slots__ = ("free", "held", "name", "queue", "turn", "turns")

    def __init__(self, name: str, service_order: Iterable[str] | None = None) -> None:
        self.name = name
        self.queue: deque[Queued] = deque()
        self.free = True
        self.held = 0.0
        self.turns: Iterator[str] | None = None
        self.turn: str | None = None
        if service_order is not None:
            self.serve_by(service_order)

    def serve_by(self, service_order: Iterable[str]) -> None:
        """Serve in an order from now on, one use each turn."""
        self.turns = iter(service_order)
        self.turn = next(self.turns, None)

    def take_next(self) -> Queued | None:
        """Remove and return the request to serve next; None if it has not been made yet."""
        if self.turns is None:
            return self.queue.popleft() if self.queue else None
        for position, request in enumerate(self.queue):
            if request.agent.name == self.turn:
                del self.queue[position]
                self.turn = next(self.turns, None)
                return request
        return None
