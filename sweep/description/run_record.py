"""What a run of a list of rows leaves behind: the end of every event, and the rows of its trace."""

from __future__ import annotations

from sweep.description.dependencies import Need
from sweep.description.program_order import Instance, Key, Layout
from sweep.description.residency import agent_of_copy, agent_order
from sweep.description.trace_rows import EventResult, TraceRow


class Record:
    """Notes what happens, in any order.

    Attributes
    ----------
    ends : dict
        When each event ended, in cycles.
    rank, copy_of : dict of str to int
        The place of each agent in the order that breaks ties (copies, then first rows), and its
        copy.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.ends: dict[Key, float] = {}
        copies = layout.residency.copies
        names = agent_order(layout.schedule, layout.values.p.get("release", "consumer"))
        self.copy_of = {
            agent_of_copy(name, copy, copies): copy for copy in range(copies) for name in names
        }
        self.rank = {name: rank for rank, name in enumerate(self.copy_of)}
        self._agents: dict[tuple[str, int, int], str] = {}
        self._rows: list[TraceRow] = []
        self._held = dict.fromkeys(layout.schedule.resources, 0.0)

    def agent(self, one: Instance) -> str:
        """Name the agent that performs an instance; "" for a delay."""
        who = one.row.agent, one.copy, one.own
        if who not in self._agents:
            name = self.layout.schedule.agent_of(one.row, one.own)
            copies = self.layout.residency.copies
            self._agents[who] = agent_of_copy(name, one.copy, copies) if name else ""
        return self._agents[who]

    def signal(self, need: Need) -> str:
        """Name what a trace says was waited for."""
        row = need.instance.row
        return row.signals or row.label

    def note(self, one: Instance, since: float, start: float, end: float, waited_for: str) -> None:
        """Keep an event; those of an agent in its program order."""
        self.ends[one.key] = end
        row, agent = one.row, self.agent(one)
        if row.on:
            self._held[row.on] += self.layout.values.takes(row, one.tile)
        if agent:
            what = (agent, row.on, row.label, one.tile, one.iteration)
            self._rows.append(TraceRow(*what, since, start, end, waited_for))

    def result(self) -> EventResult:
        """Return the run's trace, by start, then agent, then program order."""
        rows = sorted(self._rows, key=lambda row: (row.start, self.rank[row.agent]))
        return EventResult(max((row.end for row in rows), default=0.0), rows, self._held)
