"""First come, first served: requests collected by the time and the round they are made in.

Every end is a moment (time, round). What takes no time stays in its round, but a use of a resource
of 0 cycles ends in the next one. The requests of the least moment are all known once nothing else
can happen at it, since whatever a use sets off comes later; then they are served in the order of
their agents, each agent's own in program order.
"""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from typing import NamedTuple

from sweep.description.dependencies import Need, with_needs
from sweep.description.program_order import Instance, Key, Layout
from sweep.description.residency import first_come
from sweep.description.run_record import Record

Moment = tuple[float, int]
"""A time in cycles, and the round at that time."""
BEGINNING: Moment = (0.0, 0)


class _Task(NamedTuple):
    position: int
    one: Instance
    needs: list[Need]


class _Line:
    """What an agent, or a delay, has still to do in one CTA."""

    def __init__(self, cta: _Cta, rank: int) -> None:
        self.cta = cta
        self.rank = rank
        self.rest: deque[_Task] = deque()
        self.ready = BEGINNING
        self.held: list[tuple[Moment, str]] = []  # by what asynchronous rows wait for


class _Cta:
    """A CTA: its lines, how much is left to end, and the latest end so far."""

    def __init__(self, copy: int, tile: int) -> None:
        self.copy, self.tile = copy, tile
        self.lines: dict[str, _Line] = {}
        self.left = 0
        self.over = BEGINNING


class _Request(NamedTuple):
    """A row that asks for its resource; sorted as requests are served."""

    asked: Moment
    rank: int
    position: int
    one: Instance
    line: _Line
    since: Moment
    waits: list[tuple[Moment, str]]


def serve_first_come(layout: Layout) -> Record:
    """Run a layout with resources that serve whoever asks first; the others in program order.

    Raises
    ------
    NeverHappens
        If a row depends on one that comes later in program order: the schedule deadlocks.
    """
    service = _Service(layout)
    service.run()
    return service.noted()


class _Service:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.record = Record(layout)
        self.first_come = first_come(layout.schedule, layout.residency.arbitration)
        self.free: dict[str, Moment] = {}
        self.ends: dict[Key, Moment] = {}
        self.requests: list[_Request] = []
        self.tickets: dict[str, deque[Key]] = {}
        self.asking: dict[Key, _Request] = {}  # of resources in order
        self.waiting: dict[Key, list[_Line]] = {}
        self.active: list[_Line] = []
        self.notes: list[tuple[int, Instance, tuple[float, float, float, str]]] = []
        self.ctas = [deque(self._ctas(copy)) for copy in range(layout.residency.copies)]
        self._deal()

    def _ctas(self, copy: int) -> list[_Cta]:
        tiles = self.layout.residency.tiles_of(copy)
        return [_Cta(copy, tile) for tile in (tiles if self.layout.residency.single else tiles[:1])]

    def _deal(self) -> None:
        """Give every instance to its line, and a ticket where its resource serves in order."""
        where = self.layout.residency
        for position, (one, needs) in enumerate(with_needs(self.layout)):
            cta = self.ctas[one.copy][one.tile // where.copies if where.single else 0]
            agent = self.record.agent(one)
            name = agent or f"delay {position}"
            if name not in cta.lines:
                cta.lines[name] = _Line(cta, self.record.rank[agent] if agent else 0)
            cta.lines[name].rest.append(_Task(position, one, needs))
            cta.left += 1
            if one.row.on and one.row.on not in self.first_come:
                self.tickets.setdefault(one.row.on, deque()).append(one.key)

    def run(self) -> None:
        """Let everything happen that can, then serve the first request, until there is none."""
        stagger = float(self.layout.values.of("t_stagger", 0, missing=0))
        for copy, ctas in enumerate(self.ctas):
            if ctas:
                self._launch(copy, (copy * stagger, 0))
        while True:
            while self.active:
                self._go_on(self.active.pop())
            if not self.requests:
                return
            self._serve(heappop(self.requests))

    def noted(self) -> Record:
        """Return the record, every agent's rows in its program order."""
        for _, one, times in sorted(self.notes, key=lambda note: note[0]):
            self.record.note(one, *times)
        return self.record

    def _launch(self, copy: int, over: Moment) -> None:
        """Start the copy's next CTA that has something to do."""
        while self.ctas[copy]:
            cta = self.ctas[copy][0]
            over = _later(over, float(self.layout.values.of("t_launch", cta.tile, missing=0)))
            cta.over = over
            for line in cta.lines.values():
                line.ready = over
                self.active.append(line)
            if cta.lines:
                return
            self.ctas[copy].popleft()

    def _go_on(self, line: _Line) -> None:
        """Let a line do what it can, up to a use that it waits for."""
        while line.rest:
            position, one, needs = line.rest[0]
            for need in needs:
                if need.instance.key not in self.ends:
                    self.waiting.setdefault(need.instance.key, []).append(line)
                    return
            line.rest.popleft()
            waits = [(self.ends[need.instance.key], self.record.signal(need)) for need in needs]
            waits += line.held
            line.held = waits if one.row.asynchronous and one.row.agent else []
            issue = max([line.ready, *(end for end, _ in waits)])
            since = issue if line.held else line.ready
            request = _Request(issue, line.rank, position, one, line, since, waits)
            if not one.row.on:
                end = _later(issue, self.layout.values.takes(one.row, one.tile))
                self._end(request, issue, end)
            elif one.row.on in self.first_come:
                heappush(self.requests, request)
            else:
                self._ask_in_order(request)
            if one.row.on and not one.row.asynchronous:
                return

    def _ask_in_order(self, request: _Request) -> None:
        """Serve a use in program order, as soon as those before it are served."""
        self.asking[request.one.key] = request
        tickets = self.tickets[request.one.row.on]
        while tickets and tickets[0] in self.asking:
            self._serve(self.asking.pop(tickets.popleft()))

    def _serve(self, request: _Request) -> None:
        row, line = request.one.row, request.line
        start = max(request.asked, self.free.get(row.on, BEGINNING))
        takes = self.layout.values.takes(row, request.one.tile)
        end = (start[0] + takes, 0) if takes > 0 else (start[0], start[1] + 1)
        self._end(request, start, end)
        self.free[row.on] = end
        if not row.asynchronous:
            self.active.append(line)

    def _end(self, request: _Request, start: Moment, end: Moment) -> None:
        """Note an event; wake those that wait for it, and the next CTA after the last one."""
        one, line, since, waits = request.one, request.line, request.since, request.waits
        if start[0] > request.asked[0]:  # not where only uses of 0 cycles came before
            waits = [*waits, (start, one.row.on)]
        latest, waited_for = max([(since, ""), *waits], key=lambda wait: wait[0])
        waited_for = waited_for if latest[0] > since[0] else ""
        self.notes.append((request.position, one, (since[0], start[0], end[0], waited_for)))
        self.ends[one.key] = end
        if one.row.agent and not one.row.asynchronous:
            line.ready = end
        self.active += self.waiting.pop(one.key, [])
        cta = line.cta
        cta.over = max(cta.over, end)
        cta.left -= 1
        if not cta.left:
            self.ctas[cta.copy].popleft()
            self._launch(cta.copy, cta.over)


def _later(moment: Moment, takes: float) -> Moment:
    """Return a moment after some time; the same round where it is none."""
    return (moment[0] + takes, 0) if takes > 0 else moment
