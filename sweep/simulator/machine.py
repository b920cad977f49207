"""What the event-driven simulator does at one time: settle all that happens, then serve requests.

Ties: at each time everything that happens is settled first (ends of operations, arrivals, waits
that pass, agents that go on at no cost); then the requests made meanwhile join their queues in
agent order, the lower index first, and every free resource serves one. A use of 0 cycles ends in
a further round at the same time, and so does what queues behind it: requests of an earlier round
come before those of a later one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from operator import attrgetter
from typing import Any, TypeAlias

from sweep.description.trace_rows import TraceRow
from sweep.simulator.agents import Agent, Request
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import Use
from sweep.simulator.resources import Resource

Happening: TypeAlias = Agent | Request | tuple[Barrier, ...]
"""An agent that goes on, a use that ends, or barriers that get an arrival."""
Handler: TypeAlias = Callable[[Agent, Any], bool]
"""Carries out an agent's operation, and returns whether the agent goes on at once."""


class Machine:
    """Resources and barriers, and all that is to happen.

    Parameters
    ----------
    handlers : mapping of type to Handler
        What each operation does.
    """

    def __init__(self, handlers: Mapping[type, Handler]) -> None:
        self.now = 0.0
        self._handlers = handlers
        self._ready: list[Agent] = []
        self._happenings: list[tuple[float, int, Happening]] = []
        self._sequence = 0
        self._requests: list[Request] = []
        self._freed: list[Resource] = []

    def _settle(self) -> None:
        """Let everything happen that happens now; requests for resources are only collected."""
        ready, happenings, handlers = self._ready, self._happenings, self._handlers
        while True:
            while ready:
                agent = ready.pop()
                for operation in agent.program:
                    if not handlers[type(operation)](agent, operation):
                        break
            if not happenings or happenings[0][0] != self.now:
                return
            happening = heappop(happenings)[2]
            if isinstance(happening, Agent):
                ready.append(happening)
            elif isinstance(happening, Request):
                self._release(happening)
            else:
                self._signal(happening)

    def _grant(self) -> None:
        """Queue the collected requests in agent order, then let every free resource serve one."""
        requests, freed = self._requests, self._freed
        if len(requests) > 1:
            requests.sort(key=_agent_index)
        for request in requests:
            resource = request.use.resource
            resource.queue.append(request)
            if resource.free:
                freed.append(resource)
        requests.clear()
        for resource in freed:
            if resource.free:
                granted: Any = resource.take_next()  # as it was queued, a Request
                if granted is not None:
                    self._serve(resource, granted)
        freed.clear()

    def _serve(self, resource: Resource, request: Request) -> None:
        agent, use, since, asked, row = request
        start = self.now
        end = start + use.duration
        resource.free = False
        resource.held += use.duration
        waited_for = ""
        if start > since:
            waited_for = resource.name if start > asked else agent.waited_for
        agent.rows[row] = TraceRow(
            agent.name,
            resource.name,
            use.operation,
            use.output_tile,
            use.k_tile,
            since,
            start,
            end,
            waited_for,
        )
        self._later(end, request)

    def _release(self, request: Request) -> None:
        """Free the resource; its agent goes on, or the use's latency begins."""
        agent, use = request.agent, request.use
        resource = use.resource
        resource.free = True
        self._freed.append(resource)
        if isinstance(use, Use):
            agent.since = self.now
            self._ready.append(agent)
        elif use.latency > 0:
            self._later(self.now + use.latency, use.signals)
        else:
            self._signal(use.signals)

    def _signal(self, barriers: tuple[Barrier, ...]) -> None:
        """Count one arrival at each barrier and wake whom that lets pass."""
        for barrier in barriers:
            barrier.arrivals = arrivals = barrier.arrivals + 1
            if barrier.waiting:
                still_waiting = []
                for needed, agent in barrier.waiting:
                    if arrivals >= needed:
                        agent.waits = None
                        self._ready.append(agent)
                    else:
                        still_waiting.append((needed, agent))
                barrier.waiting = still_waiting

    def _later(self, time: float, happening: Happening) -> None:
        self._sequence = sequence = self._sequence + 1
        heappush(self._happenings, (time, sequence, happening))


_agent_index = attrgetter("agent.index")
