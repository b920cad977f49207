"""How often a duration can stand in one chain of dependencies: once for events side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from sweep.description.rows import Event

_PLACES = ("tile_start", "k_tile", "before_drain", "tile_end")
_MOST_EVENTS = 8
"""Of one duration and place; more are all counted."""


def chain_counts(events: Sequence[Event]) -> dict[str, tuple[int, int]]:
    """Return how often a chain of events meets each duration, per step and per output tile.

    Two events of the same step (or tile) of which neither can lead to the other are never in one
    chain: the epilogues of two warpgroups that run at once count as one. Where it is not plain
    that they are apart (one resource, an order that is shifted by ``behind``), both count.

    Parameters
    ----------
    events : sequence of Event
        Of one step, as a schedule lists them.

    Returns
    -------
    dict of str to (int, int)
        By duration.
    """
    leads_to = _closure(events)
    counts: dict[str, tuple[int, int]] = {}
    for name in dict.fromkeys(one.takes for one in events if one.takes):
        steps = [i for i, one in enumerate(events) if one.takes == name and one.place == "k_tile"]
        tiles = [i for i, one in enumerate(events) if one.takes == name and one.place != "k_tile"]
        counts[name] = _longest(steps, leads_to), _longest(tiles, leads_to)
    return counts


def _longest(among: list[int], leads_to: Mapping[int, set[int]]) -> int:
    """Return the most of these events of which every two are in one chain."""
    if len(among) > _MOST_EVENTS:
        return len(among)
    for count in range(len(among), 0, -1):
        for chosen in combinations(among, count):
            pairs = combinations(chosen, 2)
            if all(b in leads_to[a] or a in leads_to[b] for a, b in pairs):
                return count
    return 0


def _closure(events: Sequence[Event]) -> dict[int, set[int]]:
    """Return which events of the same step or tile each event can lead to."""
    place = {one.name: i for i, one in enumerate(events)}
    edges: dict[int, set[int]] = {i: set() for i in range(len(events))}
    shifted = {one.agent for one in events if one.behind != 0}
    for i, one in enumerate(events):
        for needed in one.after:
            if _same_step(needed.lag) and needed.event in place:
                edges[place[needed.event]].add(i)
        for j, other in enumerate(events):
            if i != j and _comes_before(one, other, i < j, shifted):
                edges[i].add(j)
    found = {}
    for i, reached in edges.items():
        waiting, seen = list(reached), set(reached)
        while waiting:
            new = edges[waiting.pop()] - seen
            seen |= new
            waiting += new
        found[i] = seen
    return found


def _same_step(lag: int | str) -> bool:
    """Whether a dependency may be on the same step; a ring has at least one slot."""
    return lag == 0 or (isinstance(lag, str) and lag != "stages")


def _comes_before(one: Event, other: Event, listed_first: bool, shifted: set[str]) -> bool:
    if one.on and one.on == other.on:
        return True
    if not one.agent or one.agent != other.agent:
        return False
    if one.place != other.place:
        return _PLACES.index(one.place) < _PLACES.index(other.place)
    return listed_first or one.agent in shifted
