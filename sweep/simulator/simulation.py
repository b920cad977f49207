"""Simulate one point of a schedule by its program, CTA by CTA.

The simulator knows nothing of the event lists that drive the batch kernel. A schedule's
``program`` says what each agent of a CTA does, as the kernel's pseudo-code would; where an SM has
several CTAs, at once or one after the other, each runs the program for its own tiles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sweep.description.residency import (
    Residency,
    agent_of_copy,
    agent_order,
    first_come,
    residency,
)
from sweep.description.trace_rows import EventResult
from sweep.errors import InputError
from sweep.host.streams import describe
from sweep.simulator.agents import Cta
from sweep.simulator.machine import Deadlock, Simulation
from sweep.simulator.operations import Program
from sweep.simulator.resources import Resource

if TYPE_CHECKING:
    from sweep.description import Schedule

AddsAgents = Callable[[Any, Mapping[str, Any]], None]
"""A schedule's ``program``."""

__all__ = ["Deadlock", "Simulation", "run_events"]


def run_events(schedule: Schedule, p: Mapping[str, Any]) -> EventResult:
    """Simulate one point of a schedule, event by event.

    Parameters
    ----------
    schedule : Schedule
        Its ``program`` says what happens; of its rows only who is first in the list is used,
        which breaks ties.
    p : mapping of str to float, int, str or tuple
        The cycle parameters, counts and choices that the schedule uses, and the residency
        parameters (``output_tiles``, ``ctas_per_sm``, ``tile_scheduler``, ``arbitration``,
        ``t_launch``, ``t_stagger``) that are not to be the defaults. A tuple is a table over the
        output tiles; a program gets those of its own tiles.

    Returns
    -------
    EventResult
        Makespan in cycles, every operation, and the cycles each resource was held.

    Raises
    ------
    Deadlock
        If the agents wait for each other.
    InputError
        For what a program cannot run: several tiles where it runs one, CTAs in alternate order.

    Examples
    --------
    >>> from sweep.schedules.attention_serial import SCHEDULE
    >>> durations = dict(t_gemm0=512, t_exp=512, t_softmax=256, t_gemm1=512)
    >>> run_events(SCHEDULE, {**durations, "kv_blocks": 32, "arbitration": "ordered"}).cycles
    57344.0
    """
    where = residency(schedule, p)
    program = _program(schedule, where)
    names = agent_order(schedule, p.get("release", "consumer"))
    agents = [agent_of_copy(one, s, where.copies) for s in range(where.copies) for one in names]
    simulation = Simulation(tuple(agents), first_come(schedule, where.arbitration))
    try:
        for copy in range(where.copies):
            _Copy(program, schedule.parameters, p, where, simulation, copy).launch(0)
        return simulation.run()
    except (Deadlock, InputError, MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:  # whatever a user's program raises becomes one line
        raise InputError(f"program of {schedule.name!r}: {describe(error)}") from error


def _program(schedule: Schedule, where: Residency) -> AddsAgents:
    """Return a schedule's program, unless no program can run the point."""
    who = f"program of {schedule.name!r}"
    if schedule.program is None:
        raise InputError(
            f"schedule {schedule.name!r} has no program for the event-driven simulator"
        )
    if where.arbitration == "alternate" and where.copies > 1:
        raise InputError(f"{who}: arbitration='alternate' is an order of rows; choose 'fifo'")
    if not schedule.tile_level and not where.single and where.tiles > where.copies:
        raise InputError(
            f"{who} runs one output tile, not the {len(where.tiles_of(0))} of a CTA;"
            " choose tile_scheduler='single'"
        )
    return schedule.program


class _Copy:
    """What a program sees as its simulation: one CTA after the other, on resources all share."""

    def __init__(
        self,
        program: AddsAgents,
        asks_for: tuple[str, ...],
        p: Mapping[str, Any],
        where: Residency,
        simulation: Simulation,
        copy: int,
    ) -> None:
        self.program, self.asks_for, self.p, self.where = program, asks_for, p, where
        self.simulation, self.copy = simulation, copy
        tiles = where.tiles_of(copy)
        self.ctas = [range(tile, tile + 1) for tile in tiles] if where.single else [tiles]
        self.cta = Cta()

    def launch(self, number: int) -> None:
        """Start a CTA after its launch, and the first of a copy after its stagger."""
        if number < len(self.ctas) and self.ctas[number]:
            wait = _in_tile(self.p.get("t_launch", 0.0), self.ctas[number][0])
            stagger = 0.0 if number else self.copy * self.p.get("t_stagger", 0.0)
            self.simulation.later(self.simulation.now + stagger + wait, lambda: self._begin(number))

    def _begin(self, number: int) -> None:
        tiles = self.ctas[number]
        self.cta = Cta(tiles[0], self.where.copies, lambda: self.launch(number + 1))
        self.cta.left = 1  # until all its agents are there
        self.program(self, self._parameters(tiles))
        self.cta.ended()

    def _parameters(self, tiles: range) -> dict[str, Any]:
        """Return a CTA's parameters: of tables the values of its tiles."""
        own = dict(self.p)
        for name, value in self.p.items():
            if isinstance(value, tuple):
                some = tuple(value[tile] for tile in tiles)
                own[name] = some[0] if len(set(some)) == 1 else some
        if self.where.copies > 1 or self.where.single:
            own["output_tiles"] = len(tiles)
        if own.get("arbitration") == "alternate" or "arbitration" in self.asks_for:
            own["arbitration"] = "fifo" if self.where.arbitration == "fifo" else "ordered"
        return own

    # What a program calls.

    def resource(self, name: str, service_order: Iterable[str] | None = None) -> Resource:
        """Return a resource of the SM, served first come, first served where CTAs share it."""
        return self.simulation.resource(name, service_order)

    def start(self, name: str, program: Program) -> None:
        """Add an agent of the CTA."""
        who = agent_of_copy(name, self.copy, self.where.copies)
        self.simulation.start(who, program, self.cta)


def _in_tile(value: Any, tile: int) -> float:
    return float(value[tile] if isinstance(value, tuple) else value)
