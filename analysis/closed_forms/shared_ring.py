"""Makespan of the schedules whose output tiles share one ring: persistent, cooperative, pingpong.

Exact on the whole domain, by continued fractions. z is the number of consumers that take turns
(1 in persistent and cooperative, 2 in pingpong), K, S, T are k_tiles, stages, output_tiles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analysis.closed_forms.arithmetic import NUMERIC, Arithmetic, Values
from analysis.closed_forms.floor_maximum import Floats, Ints, largest_with_floor
from analysis.closed_forms.ring_geometry import Edge, edges
from analysis.closed_forms.single_tile import beat, round_trip


class Ring(NamedTuple):
    """What the paths through a shared ring consist of, for arrays or symbols.

    ``reuse`` is what a turn round a slot adds to a path (R - S mu), ``visit`` what an epilogue on
    the way adds where the path leaves the consumer again by a slot, and ``passing`` what it adds
    where the path stays on the consumer for the whole tile instead.
    """

    reuse: Any
    visit: Any
    passing: Any


class Counts(NamedTuple):
    """How many k-tiles, stages and output tiles, for arrays or symbols."""

    k_tiles: Any
    stages: Any
    tiles: Any

    @classmethod
    def of(cls, p: Values) -> Counts:
        """Read the counts of points."""
        return cls(p["k_tiles"], p["stages"], p["output_tiles"])


def ring_of(p: Values, consumers: int, use: Arithmetic = NUMERIC) -> Ring:
    """Return what the turns and epilogues of a shared ring add to a path."""
    mu, k_tiles = beat(p, use), p["k_tiles"]
    slack = mu - p["t_mma"]
    visit = p["t_epilogue"] - slack - (consumers - 1) * k_tiles * mu
    return Ring(round_trip(p) - p["stages"] * mu, visit, visit - (k_tiles - 1) * slack)


def straight_path(p: Values, use: Arithmetic = NUMERIC) -> Any:
    """Return the path with neither a turn nor an epilogue but the last: E + R + (K T - 1) mu."""
    steps = p["k_tiles"] * p["output_tiles"] - 1
    return p["t_epilogue"] + round_trip(p) + steps * beat(p, use)


def as_columns(p: Values, consumers: int) -> tuple[Ring, Counts, tuple[int, ...]]:
    """Return a ring's weights and counts as 1-D arrays of one length, and their shape."""
    arrays = np.broadcast_arrays(*ring_of(p, consumers), *Counts.of(p))
    flat = [one.ravel() for one in arrays]
    return Ring(*flat[:3]), Counts(*flat[3:]), arrays[0].shape


def persistent(p: Values, use: Arithmetic = NUMERIC) -> Floats:
    """Return the makespan with one consumer, or several that share each tile: see `shared_ring`."""
    return shared_ring(p, consumers=1)


def pingpong(p: Values, use: Arithmetic = NUMERIC) -> Floats:
    """Return the makespan with two consumers that take turns: see `shared_ring`."""
    return shared_ring(p, consumers=2)


def shared_ring(p: Values, consumers: int) -> Floats:
    """Return the longest path over all numbers r of slot reuses and x of epilogues on the way.

    Every path ends with an epilogue and advances K T - 1 k-tiles. It starts with a trip from an
    issue to an MMA (R); then a step to the next k-tile costs at most mu; a turn round a slot costs
    R and advances S; an epilogue on the way costs E and leads from the last MMA of a tile to the
    first one of the same consumer's next tile, z tiles on: past one step that was an MMA
    (``t_mma``, slack = mu - t_mma less than a step) and past z - 1 whole tiles. After it the path
    is on the consumer and costs ``t_mma`` per k-tile until it leaves by a slot: if it does so at
    once, steps cost mu again; if not at all, the tile's other K - 1 steps cost slack less each. So
    with x epilogues and r reuses a path adds
    ``r * reuse + x * visit - max(0, x - r) * (K - 1) * slack`` to the start.

    The x epilogues cut the path into x + 1 stretches. One of m tiles reuses at most
    ``floor((m K - 1) / S)`` slots, and a skipped tile belongs to none, so all stretches together
    have T - (z - 1) x tiles. Two cases:

    * r <= x: ``floor(a + b) >= floor(a) + floor(b)``, so spread out one to a stretch the reuses
      cost the fewest tiles, ``floor(S / K)`` each: z x + r floor(S / K) <= T - 1.
    * r >= x: the polygon of `ring_geometry`: its edge for T - (z - 1) x tiles over x + 1 stretches
      gives the most reuses for x. It pays only if a reuse adds something.

    Both are integer programs in two unknowns. The first has two kinds of items and needs four
    candidates; the second is solved edge by edge with `floor_maximum`. The work is that of a few
    Euclidean algorithms in K and S, whatever the counts.
    """
    ring, counts, shape = as_columns(p, consumers)
    gain = spread_reuses(ring, counts, consumers)
    some = np.flatnonzero(ring.reuse > 0)
    if some.size:
        there = Ring(*(one[some] for one in ring)), Counts(*(one[some] for one in counts))
        gain[some] = np.maximum(gain[some], _packed_reuses(*there, consumers))
    found: Floats = straight_path(p) + gain.reshape(shape)
    return found


def spread_reuses(ring: Ring, counts: Counts, consumers: int, use: Arithmetic = NUMERIC) -> Any:
    """Return the most that paths with no more reuses than epilogues gain, at least 0.

    An epilogue with a reuse takes z + floor(S / K) tiles, one without takes z. Given r of the
    former the latter fill the rest if they gain anything; that is linear in r up to the parity of
    the rest (z = 2), so the two smallest and the two largest r suffice.
    """
    wide, last = consumers + counts.stages // counts.k_tiles, counts.tiles - 1
    most = last // wide
    pair, single = ring.reuse + ring.visit, use.largest(ring.passing, 0)
    fewest = (0, use.smallest(most, 1)) if consumers > 1 else (0,)
    largest = (use.largest(most - 1, 0), most) if consumers > 1 else (most,)
    return use.largest(
        *(r * pair + (last - r * wide) // consumers * single for r in (*fewest, *largest))
    )


def _packed_reuses(ring: Ring, counts: Counts, consumers: int) -> Floats:
    """Return the most that paths with at least as many reuses as epilogues gain (reuse > 0)."""
    k_tiles, stages, tiles = counts
    gain: Floats = ring.reuse * ((k_tiles * tiles - 1) // stages)
    some = np.flatnonzero((ring.visit > 0) & (tiles > consumers))
    for edge in edges(k_tiles[some], stages[some]):
        at = some[edge.at]
        best = _along_edge(edge, ring.reuse[at], ring.visit[at], tiles[at], consumers)
        gain[at] = np.maximum(gain[at], best)
    return gain


def _along_edge(edge: Edge, reuse: Floats, visit: Floats, tiles: Ints, consumers: int) -> Floats:
    """Return the best of the paths whose stretches end on one edge."""
    skipped = consumers - 1
    slope = 1 + skipped * edge.h
    most = np.minimum(
        (tiles - edge.first) // (edge.first + skipped), (edge.h * tiles - 1) // (edge.k + slope)
    )
    end = edge.last + skipped
    least = np.where(edge.last > 0, (tiles - edge.last) // np.maximum(end, 1) + 1, 0)
    least = np.maximum(least, 0)
    # Epilogues counted down from the most: floor((h T - 1 - slope x) / k) then grows.
    offset = edge.h * tiles - 1 - slope * most
    drop = largest_with_floor(most - least + 1, -visit, reuse, slope, offset, edge.k)
    best: Floats = visit * most + drop
    return best
