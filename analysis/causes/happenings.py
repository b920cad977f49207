"""Every event of a traced run in program order, with what it came after.

A trace has the operations of agents. Between them lie delays that no agent performs (a copy's
latency, the completion of an MMA, the launch of a CTA). Here both are happenings, linked by the
schedule's own list of events: an agent's previous operation, the events waited for, a resource's
previous use.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sweep.description import Event, Schedule
from sweep.description.dependencies import Need, with_needs
from sweep.description.program_order import Instance, Key, Layout
from sweep.description.residency import first_come
from sweep.description.run_record import Record
from sweep.description.trace_rows import TraceRow

LAUNCH, STAGGER = Event("launch", takes="t_launch"), Event("stagger", takes="t_stagger")


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
    row : int
        Which row of the trace it is; -1 for a delay.
    waits_for : str
        What that row says it waited for last.
    """

    event: Event
    agent: str
    output_tile: int
    k_tile: int
    start: float
    end: float
    after: tuple[Before, ...] = field(repr=False)
    row: int = -1
    waits_for: str = ""


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
        Every entry of ``schedule.parameters``, and those of ``RESIDENCY`` that are not the
        defaults; a tuple is a table over output tiles.
    rows : iterable of TraceRow
        A whole trace, by start, then agent, then program order.

    Returns
    -------
    list of Happening
    """
    return _Linker(schedule, p, rows).run()


class _Linker:
    def __init__(self, schedule: Schedule, p: Mapping[str, Any], rows: Iterable[TraceRow]) -> None:
        self.layout = Layout(schedule, p)
        self.record = Record(self.layout)  # names agents and barriers as traces do
        self.unordered = first_come(schedule, self.layout.residency.arbitration)
        self.rows: dict[tuple[str, str, int, int], deque[tuple[int, TraceRow]]] = defaultdict(deque)
        for index, row in enumerate(rows):
            self.rows[row.agent, row.operation, row.output_tile, row.k_tile].append((index, row))
        self.all: list[Happening] = []
        self.found: dict[Key, Happening] = {}
        self.latest: dict[str, Happening] = {}  # on every agent and resource
        self.holds: dict[str, list[Before]] = {}  # what its asynchronous events waited for
        self.launched: dict[int, tuple[int, Happening | None]] = {}  # of copies: tile, launch
        self.over: dict[int, Happening] = {}  # of copies: what ended last

    def run(self) -> list[Happening]:
        for one, needs in with_needs(self.layout):
            launch = self._launch(one)
            self.found[one.key] = found = self._happening(one, needs, launch)
            self.all.append(found)
            last = self.over.get(one.copy)
            if last is None or found.end > last.end:
                self.over[one.copy] = found
        return self.all

    def _happening(self, one: Instance, needs: list[Need], launch: Happening | None) -> Happening:
        event, agent = one.row, self.record.agent(one)
        waited = [Before(self.found[n.instance.key], self.record.signal(n)) for n in needs]
        waited += self.holds.pop(agent, [])
        before = Before(self.latest.get(agent, launch), "")
        if agent and event.asynchronous:  # it holds its agent until it can be issued
            self.holds[agent] = waited
            before = Before(max([before, *waited], key=lambda one: one.end).happening, "")
            waited = []
        after = [before, *waited] if agent else waited
        if event.on and event.on not in self.unordered:
            after.append(Before(self.latest.get(event.on), event.on))
        index, waits_for = -1, ""
        if agent:
            index, row = self.rows[agent, event.label, one.tile, one.iteration].popleft()
            start, end, waits_for = row.start, row.end, row.waited_for
        else:
            start = max((one.end for one in after), default=0.0)
            end = start + self.layout.values.takes(event, one.tile)
        what = (event, agent, one.tile, one.iteration, start, end)
        happening = Happening(*what, tuple(after), index, waits_for)
        if agent and not event.asynchronous:
            self.latest[agent] = happening
        if event.on:
            self.latest[event.on] = happening
        return happening

    def _launch(self, one: Instance) -> Happening | None:
        """Return the launch of an instance's CTA; None for one that is there from the beginning."""
        where = self.layout.residency
        wanted = one.tile if where.single else one.copy
        tile, launch = self.launched.get(one.copy, (-1, None))
        if tile == wanted:
            return launch
        if tile < 0:
            launch = self._delay(STAGGER, one.copy, None, one.copy)
        first = tile + where.copies if tile >= 0 else one.copy
        for started in range(first, wanted + 1, where.copies):
            last = self.over.get(one.copy)
            launch = last if launch is None or (last and last.end > launch.end) else launch
            launch = self._delay(LAUNCH, started, launch, 1)
        self.launched[one.copy] = wanted, launch
        for agent in [name for name in self.latest if self.record.copy_of.get(name) == one.copy]:
            del self.latest[agent]
        for agent in [name for name in self.holds if self.record.copy_of.get(name) == one.copy]:
            del self.holds[agent]
        return launch

    def _delay(
        self, event: Event, tile: int, last: Happening | None, times: int
    ) -> Happening | None:
        """Return a delay before a CTA's first row, or what it would come after if it is none."""
        cycles = times * float(self.layout.values.of(event.takes, tile, missing=0))
        if cycles == 0:
            return last
        before = Before(last, "")
        found = Happening(event, "", tile, -1, before.end, before.end + cycles, (before,))
        self.all.append(found)
        return found
