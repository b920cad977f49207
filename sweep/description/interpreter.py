"""Run a list of rows as written, one point at a time, keeping every event.

A second account of what the batch engine computes: the two share the list and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweep.description.dependencies import Need, NeverHappens, with_needs
from sweep.description.first_come_service import serve_first_come
from sweep.description.program_order import Instance, Key, Layout
from sweep.description.residency import first_come
from sweep.description.run_record import Record
from sweep.description.schedule import Schedule
from sweep.description.trace_rows import EventResult

__all__ = ["NeverHappens", "ends_of", "interpret"]


def interpret(schedule: Schedule, p: Mapping[str, Any]) -> EventResult:
    """Run a schedule.

    Parameters
    ----------
    schedule : Schedule
    p : mapping
        Every entry of ``schedule.parameters``, durations in cycles; and, where they are not to be
        the defaults, ``output_tiles`` (1), ``ctas_per_sm`` (1), ``tile_scheduler``,
        ``arbitration`` (see ``residency``), ``t_launch`` (0) and ``t_stagger`` (0). A tuple is a
        table with one value per output tile.

    Returns
    -------
    EventResult
        The makespan, every operation of every agent, and the cycles each resource was held.
        Several CTAs have agents of their own, ``producer@0``, ``producer@1``, ...

    Raises
    ------
    NeverHappens
        If a row depends on one that comes later in program order: the schedule deadlocks.
    InputError
        For residency parameters that are impossible.

    Notes
    -----
    An asynchronous row holds its agent until it can be issued: until all has happened that it
    comes after, but not until its resource is free. The makespan is the latest end of a row with
    an agent.
    """
    return _run(schedule, p).result()


def ends_of(schedule: Schedule, p: Mapping[str, Any]) -> tuple[float, dict[Key, float]]:
    """Return the makespan, and the end of every event by row, output tile and iteration.

    Delays are there too. Tiles are those of the run; the iteration is that in the tile, -1 for
    what happens once per tile.
    """
    run = _run(schedule, p)
    return run.result().cycles, run.ends


def _run(schedule: Schedule, p: Mapping[str, Any]) -> Record:
    layout = Layout(schedule, p)
    if first_come(schedule, layout.residency.arbitration):
        return serve_first_come(layout)
    run = _InProgramOrder(layout)
    for one, needs in with_needs(layout):
        run.perform(one, needs)
    return run.record


class _InProgramOrder:
    """Agents and resources that serve in program order."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.record = Record(layout)
        self.free: dict[str, float] = {}  # resources
        self.ready: dict[str, float] = {}  # agents
        self.held: dict[str, list[tuple[float, str]]] = {}  # by what asynchronous rows wait for
        self.launched: dict[int, tuple[int, float]] = {}  # of copies: the CTA's first tile, when
        self.over: dict[int, float] = {}  # of copies: the latest end of anything

    def perform(self, one: Instance, needs: list[Need]) -> None:
        """Work out when a row starts and ends."""
        row, record = one.row, self.record
        launched = self._launched(one)
        waits = [(record.ends[need.instance.key], record.signal(need)) for need in needs]
        agent = record.agent(one)
        since = self.ready.get(agent, launched) if agent else 0.0
        if agent:
            waits += self.held.pop(agent, [])
        if agent and row.asynchronous:
            self.held[agent] = waits
            since = max([since, *(end for end, _ in waits)])
            waits = []
        waits += [(self.free.get(row.on, 0.0), row.on)] if row.on else []
        start, waited_for = max([(since, ""), *waits], key=lambda pair: pair[0])
        end = start + self.layout.values.takes(row, one.tile)
        self.over[one.copy] = max(self.over.get(one.copy, 0.0), end)
        if row.on:
            self.free[row.on] = end
        if agent and not row.asynchronous:
            self.ready[agent] = end
        record.note(one, since, start, end, waited_for)

    def _launched(self, one: Instance) -> float:
        """Return when the CTA of an instance starts; its agents are new."""
        where, values = self.layout.residency, self.layout.values
        wanted = one.tile if where.single else one.copy
        tile, time = self.launched.get(one.copy, (-1, 0.0))
        if tile == wanted:
            return time
        if tile < 0:
            time = one.copy * float(values.of("t_stagger", one.copy, missing=0))
        for started in range(
            tile + where.copies if tile >= 0 else one.copy, wanted + 1, where.copies
        ):
            time = max(time, self.over.get(one.copy, 0.0))
            time += float(values.of("t_launch", started, missing=0))
        self.launched[one.copy] = wanted, time
        for agents in (self.ready, self.held):
            for agent in [name for name in agents if self.record.copy_of[name] == one.copy]:
                del agents[agent]
        return time
