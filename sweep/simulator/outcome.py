"""What a run of the event-driven machine came to: who is stuck, or all that was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

from sweep.description.trace_rows import EventResult
from sweep.simulator.agents import Agent
from sweep.simulator.resources import Resource


def who_waits(agents: Sequence[Agent], resources: Mapping[str, Resource]) -> list[str]:
    """Say which agents are held at a barrier, and which uses were never served."""
    stuck = [
        f"{agent.name} waits for {agent.waits[0].describe(agent.waits[1])}"
        for agent in sorted(agents, key=attrgetter("index"))
        if agent.waits is not None
    ]
    stuck += [
        f"{request.agent.name} waits for {resource.name}, where the next turn is "
        f"{'nobody' if resource.turn is None else resource.turn}'s"
        for resource in resources.values()
        for request in resource.queue
    ]
    return stuck


def outcome(agents: Sequence[Agent], resources: Mapping[str, Resource]) -> EventResult:
    """Return the trace by start, then agent, then program order, and how long units were held."""
    rows = [row for agent in sorted(agents, key=attrgetter("index")) for row in agent.rows]
    rows.sort(key=attrgetter("start"))  # stable
    cycles = max((row.end for row in rows), default=0.0)
    return EventResult(cycles, rows, {name: one.held for name, one in resources.items()})
