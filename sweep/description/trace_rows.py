"""What a run of the event-driven simulator leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class TraceRow(NamedTuple):
    """One operation of one agent; times in cycles.

    Attributes
    ----------
    agent, resource, operation : str
        Who did what, holding what; ``resource`` is "" for work of the agent alone.
    output_tile, k_tile : int
        Which output tile, and which k-tile (or block of keys) of it; -1 for an operation done
        once per tile.
    since : float
        When the agent got there: its previous operation ended, or, for an asynchronous use, the
        time of the request.
    start, end : float
        When the operation began and ended; a resource is held from ``start`` to ``end``.
    waited_for : str
        The barrier or resource it waited for last; "" if it did not wait.
    """

    agent: str
    resource: str
    operation: str
    output_tile: int
    k_tile: int
    since: float
    start: float
    end: float
    waited_for: str


@dataclass(frozen=True, slots=True)
class EventResult:
    """The outcome of a simulation.

    Attributes
    ----------
    cycles : float
        Makespan: the latest end of any operation, in cycles.
    rows : list of TraceRow
        Every operation, by start, then agent, then program order.
    held : dict of str to float
        Cycles that each resource was held.
    """

    cycles: float
    rows: list[TraceRow]
    held: dict[str, float]
