"""Makespans of the shared ring that can be worked out by hand, each on its own domain.

They are `shared_ring` where its maximum has a known place; notation as there.
"""

from __future__ import annotations

from typing import Any

from analysis.closed_forms.arithmetic import Arithmetic, Values
from analysis.closed_forms.shared_ring import Counts, ring_of, spread_reuses, straight_path
from analysis.closed_forms.single_tile import beat, ring_end


def persistent_deep_ring(p: Values, use: Arithmetic) -> Any:
    """Return the makespan where a turn round a slot alone never pays (R <= S mu).

    With g = floor(S / K) + 1 tiles per epilogue that is left by a slot and
    n = floor((T - 1) / g) of them: ``R + (K T - 1) mu + E`` and the larger of 0,
    ``(T - 1) (E - K slack)`` (stay on the consumer) and ``n (E - slack + R - S mu)`` with the
    T - 1 - n g remaining epilogues as in the second. No path has more reuses than epilogues then,
    and among the others only the extremes matter.
    """
    return straight_path(p, use) + spread_reuses(ring_of(p, 1, use), Counts.of(p), 1, use)


def persistent_compute_bound(p: Values, use: Arithmetic) -> Any:
    """Return the fill and, for each output tile, its MMAs and its epilogue: T (K t_mma + E).

    Deep ring and slack = 0: staying on the consumer costs nothing, so the path takes every
    epilogue. Loader-bound, the ring hides part of an epilogue and this is too much.
    """
    fill = p["t_issue"] + p["t_transfer"] + p["t_latency"]
    return fill + p["output_tiles"] * (p["k_tiles"] * p["t_mma"] + p["t_epilogue"])


def pingpong_deep_ring(p: Values, use: Arithmetic) -> Any:
    """Return the makespan where a turn round a slot alone never pays (R <= S mu).

    As `persistent_deep_ring`, with epilogues that lead two tiles on: one with a reuse takes
    ``w = 2 + floor(S / K)`` tiles and adds ``E - slack - K mu + R - S mu``, one without takes 2 and
    adds ``E - K slack - K mu``. Of ``n = floor((T - 1) / w)`` of the former 0, 1, n - 1 or n are
    best; the neighbours of the extremes count because an odd tile may be left over.
    """
    return straight_path(p, use) + spread_reuses(ring_of(p, 2, use), Counts.of(p), 2, use)


def pingpong_compute_bound(p: Values, use: Arithmetic) -> Any:
    """Return all MMAs, one epilogue, and what an epilogue outlasts the other's main loop by.

    Deep ring and slack = 0: the path may take every second epilogue, and each replaces the main
    loop of the consumer that works meanwhile.
    """
    main_loop = p["k_tiles"] * p["t_mma"]
    fill = p["t_issue"] + p["t_transfer"] + p["t_latency"]
    exposed = (p["output_tiles"] - 1) // 2 * use.largest(0, p["t_epilogue"] - main_loop)
    return fill + p["output_tiles"] * main_loop + p["t_epilogue"] + exposed


def pingpong_hidden_epilogue(p: Values, use: Arithmetic) -> Any:
    """Return one long ring of K T k-tiles and one epilogue.

    An epilogue no longer than the other consumer's main loop at ring speed, and slack, adds
    nothing to a path (visit <= 0), so only turns round slots are left: `warp_specialized`.
    """
    return ring_end(p, p["k_tiles"] * p["output_tiles"], use) + p["t_epilogue"]


def ring_time(p: Values, use: Arithmetic) -> Any:
    """Return S mu, what the slots of a ring cover of a round trip."""
    return p["stages"] * beat(p, use)


def loader(p: Values, use: Arithmetic) -> Any:
    """Return the slower of issue and transfer."""
    return use.largest(p["t_issue"], p["t_transfer"])


def hides_epilogue(p: Values, use: Arithmetic) -> Any:
    """Return the longest epilogue that ping-pong hides: K mu + slack."""
    return (p["k_tiles"] + 1) * beat(p, use) - p["t_mma"]
