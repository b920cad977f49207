"""A description as agents of the event-driven simulator, written from what the language says.

An agent is a process over its instances in program order: it waits for the barrier of every
instance that it comes after, then is busy or uses a resource, then arrives at its own barrier. A
resource in order serves tickets numbered in program order. A delay is a process of its own per
instance, and so is the launch of a CTA, which waits for everything of the one before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sweep.description import Event, Resource, Schedule
from sweep.description.program_order import ONCE, Instance, Key, program_order
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import Arrive, AsyncUse, Busy, Program, Use, Wait
from sweep.simulator.simulation import Deadlock, Simulation

Span = tuple[float, float]
Cta = tuple[int, int]
"""A CTA: its copy, and its first tile."""


@dataclass
class Performed:
    """What the simulator did.

    Attributes
    ----------
    spans : dict
        Start and end of every event, also of those before a deadlock.
    deadlock : str
        Who waits for what; empty where the run ends.
    """

    spans: dict[Key, Span] = field(default_factory=dict)
    deadlock: str = ""


class Translation:
    """The processes of a description at a point.

    Attributes
    ----------
    needs : dict of tuple to list of tuple
        What every instance that happens comes after, both by row, tile and iteration.
    """

    def __init__(self, schedule: Schedule, p: Mapping[str, Any]) -> None:
        self.schedule, self.p = schedule, p
        self.rows: tuple[Event, ...] = schedule.events(p.get("release", "consumer"))
        self.copies = p.get("ctas_per_sm", 1)
        usual = "static_persistent" if schedule.tile_level else "single"
        self.single = p.get("tile_scheduler", usual) == "single"
        self.instances = list(program_order(schedule, p))
        self.number = {one.key: at for at, one in enumerate(self.instances)}
        self._by_flat = {(self.cta(one), one.row.name, one.flat): one for one in self.instances}
        self._by_own = {
            (self.cta(one), one.row.name, one.own, one.iteration): one for one in self.instances
        }
        waits = {one.key: list(dict.fromkeys(self._after(one))) for one in self.instances}
        happens = {one.key for one in self.instances if one.row.agent}
        before = -1
        while len(happens) > before:  # a delay happens if something that it comes after does
            before = len(happens)
            happens |= {key for key, found in waits.items() if not happens.isdisjoint(found)}
        self.instances = [one for one in self.instances if one.key in happens]
        self.needs = {
            key: [one for one in waits[key] if one in happens] for key in waits if key in happens
        }

    def in_order(self) -> bool:
        """Whether every instance comes after earlier ones of program order only."""
        return self.first_out_of_order() is None

    def first_out_of_order(self) -> tuple[Key, Key] | None:
        """Return the first instance that comes after a later one, and the first such one."""
        for one in self.instances:
            for needed in self.needs[one.key]:
                if self.number[needed] >= self.number[one.key]:
                    return one.key, needed
        return None

    def row(self, key: Key) -> Event:
        """Return the row of an instance."""
        return next(row for row in self.rows if row.name == key[0])

    def cta(self, one: Instance) -> Cta:
        """Return the CTA of an instance."""
        return one.copy, one.tile if self.single else one.copy

    def value(self, name: str, tile: int) -> Any:
        """Return a parameter in a tile of the run."""
        value = self.p.get(name, 0)
        return value[tile] if isinstance(value, tuple) else value

    def count(self, count: Any, tile: int) -> int:
        """Read "2 * stages - 1" with the values of a point."""
        if isinstance(count, int):
            return count
        words = count.split()
        factor = int(words[0]) if len(words) > 1 and words[1] == "*" else 1
        name, *rest = words[2:] if len(words) > 1 and words[1] == "*" else words
        return factor * int(self.value(name, tile)) + (int("".join(rest)) if rest else 0)

    def _after(self, one: Instance) -> Iterator[Key]:
        rows = {row.name: row for row in self.rows}
        for after in one.row.after:
            lag = self.count(after.lag, one.tile)
            if self.schedule.place(rows[after.event]) == self.schedule.place(one.row):
                yield from self._at(one, after.event, one.flat - lag)
            else:
                yield from self._of_tile(one, after.event, one.own - lag, after.at)
        if one.draining and one.row.drain_after:
            yield from self._of_tile(one, one.row.drain_after, one.own, "last")
        for ring in self.schedule.rings:
            slots = self.count(ring.slots, one.tile)
            takers = [use for use, _ in ring.uses]
            for use in (at for at, name in enumerate(takers) if name == one.row.name):
                flat, at = divmod(one.flat * len(takers) + use - slots, len(takers))
                yield from self._freed(one, flat, ring.uses[at][1])

    def _freed(self, one: Instance, flat: int, freeing: tuple[str, ...]) -> Iterator[Key]:
        """Yield what freed the slot that some use of the row's place took."""
        if flat < 0:
            return
        for name in freeing:
            row = next(row for row in self.rows if row.name == name)
            if self.schedule.place(row) == self.schedule.place(one.row):
                yield from self._at(one, name, flat)
            else:
                own = flat if one.iteration == ONCE else self._tile_of_flat(one, flat)
                yield from self._of_tile(one, name, own, "last")

    def _at(self, one: Instance, name: str, flat: int) -> Iterator[Key]:
        found = self._by_flat.get((self.cta(one), name, flat))
        if flat >= 0 and found is not None:
            yield found.key

    def _of_tile(self, one: Instance, name: str, own: int, at: str) -> Iterator[Key]:
        """Yield the row's only instance in a tile of the CTA, or its last, first or same one."""
        row = next(row for row in self.rows if row.name == name)
        count = {loop.name: loop.count for loop in self.schedule.loops}.get(
            self.schedule.place(row)
        )
        iteration = ONCE
        if count is not None and own >= 0:
            tile = one.tile if self.single else one.copy + own * self.copies
            size = self.count(count, tile) if tile < self.p.get("output_tiles", 1) else 0
            iteration = {"last": size - 1, "first": 0, "same": one.iteration}[at]
            if not 0 <= iteration < size:
                return
        found = self._by_own.get((self.cta(one), name, own, iteration))
        if found is not None:
            yield found.key

    def _tile_of_flat(self, one: Instance, flat: int) -> int:
        """Count the tiles of the CTA that are over before an iteration of the row's loop."""
        if self.single:
            return 0
        past = 0
        tiles = range(one.copy, self.p.get("output_tiles", 1), self.copies)
        for own, tile in enumerate(tiles):
            past += self.count(self._loop_count(one.row), tile)
            if flat < past:
                return own
        return -1

    def _loop_count(self, row: Event) -> Any:
        """Return what a row's loop counts; None where it happens once per tile."""
        loops = {loop.name: loop.count for loop in self.schedule.loops}
        return loops.get(self.schedule.place(row))

    # The processes.

    def perform(self) -> Performed:
        """Run the processes; what happened before a deadlock counts too."""
        simulation, programs, launches = self._processes()
        for who, program in {**programs, **launches}.items():
            simulation.start(who, program)
        done = Performed()
        try:
            simulation.run()
        except Deadlock as stuck:
            done.deadlock = str(stuck)
        rows = [row for agent in simulation._agents for row in agent.rows]
        keys = [(row.operation, row.output_tile, row.k_tile) for row in rows]
        for key, row in zip(keys, rows, strict=True):
            if key in self.needs and row.agent:  # no launch, and no use that never started
                done.spans[key] = row.start, row.end
        return done

    def agent(self, one: Instance) -> str:
        """Name who performs an instance: sorted, agents are as ties are broken; delays last."""
        if not one.row.agent:
            return f"z {self.number[one.key]}"
        first = {row.agent: at for at, row in reversed(list(enumerate(self.rows)))}[one.row.agent]
        turns = {role.name: role.turns for role in self.schedule.roles}
        turn = one.own % turns.get(one.row.agent, self.schedule.turns)
        return f"copy {one.copy} {first:03} {one.row.agent} {turn:03}"

    def _processes(self) -> tuple[Simulation, dict[str, Program], dict[str, Program]]:
        own: dict[str, list[Instance]] = defaultdict(list)
        tickets: dict[str, list[str]] = defaultdict(list)
        everything: dict[Cta, int] = defaultdict(int)
        for one in self.instances:
            own[self.agent(one)].append(one)
            everything[self.cta(one)] += 1
            if one.row.on:
                tickets[one.row.on].append(self.agent(one))
        ctas = list(self._ctas())
        self.barriers = {one.key: Barrier(one.row.name) for one in self.instances}
        self.over = {cta: Barrier("over") for cta, _ in ctas}
        self.launched = {cta: Barrier("launched") for cta, _ in ctas}
        names = sorted(own)
        simulation = Simulation((*names, *(f"launch {cta}" for cta, _ in ctas)))
        free = self.first_come()
        self.units = {
            name: simulation.resource(name, None if name in free else order)
            for name, order in tickets.items()
        }
        launches = {
            f"launch {cta}": self._launch(cta, last, everything[last] if last else 0)
            for cta, last in ctas
        }
        return simulation, {who: self._process(own[who]) for who in names}, launches

    def first_come(self) -> set[str]:
        """Name the resources that serve who asks first."""
        usual = "ordered" if self.copies == 1 else "fifo"
        if self.p.get("arbitration", usual) == "fifo":
            return {row.on for row in self.rows}
        own = [one for one in self.schedule.declares if isinstance(one, Resource)]
        return {one.name for one in own if one.service == "fifo"}

    def _ctas(self) -> Iterator[tuple[Cta, Cta | None]]:
        """Yield every CTA with the one before it in its copy."""
        for copy in range(self.copies):
            last = None
            for tile in range(copy, self.p.get("output_tiles", 1), self.copies):
                if self.single or last is None:
                    yield (copy, tile), last
                    last = copy, tile

    def _launch(self, cta: Cta, last: Cta | None, everything: int) -> Program:
        copy, tile = cta
        if last is None:
            yield Busy("stagger", copy * self.value("t_stagger", tile))
        else:
            yield Wait(self.launched[last], 1)
            yield Wait(self.over[last], everything)
        yield Busy("launch", self.value("t_launch", tile))
        yield Arrive(self.launched[cta])

    def _process(self, own: list[Instance]) -> Program:
        for one in own:
            row, over = one.row, self.over[self.cta(one)]
            if row.agent:
                yield Wait(self.launched[self.cta(one)], 1)
            for needed in self.needs[one.key]:
                yield Wait(self.barriers[needed], 1)
            takes = self.value(row.takes, one.tile) if row.takes else 0.0
            what, where = (row.name, takes), (one.tile, one.iteration)
            mine = self.barriers[one.key]
            if row.asynchronous:
                yield AsyncUse(self.units[row.on], *what, 0.0, (mine, over), *where)
                continue
            yield Use(self.units[row.on], *what, *where) if row.on else Busy(*what, *where)
            yield Arrive(mine)
            yield Arrive(over)
