"""What of a description can ever happen, by elimination: what is on no circle, nor after one."""

from __future__ import annotations

from sweep.description.program_order import Instance, Key
from tests.accounts.translated_programs import Translation


class Elimination:
    """Instances that can be issued, and that can end, whatever the durations.

    One is issued after its agent's previous one has ended (been issued, if asynchronous), after
    what it comes after has ended, and after everything of the CTA before its own. It ends after
    the previous use of a resource in order has.
    """

    def __init__(self, run: Translation) -> None:
        self.run = run
        self.issued: set[Key] = set()
        self.ended: set[Key] = set()
        last: dict[str, Instance] = {}
        self.of_line: dict[Key, dict[str, Instance | None]] = {}
        free = run.first_come()
        for one in run.instances:
            agent = run.agent(one) if one.row.agent else ""
            unit = one.row.on if one.row.on not in free else ""
            if run.single and agent:
                agent += f" tile {one.tile}"
            self.of_line[one.key] = {"agent": last.get(agent), "unit": last.get(unit)}
            last |= {line: one for line in (agent, unit) if line}
        before = -1
        while len(self.issued) + len(self.ended) > before:
            before = len(self.issued) + len(self.ended)
            for one in run.instances:
                self._try(one)

    def _try(self, one: Instance) -> None:
        line = self.of_line[one.key]
        previous, use = line["agent"], line["unit"]
        free = previous is None or (
            previous.key in (self.issued if previous.row.asynchronous else self.ended)
        )
        if free and self.ended.issuperset(self.run.needs[one.key]) and self._launched(one):
            self.issued.add(one.key)
            if use is None or use.key in self.ended:
                self.ended.add(one.key)

    def _launched(self, one: Instance) -> bool:
        if not self.run.single or not one.row.agent:
            return True
        earlier = (
            other.key
            for other in self.run.instances
            if other.copy == one.copy and other.tile < one.tile
        )
        return self.ended.issuperset(earlier)
