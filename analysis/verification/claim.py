"""What a claim is, and the simulated points that it is tested on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from analysis.closed_forms.form import Kind
from analysis.verification.draws import Columns, Where, size
from sweep.description import Schedule
from sweep.engine.variants import variants_of
from sweep.quantities.arrays import Array
from sweep.quantities.variables import RESIDENCY, SERVICES, TILE_SCHEDULERS, VARIABLES

Changes = Mapping[str, Any]


class Timing(NamedTuple):
    """Makespans, inf where a point deadlocks, and steady periods, NaN where there is none."""

    cycles: Array
    period: Array


class Points:
    """Points of a schedule, simulated as they are once however many claims are tested on them."""

    def __init__(self, schedule: Schedule, p: Columns) -> None:
        self.schedule = schedule
        self.p = p
        self._known: dict[str, Any] = {}

    @cached_property
    def timing(self) -> Timing:
        """The points themselves."""
        return self.run({})

    def once(self, what: str, work: Callable[[], Any]) -> Any:
        """Return what some work gives, doing it once for all claims."""
        if what not in self._known:
            self._known[what] = work()
        return self._known[what]

    def run(self, changes: Changes) -> Timing:
        """Simulate the points with other values for some parameters."""
        return simulate(self.schedule, self.changed(changes))

    def changed(self, changes: Changes) -> Columns:
        """Return the points with other values for some parameters."""
        points = size(self.p)
        return self.p | {name: np.broadcast_to(one, points) for name, one in changes.items()}


def with_residency(schedule: Schedule, p: Columns) -> Columns:
    """Return points of one CTA on the SM, as far as they do not say otherwise."""
    alone = {name: VARIABLES[name].default for name in RESIDENCY}
    scheduler = "static_persistent" if schedule.tile_level else "single"
    alone |= {"output_tiles": 1, "tile_scheduler": TILE_SCHEDULERS.index(scheduler)}
    alone["arbitration"] = SERVICES.index("ordered")
    return {name: np.full(size(p), value) for name, value in alone.items()} | p


def simulate(schedule: Schedule, p: Columns) -> Timing:
    """Run columns of points through the engine's kernels, each choice through its own."""
    p = with_residency(schedule, p)
    found = Timing(np.empty(size(p)), np.empty(size(p)))
    variants = variants_of(schedule, p)
    for variant in variants:
        kernel = variant.load(schedule)
        here = slice(None) if len(variants) == 1 else variant.serves(p)
        part = p if len(variants) == 1 else {name: column[here] for name, column in p.items()}
        cycles, period = np.empty(size(part)), np.empty(size(part))
        rest: list[Any] = [{}, {}] if variant.name == "general" else []
        kernel.run(part, *rest, cycles, period, np.empty(size(part), np.int8))
        found.cycles[here] = np.where(np.isnan(cycles), np.inf, cycles)
        found.period[here] = period
    return found


class Outcome(NamedTuple):
    """How a claim fared at points.

    Attributes
    ----------
    gap : numpy.ndarray
        By how much it is missed: 0 where it holds, NaN where it says nothing.
    runs : tuple of mappings
        The simulations that show it, as changes to the points.
    """

    gap: Array
    runs: tuple[Changes, ...] = ({},)


@dataclass(frozen=True, eq=False)
class Claim:
    """One statement about a schedule that can be tested at points.

    Attributes
    ----------
    schedule : Schedule
    name : str
        Unique within the schedule.
    kind : {"exact", "bound", "asymptotic", "rule"}
        "exact": equal to the simulation, transients included; "bound": never on the wrong side;
        "asymptotic": the steady state, equally tested with ==; "rule": a rule of thumb, of which
        the misses are counted.
    statement : str
        What it claims.
    where : Where
        Its domain, from which points are drawn.
    check : callable
        Takes points, returns the outcome.
    units : str
        Of the gap.
    formula : callable, optional
        Gives the formula as LaTeX, or None where it has no bounded form.
    remark : callable, optional
        Gives a sentence that belongs to the result.
    typed_as : str
        What a user calls the schedule: its file, where it isn't the name.
    """

    schedule: Schedule
    name: str
    kind: Kind
    statement: str
    where: Where
    check: Callable[[Points], Outcome]
    units: str = "cycle"
    formula: Callable[[], str | None] | None = None
    remark: Callable[[], str] | None = None
    typed_as: str = ""

    @property
    def domain(self) -> str:
        """Where it holds, in one line."""
        return self.where.text(self.schedule)


def distance(claimed: Array, simulated: Array) -> Array:
    """Return how far apart two results are; both infinite or both missing is no distance."""
    same = (claimed == simulated) | (np.isnan(claimed) & np.isnan(simulated))
    with np.errstate(invalid="ignore"):
        apart = np.abs(claimed - simulated)
    return np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart))


def excess(larger: Array, limit: Array) -> Array:
    """Return by how much something exceeds its limit, 0 where it doesn't."""
    with np.errstate(invalid="ignore"):
        return np.where(larger > limit, larger - limit, 0.0)
