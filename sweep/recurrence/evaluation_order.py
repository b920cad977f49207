"""Whether a list of events is an order in which they can be evaluated, one after the other.

The recurrence goes through the list once a step and keeps only what later steps read. So an event
may come after those before it in the list, or after those of earlier steps; what would need more
is refused here, with what to write instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from sweep.description import After, Event
from sweep.description.circuits import circuits_with_events
from sweep.description.counts import Linear, least, linear, linear_text
from sweep.recurrence.plan import delay

PLACES = ("tile_start", "k_tile", "before_drain", "tile_end")
"""In the order in which an output tile goes through them."""


def order_faults(events: tuple[Event, ...]) -> Iterator[str]:
    """Yield what keeps a list from being evaluated in order, one line each."""
    by_name = {event.name: event for event in events}
    skews = list(dict.fromkeys(row.behind for row in events if row.behind != 0))
    if len(skews) > 1:
        yield (
            f"events are behind by {' and '.join(map(repr, skews))}: only one skew is possible;"
            " express the others as lags"
        )
    for event in events:
        yield from _own_faults(event)
        for after in event.after:
            yield from _dependency_faults(events, event, after, by_name[after.event])
        if event.drain_after:
            yield from _drain_faults(event, by_name[event.drain_after])


def _own_faults(event: Event) -> Iterator[str]:
    where = f"event {event.name!r}"
    if event.behind != 0 and event.place != "k_tile":
        yield f"{where}: behind={event.behind!r} has no effect on an event once per tile"
    if event.behind != 0 and event.starts_at != 0:
        yield f"{where}: starts_at={event.starts_at!r} is not possible for an event that is behind"
    if least(linear(event.behind)) < 0:
        yield f"{where}: behind={event.behind!r} can be negative"
    if not event.agent and not event.after:
        yield f"{where}: has no agent and comes after nothing; give it an agent"


def _dependency_faults(
    events: tuple[Event, ...], event: Event, after: After, written: Event
) -> Iterator[str]:
    if event.place == written.place == "k_tile":
        fault = _within_the_loop(events, event, after, written)
    elif event.place == "k_tile":
        fault = "which happens once per tile: let an event at tile_start come after it instead"
    elif written.place == "k_tile":
        fault = _last_k_tile(event, after, written)
    else:
        fault = _between_tiles(events, event, after, written)
    if fault:
        lag = f" (lag={after.lag!r})" if after.lag != 0 else ""
        yield f"event {event.name!r}: comes after {after.event!r}{lag}, {fault}"


def _within_the_loop(events: tuple[Event, ...], event: Event, after: After, written: Event) -> str:
    steps = delay(event, after, written)
    first = events.index(written) < events.index(event)
    if least(steps) >= (0 if first else 1):
        return ""
    skewed = not first and event.behind == 0 and linear(written.behind) == linear("mma_in_flight")
    if after.lag == "stages" and skewed and _on_a_circuit(events, event, written, steps):
        return ""  # as long as enough slots are left, or a tile fits the ring
    return (
        f"{linear_text(steps)} steps before it: not always in an earlier step, nor before it in"
        " the list; move it down, or give the dependency a lag"
    )


def _on_a_circuit(events: tuple[Event, ...], event: Event, written: Event, steps: Linear) -> bool:
    """Whether the event waits for itself through another, as long before: no steps, a deadlock."""
    both = {event.name, written.name}
    return any(one.steps == steps and both <= on for one, on in circuits_with_events(events))


def _last_k_tile(event: Event, after: After, written: Event) -> str:
    wanted = 1 if event.place == "tile_start" else 0
    if event.place == "before_drain" and written.behind != 0:
        return "whose last k-tile is still to be drained; use place='tile_end'"
    if after.lag != wanted:
        return (
            f"of which an event at {event.place} finds only the last k-tile of"
            f" {'the tile before: give lag=1' if wanted else 'its own tile: give no lag'}"
        )
    return ""


def _between_tiles(events: tuple[Event, ...], event: Event, after: After, written: Event) -> str:
    there, here = ((PLACES.index(one.place), events.index(one)) for one in (written, event))
    wanted = 0 if there < here else 1
    if after.lag == wanted:
        return ""
    if wanted:
        return "later in the tile: only the tile before can be waited for, with lag=1"
    return "earlier in the tile: only its own tile can be waited for, without a lag"


def _drain_faults(event: Event, last: Event) -> Iterator[str]:
    where = f"event {event.name!r}: drain_after={event.drain_after!r}"
    if event.behind == 0 or event.place != "k_tile":
        yield f"{where} has no effect on an event that is not behind"
    elif last.place != "k_tile" or last.behind != 0:
        yield f"{where} must be an event of each k-tile that is not behind"


def delay_faults(events: tuple[Event, ...]) -> Iterator[str]:
    """Yield delays that wait for each other alone: they would run apart from every agent."""
    waits = {row.name: {after.event for after in row.after} for row in events if not row.agent}
    alive = dict(waits)
    while ended := [name for name, needs in alive.items() if not needs & alive.keys()]:
        for name in ended:
            del alive[name]
    if alive:
        yield f"events {', '.join(alive)}: delays that wait for each other, without an agent"
