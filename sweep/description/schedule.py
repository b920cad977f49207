"""What a schedule file says: events in the order of one step, performed by agents on resources.

A *line* is an agent or a resource. A line serves its events one at a time, in list order, so
the order of the list supplies most dependencies; only hand-overs between agents and latencies
need an ``after``. In the language of theory the list is a timed event graph with its tokens
(Baccelli, Cohen, Olsder, Quadrat, *Synchronization and Linearity*, 1992). This one description
drives the batch kernel (``generator``), the timeline (``interpreter``) and the period
(``circuits``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

RESOURCES = ("TC", "MEM", "SFU", "FMA")
"""Tensor Core, copy path, exponential units, CUDA cores: each serves one use at a time."""
Family = Literal["gemm", "attention"]
Place = Literal["k_tile", "tile_start", "before_drain", "tile_end"]
Count = int | str
"""A number of k-tiles: an integer or the name of a count parameter, or ``"stages - 1"``."""


@dataclass(frozen=True)
class After:
    """A dependency: start no earlier than the end of ``event``, ``lag`` k-tiles (or tiles) back.

    An instance that does not exist (before the run's first, or before the event's ``starts_at``)
    is nothing to wait for.
    """

    event: str
    lag: Count = 0


@dataclass(frozen=True)
class Event:
    """One row of a schedule.

    Attributes
    ----------
    name : str
        Unique within the schedule.
    agent : str
        The warp or warpgroup that performs it; "" for a pure delay such as a latency. An agent
        named in ``Schedule.turns`` stands for two that take alternate output tiles.
    on : str
        The resource it holds; "" for work of the agent alone.
    takes : str
        The parameter that is its duration; "" for an event of no length.
    after : tuple of After
        What it waits for beyond its agent's previous event and its resource's previous use.
        A tile-level event refers to the last k-tile of its output tile, ``lag`` tiles back.
    asynchronous : bool
        The agent requests the resource and goes on at once, without waiting for its turn there;
        it does wait for what the event comes after.
    behind : int or str
        The event of k-tile k happens in step k + behind of its output tile (software-pipeline
        skew, clipped to the number of k-tiles).
    drain_after : str
        What the events left over after the last step of a tile wait for, all together: this
        event of the tile's last k-tile.
    starts_at : int or str
        The first k-tile of the run (tile, for tile-level events) that has this event.
    place : {"k_tile", "tile_start", "before_drain", "tile_end"}
        Once per k-tile, or once per output tile at that place.
    operation : str
        What it is called in a trace; the name where left empty.
    signals : str
        The barrier that its end completes, as traces name what was waited for.
    """

    name: str
    agent: str = ""
    on: str = ""
    takes: str = ""
    after: tuple[After, ...] = ()
    asynchronous: bool = False
    behind: Count = 0
    drain_after: str = ""
    starts_at: Count = 0
    place: Place = "k_tile"
    operation: str = ""
    signals: str = ""

    @property
    def label(self) -> str:
        """The operation's name in traces."""
        return self.operation or self.name


@dataclass(frozen=True, eq=False)
class Schedule:
    """A schedule: who does what, in which order, and what it needs of the hardware.

    Attributes
    ----------
    name, summary, reference : str
        Its name, one line saying what it does, and where it is described.
    family : {"gemm", "attention"}
        Which durations and which loop (k-tiles or blocks of keys) it has.
    agents : tuple of str
        In the order that breaks ties.
    events : callable
        ``events(release)`` gives the rows for a release mode ("consumer" or "hardware").
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
        Whether it runs over ``output_tiles`` output tiles.
    """

    name: str
    family: Family
    summary: str
    reference: str
    agents: tuple[str, ...]
    events: Callable[[str], tuple[Event, ...]]
    program: Callable[[Any, Mapping[str, Any]], None] | None = None
    loader: Literal["tma", "cp_async", ""] = ""
    producer: bool = False
    consumer_warpgroups: int = 1
    turns: int = 1
    fixed_stages: int = 0
    kv_blocks: int = 0
    tile_level: bool = False

    @cached_property
    def resources(self) -> tuple[str, ...]:
        """The resources it uses, in the order TC, MEM, SFU, FMA."""
        used = {event.on for event in self.events("consumer")}
        return tuple(name for name in RESOURCES if name in used)

    @property
    def ring(self) -> bool:
        """Whether copies land in a ring of ``stages`` slots."""
        return "stages" in self.parameters

    @property
    def loop(self) -> str:
        """The count parameter of its main loop."""
        return "kv_blocks" if self.family == "attention" else "k_tiles"

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
        lags = (
            count
            for event in self._all_events()
            for count in (event.behind, event.starts_at, *(after.lag for after in event.after))
        )
        counts = [str(lag).split(" ", 1)[0] for lag in lags if not isinstance(lag, int)]
        tiles = ["output_tiles"] if self.tile_level else []
        choices = ["release"] if self.release_modes else []
        choices += ["arbitration"] if self.family == "attention" else []
        return (*self.durations, *unique([*counts, self.loop, *tiles]), *choices)

    def _all_events(self) -> Iterator[Event]:
        yield from self.events("consumer")
        yield from self.events("hardware")


def unique(items: Iterable[str]) -> list[str]:
    """Return the items without repeats, in order of first appearance."""
    return list(dict.fromkeys(items))
