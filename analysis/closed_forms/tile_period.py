"""Steady cycles per output tile of the schedules whose tiles share a ring.

The steady terms of the makespans in `shared_ring` and `shared_ring_by_hand`: what one more output
tile costs in the long run. Over many tiles the integer program becomes a linear one, whose optimum
repeats one corner, a circuit of the graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.closed_forms.arithmetic import NUMERIC, Arithmetic, Values
from analysis.closed_forms.floor_maximum import Floats
from analysis.closed_forms.ring_geometry import edges
from analysis.closed_forms.shared_ring import as_columns, ring_of
from analysis.closed_forms.single_tile import beat, round_trip


def persistent_period(p: Values, use: Arithmetic = NUMERIC) -> Floats:
    """Return cycles per output tile, one consumer or a shared tile: see `tile_period`."""
    return tile_period(p, consumers=1)


def pingpong_period(p: Values, use: Arithmetic = NUMERIC) -> Floats:
    """Return cycles per output tile, two consumers in turns: see `tile_period`."""
    return tile_period(p, consumers=2)


def tile_period(p: Values, consumers: int) -> Floats:
    """Return the steady cycles per output tile: the largest of a few circuit ratios.

    Circuits over tiles (K mu each) that add, with the weights of `shared_ring`,

    * nothing; or, without an epilogue, reuse for every S of the k-tiles: K R / S per tile;
    * an epilogue without a slot, every z tiles;
    * an epilogue and one slot, every z + floor(S / K) tiles;
    * an epilogue and the reuses of a corner of the polygon of `ring_geometry`, every m + z - 1.

    Each ratio is one division of exact numbers, so the largest is the exact period, rounded once.
    """
    ring, (k_tiles, stages, _), shape = as_columns({"output_tiles": 1, **p}, consumers)
    mu, trip = (np.broadcast_to(one, shape).ravel() for one in (beat(p, NUMERIC), round_trip(p)))
    wide = consumers + stages // k_tiles
    main_loop = k_tiles * mu
    period: Floats = NUMERIC.largest(
        main_loop,
        k_tiles * trip / stages,
        (ring.passing + consumers * main_loop) / consumers,
        (ring.reuse + ring.visit + wide * main_loop) / wide,
    )
    some = np.flatnonzero((ring.reuse > 0) & (ring.visit > 0))
    for edge in edges(k_tiles[some], stages[some]):
        at = some[edge.at]
        over = edge.first + consumers - 1
        weight = ring.visit[at] + edge.reuses * ring.reuse[at] + over * main_loop[at]
        period[at] = np.maximum(period[at], np.where(edge.reuses > 0, weight / over, 0.0))
    return period.reshape(shape)


def persistent_deep_ring_period(p: Values, use: Arithmetic) -> Any:
    """Return ``K mu + max(0, E - K slack, (E - slack + R - S mu) / (floor(S / K) + 1))``."""
    return _deep_ring_period(p, 1, use)


def pingpong_deep_ring_period(p: Values, use: Arithmetic) -> Any:
    """Return the same with epilogues that lead two tiles on, past a main loop at ring speed.

    ``K mu + max(0, (E - K slack - K mu) / 2, (E - slack - K mu + R - S mu) / (floor(S / K) + 2))``.
    """
    return _deep_ring_period(p, 2, use)


def _deep_ring_period(p: Values, consumers: int, use: Arithmetic) -> Any:
    ring, main_loop = ring_of(p, consumers, use), p["k_tiles"] * beat(p, use)
    wide = consumers + p["stages"] // p["k_tiles"]
    return use.largest(
        main_loop,
        (ring.passing + consumers * main_loop) / consumers,
        (ring.reuse + ring.visit + wide * main_loop) / wide,
    )


def persistent_compute_bound_period(p: Values, use: Arithmetic) -> Any:
    """Return ``K t_mma + E``: the main loop and the epilogue in series, see the makespan."""
    return p["k_tiles"] * p["t_mma"] + p["t_epilogue"]


def pingpong_compute_bound_period(p: Values, use: Arithmetic) -> Any:
    """Return the main loop, or half of main loop and epilogue where that is longer."""
    main_loop = p["k_tiles"] * p["t_mma"]
    return use.largest(main_loop, (main_loop + p["t_epilogue"]) / 2)


def pingpong_hidden_epilogue_period(p: Values, use: Arithmetic) -> Any:
    """Return the ring's own period for K k-tiles: ``K max(mu, R / S)``."""
    return use.largest(p["k_tiles"] * beat(p, use), p["k_tiles"] * round_trip(p) / p["stages"])
