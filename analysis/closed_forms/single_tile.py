"""Makespans of the GEMM schedules that compute one output tile.

Every makespan is the weight of a longest path through the events. A path's weight is linear in
how often it runs round a given circuit, so among paths that differ only in that number the
extremes suffice; each term below is one such extreme. Extensions are off.
"""

from __future__ import annotations

from typing import Any

from analysis.closed_forms.arithmetic import Arithmetic, Values


def round_trip(p: Values) -> Any:
    """Return a slot's round trip: from the issue of a copy to the end of the MMA that frees it."""
    return p["t_issue"] + p["t_transfer"] + p["t_latency"] + p["t_mma"]


def beat(p: Values, use: Arithmetic) -> Any:
    """Return the slowest of issue, transfer and MMA: the least a ring needs per k-tile."""
    return use.largest(p["t_issue"], p["t_transfer"], p["t_mma"])


def sync(p: Values, use: Arithmetic) -> Any:
    """Return ``k_tiles * round_trip + t_epilogue``.

    There is one path: the warp waits for each copy before its MMA and for each MMA before the
    next issue, so every k-tile costs a whole round trip.
    """
    return p["k_tiles"] * round_trip(p) + p["t_epilogue"]


def register_staged(p: Values, use: Arithmetic) -> Any:
    """Return the longer of MMA and copy per k-tile, with issue and store in series.

    After issue k + 1 the path forks: along the warp through MMA k, or along the copy through
    transfer and latency; both meet at store k + 1. That happens ``k_tiles - 1`` times, and between
    a meeting and the next fork stand store and issue. The first copy hides behind nothing, the
    last MMA hides nothing. The copy path is free at each fork (the previous copy has landed), so
    there are no other paths.
    """
    flight = p["t_transfer"] + p["t_latency"]
    return (
        p["k_tiles"] * (p["t_issue"] + p["t_store"])
        + (p["k_tiles"] - 1) * use.largest(p["t_mma"], flight)
        + flight
        + p["t_mma"]
        + p["t_epilogue"]
    )


def multistage(p: Values, use: Arithmetic) -> Any:
    """Return the largest of five families of paths, by when they leave the warp for a copy.

    Write S for ``min(stages, k_tiles)`` (slots beyond the k-tiles are never used). On the warp
    stand issue 0 .. S - 2, then issue S - 1, MMA 0, issue S, MMA 1 and so on. A path follows the
    warp (``t_issue + t_mma`` per k-tile), the transfers (``t_transfer`` per k-tile), or goes from
    issue k through copy k to MMA k; MMA k is followed by issue k + S. So a copy (a round trip R)
    followed by an issue advances S k-tiles: the circuit of a slot.

    * No copy at all: all issues and MMAs, ``k_tiles * (t_issue + t_mma)``.
    * Copy 0, then the warp: R, the ``k_tiles - S`` issues and ``k_tiles - 1`` MMAs after MMA 0.
    * One copy, back with the last MMA: R, one step each to the other copies. The first S - 1 steps
      take the issues or the transfers, later ones the transfers (with the issues come the MMAs).
    * At least one turn round a slot. In between, a step costs ``max(t_issue + t_mma, t_transfer)``.
      With exactly one turn, issue S is reached through copy 0 or along the warp, through S issues
      and MMA 0, and the last copy comes after it.
    * As many turns as there are, ``q = floor((k_tiles - 1) / S)``: q + 1 round trips, and steps
      for the rest. Between 1 and q turns the weight is linear in their number.
    """
    issue, transfer, mma, k_tiles = p["t_issue"], p["t_transfer"], p["t_mma"], p["k_tiles"]
    trip = round_trip(p)
    slots = use.smallest(p["stages"], k_tiles)
    serial = issue + mma
    step = use.largest(serial, transfer)
    turns = (k_tiles - 1) // slots
    without_turn = use.largest(
        k_tiles * serial,
        trip + (k_tiles - slots) * serial + (slots - 1) * mma,
        trip + (slots - 1) * use.largest(issue, transfer) + (k_tiles - slots) * transfer,
    )
    with_turns = use.largest(
        use.largest(trip, slots * issue + mma) + trip + (k_tiles - 1 - slots) * step,
        trip + turns * trip + (k_tiles - 1 - turns * slots) * step,
    )
    paths = use.where(turns >= 1, use.largest(without_turn, with_turns), without_turn)
    return p["t_epilogue"] + paths


def multistage_hidden_copies(p: Values, use: Arithmetic) -> Any:
    """Return `multistage` where the copies hide behind the MMAs: the warp is all that counts.

    The pipeline fills with one round trip or, where issues are slow, with S issues and an MMA;
    then every k-tile costs ``t_issue + t_mma``, and the last S - 1 have nothing left to issue.
    With ``t_transfer + t_latency <= (S - 1) * t_mma`` a turn round a slot costs at most what the
    warp takes for S k-tiles, and with ``max(t_issue, t_transfer) <= t_mma`` neither does a step
    along the copies cost more than one along the warp; so of `multistage`'s five families the
    first two are left.
    """
    slots = use.smallest(p["stages"], p["k_tiles"])
    fill = use.largest(round_trip(p), slots * p["t_issue"] + p["t_mma"])
    steady = (p["k_tiles"] - slots) * (p["t_issue"] + p["t_mma"])
    return fill + steady + (slots - 1) * p["t_mma"] + p["t_epilogue"]


def warp_specialized(p: Values, use: Arithmetic) -> Any:
    """Return ``R + (k mod S) * mu + floor(k / S) * max(S * mu, R) + E``, k the last k-tile.

    A path makes one trip from an issue through a copy to an MMA (R) and advances k-tiles on the
    way: by one along the producer, the copy path or the Tensor Core (at most mu, the slowest of
    the three, and any trip passes all three), or by ``stages`` from an MMA through its slot to
    the next issue there, which adds another R. With j such turns it weighs
    ``R + j * R + (k - j * stages) * mu``: linear in j, so j = 0 and j = floor(k / stages) suffice.
    """
    return ring_end(p, p["k_tiles"], use) + p["t_epilogue"]


def ring_end(p: Values, k_tiles: Any, use: Arithmetic) -> Any:
    """Return when the last of ``k_tiles`` MMAs of a ring ends whose consumers never pause."""
    mu, trip, last = beat(p, use), round_trip(p), k_tiles - 1
    turns = last // p["stages"]
    rest = last - turns * p["stages"]
    return trip + rest * mu + turns * use.largest(p["stages"] * mu, trip)


def warp_specialized_deep_ring(p: Values, use: Arithmetic) -> Any:
    """Return ``R + (k_tiles - 1) * mu + E``: with a deep ring no turn round a slot pays."""
    return round_trip(p) + (p["k_tiles"] - 1) * beat(p, use) + p["t_epilogue"]


def warp_specialized_compute_bound(p: Values, use: Arithmetic) -> Any:
    """Return the fill, ``k_tiles`` MMAs without a gap, and the epilogue: mu is ``t_mma``."""
    fill = p["t_issue"] + p["t_transfer"] + p["t_latency"]
    return fill + p["k_tiles"] * p["t_mma"] + p["t_epilogue"]


def warp_specialized_starved(p: Values, use: Arithmetic) -> Any:
    """Return the burst form: a round trip per ``stages`` k-tiles, mu within a burst.

    Where a round trip is no shorter than ``stages * mu`` as many turns round a slot as there are
    make the longest path.
    """
    turns = (p["k_tiles"] - 1) // p["stages"]
    rest = p["k_tiles"] - 1 - turns * p["stages"]
    return (turns + 1) * round_trip(p) + rest * beat(p, use) + p["t_epilogue"]
