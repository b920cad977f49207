"""Every event of a traced run in program order, with what it came after.

A trace has the operations of agents. Between them lie delays that no agent performs (a copy's
latency, the completion of an MMA). Here both are happenings, linked by the schedule's own list of
events: an agent's previous operation, the events waited for, a resource's previous use.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sweep.description import Event, Schedule, Steps
from sweep.description.counts import linear
from sweep.description.trace_rows import TraceRow


@dataclass(frozen=True, eq=False)
class Happening:
    """One event of a run: an operation of an agent, or a delay in flight.

    Attributes
    ----------
    event : Event
        The row of the schedule that it is an instance of.
    agent : str
        Who performs it; "" for a delay in flight.
    output_tile, k_tile : int
        Which tile, and which k-tile (or block of keys) of it; k_tile -1 once per tile.
    start, end : float
        Cycles.
    after : tuple of Before
        What it came after: its agent's previous operation first, then what its event names in the
        order of the list, then its resource's previous use where that order is fixed.
    """

    event: Event
    agent: str
    output_tile: int
    k_tile: int
    start: float
    end: float
    after: tuple[Before, ...] = field(repr=False)


class Before(NamedTuple):
    """What something came after.

    Attributes
    ----------
    happening : Happening or None
        None is the beginning of the run.
    name : str
        The barrier or resource, as traces name it; "" for the agent's previous operation.
    """

    happening: Happening | None
    name: str

    @property
    def end(self) -> float:
        """When it was over."""
        return 0.0 if self.happening is None else self.happening.end


def linked(schedule: Schedule, p: Mapping[str, Any], rows: Iterable[TraceRow]) -> list[Happening]:
    """Return every event of a run in program order, each after what it came after.

    Parameters
    ----------
    schedule : Schedule
    p : mapping
        Every entry of ``schedule.parameters``.
    rows : iterable of TraceRow
        A whole trace, by start, then agent, then program order.

    Returns
    -------
    list of Happening
    """
    return _Linker(schedule, p, rows).run()


class _Linker:
    def __init__(self, schedule: Schedule, p: Mapping[str, Any], rows: Iterable[TraceRow]) -> None:
        self.schedule = schedule
        self.p = p
        self.events = schedule.events(p.get("release", "consumer"))
        self.names = {event.name: event for event in self.events}
        self.in_order = p.get("arbitration", "ordered") == "ordered"
        self.rows: dict[tuple[str, str, int, int], deque[TraceRow]] = defaultdict(deque)
        for row in rows:
            self.rows[row.agent, row.operation, row.output_tile, row.k_tile].append(row)
        self.found: dict[tuple[str, int], Happening] = {}
        self.latest: dict[str, Happening] = {}  # on every agent and resource
        self.holds: dict[str, list[Before]] = {}  # what its asynchronous events waited for

    def run(self) -> list[Happening]:
        k_tiles = self.p[self.schedule.loop]
        for event, tile, k_tile, draining in self._program():
            index = tile if event.place != "k_tile" else tile * k_tiles + k_tile
            if index >= self._count(event.starts_at):
                self.found[event.name, index] = self._happening(
                    event, index, tile, k_tile, draining
                )
        return list(self.found.values())

    def _program(self) -> Iterator[tuple[Event, int, int, bool]]:
        """Yield the events of every tile: (event, output_tile, k_tile, draining)."""
        k_tiles = self.p[self.schedule.loop]
        skew = min(max(self._count(event.behind) for event in self.events), k_tiles)
        for tile in range(self.p.get("output_tiles", 1)):
            yield from ((event, tile, -1, False) for event in self._at("tile_start"))
            for step in range(k_tiles + skew):
                if step == k_tiles:
                    yield from ((event, tile, -1, False) for event in self._at("before_drain"))
                for event in self._at("k_tile"):
                    k_tile = step - (skew if event.behind != 0 else 0)
                    if 0 <= k_tile < k_tiles:
                        yield event, tile, k_tile, step >= k_tiles
            if skew == 0:
                yield from ((event, tile, -1, False) for event in self._at("before_drain"))
            yield from ((event, tile, -1, False) for event in self._at("tile_end"))

    def _happening(
        self, event: Event, index: int, tile: int, k_tile: int, draining: bool
    ) -> Happening:
        agent = self._agent(event, tile)
        waited = list(self._waited_for(event, index, tile, draining))
        waited += self.holds.pop(agent, [])
        before = Before(self.latest.get(agent), "")
        if event.asynchronous:  # it holds its agent until it can be issued
            self.holds[agent] = waited
            before = Before(max([before, *waited], key=lambda one: one.end).happening, "")
            waited = []
        after = [before, *waited] if agent else waited
        if event.on and self.in_order:
            after.append(Before(self.latest.get(event.on), event.on))
        if agent:
            row = self.rows[agent, event.label, tile, k_tile].popleft()
            start, end = row.start, row.end
        else:
            start = max((one.end for one in after), default=0.0)
            end = start + (self.p[event.takes] if event.takes else 0.0)
        happening = Happening(event, agent, tile, k_tile, start, end, tuple(after))
        if agent and not event.asynchronous:
            self.latest[agent] = happening
        if event.on:
            self.latest[event.on] = happening
        return happening

    def _waited_for(self, event: Event, index: int, tile: int, draining: bool) -> Iterator[Before]:
        k_tiles = self.p[self.schedule.loop]
        for after in event.after:
            once_per_tile = event.place != "k_tile" and self.names[after.event].place == "k_tile"
            lag = self._count(after.lag)
            at = (tile - lag + 1) * k_tiles - 1 if once_per_tile else index - lag
            if at >= 0 and (after.event, at) in self.found:
                yield self._before(after.event, at)
        last = (tile + 1) * k_tiles - 1
        if draining and (event.drain_after, last) in self.found:
            yield self._before(event.drain_after, last)

    def _before(self, name: str, index: int) -> Before:
        event = self.names[name]
        return Before(self.found[name, index], event.signals or event.label)

    def _agent(self, event: Event, tile: int) -> str:
        if event.agent in ("", *self.schedule.agents):
            return event.agent
        return f"{event.agent}_{tile % self.schedule.turns}"

    def _at(self, place: str) -> tuple[Event, ...]:
        return tuple(event for event in self.events if event.place == place)

    def _count(self, count: Steps) -> int:
        return sum(factor * (self.p[name] if name else 1) for name, factor in linear(count))
