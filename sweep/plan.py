"""What a recurrence must remember from step to step: lines, rings, registers and ring positions.

Read off a list of events by ``plan``; ``generator`` writes it down as code.
"""

from __future__ import annotations

from dataclasses import dataclass

from sweep.circuits import Circuit, Linear, add, linear, linear_text, simple_circuits
from sweep.description import After, Count, Event, Schedule
from sweep.folding import fold


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
        return f"ring_{self.event.name}"


@dataclass(frozen=True)
class Register:
    """The ends of one event over the last few blocks, in scalars; it is read ``depth`` back."""

    event: Event
    depth: int

    def names(self) -> list[str]:
        """Return the names of its scalars, the latest first."""
        return [f"{self.event.name}_{back}_back" for back in range(1, self.depth + 1)]


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
        Agents and resources whose free time is kept, in order of first use in the main loop.
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
    skew: Count
    circuits: tuple[Circuit, ...]

    def rows(self, *places: str) -> list[Event]:
        """Return the events at the given places, in list order."""
        return [event for event in self.events if event.place in places]

    def event(self, name: str) -> Event:
        """Return the event of that name."""
        return next(event for event in self.events if event.name == name)

    @property
    def counts_k_tiles(self) -> bool:
        """Whether some event exists only from a later k-tile on."""
        return any(row.starts_at != 0 for row in self.rows("k_tile"))

    def position(self, event: Event, ring: Ring) -> str:
        """Name the position of ``event``'s k-tile in ``ring``."""
        where = "slot" if ring.size == "stages" else "place"
        return where if event.behind == 0 else f"{where}_behind"

    @property
    def positions(self) -> dict[str, tuple[str, Count]]:
        """Positions by name: the size they wrap at, and the skew of the events that use them."""
        found: dict[str, tuple[str, Count]] = {}
        for ring in self.rings:
            for event in [ring.event, *self.readers(ring.event)]:
                found[self.position(event, ring)] = (ring.size, event.behind)
        return found

    def depth(self, reader: Event, after: After) -> int:
        """Return the position in the registers of an event at which a reader finds it."""
        return _depth(self.rows("k_tile"), reader, after, self.event(after.event))

    def readers(self, written: Event) -> list[Event]:
        """Return the k-tile events that depend on an event."""
        rows = self.rows("k_tile")
        return [row for row in rows if any(a.event == written.name for a in row.after)]

    @property
    def round_sizes(self) -> list[str]:
        """Numbers of steps after which the regime may repeat; a round is their least multiple."""
        sizes = [linear_text(circuit.steps) for circuit in self.circuits]
        sizes += [ring.size for ring in self.rings]
        return [size for size in dict.fromkeys(sizes) if size != "1"]

    @property
    def deadlocks_where(self) -> list[Linear]:
        """Lags in steps that must be at least 1, or a tile with more k-tiles than stages hangs."""
        rows = self.rows("k_tile")
        lags = [
            add(linear(a.lag), linear(row.behind), minus=linear(self.event(a.event).behind))
            for row in rows
            for a in row.after
            if a.lag == "stages"
        ]
        return [lag for lag in dict.fromkeys(lags) if any(value < 0 for _, value in lag)]


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
    used = _lines(schedule, main)
    everything = _lines(schedule, list(events))
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
        delays = [_delay(row, after, written) for row, after in readers if row.place == "k_tile"]
        apart = [delay for delay in delays if delay != linear(0)]
        if not apart:
            continue
        symbolic = [delay for delay in apart if any(parameter for parameter, _ in delay)]
        if symbolic:
            rings.append(_ring(written, readers))
        else:
            depths = [_depth(main, row, after, written) for row, after in readers if row in main]
            registers.append(Register(written, max(depths)))
    skews = list(dict.fromkeys(event.behind for event in main if event.behind != 0))
    if len(skews) > 1:
        raise ValueError(f"{schedule.name}: more than one skew {skews}")
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
        skew=skews[0] if skews else 0,
        circuits=simple_circuits(events),
    )


def _lines(schedule: Schedule, rows: list[Event]) -> list[str]:
    """List agents and resources; one that a single agent uses synchronously is never waited for."""
    lines: list[str] = []
    for event in rows:
        users = [row for row in rows if row.on == event.on]
        own = {row.agent for row in users} == {event.agent} and event.agent in schedule.agents
        implied = own and not any(row.asynchronous for row in users)
        lines += [event.agent] * bool(event.agent)
        lines += [event.on] * bool(event.on and not implied)
    return list(dict.fromkeys(lines))


def _depth(main: list[Event], row: Event, after: After, written: Event) -> int:
    """Return how far back a reader looks: writing, earlier in the list, has shifted by one."""
    shifted = main.index(row) > main.index(written)
    return dict(_delay(row, after, written)).get("", 0) + int(shifted)


def _delay(row: Event, after: After, written: Event) -> Linear:
    return add(linear(after.lag), linear(row.behind), minus=linear(written.behind))


def _ring(written: Event, readers: list[tuple[Event, After]]) -> Ring:
    lags = {after.lag for row, after in readers if row.place == "k_tile"} - {0}
    sizes = {linear(lag) for lag in lags} or {
        add(linear(row.behind), linear(1), minus=linear(written.behind))
        for row, _ in readers
        if row.place == "k_tile" and row.behind != written.behind
    }
    if len(sizes) > 1:
        raise ValueError(f"event {written.name!r} is needed at lags {sorted(sizes)}")
    return Ring(written, sizes.pop(), crosses_tiles=bool(lags))
