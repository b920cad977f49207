"""What a recurrence must remember from step to step: lines, rings, registers and ring positions.

Read off a list of events by ``plan``; ``generator`` writes it down as code. What cannot be kept
this way is refused by ``evaluation_order``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from sweep.description import After, Event, Schedule, Steps
from sweep.description.circuits import Circuit, regime_steps, simple_circuits
from sweep.description.counts import Linear, add, least, linear, linear_text
from sweep.recurrence.code_text import line_name
from sweep.recurrence.folding import fold


class Position(NamedTuple):
    """A place in a ring that moves on with the k-tiles: where it wraps, and where it starts."""

    name: str
    size: str
    start: str
    skewed: bool


@dataclass(frozen=True)
class Ring:
    """The ends of one event over the last ``size`` k-tiles, in an array used round and round."""

    event: Event
    size_form: Linear
    crosses_tiles: bool

    @property
    def size(self) -> str:
        """Its length as an expression of the counts."""
        return linear_text(self.size_form)

    @property
    def name(self) -> str:
        """Its array's name."""
        return f"slots_{self.event.name}"

    def start(self, lag: Steps = 0) -> str:
        """Return where a reader that lags behind is when the run starts; the writer is at 0."""
        at = linear(lag)
        if at in ((), self.size_form):
            return "0"
        return f"({linear_text(add(self.size_form, minus=at))}) % ({self.size})"


@dataclass(frozen=True)
class Register:
    """The ends of one event over the last few blocks, in scalars; it is read ``depth`` back."""

    event: Event
    depth: int

    def names(self) -> list[str]:
        """Return the names of its scalars, the latest first."""
        return [f"back{back}_{self.event.name}" for back in range(1, self.depth + 1)]


@dataclass(frozen=True)
class Plan:
    """The state of a schedule's recurrence, and the rows that advance it.

    Attributes
    ----------
    schedule : Schedule
    release : str
        "consumer" or "hardware".
    plain : bool
        Whether the extensions are folded away.
    events : tuple of Event
    lines : tuple of str
        Variables of agents and resources whose free time is kept, in order of first use in the
        main loop.
    idle_lines : tuple of str
        Lines that the main loop of a tile leaves alone.
    latest : tuple of str
        Events of which the latest end is kept.
    carried : tuple of str
        Tile-level events whose end the next tile needs.
    """

    schedule: Schedule
    release: str
    plain: bool
    events: tuple[Event, ...]
    lines: tuple[str, ...]
    idle_lines: tuple[str, ...]
    latest: tuple[str, ...]
    carried: tuple[str, ...]
    rings: tuple[Ring, ...]
    registers: tuple[Register, ...]
    skew: Steps
    circuits: tuple[Circuit, ...]

    def rows(self, *places: str) -> list[Event]:
        """Return the events at the given places, in list order."""
        return [event for event in self.events if event.place in places]

    def event(self, name: str) -> Event:
        """Return the event of that name."""
        return next(event for event in self.events if event.name == name)

    def starts(self, *places: str) -> list[str]:
        """Return from which k-tiles or tiles on the late events at some places exist."""
        late = [row.starts_at for row in self.rows(*places) if row.starts_at != 0]
        return list(dict.fromkeys(linear_text(linear(count)) for count in late))

    def position(self, ring: Ring, user: Event, lag: Steps = 0) -> str:
        """Name the position at which ``user`` finds its entry of ``ring``."""
        key = ring.size, ring.start(lag), user.behind != 0
        return next(one.name for one in self.positions if one[1:] == key)

    @property
    def positions(self) -> tuple[Position, ...]:
        """Every position in a ring; rings of one size share them."""
        found: dict[tuple[str, str, bool], Position] = {}
        names: list[str] = []
        for ring in self.rings:
            users = [(ring.event, 0), *self.readers(ring.event)]
            for user, lag in users:
                key = ring.size, ring.start(lag), user.behind != 0
                if key in found:
                    continue
                base = "slot" if ring.size == "stages" else "place"
                base += "_behind" * key[2]
                again = sum(one.split("__")[0] == base for one in names)
                names.append(f"{base}__{again}" if again else base)
                found[key] = Position(names[-1], *key)
        return tuple(found.values())

    def depth(self, reader: Event, after: After) -> int:
        """Return the position in the registers of an event at which a reader finds it."""
        return _depth(self.rows("k_tile"), reader, after, self.event(after.event))

    def readers(self, written: Event) -> list[tuple[Event, Steps]]:
        """Return the k-tile events that find an event in its ring, with their lags."""
        return [
            (row, after.lag)
            for row in self.rows("k_tile")
            for after in row.after
            if after.event == written.name and _apart(row, after, written)
        ]

    @property
    def round_sizes(self) -> list[str]:
        """Numbers of steps after which the regime may repeat; a round is their least multiple."""
        sizes = [linear_text(steps) for steps in regime_steps(self.events)]
        sizes += [ring.size for ring in self.rings]
        return [size for size in dict.fromkeys(sizes) if size != "1"]

    @property
    def deadlocks_where(self) -> list[Linear]:
        """Lags in steps that must be at least 1, or a tile with more k-tiles than stages hangs."""
        lags = [
            delay(row, a, self.event(a.event))
            for row in self.rows("k_tile")
            for a in row.after
            if a.lag == "stages"
        ]
        return [lag for lag in dict.fromkeys(lags) if least(lag) == -math.inf]


def plan(schedule: Schedule, release: str = "consumer", plain: bool = True) -> Plan:
    """Work out the state of a schedule's recurrence.

    Parameters
    ----------
    schedule : Schedule
    release : {"consumer", "hardware"}
    plain : bool
        Fold the extensions away; they must then be at zero.
    """
    events = schedule.events(release)
    events = fold(events) if plain else events
    main = [event for event in events if event.place == "k_tile"]
    used = _lines(schedule, events, main)
    everything = _lines(schedule, events, list(events))
    needs = [(event, after) for event in events for after in event.after]
    needs += [(event, After(event.drain_after)) for event in events if event.drain_after]
    by_name = {event.name: event for event in events}
    rings, registers, latest, carried = [], [], [], []
    for name in dict.fromkeys(after.event for _, after in needs):
        written = by_name[name]
        readers = [(event, after) for event, after in needs if after.event == name]
        if written.place != "k_tile":
            carried.append(name)
            continue
        if any(row.place != "k_tile" or row.drain_after == name for row, _ in readers):
            latest.append(name)
        apart = [
            (row, one)
            for row, one in readers
            if row in main and one in row.after and _apart(row, one, written)
        ]
        if not apart:
            continue
        symbolic = any(name for row, one in apart for name, _ in delay(row, one, written))
        if symbolic or schedule.tile_level:
            rings.append(_ring(main, written, apart))
        else:
            depths = [_depth(main, row, after, written) for row, after in apart]
            registers.append(Register(written, max(depths)))
    return Plan(
        schedule=schedule,
        release=release,
        plain=plain,
        events=events,
        lines=tuple(used),
        idle_lines=tuple(line for line in everything if line not in used),
        latest=tuple(latest),
        carried=tuple(carried),
        rings=tuple(rings),
        registers=tuple(registers),
        skew=next((event.behind for event in main if event.behind != 0), 0),
        circuits=simple_circuits(events),
    )


def delay(row: Event, after: After, written: Event) -> Linear:
    """Return how many steps before ``row`` the event that it comes after happens."""
    return add(linear(after.lag), linear(row.behind), minus=linear(written.behind))


def ring_size(main: list[Event], row: Event, after: After, written: Event) -> Linear:
    """Return how many k-tiles of an event must be kept for a reader of it.

    From the k-tile that is read to the last one written by then; a skew that may be cut short
    at the end of a tile, or be 0, only makes that fewer.
    """
    ahead = add(linear(row.behind), minus=linear(written.behind))
    ahead = ahead if least(ahead) >= 0 else ()
    written_first = main.index(written) < main.index(row)
    return add(linear(after.lag), ahead, linear(int(written_first)))


def _ring(main: list[Event], written: Event, readers: list[tuple[Event, After]]) -> Ring:
    sizes = [ring_size(main, row, after, written) for row, after in readers]
    largest = next(
        (one for one in sizes if all(least(add(one, minus=other)) >= 0 for other in sizes)), None
    )
    if largest is None:
        needed = ", ".join(dict.fromkeys(map(linear_text, sizes)))
        raise ValueError(
            f"event {written.name!r} is needed over {needed} k-tiles, of which none is always the"
            " most; give the dependencies lags that can be compared"
        )
    lags = any(after.lag != 0 for _, after in readers)
    return Ring(written, largest, crosses_tiles=lags)


def _apart(row: Event, after: After, written: Event) -> bool:
    """Whether an event is read in another step than the one that writes it, or may be."""
    return after.lag != 0 or row.behind != written.behind


def _lines(schedule: Schedule, events: tuple[Event, ...], rows: list[Event]) -> list[str]:
    """List agents and resources; one that a single agent uses synchronously is never waited for."""
    lines: list[str] = []
    for event in rows:
        users = [row for row in events if row.on == event.on]
        own = {row.agent for row in users} == {event.agent} and event.agent in schedule.agent_names
        implied = own and not any(row.asynchronous for row in users)
        lines += [line_name(event.agent, agents=True)] * bool(event.agent)
        lines += [line_name(event.on, agents=False)] * bool(event.on and not implied)
    return list(dict.fromkeys(lines))


def _depth(main: list[Event], row: Event, after: After, written: Event) -> int:
    """Return how far back a reader looks: writing, earlier in the list, has shifted by one."""
    shifted = main.index(row) > main.index(written)
    return dict(delay(row, after, written)).get("", 0) + int(shifted)
