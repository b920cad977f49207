"""Fold a list of events for the case that its extensions are off, so that the kernel is short.

With ``t_sync``, ``t_mma_latency`` and ``mma_in_flight`` at zero most rows of a ring schedule say
nothing: a wait of no length, a completion at the end of the MMA, a release in the same step.
Folding them away takes a random point of warp_specialized from 51 to 38 ns.
"""

from __future__ import annotations

from dataclasses import replace

from sweep.description import After, Event

EXTENSIONS = ("t_sync", "t_mma_latency", "mma_in_flight")


def fold(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return equivalent events for the parameters in ``EXTENSIONS`` at zero."""
    return _drop_implied(_make_synchronous(_drop_aliases(tuple(map(_zero, events)))))


def _zero(event: Event) -> Event:
    """Set the extensions to zero; a wait of no length may as well exist from the start."""
    takes = "" if event.takes in EXTENSIONS else event.takes
    off = event.behind in EXTENSIONS
    return replace(
        event,
        takes=takes,
        behind=0 if off else event.behind,
        drain_after="" if off else event.drain_after,
        starts_at=event.starts_at if takes else 0,
    )


def _drop_aliases(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Replace events that only repeat another's end by that other."""
    alias = {
        event.name: event.after[0].event
        for event in events
        if not event.agent and not event.takes and len(event.after) == 1
    }

    def original(name: str) -> str:
        return original(alias[name]) if name in alias else name

    return tuple(
        replace(event, after=tuple(After(original(a.event), a.lag) for a in event.after))
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
        waits = not later[0].takes and later[0].behind == event.behind
        if waits and After(event.name) in later[0].after:
            rows[index] = replace(event, asynchronous=False)
    return tuple(rows)


def _drop_implied(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Drop what an agent need not wait for: its own earlier events, and what it waited for."""
    kept: list[Event] = []
    for event in events:
        mine = [row for row in kept if row.agent and row.agent == event.agent]
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
