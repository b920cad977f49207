"""The event-driven machine: agents that issue, use, wait and arrive on one SM.

It serves what their programs yield: resources of unit capacity, first come first served or in a
fixed service order, and barriers that count.

Ties: at each time everything that happens is settled first (ends of operations, arrivals, waits
that pass, agents that go on at no cost); then the requests made meanwhile join their queues in
agent order, the lower index first, and every free resource serves one. A use of 0 cycles ends in
a further round at the same time, and so does what queues behind it: requests of an earlier round
come before those of a later one.

Times are sums and maxima of the given durations, hence exact on the grid of 1/1024 cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from heapq import heappop, heappush
from operator import attrgetter
from typing import Any, TypeAlias

from sweep.description.trace_rows import EventResult, TraceRow
from sweep.simulator.agents import Agent, Cta, Landing, Request
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import (
    Arrive,
    AsyncUse,
    Busy,
    Program,
    Use,
    Wait,
    WaitParity,
    bounded,
)
from sweep.simulator.outcome import outcome, who_waits
from sweep.simulator.resources import Resource

PENDING = TraceRow("", "", "", 0, 0, 0.0, 0.0, 0.0, "")
"""Keeps the place of an asynchronous use in its agent's program order until it starts."""


class Deadlock(RuntimeError):
    """No agent can go on; the message names who waits for which barrier, slot and phase."""


Happening: TypeAlias = Agent | Request | Landing | Callable[[], None]
"""An agent that goes on, a use that ends, arrivals, or a CTA that starts."""


class Simulation:
    """One SM and the agents on it.

    Parameters
    ----------
    agents : sequence of str
        The agents' names in the order that breaks ties.
    first_come : collection of str, optional
        Resources that serve whoever asks first, whatever service order a program gives them.
    """

    def __init__(self, agents: tuple[str, ...], first_come: Collection[str] = ()) -> None:
        self.now = 0.0
        self._first_come = first_come
        self._whole = Cta()
        self._index = {name: index for index, name in enumerate(agents)}
        self._agents: list[Agent] = []
        self._resources: dict[str, Resource] = {}
        self._ready: list[Agent] = []
        self._happenings: list[tuple[float, int, Happening]] = []
        self._sequence = 0
        self._requests: list[Request] = []
        self._freed: list[Resource] = []
        self._handlers: dict[type, Callable[[Agent, Any], bool]] = {
            Busy: self._busy,
            Use: self._use,
            AsyncUse: self._async_use,
            Arrive: self._arrive,
            Wait: self._wait,
            WaitParity: self._wait_parity,
        }

    def resource(self, name: str, service_order: Iterable[str] | None = None) -> Resource:
        """Add a resource, first come first served unless it has a service order.

        The CTAs of an SM share their resources: one that is there already goes on, by the new
        service order.
        """
        if name in self._first_come:
            service_order = None
        if name not in self._resources:
            self._resources[name] = Resource(name, service_order)
        elif service_order is not None:
            self._resources[name].serve_by(service_order)
        return self._resources[name]

    def start(self, name: str, program: Program, cta: Cta | None = None) -> None:
        """Add the agent of that name, which runs ``program`` from now on."""
        agent = Agent(name, self._index[name], bounded(program), cta or self._whole)
        agent.since = self.now
        agent.cta.left += 1
        self._agents.append(agent)
        self._ready.append(agent)

    def later(self, time: float, start: Callable[[], None]) -> None:
        """Start a CTA at a time; at once where that is now."""
        if time > self.now:
            self._later(time, start)
        else:
            start()

    def run(self) -> EventResult:
        """Run all agents to their ends.

        Raises
        ------
        Deadlock
            If an agent waits for something that nothing left to happen can bring.
        """
        self._ready.sort(key=attrgetter("index"), reverse=True)
        happenings = self._happenings
        while True:
            self._settle()
            if self._requests or self._freed:
                self._grant()
            if not happenings:
                break
            self.now = happenings[0][0]
        stuck = who_waits(self._agents, self._resources)
        if stuck:
            raise Deadlock(f"deadlock at cycle {self.now:.13g}: {'; '.join(stuck)}")
        return outcome(self._agents, self._resources)

    def _settle(self) -> None:
        """Let everything happen that happens now; requests for resources are only collected."""
        ready, happenings, handlers = self._ready, self._happenings, self._handlers
        while True:
            while ready:
                agent = ready.pop()
                for operation in agent.program:
                    if not handlers[type(operation)](agent, operation):
                        break
                else:
                    agent.cta.ended()
            if not happenings or happenings[0][0] != self.now:
                return
            happening = heappop(happenings)[2]
            if isinstance(happening, Agent):
                ready.append(happening)
            elif isinstance(happening, Request):
                self._release(happening)
            elif isinstance(happening, Landing):
                self._land(*happening)
            else:
                happening()

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
        cta, start = agent.cta, self.now
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
            cta.first + cta.stride * use.output_tile,
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
            return
        self._signal(use.released)
        if use.latency > 0:
            self._later(self.now + use.latency, Landing(use.signals, agent.cta))
        else:
            self._land(use.signals, agent.cta)

    def _land(self, barriers: tuple[Barrier, ...], cta: Cta) -> None:
        """Count the arrivals of an asynchronous use, which is over."""
        self._signal(barriers)
        cta.ended()

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

    # The operations; each returns whether the agent goes on at once.

    def _busy(self, agent: Agent, operation: Busy) -> bool:
        name, duration, output_tile, k_tile = operation
        now, since, cta = self.now, agent.since, agent.cta
        agent.since = end = now + duration
        waited_for = agent.waited_for if now > since else ""
        agent.rows.append(
            TraceRow(
                agent.name,
                "",
                name,
                cta.first + cta.stride * output_tile,
                k_tile,
                since,
                now,
                end,
                waited_for,
            )
        )
        if duration > 0:
            self._later(end, agent)
            return False
        return True

    def _use(self, agent: Agent, operation: Use) -> bool:
        self._request(agent, operation, agent.since)
        return False

    def _async_use(self, agent: Agent, operation: AsyncUse) -> bool:
        self._request(agent, operation, self.now)
        agent.cta.left += 1
        return True

    def _request(self, agent: Agent, use: Use | AsyncUse, since: float) -> None:
        self._requests.append(Request(agent, use, since, self.now, len(agent.rows)))
        agent.rows.append(PENDING)

    def _arrive(self, agent: Agent, operation: Arrive) -> bool:
        barrier, name, output_tile, k_tile = operation
        if name:
            self._busy(agent, Busy(name, 0.0, output_tile, k_tile))
        self._signal((barrier,))
        return True

    def _wait(self, agent: Agent, operation: Wait) -> bool:
        barrier, arrivals = operation
        if barrier.arrivals >= arrivals:
            return True
        barrier.waiting.append((arrivals, agent))
        agent.waits = (barrier, arrivals)
        agent.waited_for = barrier.name
        return False

    def _wait_parity(self, agent: Agent, operation: WaitParity) -> bool:
        barrier, parity = operation
        if barrier.passed_parity(parity):
            return True
        return self._wait(agent, Wait(barrier, barrier.arrivals_to_flip()))


_agent_index = attrgetter("agent.index")
