"""What a schedule file says: rows in the order of one step, performed by agents on resources.

A *line* is an agent or a resource. A line serves its events one at a time, in list order, so
the order of the list supplies most dependencies; only hand-overs between agents and latencies
need an ``after``. In the language of theory the list is a timed event graph with its tokens
(Baccelli, Cohen, Olsder, Quadrat, *Synchronization and Linearity*, 1992). This one description
drives the batch kernel (``generator``), the timeline (``interpreter``) and the period
(``circuits``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from sweep.description.declared import (
    Agent,
    Count,
    Duration,
    Factor,
    Formula,
    Loop,
    Resource,
    Ring,
    Steps,
)
from sweep.description.rows import MAIN, Event

RESOURCES = ("TC", "MEM", "SFU", "FMA")
"""Tensor Core, copy path, exponential units, CUDA cores: each serves one use at a time."""
Family = Literal["gemm", "attention"]


@dataclass(frozen=True, eq=False)
class Schedule:
    """A schedule: who does what, in which order, and what it needs of the hardware.

    Attributes
    ----------
    name, summary, reference : str
        Its name, one line saying what it does, and where it is described.
    family : {"gemm", "attention"}
        Which physical parameters it has (``shape`` says the same) and what its main loop counts:
        k-tiles or blocks of keys.
    agents : tuple of Agent or str
        Ties between them are broken in the order of their first rows.
    events : tuple of Event, or callable
        Its rows, or ``events(release)``, which gives them for a release mode ("consumer" or
        "hardware").
    program : callable
        ``program(simulation, parameters)`` adds the agents to the event-driven simulator; without
        one the schedule has only the account of its events.
    loader : {"tma", "cp_async", ""}
        What issues its copies unless told otherwise; "" where no copy is modelled.
    producer : bool
        Whether a producer warpgroup loads through barriers.
    consumer_warpgroups : int
        Warpgroups that compute, by default.
    turns : int
        Consumers that take alternate output tiles (2 in ping-pong).
    fixed_stages : int
        Stages of a schedule without the parameter ``stages``.
    kv_blocks : int
        Default number of key blocks per warpgroup (attention).
    tile_level : bool
        Whether it runs over ``output_tiles`` output tiles by default.
    shape : {"", "gemm", "attention"}
        Where it is stated, instead of ``family``: its physical parameters; its durations may then
        be any.
    loops : tuple of Loop
        In the order of a tile; the first is the main one. By default that is all there is, and
        it counts ``k_tiles`` or ``kv_blocks``.
    rings : tuple of Ring
    declares : tuple of Count, Factor, Duration or Resource
        Names of its own.
    flop : str or callable
        Useful FLOP of an output tile, by names of its parameters; as ``shape`` has it by default.
    defaults : mapping of str to str or int
        Physical parameters that are its own unless given, such as ``{"gpu": "b200"}`` where it
        needs Tensor Memory.
    """

    name: str
    family: Family = "gemm"
    summary: str = ""
    reference: str = ""
    agents: tuple[Agent | str, ...] = ()
    events: Any = ()
    program: Callable[[Any, Mapping[str, Any]], None] | None = None
    loader: Literal["tma", "cp_async", ""] = ""
    producer: bool = False
    consumer_warpgroups: int = 1
    turns: int = 1
    fixed_stages: int = 0
    kv_blocks: int = 0
    tile_level: bool = False
    shape: Family | Literal[""] = ""
    loops: tuple[Loop, ...] = ()
    rings: tuple[Ring, ...] = ()
    declares: tuple[Count | Factor | Duration | Resource, ...] = ()
    flop: Formula = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.shape:
            object.__setattr__(self, "family", self.shape)
        if isinstance(self.events, tuple):
            object.__setattr__(self, "events", _Rows(self.events))
        if not self.loops:
            count = "kv_blocks" if self.family == "attention" else "k_tiles"
            object.__setattr__(self, "loops", (Loop(MAIN, count),))

    @cached_property
    def roles(self) -> tuple[Agent, ...]:
        """Its agents, with how many take turns."""
        return tuple(one if isinstance(one, Agent) else Agent(one) for one in self.agents)

    @cached_property
    def agent_names(self) -> tuple[str, ...]:
        """Every agent as traces name it."""
        return tuple(name for role in self.roles for name in role.each)

    def agent_of(self, event: Event, tile: int) -> str:
        """Name the agent that performs a row in its ``tile``-th output tile; "" for a delay."""
        for role in self.roles:
            if role.name == event.agent:
                return role.each[tile % role.turns]
        return f"{event.agent}_{tile % self.turns}" if event.agent else ""

    @cached_property
    def resources(self) -> tuple[str, ...]:
        """The resources it uses: TC, MEM, SFU, FMA, then its own."""
        used = {event.on for event in self.events("consumer")}
        own = (one.name for one in self.declares if isinstance(one, Resource))
        return tuple(name for name in (*RESOURCES, *own) if name in used)

    @property
    def ring(self) -> bool:
        """Whether copies land in a ring of ``stages`` slots."""
        return "stages" in self.parameters

    @property
    def main(self) -> str:
        """The name of its main loop."""
        return self.loops[0].name

    def place(self, event: Event) -> str:
        """Name the loop or the place of a row; the main loop by its own name."""
        return self.main if event.place == MAIN else event.place

    @property
    def loop(self) -> str:
        """The count parameter of its main loop."""
        return str(self.loops[0].count)

    @cached_property
    def release_modes(self) -> tuple[str, ...]:
        """The values of ``release`` that it distinguishes; empty without the parameter."""
        same = self.events("consumer") == self.events("hardware")
        return () if same else ("consumer", "hardware")

    @cached_property
    def durations(self) -> tuple[str, ...]:
        """The cycle parameters it uses, in the order of its rows."""
        return tuple(unique(event.takes for event in self._all_events() if event.takes))

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Every cycle parameter, count and choice that it uses."""
        steps = [
            count
            for event in self._all_events()
            for count in (
                event.behind,
                event.starts_at,
                event.skips,
                event.every,
                *(after.lag for after in event.after),
            )
        ]
        steps += [ring.slots for ring in self.rings]
        counts = [name for count in steps for name in count_names(count)]
        others = [name for loop in self.loops[1:] for name in count_names(loop.count)]
        tiles = ["output_tiles"] if self.tile_level else []
        choices = ["release"] if self.release_modes else []
        choices += ["arbitration"] if self.family == "attention" else []
        return (*self.durations, *unique([*counts, self.loop, *others, *tiles]), *choices)

    def _all_events(self) -> Iterator[Event]:
        yield from self.events("consumer")
        yield from self.events("hardware")


@dataclass(frozen=True)
class _Rows:
    """Rows that no release mode changes."""

    rows: tuple[Event, ...]

    def __call__(self, release: str) -> tuple[Event, ...]:
        return self.rows


def count_names(count: Steps) -> tuple[str, ...]:
    """Return the parameters in a number of steps.

    Examples
    --------
    >>> count_names("2 * stages + 1")
    ('stages',)
    """
    return tuple(re.findall(r"[A-Za-z_]\w*", count, re.ASCII)) if isinstance(count, str) else ()


def unique(items: Iterable[str]) -> list[str]:
    """Return the items without repeats, in order of first appearance."""
    return list(dict.fromkeys(items))
