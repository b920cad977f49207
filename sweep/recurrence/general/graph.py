"""The instances of a run and what each comes after, as arrays: the same for all durations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweep.description import Schedule
from sweep.description.dependencies import with_needs
from sweep.description.program_order import Instance, Key, Layout
from sweep.description.residency import agent_order, first_come

LINE, UNIT, TAKES, ASYNCHRONOUS, AGENT, TILE, FIRST, LAST = range(8)
"""Columns of an instance: who performs it, on what, for how long, and the range of its needs."""
BEGIN, END, RANK, CTA = range(4)
"""Columns of a line (an agent of a CTA, or a delay): the range of its instances, its place in
the order that breaks ties, its CTA."""
COPY, OF_TILE, FIRST_LINE, LAST_LINE, SIZE = range(5)
"""Columns of a CTA."""

Integers = NDArray[np.int64]


class Graph(NamedTuple):
    """A run but for its durations.

    Attributes
    ----------
    instances, lines, ctas : numpy.ndarray
        In program order; by CTA; by copy. See the columns.
    needs, items : numpy.ndarray
        Instances: what others come after, and those of each line.
    copies : numpy.ndarray
        First and past-the-last CTA of each copy.
    tickets, by_unit : numpy.ndarray
        Uses of resources that serve in program order, and where those of each begin; empty for
        those that serve who asks first.
    queued : numpy.ndarray
        Whether each resource serves who asks first.
    """

    instances: Integers
    lines: Integers
    ctas: Integers
    needs: Integers
    items: Integers
    copies: Integers
    tickets: Integers
    by_unit: Integers
    queued: Integers


def graph_of(schedule: Schedule, p: Mapping[str, Any]) -> Graph:
    """Lay a run out.

    Parameters
    ----------
    schedule : Schedule
    p : mapping
        Counts and residency, as ``interpreter.interpret`` takes them.

    Raises
    ------
    NeverHappens
        If a row depends on one that comes later in program order: the schedule deadlocks.
    """
    return _Laying(schedule, p).graph()


class _Laying:
    def __init__(self, schedule: Schedule, p: Mapping[str, Any]) -> None:
        self.schedule, self.layout = schedule, Layout(schedule, p)
        self.queued = first_come(schedule, self.layout.residency.arbitration)
        self.names = list(agent_order(schedule, p.get("release", "consumer")))
        self.at: dict[Key, int] = {}
        self.lines: dict[tuple[int, Any], list[int]] = {}
        self.ranks: dict[tuple[int, Any], int] = {}

    def graph(self) -> Graph:
        """Go through the run in program order."""
        rows: list[tuple[int, ...]] = []
        needs: list[int] = []
        for position, (one, waits) in enumerate(with_needs(self.layout)):
            self.at[one.key] = position
            first = len(needs)
            needs += [self.at[need.instance.key] for need in waits]
            self._line(one, position)
            rows.append((0, *self._columns(one), first, len(needs)))
        instances = np.array(rows, np.int64).reshape(-1, 8)
        lines, ctas, items, copies = self._by_cta()
        for line, (first, last, *_) in enumerate(lines.tolist()):
            instances[items[first:last], LINE] = line
        units = self.schedule.resources
        uses = [
            [at for at, row in enumerate(rows) if row[UNIT] == unit and name not in self.queued]
            for unit, name in enumerate(units)
        ]
        return Graph(
            instances,
            lines,
            ctas,
            np.array(needs, np.int64),
            items,
            copies,
            np.array([at for of in uses for at in of], np.int64),
            np.cumsum([0, *map(len, uses)]).astype(np.int64),
            np.array([name in self.queued for name in units], np.int64),
        )

    def _columns(self, one: Instance) -> tuple[int, ...]:
        row, schedule = one.row, self.schedule
        return (
            schedule.resources.index(row.on) if row.on else -1,
            schedule.durations.index(row.takes) if row.takes else -1,
            int(row.asynchronous),
            int(bool(row.agent)),
            one.tile,
        )

    def _cta(self, one: Instance) -> int:
        """Return the tile that an instance's CTA begins with."""
        return one.tile if self.layout.residency.single else one.copy

    def _line(self, one: Instance, position: int) -> None:
        name = self.schedule.agent_of(one.row, one.own)
        key = self._cta(one), name or position
        self.lines.setdefault(key, []).append(position)
        rank = one.copy * len(self.names) + self.names.index(name) if name else 0
        self.ranks[key] = rank

    def _by_cta(self) -> tuple[Integers, Integers, Integers, Integers]:
        """Return lines and CTAs, copy by copy."""
        where = self.layout.residency
        of_cta: dict[int, list[tuple[int, Any]]] = {}
        for key in self.lines:
            of_cta.setdefault(key[0], []).append(key)
        lines: list[tuple[int, ...]] = []
        ctas: list[tuple[int, ...]] = []
        copies: list[tuple[int, int]] = []
        items: list[int] = []
        for copy in range(where.copies):
            tiles, begin = where.tiles_of(copy), len(ctas)
            for tile in tiles if where.single else tiles[:1]:
                first, size = len(lines), len(items)
                for key in of_cta.get(tile, []):
                    lines.append((len(items), len(items) + len(self.lines[key]), self.ranks[key],
                                  len(ctas)))  # fmt: skip
                    items += self.lines[key]
                ctas.append((copy, tile, first, len(lines), len(items) - size))
            copies.append((begin, len(ctas)))
        return (
            np.array(lines, np.int64).reshape(-1, 4),
            np.array(ctas, np.int64).reshape(-1, 5),
            np.array(items, np.int64),
            np.array(copies, np.int64).reshape(-1, 2),
        )
