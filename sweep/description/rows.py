"""One row of a schedule, and what it comes after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sweep.description.declared import Steps

MAIN, START, DRAIN, END = "k_tile", "tile_start", "before_drain", "tile_end"
SHORT_PLACES = {"start": START, "drain": DRAIN, "end": END}


@dataclass(frozen=True)
class After:
    """A dependency: start no earlier than the end of ``event``, ``lag`` before.

    In one place ``lag`` counts iterations over all tiles; between places it counts tiles. An
    instance that does not exist (before the run's first, or left out by ``starts_at``, ``skips``
    or ``every``) is nothing to wait for.

    Attributes
    ----------
    event : str
    lag : int or str
    at : {"last", "first", "same"}
        Between places: which iteration of the tile is waited for; "same" needs equal counts.
    """

    event: str
    lag: Steps = 0
    at: Literal["last", "first", "same"] = "last"


@dataclass(frozen=True)
class Event:
    """One row of a schedule.

    Attributes
    ----------
    name : str
        Unique within the schedule.
    agent : str
        The warp or warpgroup that performs it; "" for a pure delay such as a latency.
    on : str
        The resource it holds; "" for work of the agent alone.
    takes : str
        The parameter that is its duration; "" for an event of no length.
    after : tuple of After or str
        What it waits for beyond its agent's previous event and its resource's previous use; a
        name alone is that row without a lag.
    asynchronous : bool
        The agent requests the resource and goes on at once, without waiting for its turn there;
        it does wait for what the event comes after.
    behind : int or str
        Iteration i happens in step i + behind of its loop (software-pipeline skew).
    drain_after : str
        In the steps after the loop's last new iteration, it also waits for this row's last
        iteration in the tile.
    starts_at : int or str
        The first iteration of the run (tile, for rows once per tile) that has this event.
    place : str
        The loop it belongs to ("k_tile" is the main one), or where it happens once per tile:
        "start", "drain" (after the main loop's last new iteration) or "end"; "tile_start",
        "before_drain" and "tile_end" are the same.
    operation : str
        What it is called in a trace; the name where left empty.
    signals : str
        The barrier that its end completes, as traces name what was waited for.
    skips : int or str
        It is left out in this many first iterations of each tile.
    every : int or str
        It happens in each so-many-th iteration of a tile and in its last.
    """

    name: str
    agent: str = ""
    on: str = ""
    takes: str = ""
    after: tuple[After, ...] = ()
    asynchronous: bool = False
    behind: Steps = 0
    drain_after: str = ""
    starts_at: Steps = 0
    place: str = MAIN
    operation: str = ""
    signals: str = ""
    skips: Steps = 0
    every: Steps = 1

    def __post_init__(self) -> None:
        if isinstance(self.after, str):
            object.__setattr__(self, "after", (self.after,))
        if isinstance(self.after, tuple) and any(isinstance(one, str) for one in self.after):
            rows = tuple(After(one) if isinstance(one, str) else one for one in self.after)
            object.__setattr__(self, "after", rows)
        if isinstance(self.place, str) and self.place in SHORT_PLACES:
            object.__setattr__(self, "place", SHORT_PLACES[self.place])

    @property
    def label(self) -> str:
        """The operation's name in traces."""
        return self.operation or self.name
