"""Lower bounds on the makespan that hold for any list of events, whoever wrote it.

* The cycles for which a resource is held, and those that an agent works, one after another: true
  in any order of service.
* Turns round a circuit, where the schedule has one loop. In a fixed order of service every arc of a
  circuit is a wait, as long as all its events exist: from the step in which the last of them
  starts, until the first of them has run out (a tile's main loop; the whole run where nothing is
  skewed and no agents take turns). A circuit of m steps fits floor(steps there / m) times, and
  each turn takes as long as its events do. Where the order of service can be free, circuits use
  no resource's order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sweep.catalogue.validation import beyond_generated
from sweep.description import Event, Schedule, Steps
from sweep.description.circuits import Circuit, simple_circuits, steady_arcs
from sweep.description.counts import Linear, linear
from sweep.engine.held_work import Work
from sweep.errors import InputError
from sweep.quantities.arrays import Array
from sweep.quantities.bottlenecks import BOTTLENECKS
from sweep.quantities.variables import TILE_SCHEDULERS
from sweep.recurrence.fifo import fifo_programs

Numbers = Mapping[str, Array]

RESOURCE_BOUNDS = {
    row.resource: f"bound_{row.name}" for row in BOTTLENECKS.values() if row.resource
}


def generic_bounds(schedule: Schedule, p: Numbers, release: str) -> list[tuple[str, Array]]:
    """Return bounds for any schedule: its resources', "bound_agent" and "bound_circuits".

    The last only where it says no more than the generated kernel of one loop can.

    Parameters
    ----------
    schedule : Schedule
    p : mapping
        Its durations in cycles and its counts.
    release : {"consumer", "hardware"}
    """
    events = schedule.events(release)
    resources = [
        (RESOURCE_BOUNDS.get(one, f"bound_{one.lower()}"), held(schedule, one, p))
        for one in schedule.resources
    ]
    agents = [_busy(schedule, events, name, p) for name in schedule.agent_names]
    found = [*resources, ("bound_agent", _largest(agents))]
    if beyond_generated(schedule, events):
        return found
    return [*found, ("bound_circuits", _turns(schedule, p, release))]


def held(schedule: Schedule, resource: str, p: Numbers) -> Array:
    """Return the cycles for which a resource is held in a run of one CTA."""
    return np.asarray(_work(schedule, p).held(resource))


def _work(schedule: Schedule, p: Numbers, rows: tuple[Event, ...] | None = None) -> Work:
    """Return what one CTA does in all, or only some of its rows, whatever they hold."""
    scheduler = TILE_SCHEDULERS.index("static_persistent" if schedule.tile_level else "single")
    alone = {"output_tiles": 1, "ctas_per_sm": 1, "tile_scheduler": scheduler}
    values = {name: np.asarray(value) for name, value in {**alone, **p}.items()}
    chosen = schedule if rows is None else replace(schedule, events=rows)
    return Work(chosen, values, {})


def can_be_any(schedule: Schedule) -> bool:
    """Whether the order of service of a schedule's resources can be chosen."""
    beyond = beyond_generated(schedule, schedule.events("consumer"))
    return can_be_free(schedule) or (beyond and "arbitration" in schedule.parameters)


def can_be_free(schedule: Schedule) -> bool:
    """Whether a schedule can be served first come, first served."""
    if "arbitration" not in schedule.parameters:
        return False
    try:
        fifo_programs(schedule)
    except InputError:  # its agents wait for each other: there is only the fixed order
        return False
    return True


def _busy(schedule: Schedule, events: Sequence[Event], agent: str, p: Numbers) -> Array:
    """Return the cycles that an agent works; of those that take turns, in its own tiles."""
    tiles, total = np.asarray(p.get("output_tiles", 1)), np.zeros(())
    own: dict[tuple[int, int], list[Event]] = {}  # by how many take turns, and which one it is
    for event in events:
        if event.asynchronous or not event.takes:
            continue
        turns = _turns_of(schedule, event)
        for turn in range(turns):
            if schedule.agent_of(event, turn) == agent:
                own.setdefault((turns, turn), []).append(event)
    for (turns, turn), rows in own.items():
        mine = dict(p) | {"output_tiles": np.maximum(-(-(tiles - turn) // turns), 0)}
        total = total + _cycles(schedule, rows, mine)
    return np.asarray(total)


def _turns_of(schedule: Schedule, event: Event) -> int:
    """Return how many agents perform a row by turns."""
    for role in schedule.roles:
        if role.name == event.agent:
            return role.turns
    return schedule.turns


def _cycles(schedule: Schedule, rows: Sequence[Event], p: Numbers) -> Any:
    """Return how long some rows take in all."""
    alone = tuple(replace(row, on="TC") for row in rows)
    return _work(schedule, p, alone).held("TC")


class _Steady(NamedTuple):
    """The circuits of a schedule, the arcs that lead back, and from when on they hold."""

    circuits: tuple[Circuit, ...]
    arcs: tuple[Linear, ...]
    behind: tuple[Steps, ...]
    starts: tuple[Steps, ...]


@cache
def _steady(schedule: Schedule, release: str) -> _Steady:
    events = schedule.events(release)
    if can_be_free(schedule):
        events = tuple(replace(event, on="") for event in events)
    rows = [event for event in events if event.place == "k_tile"]
    return _Steady(
        simple_circuits(events),
        tuple(arc.steps for arc in steady_arcs(events)),
        tuple({event.behind for event in rows}),
        tuple({event.starts_at for event in rows}),
    )


def _turns(schedule: Schedule, p: Numbers, release: str) -> Array:
    steady = _steady(schedule, release)
    behind = _largest([_value(count, p) for count in steady.behind])
    starts = _largest([_value(count, p) for count in steady.starts])
    back = sum((np.maximum(-_linear_value(steps, p), 0) for steps in steady.arcs), np.zeros(()))
    steps = p[schedule.loop]
    if schedule.turns == 1:
        steps = np.where(behind == 0, steps * p.get("output_tiles", 1), steps)
    room = steps - 1 - behind - starts - back
    found = np.zeros(())
    for circuit in steady.circuits:
        takes = sum((p[name] for name in circuit.takes), np.zeros(()))
        apart = _linear_value(circuit.steps, p)
        often = np.where(apart < 1, 0, np.maximum(room // np.maximum(apart, 1), 0))
        found = np.maximum(found, often * takes)
    return found


def _value(count: Steps, p: Numbers) -> Array:
    return _linear_value(linear(count), p)


def _linear_value(form: Linear, p: Numbers) -> Array:
    return np.asarray(sum((factor * (p[name] if name else 1) for name, factor in form), 0))


def _largest(values: Sequence[Array]) -> Array:
    found = np.zeros(())
    for one in values:
        found = np.maximum(found, one)
    return found
