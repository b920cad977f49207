"""Run a list of events as written, one point at a time, keeping every event.

A second account of what ``generator`` compiles: the two share the list and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description.counts import linear
from sweep.description.declared import Steps
from sweep.description.schedule import Event, Schedule
from sweep.description.trace_rows import EventResult, TraceRow


class NeverHappens(RuntimeError):
    """An event waits for one that comes after it: the schedule deadlocks."""


def interpret(schedule: Schedule, p: Mapping[str, Any]) -> EventResult:
    """Run a schedule under ordered arbitration.

    Parameters
    ----------
    schedule : Schedule
    p : mapping
        Every entry of ``schedule.parameters``; durations in cycles.

    Returns
    -------
    EventResult
        The makespan, every operation of every agent, and the cycles each resource was held.

    Raises
    ------
    NeverHappens
        If an event depends on one that comes later in the list: the schedule deadlocks.

    Notes
    -----
    An asynchronous event holds its agent until it can be issued: until all has happened that it
    comes after, but not until its resource is free. The makespan is the latest end of an event
    with an agent.
    """
    return _Interpreter(schedule, p).run()


def ends_of(schedule: Schedule, p: Mapping[str, Any]) -> tuple[float, dict[tuple[str, int], float]]:
    """Return the makespan, and the end of every event, delays included, by name and number.

    Events of each k-tile are numbered over the whole run, those once per tile by tile.
    """
    run = _Interpreter(schedule, p)
    return run.run().cycles, run.ends


class _Interpreter:
    def __init__(self, schedule: Schedule, p: Mapping[str, Any]) -> None:
        self.schedule = schedule
        self.p = p
        self.events: tuple[Event, ...] = schedule.events(p.get("release", "consumer"))
        self.by_name: dict[str, Event] = {event.name: event for event in self.events}
        self.k_tiles: int = p[schedule.loop]
        self.free: dict[str, float] = {}
        self.ends: dict[tuple[str, int], float] = {}
        self.used = dict.fromkeys(schedule.resources, 0.0)
        self.held: dict[str, list[tuple[float, str]]] = {}  # by what asynchronous rows wait for
        self.rows: list[TraceRow] = []
        self.counts = {count: self._count(count) for event in self.events for count in _of(event)}
        self.skew = max(self.counts[event.behind] for event in self.events)

    def run(self) -> EventResult:
        for tile in range(self.p.get("output_tiles", 1)):
            self._tile_level("tile_start", tile)
            skew = min(self.skew, self.k_tiles)
            for step in range(self.k_tiles):
                self._step(tile, step, skew)
            self._tile_level("before_drain", tile)
            for step in range(self.k_tiles, self.k_tiles + skew):
                self._step(tile, step, skew)
            self._tile_level("tile_end", tile)
        order = {name: index for index, name in enumerate(self.schedule.agent_names)}
        self.rows.sort(key=lambda row: (row.start, order[row.agent]))
        cycles = max((row.end for row in self.rows), default=0.0)
        return EventResult(cycles, self.rows, self.used)

    def _tile_level(self, place: str, tile: int) -> None:
        for event in self.events:
            if event.place == place and tile >= self.counts[event.starts_at]:
                self._perform(event, tile, tile, -1, draining=False)

    def _step(self, tile: int, step: int, skew: int) -> None:
        for event in self.events:
            k_tile = step - (skew if event.behind != 0 else 0)
            exists = event.place == "k_tile" and 0 <= k_tile < self.k_tiles
            index = tile * self.k_tiles + k_tile
            if exists and index >= self.counts[event.starts_at]:
                self._perform(event, index, tile, k_tile, draining=step >= self.k_tiles)

    def _perform(self, event: Event, index: int, tile: int, k_tile: int, *, draining: bool) -> None:
        agent = self._agent(event, tile)
        since = self.free.get(agent, 0.0) if agent else 0.0
        waits = self._dependencies(event, index, tile, draining)
        if agent:
            waits += self.held.pop(agent, [])
        if event.asynchronous:
            self.held[agent] = waits
            since = max([since, *(end for end, _ in waits)])
            waits = []
        waits += [(self.free.get(event.on, 0.0), event.on)] if event.on else []
        start, waited_for = max([(since, ""), *waits], key=lambda pair: pair[0])
        takes: float = self.p[event.takes] if event.takes else 0.0
        end = start + takes
        self.ends[event.name, index] = end
        if event.on:
            self.free[event.on] = end
            self.used[event.on] += takes
        if agent:
            if not event.asynchronous:
                self.free[agent] = end
            row = (agent, event.on, event.label, tile, k_tile, since, start, end, waited_for)
            self.rows.append(TraceRow(*row))

    def _dependencies(
        self, event: Event, index: int, tile: int, draining: bool
    ) -> list[tuple[float, str]]:
        needs = []
        for after in event.after:
            lag = self.counts[after.lag]
            once = event.place != "k_tile" and self.by_name[after.event].place == "k_tile"
            last = (tile - lag + 1) * self.k_tiles - 1
            needs.append((after.event, last if once else index - lag))
        if draining and event.drain_after:
            needs.append((event.drain_after, (tile + 1) * self.k_tiles - 1))
        found = []
        for name, at in needs:
            if at < 0 or at < self.counts[self.by_name[name].starts_at]:
                continue
            if (name, at) not in self.ends:
                raise NeverHappens(f"{event.name} of {index} waits for {name} of {at}")
            found.append((self.ends[name, at], self._signal(name)))
        return found

    def _signal(self, name: str) -> str:
        event = self.by_name[name]
        return event.signals or event.label

    def _agent(self, event: Event, tile: int) -> str:
        if event.agent in ("", *self.schedule.agent_names):
            return event.agent
        return f"{event.agent}_{tile % self.schedule.turns}"

    def _count(self, count: Steps) -> int:
        return sum(k * (self.p[name] if name else 1) for name, k in linear(count))


def _of(event: Event) -> list[Steps]:
    return [event.behind, event.starts_at, *(after.lag for after in event.after)]
