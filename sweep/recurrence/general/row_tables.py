"""A description as tables of integers, which the compiled engine steps through.

Counts ("2 * stages + 1") become rows of a matrix over the schedule's count parameters, evaluated
for all points at once. A ring becomes dependencies of its uses: use r waits for what frees use r'
of m a number of iterations before, (slots + r' - r) / m where that is whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweep.description import DRAIN, END, START, Agent, Event, Schedule, Steps
from sweep.description.counts import linear
from sweep.quantities.arrays import Array

(
    AGENT,
    UNIT,
    TAKES,
    PLACE,
    ASYNCHRONOUS,
    BEHIND,
    STARTS,
    SKIPS,
    EVERY,
    DRAIN_AFTER,
    FIRST_NEED,
    LAST_NEED,
    READ_SAME,
) = range(13)
"""Columns of a row; the last says whether another loop reads it iteration by iteration."""
KIND, WRITTEN, LAG, DIVISOR, OFFSET = range(5)
"""Columns of a need: the row waited for, its lag (a count), and of a ring m and r' - r."""
FLAT, ONCE, LAST_OF, FIRST_OF, SAME_OF, OF_USE = range(6)
"""Where it is found: so many iterations before in its own loop; in a row once per tile; in the
last, the first, the same iteration of a loop; in the last iteration of the tile of a ring's use."""


class Program(NamedTuple):
    """A description as numbers.

    Attributes
    ----------
    rows, needs : numpy.ndarray
        One line per row and per dependency, see the columns.
    starts, order : numpy.ndarray
        Rows by place, in list order: start, the loops, drain, end.
    turns : numpy.ndarray
        How many of each role take turns.
    loop_counts : numpy.ndarray
        Which count each loop runs for.
    role_in, unit_in : numpy.ndarray
        Whether each role and resource has rows in each place.
    varies : numpy.ndarray
        Whether rows of each place wait for what differs by iteration in another place.
    ordered : numpy.ndarray
        Whether each resource serves in program order even where others serve who asks first.
    """

    rows: NDArray[np.int64]
    needs: NDArray[np.int64]
    starts: NDArray[np.int64]
    order: NDArray[np.int64]
    turns: NDArray[np.int64]
    loop_counts: NDArray[np.int64]
    role_in: NDArray[np.int64]
    unit_in: NDArray[np.int64]
    varies: NDArray[np.int64]
    ordered: NDArray[np.int64]


class Tables:
    """The program of a schedule in a release mode, and how its counts follow from parameters."""

    def __init__(self, schedule: Schedule, release: str = "consumer") -> None:
        self.schedule = schedule
        self.events: tuple[Event, ...] = schedule.events(release)
        self.index = {event.name: row for row, event in enumerate(self.events)}
        self.counts: dict[Steps, int] = {}
        self.loops = [loop.name for loop in schedule.loops]
        self.places = [START, *self.loops, DRAIN, END]
        self.program = self._program()

    def evaluated(self, points: Mapping[str, Array], size: int) -> NDArray[np.int64]:
        """Return every count at every point: counts x points."""
        found = np.empty((len(self.counts), size), np.int64)
        for count, row in self.counts.items():
            terms = (
                factor * points.get(name, 0) if name else factor for name, factor in linear(count)
            )
            found[row] = sum(terms)
        return found

    def place(self, event: Event) -> int:
        """Return the number of a row's place."""
        return self.places.index(self.schedule.place(event))

    def _count(self, count: Steps) -> int:
        return self.counts.setdefault(count, len(self.counts))

    def _program(self) -> Program:
        needs: list[tuple[int, ...]] = []
        rows = np.zeros((len(self.events), 13), np.int64)
        roles = [role.name for role in self.roles]
        for at, event in enumerate(self.events):
            first = len(needs)
            needs += [*self._needs(event), *self._ring_needs(event)]
            rows[at] = (
                roles.index(event.agent) if event.agent else -1,
                self.schedule.resources.index(event.on) if event.on else -1,
                self.schedule.durations.index(event.takes) if event.takes else -1,
                self.place(event),
                event.asynchronous,
                *(self._count(n) for n in (event.behind, event.starts_at, event.skips)),
                self._count(event.every),
                self.index[event.drain_after] if event.drain_after else -1,
                first,
                len(needs),
                0,
            )
        for need in needs:
            rows[need[WRITTEN], READ_SAME] |= need[KIND] == SAME_OF
        order = sorted(range(len(self.events)), key=lambda at: self.place(self.events[at]))
        places = [self.place(self.events[at]) for at in order]
        fifo = {one.name for one in self.schedule.declares if getattr(one, "service", "") == "fifo"}
        return Program(
            rows,
            np.array(needs, np.int64).reshape(-1, 5),
            np.searchsorted(places, range(len(self.places) + 1)).astype(np.int64),
            np.array(order, np.int64),
            np.array([role.turns for role in self.roles], np.int64),
            np.array([self._count(loop.count) for loop in self.schedule.loops], np.int64),
            self._users(AGENT, len(roles), rows),
            self._users(UNIT, len(self.schedule.resources), rows),
            self._varying(rows, needs),
            np.array([one not in fifo for one in self.schedule.resources], np.int64),
        )

    def _users(self, column: int, size: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        found = np.zeros((len(self.places), size), np.int64)
        for row in rows:
            if row[column] >= 0:
                found[row[PLACE], row[column]] = 1
        return found

    def _varying(self, rows: NDArray[np.int64], needs: list[tuple[int, ...]]) -> NDArray[np.int64]:
        found = np.zeros(len(self.places), np.int64)
        for row in rows:
            kinds = [need[KIND] for need in needs[row[FIRST_NEED] : row[LAST_NEED]]]
            found[row[PLACE]] |= SAME_OF in kinds or OF_USE in kinds
        return found

    @property
    def roles(self) -> list[Agent]:
        """The agents that rows name, by their first row: the order that breaks ties."""
        named = {role.name: role for role in self.schedule.roles}
        used = dict.fromkeys(event.agent for event in self.events if event.agent)
        return [named.get(name, Agent(name, turns=self.schedule.turns)) for name in used]

    def _needs(self, event: Event) -> Iterator[tuple[int, ...]]:
        for after in event.after:
            written = self.events[self.index[after.event]]
            kind = self._kind(event, written, after.at)
            yield kind, self.index[written.name], self._count(after.lag), 1, 0

    def _kind(self, reader: Event, written: Event, at: str = "last") -> int:
        if self.place(written) not in range(1, len(self.loops) + 1):
            return ONCE
        if self.place(written) == self.place(reader):
            return FLAT
        return {"last": LAST_OF, "first": FIRST_OF, "same": SAME_OF}[at]

    def _ring_needs(self, event: Event) -> Iterator[tuple[int, ...]]:
        for ring in self.schedule.rings:
            uses = [use for use, _ in ring.uses]
            for r in (r for r, use in enumerate(uses) if use == event.name):
                for other, (_, freeing) in enumerate(ring.uses):
                    for name in freeing:
                        written = self.events[self.index[name]]
                        kind = self._kind(event, written)
                        once = self.place(event) not in range(1, len(self.loops) + 1)
                        if kind == LAST_OF and not once:
                            kind = OF_USE
                        if kind == ONCE and not once:
                            kind = OF_USE
                        slots = self._count(ring.slots)
                        yield kind, self.index[name], slots, len(uses), other - r
