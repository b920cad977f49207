"""The event-driven simulator: agents that issue, use, wait and arrive on one SM.

It knows nothing of the event lists that drive the batch kernel. A schedule's ``program`` says
what each agent does, as the kernel's pseudo-code would, and the machine serves it: resources of
unit capacity, first come first served or in a fixed service order, and barriers that count.

Ties: at each time everything that happens is settled first (ends of operations, arrivals, waits
that pass, agents that go on at no cost); then the requests made meanwhile join their queues in
agent order, the lower index first, and every free resource serves one. A use of 0 cycles ends in
a further round at the same time, and so does what queues behind it: requests of an earlier round
come before those of a later one.

Times are sums and maxima of the given durations, hence exact on the grid of 1/1024 cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from heapq import heappop, heappush
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from sweep.description.trace_rows import EventResult, TraceRow
from sweep.simulator.agents import Agent, Request
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
from sweep.simulator.resources import Resource

if TYPE_CHECKING:
    from sweep.description import Schedule
from sweep.errors import InputError
from sweep.host.streams import describe

PENDING = TraceRow("", "", "", 0, 0, 0.0, 0.0, 0.0, "")
"""Keeps the place of an asynchronous use in its agent's program order until it starts."""


class Deadlock(RuntimeError):
    """No agent can go on; the message names who waits for which barrier, slot and phase."""


Happening: TypeAlias = Agent | Request | tuple[Barrier, ...]
"""An agent that goes on, a use that ends, or barriers that get an arrival."""


class Simulation:
    """One SM and the agents on it.

    Parameters
    ----------
    agents : sequence of str
        The agents' names in the order that breaks ties.
    """

    def __init__(self, agents: tuple[str, ...]) -> None:
        self.now = 0.0
        self._index = {name: index for index, name in enumerate(agents)}
        self._agents: list[Agent] = []
        self._resources: list[Resource] = []
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
        """Add a resource, first come first served unless it has a service order."""
        resource = Resource(name, service_order)
        self._resources.append(resource)
        return resource

    def start(self, name: str, program: Program) -> None:
        """Add the agent of that name, which runs ``program`` from cycle 0."""
        self._agents.append(Agent(name, self._index[name], bounded(program)))

    def run(self) -> EventResult:
        """Run all agents to their ends.

        Raises
        ------
        Deadlock
            If an agent waits for something that nothing left to happen can bring.
        """
        self._agents.sort(key=attrgetter("index"))
        self._ready.extend(reversed(self._agents))
        happenings = self._happenings
        while True:
            self._settle()
            if self._requests or self._freed:
                self._grant()
            if not happenings:
                break
            self.now = happenings[0][0]
        self._check_finished()
        return self._result()

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

    # The operations; each returns whether the agent goes on at once.

    def _busy(self, agent: Agent, operation: Busy) -> bool:
        name, duration, output_tile, k_tile = operation
        now, since = self.now, agent.since
        agent.since = end = now + duration
        waited_for = agent.waited_for if now > since else ""
        agent.rows.append(
            TraceRow(agent.name, "", name, output_tile, k_tile, since, now, end, waited_for)
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

    def _check_finished(self) -> None:
        """Raise Deadlock if an agent is held at a barrier or a use was never served."""
        stuck = [
            f"{agent.name} waits for {agent.waits[0].describe(agent.waits[1])}"
            for agent in self._agents
            if agent.waits is not None
        ]
        stuck += [
            f"{request.agent.name} waits for {resource.name}, where the next turn is "
            f"{'nobody' if resource.turn is None else resource.turn}'s"
            for resource in self._resources
            for request in resource.queue
        ]
        if stuck:
            raise Deadlock(f"deadlock at cycle {self.now:.13g}: {'; '.join(stuck)}")

    def _result(self) -> EventResult:
        rows = [row for agent in self._agents for row in agent.rows]
        rows.sort(key=_start)  # stable: agent and program order are kept
        cycles = max((row.end for row in rows), default=0.0)
        return EventResult(cycles, rows, {one.name: one.held for one in self._resources})


_agent_index = attrgetter("agent.index")
_start = attrgetter("start")


def run_events(schedule: Schedule, p: Mapping[str, Any]) -> EventResult:
    """Simulate one point of a schedule, event by event.

    Parameters
    ----------
    schedule : Schedule
        Only its agents and its ``program`` are used.
    p : mapping of str to float, int or str
        The cycle parameters, counts and choices that the schedule uses.

    Returns
    -------
    EventResult
        Makespan in cycles, every operation, and the cycles each resource was held.

    Raises
    ------
    Deadlock
        If the agents wait for each other.

    Examples
    --------
    >>> from sweep.schedules.attention_serial import SCHEDULE
    >>> durations = dict(t_gemm0=512, t_exp=512, t_softmax=256, t_gemm1=512)
    >>> run_events(SCHEDULE, {**durations, "kv_blocks": 32, "arbitration": "ordered"}).cycles
    57344.0
    """
    simulation = Simulation(schedule.agent_names)
    if schedule.program is None:
        raise InputError(
            f"schedule {schedule.name!r} has no program for the event-driven simulator"
        )
    try:
        schedule.program(simulation, p)
        return simulation.run()
    except (Deadlock, InputError, MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:  # whatever a user's program raises becomes one line
        raise InputError(f"program of {schedule.name!r}: {describe(error)}") from error
