"""Random descriptions of the whole language, each at a point of its own.

Agents (some take turns), resources, loops, rows at random places with lags, skews, skips, late
starts, drains and rings; durations with many ties and some near ones, counts and durations as
tables over output tiles; several CTAs on an SM. Those are kept whose list is an order of evaluation
at their point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from sweep.description import (
    DRAIN,
    END,
    MAIN,
    RESOURCES,
    START,
    After,
    Agent,
    Count,
    Duration,
    Event,
    Loop,
    Resource,
    Ring,
    Schedule,
    Steps,
)
from tests.accounts.translated_programs import Translation

TAKES = (0, 1, 2, 3, 5, 8, 13, 40)
COUNTS = ("stages", "depth")
LOOPS = ("k_tiles", "subtiles")
SECOND = "out"
"""The name of the second loop."""
Point = dict[str, Any]


class Drawn(NamedTuple):
    """A description, and the parameters of its point but for the arbitration."""

    schedule: Schedule
    parameters: Point


def draw(seed: int, tiles: tuple[int, int] = (1, 6)) -> Drawn:
    """Draw a description and a point at which its list is an order of evaluation.

    Parameters
    ----------
    seed : int
        The same seed gives the same description.
    tiles : (int, int)
        From how many to how many output tiles.
    """
    return next(one for one in attempts(seed, tiles) if Translation(*one).in_order())


def attempts(seed: int, tiles: tuple[int, int] = (1, 6)) -> Iterator[Drawn]:
    """Draw descriptions of which some deadlock at their point."""
    rng = np.random.default_rng(seed)
    while True:
        yield _Draw(rng, tiles).drawn()


def services(parameters: Point) -> tuple[str, ...]:
    """Return the arbitrations that a point can have."""
    return ("alternate", "fifo") if parameters["ctas_per_sm"] > 1 else ("ordered", "fifo")


class _Draw:
    def __init__(self, rng: np.random.Generator, tiles: tuple[int, int]) -> None:
        self.rng = rng
        self.tiles = int(rng.integers(tiles[0], tiles[1] + 1))
        self.two_loops = self.chance(0.4)
        self.places = [MAIN, MAIN, MAIN, *([SECOND] * 2 * self.two_loops), START, DRAIN, END, END]
        self.point: Point = {"output_tiles": self.tiles}
        for name in COUNTS:
            self.point[name] = int(rng.integers(1, 6))
        for name in LOOPS[: 1 + self.two_loops]:
            self.point[name] = self.maybe_table(lambda: int(rng.integers(self.chance(0.95), 8)))

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def pick(self, some: Any) -> Any:
        return some[self.rng.integers(len(some))]

    def maybe_table(self, value: Any) -> Any:
        """Draw one value, or sometimes one per output tile."""
        return tuple(value() for _ in range(self.tiles)) if self.chance(0.2) else value()

    def drawn(self) -> Drawn:
        """Draw rows, rings, then the point's durations and CTAs."""
        agents = self._agents()
        units = self._units()
        rows = [self._row(f"row_{at}", agents, units) for at in range(self.rng.integers(3, 10))]
        if not any(row.agent for row in rows):
            rows[0] = replace(rows[0], agent=agents[0].name)
        rows = [self._with_dependencies(rows, at) for at in range(len(rows))]
        rings = tuple(self._rings(rows))
        self._durations(rows)
        self._residency()
        loops = (Loop("main", LOOPS[0]), Loop(SECOND, LOOPS[1]))
        schedule = Schedule(
            "drawn",
            shape="gemm",
            summary="a random description",
            reference="a test",
            agents=tuple(agents),
            events=tuple(rows),
            loops=loops[: 1 + self.two_loops],
            rings=rings,
            declares=(
                *(unit for unit in units if isinstance(unit, Resource)),
                *(Count(name, 1) for name in (*COUNTS, LOOPS[1])),
                *(Duration(row.takes, row.name) for row in rows if row.takes),
            ),
            fixed_stages=1,
            tile_level=self.chance(0.5),
        )
        return Drawn(schedule, self.point)

    def _agents(self) -> list[Agent]:
        number = int(self.rng.integers(1, 5))
        turning = int(self.rng.integers(number)) if self.chance(0.3) else -1
        turns = int(self.rng.integers(2, 4))
        return [Agent(f"agent_{at}", turns=turns if at == turning else 1) for at in range(number)]

    def _units(self) -> list[Any]:
        own = (Resource("STORE"), Resource("STORE", service="fifo"))
        names = list(self.rng.choice(RESOURCES, self.rng.integers(1, 4), replace=False))
        units: list[Any] = [str(one) for one in names]
        if self.chance(0.3):
            units[0] = own[int(self.chance(0.4))]
        return units

    def _row(self, name: str, agents: list[Agent], units: list[Any]) -> Event:
        place = MAIN if name == "row_0" else self.pick(self.places)
        agent = "" if self.chance(0.2) else self.pick(agents).name
        unit = self.pick(units) if agent and self.chance(0.6) else ""
        in_loop = place in (MAIN, SECOND)
        return Event(
            name,
            agent,
            getattr(unit, "name", unit),
            takes=f"t_{name}" if self.chance(0.9) else "",
            asynchronous=bool(unit) and self.chance(0.4),
            behind=self.pick([1, 1, 2, 3, "stages"]) if in_loop and self.chance(0.3) else 0,
            starts_at=self.pick([1, 2, 3, "depth"]) if self.chance(0.1) else 0,
            skips=self.pick([1, 2, "depth"]) if in_loop and self.chance(0.1) else 0,
            every=self.pick([2, 3, "stages"]) if in_loop and self.chance(0.1) else 1,
            place=place,
        )

    # Dependencies, most of them on what has happened by then.

    def value(self, count: Steps) -> int:
        """Return a count at the point."""
        if isinstance(count, int):
            return count
        name, *rest = count.split()
        return int(self.point[name]) + (int("".join(rest)) if rest else 0)

    def _with_dependencies(self, rows: list[Event], at: int) -> Event:
        row = rows[at]
        wanted = max(int(self.rng.integers(0, 3)), int(not row.agent))
        after = []
        for _ in range(wanted):
            tried = (self._dependency(rows) for _ in range(8))
            found = next((one for one in tried if self._sound(rows, at, one)), None)
            after += [] if found is None else [found]
        drains = ""
        if row.behind != 0 and self.chance(0.2):
            loop = [one for one in rows if one.place == row.place and one.behind == 0]
            drains = self.pick(loop).name if loop else ""
        return replace(row, after=tuple(after), drain_after=drains)

    def _dependency(self, rows: list[Event]) -> After:
        lag = self.pick([0, 0, 0, 1, 1, 2, 2, 3, 4, "stages", "depth", "stages - 1", "stages + 1"])
        at = self.pick(["last", "last", "last", "first", "same"])
        return After(self.pick(rows).name, lag, at)

    def _sound(self, rows: list[Event], at: int, after: After) -> bool:
        row, written = rows[at], next(one for one in rows if one.name == after.event)
        lag = self.value(after.lag)
        if row.place == written.place:
            steps = lag + self.value(row.behind) - self.value(written.behind)
            return after.at == "last" and steps >= (0 if rows.index(written) < at else 1)
        if after.at == "same":
            loops = {row.place, written.place} == {MAIN, SECOND}
            if not loops or self.point[LOOPS[0]] != self.point[LOOPS[1]]:
                return False
        order = [START, MAIN, DRAIN, SECOND, END]
        late = written.place == MAIN and row.place == DRAIN and self.value(written.behind) > 0
        return lag >= (0 if order.index(written.place) < order.index(row.place) and not late else 1)

    def _rings(self, rows: list[Event]) -> Iterator[Ring]:
        """Yield a ring of one or two uses, each freed by one or two later rows."""
        if not self.chance(0.7):
            return
        first = self.pick(rows)
        alike = [
            row
            for row in rows
            if (row.place, row.behind) == (first.place, first.behind) and row.agent
        ]
        uses = alike[: 1 + self.chance(0.8)]
        pairs = []
        for use in uses:
            later = rows[rows.index(use) :] if self.chance(0.8) else rows
            freeing = {self.pick(later).name for _ in range(self.rng.integers(1, 3))}
            pairs.append((use.name, tuple(sorted(freeing))))
        if pairs:
            slots = self.pick(["stages", "depth", "stages + 1", 1, 1, 2, 2, 3])
            yield Ring("ring", slots, tuple(pairs), memory="registers")

    def _durations(self, rows: list[Event]) -> None:
        unit = self.pick([1.0, 1.0, 1.0, 1 / 1024])
        names = [row.takes for row in rows if row.takes]
        for name in names:
            self.point[name] = self.maybe_table(lambda: float(self.pick(TAKES)) * unit)
        if len(names) > 2 and self.chance(0.3):  # a near tie
            tied, *others = self.rng.choice(names, 3, replace=False)
            if not any(isinstance(self.point[str(one)], tuple) for one in others):
                near = sum(self.point[str(one)] for one in others)
                self.point[str(tied)] = max(0.0, near + self.pick([-1, 0, 1]) / 1024)

    def _residency(self) -> None:
        self.point["ctas_per_sm"] = self.pick([1, 1, 1, 2, 3])
        persistent = self.chance(0.7)
        self.point["tile_scheduler"] = "static_persistent" if persistent else "single"
        for name in ("t_launch", "t_stagger"):
            self.point[name] = float(self.pick(TAKES)) if self.chance(0.5) else 0.0
