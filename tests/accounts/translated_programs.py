"""A description as agents of the event-driven simulator, written from what the language says.

An agent is a process over its instances in program order: it waits for the barrier of every
instance that it comes after, then is busy or uses a resource, then arrives at its own barrier. A
resource serves tickets numbered in program order. A delay is a process of its own per instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sweep.description import Event, Schedule, Steps
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import Arrive, AsyncUse, Busy, Program, Use, Wait
from sweep.simulator.simulation import Deadlock, Simulation


class Instance(NamedTuple):
    """One event of one k-tile or output tile: ``number`` counts over the whole run."""

    event: Event
    number: int
    tile: int
    draining: bool


def ends(schedule: Schedule, p: Mapping[str, Any]) -> dict[tuple[str, int], float] | None:
    """Return the end of every instance by event and number; None where the agents deadlock."""
    instances = list(program_order(schedule, p))
    barriers = {(one.event.name, one.number): Barrier(one.event.name) for one in instances}
    programs: dict[str, list[Instance]] = {}
    tickets: dict[str, list[str]] = {}
    for index, one in enumerate(instances):
        who = performer(schedule, one) or f"delay {index}"
        programs.setdefault(who, []).append(one)
        if one.event.on:
            tickets.setdefault(one.event.on, []).append(who)
    simulation = Simulation(tuple(programs))
    resources = {name: simulation.resource(name, order) for name, order in tickets.items()}
    for who, own in programs.items():
        simulation.start(who, _process(schedule, p, own, barriers, resources))
    try:
        rows = simulation.run().rows
    except Deadlock:
        return None
    return {(row.operation, row.k_tile): row.end for row in rows}


def _process(
    schedule: Schedule,
    p: Mapping[str, Any],
    own: list[Instance],
    barriers: Mapping[tuple[str, int], Barrier],
    resources: Mapping[str, Any],
) -> Program:
    for one in own:
        event, mine = one.event, barriers[one.event.name, one.number]
        takes = p[event.takes] if event.takes else 0.0
        for needed in needs(schedule, p, one):
            if needed in barriers:
                yield Wait(barriers[needed], 1)
        place = (event.name, takes, one.tile, one.number)
        if event.asynchronous:
            use = (event.name, takes, 0.0, (mine,), one.tile, one.number)
            yield AsyncUse(resources[event.on], *use)
            continue
        yield Use(resources[event.on], *place) if event.on else Busy(*place)
        yield Arrive(mine)


def program_order(schedule: Schedule, p: Mapping[str, Any]) -> Iterator[Instance]:
    """Tiles, then start, steps, drain, end; rows in list order within each."""
    rows = schedule.events(p.get("release", "consumer"))
    k_tiles = p[schedule.loop]
    skew = min(max(_value(row.behind, p) for row in rows), k_tiles)

    def once(place: str, tile: int) -> Iterator[Instance]:
        for row in rows:
            if row.place == place and tile >= _value(row.starts_at, p):
                yield Instance(row, tile, tile, draining=False)

    for tile in range(p.get("output_tiles", 1)):
        yield from once("tile_start", tile)
        for step in range(k_tiles + skew):
            if step == k_tiles:
                yield from once("before_drain", tile)
            for row in rows:
                k = step - (skew if row.behind != 0 else 0)
                number = tile * k_tiles + k
                if row.place != "k_tile" or not 0 <= k < k_tiles:
                    continue
                if number >= _value(row.starts_at, p):
                    yield Instance(row, number, tile, draining=step >= k_tiles)
        if not skew:
            yield from once("before_drain", tile)
        yield from once("tile_end", tile)


def needs(schedule: Schedule, p: Mapping[str, Any], one: Instance) -> Iterator[tuple[str, int]]:
    """Yield event and number of what an instance comes after; some may not exist."""
    rows = {row.name: row for row in schedule.events(p.get("release", "consumer"))}
    k_tiles = p[schedule.loop]
    for after in one.event.after:
        lag = _value(after.lag, p)
        if one.event.place != "k_tile" and rows[after.event].place == "k_tile":
            yield after.event, (one.tile - lag) * k_tiles + k_tiles - 1
        else:
            yield after.event, one.number - lag
    if one.draining and one.event.drain_after:
        yield one.event.drain_after, one.tile * k_tiles + k_tiles - 1


def performer(schedule: Schedule, one: Instance) -> str:
    agent = one.event.agent
    if not agent or agent in schedule.agents:
        return agent
    return f"{agent}_{one.tile % schedule.turns}"


def _value(count: Steps, p: Mapping[str, Any]) -> int:
    """Read "stages - 1" with the values of a point."""
    if isinstance(count, int):
        return count
    name, *rest = count.split()
    value: int = p[name]
    return value + int("".join(rest)) if rest else value
