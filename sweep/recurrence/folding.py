"""Fold a list of events for the case that its extensions are off, so that the kernel is short.

With ``t_sync``, ``t_mma_latency`` and ``mma_in_flight`` at zero most rows of a ring schedule say
nothing: a wait of no length, a completion at the end of the MMA, a release in the same step.
Folding them away takes a random point of warp_specialized from 51 to 38 ns.
"""

from __future__ import annotations

from dataclasses import replace

from sweep.description import After, Event
from sweep.description.counts import add, least, linear

EXTENSIONS = ("t_sync", "t_mma_latency", "mma_in_flight")


def fold(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return equivalent events for the parameters in ``EXTENSIONS`` at zero."""
    read = {after.event for event in events for after in event.after}
    read |= {event.drain_after for event in events}
    zeroed = tuple(_zero(event, event.name in read) for event in events)
    return _drop_awaited(_drop_implied(_make_synchronous(_drop_aliases(zeroed))))


def _zero(event: Event, read: bool) -> Event:
    """Set the extensions to zero.

    A wait of no length that nobody reads may as well exist from the start, where there is nothing
    yet for it to wait for.
    """
    takes = "" if event.takes in EXTENSIONS else event.takes
    off = event.behind in EXTENSIONS
    idle = not (takes or read or event.on)
    idle = idle and bool(event.after) and all(after.lag == event.starts_at for after in event.after)
    return replace(
        event,
        takes=takes,
        behind=0 if off else event.behind,
        drain_after="" if off else event.drain_after,
        starts_at=0 if idle else event.starts_at,
    )


def _drop_aliases(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Replace events that only repeat another's end, in its own step, by that other."""
    by_name = {event.name: event for event in events}

    def repeats(event: Event) -> bool:
        if event.agent or event.takes or event.starts_at != 0 or len(event.after) != 1:
            return False
        other = by_name[event.after[0].event]
        same = (event.place, event.behind) == (other.place, other.behind)
        return same and event.after[0].lag == 0 and event.place == "k_tile"

    alias = {event.name: event.after[0].event for event in events if repeats(event)}

    def original(name: str) -> str:
        return original(alias[name]) if name in alias else name

    return tuple(
        replace(
            event,
            after=tuple(After(original(a.event), a.lag) for a in event.after),
            drain_after=original(event.drain_after),
        )
        for event in events
        if event.name not in alias
    )


def _make_synchronous(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Turn "request, then wait for it at once" into one synchronous use."""
    rows = list(events)
    for index, event in enumerate(rows):
        later = [row for row in rows[index + 1 :] if row.agent == event.agent]
        if not (event.asynchronous and later):
            continue
        waits = After(event.name) in later[0].after and later[0].starts_at == 0
        if waits and _together(event, later[0]):
            rows[index] = replace(event, asynchronous=False)
    return tuple(rows)


def _drop_implied(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Drop what an agent need not wait for: its own earlier events, and what it waited for."""
    kept: list[Event] = []
    for event in events:
        mine = [row for row in kept if row.agent and row.agent == event.agent]
        mine = [row for row in mine if row.starts_at == 0 and _implies(row, event)]
        known = {row.name for row in mine if not row.asynchronous}
        known |= {after.event for row in mine for after in row.after if after.lag == 0}
        after = tuple(one for one in event.after if one.lag != 0 or one.event not in known)
        kept.append(replace(event, after=after))
    # A step begins where the last one ended: exp of block j - 1 comes before GEMM0 of block j.
    own = {row.name: row.agent for row in kept if row.agent and not row.asynchronous}
    return tuple(
        replace(
            row,
            after=tuple(a for a in row.after if a.lag != 0 or own.get(a.event) != row.agent),
        )
        for row in kept
    )


def _drop_awaited(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Drop what an asynchronous use waits for where the resource and the agent's next event do.

    The resource serves its uses in order, so the use cannot start earlier; and its agent, which it
    would hold up, waits for the same next.
    """
    loop = [row for row in events if row.place == "k_tile"]
    elsewhere = {row.agent for row in events if row not in loop}
    kept = []
    for event in events:
        after = event.after
        if event.asynchronous and event in loop and event.agent not in elsewhere:
            after = tuple(one for one in after if not _awaited_anyway(loop, event, one))
        kept.append(replace(event, after=after))
    return tuple(kept)


def _awaited_anyway(loop: list[Event], event: Event, after: After) -> bool:
    written = next((row for row in loop if row.name == after.event), None)
    if written is None or written.on != event.on or event.starts_at != 0:
        return False
    steps = add(linear(after.lag), linear(event.behind), minus=linear(written.behind))
    index = loop.index(event)
    later = [(row, 0) for row in loop[index + 1 :]] + [(row, 1) for row in loop[: index + 1]]
    follower, step = next(pair for pair in later if pair[0].agent == event.agent)
    awaits = (
        add(linear(one.lag), linear(follower.behind), minus=linear(written.behind))
        for one in follower.after
        if one.event == after.event
    )
    served_before = least(steps) >= 1
    same = any(delay == add(steps, linear(step)) for delay in awaits)
    return served_before and same and follower.starts_at == 0


def _implies(row: Event, event: Event) -> bool:
    """Whether what one event of an agent waited for is over when a later one's turn comes."""
    return _together(row, event) or (row.place == "k_tile" and event.place == "tile_end")


def _together(one: Event, other: Event) -> bool:
    """Whether two events happen in one step, for the same k-tile."""
    return (one.place, one.behind) == (other.place, other.behind)
