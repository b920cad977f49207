"""Exact closed forms of the makespan, extensions off and ordered arbitration, as test oracles.

Integer arithmetic only, so they take whole numbers of cycles. Each follows from a longest-path
argument: the weight of a path is linear in how often it runs round a circuit, so the extremes
suffice. `CLOSED_FORMS` holds one per schedule, valid on its whole domain (counts >= 1,
durations >= 0); `RESTRICTED_FORMS` are simpler ones on the sub-domains that their names and
docstrings state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, NamedTuple

Point = Mapping[str, int]


class Ring(NamedTuple):
    """What the ring schedules' formulas share."""

    round_trip: int  # of a slot: issue, transfer, latency, MMA
    beat: int  # the slowest of issue, transfer and MMA
    slack: int  # beat - t_mma
    stages: int
    k_tiles: int
    t_epilogue: int

    @classmethod
    def of(cls, p: Point) -> Ring:
        beat = max(p["t_issue"], p["t_transfer"], p["t_mma"])
        return cls(
            _round_trip(p), beat, beat - p["t_mma"], p["stages"], p["k_tiles"], p["t_epilogue"]
        )

    def last_mma(self, k_tiles: int) -> int:
        """End of the last of `k_tiles` MMAs of a ring whose consumer never pauses."""
        rounds, rest = divmod(k_tiles - 1, self.stages)
        return (
            self.round_trip
            + rest * self.beat
            + rounds * max(self.stages * self.beat, self.round_trip)
        )


def _round_trip(p: Point) -> int:
    return p["t_issue"] + p["t_transfer"] + p["t_latency"] + p["t_mma"]


def sync(p: Point) -> int:
    """Nothing overlaps: every k-tile takes a round trip."""
    return p["k_tiles"] * _round_trip(p) + p["t_epilogue"]


def register_staged(p: Point) -> int:
    """The longer of MMA and copy per k-tile, with issue and store in series."""
    k_tiles, flight = p["k_tiles"], p["t_transfer"] + p["t_latency"]
    return (
        k_tiles * (p["t_issue"] + p["t_store"])
        + (k_tiles - 1) * max(p["t_mma"], flight)
        + flight
        + p["t_mma"]
        + p["t_epilogue"]
    )


def multistage(p: Point) -> int:
    """Five families of longest paths, by the circuit they run round."""
    issue, transfer, mma, k_tiles = p["t_issue"], p["t_transfer"], p["t_mma"], p["k_tiles"]
    round_trip = _round_trip(p)
    stages = min(p["stages"], k_tiles)
    serial = issue + mma
    step = max(serial, transfer)
    rounds = (k_tiles - 1) // stages
    paths = [
        k_tiles * serial,
        round_trip + (k_tiles - stages) * serial + (stages - 1) * mma,
        round_trip + (stages - 1) * max(issue, transfer) + (k_tiles - stages) * transfer,
    ]
    if rounds >= 1:
        paths += [
            max(round_trip, stages * issue + mma) + round_trip + (k_tiles - 1 - stages) * step,
            round_trip * (1 + rounds) + (k_tiles - 1 - rounds * stages) * step,
        ]
    return p["t_epilogue"] + max(paths)


def warp_specialized(p: Point) -> int:
    """The ring advances by a beat, and by at least a round trip each time round."""
    return Ring.of(p).last_mma(p["k_tiles"]) + p["t_epilogue"]


def persistent(p: Point) -> int:
    """One consumer on a shared ring; cooperative keeps the same times."""
    return _shared_ring(p, consumers=1)


def pingpong(p: Point) -> int:
    """Two consumers on a shared ring."""
    return _shared_ring(p, consumers=2)


def _shared_ring(p: Point, consumers: int) -> int:
    """Largest path with `reuses` slot reuses and `epilogues` epilogues besides the last one.

    The objective is concave in `reuses` with its only break at `reuses == epilogues`, so both
    ends and the break suffice; `epilogues` is enumerated, which is affordable for few tiles.
    """
    ring, tiles = Ring.of(p), p["output_tiles"]
    reuse = ring.round_trip - ring.stages * ring.beat
    epilogue = ring.t_epilogue - ring.slack - (consumers - 1) * ring.k_tiles * ring.beat
    fractions = _upper_convergents(ring.k_tiles, ring.stages)
    best = 0
    for epilogues in range((tiles - 1) // consumers + 1):
        most = min(
            (h * tiles - 1 - (1 + (consumers - 1) * h) * epilogues) // k for h, k in fractions
        )
        if most < 0:
            break
        for reuses in {0, min(epilogues, most), most}:
            overlap = (ring.k_tiles - 1) * ring.slack * max(0, epilogues - reuses)
            best = max(best, reuses * reuse + epilogues * epilogue - overlap)
    return ring.t_epilogue + ring.round_trip + (ring.k_tiles * tiles - 1) * ring.beat + best


def _upper_convergents(k_tiles: int, stages: int) -> list[tuple[int, int]]:
    """Convergents h/k >= k_tiles/stages of its continued fraction, the fraction included."""
    target = Fraction(k_tiles, stages)
    found = []
    h, h_before, k, k_before = 1, 0, 0, 1
    numerator, denominator = k_tiles, stages
    while denominator:
        quotient, rest = divmod(numerator, denominator)
        h, h_before = quotient * h + h_before, h
        k, k_before = quotient * k + k_before, k
        if Fraction(h, k) >= target:
            found.append((h, k))
        numerator, denominator = denominator, rest
    return found


def persistent_deep_ring(p: Point) -> int | None:
    """Persistent and cooperative where round trip <= stages * beat; None elsewhere."""
    ring, tiles = Ring.of(p), p["output_tiles"]
    if ring.round_trip > ring.stages * ring.beat:
        return None
    group = ring.stages // ring.k_tiles + 1
    groups = (tiles - 1) // group
    alone = ring.t_epilogue - ring.k_tiles * ring.slack
    reusing = ring.t_epilogue - ring.slack + ring.round_trip - ring.stages * ring.beat
    gain = max(
        0, (tiles - 1) * alone, groups * reusing + max(0, alone) * (tiles - 1 - groups * group)
    )
    return ring.round_trip + (ring.k_tiles * tiles - 1) * ring.beat + ring.t_epilogue + gain


def persistent_compute_bound(p: Point) -> int | None:
    """Persistent and cooperative: ring deep enough and the MMA slowest; None elsewhere."""
    ring, tiles = Ring.of(p), p["output_tiles"]
    if ring.slack > 0 or ring.round_trip > ring.stages * ring.beat:
        return None
    return ring.round_trip + (ring.k_tiles * tiles - 1) * p["t_mma"] + tiles * ring.t_epilogue


def pingpong_compute_bound(p: Point) -> int | None:
    """Ping-pong: ring deep enough and the MMA slowest; None elsewhere."""
    ring, tiles = Ring.of(p), p["output_tiles"]
    if ring.slack > 0 or ring.round_trip > ring.stages * ring.beat:
        return None
    main_loop = ring.k_tiles * p["t_mma"]
    exposed = (tiles - 1) // 2 * max(0, ring.t_epilogue - main_loop)
    return ring.round_trip + tiles * main_loop - p["t_mma"] + ring.t_epilogue + exposed


def pingpong_hidden_epilogue(p: Point) -> int | None:
    """Ping-pong where t_epilogue <= k_tiles * beat + slack: one long ring; None elsewhere."""
    ring = Ring.of(p)
    if ring.t_epilogue > ring.k_tiles * ring.beat + ring.slack:
        return None
    return ring.last_mma(ring.k_tiles * p["output_tiles"]) + ring.t_epilogue


def attention_serial(p: Point) -> int:
    """Nothing overlaps."""
    return p["kv_blocks"] * (p["t_gemm0"] + p["t_gemm1"] + p["t_exp"] + p["t_softmax"])


def attention_overlap(p: Point) -> int:
    """GEMM0 of the next block hides behind softmax, or softmax behind it."""
    blocks, gemm0, softmax = p["kv_blocks"], p["t_gemm0"], p["t_exp"] + p["t_softmax"]
    return gemm0 + (blocks - 1) * max(gemm0, softmax) + softmax + blocks * p["t_gemm1"]


def attention_pingpong(p: Point) -> int:
    """Two serial warpgroups in turns."""
    blocks, gemm0, gemm1 = p["kv_blocks"], p["t_gemm0"], p["t_gemm1"]
    gemms, softmax = gemm0 + gemm1, p["t_exp"] + p["t_softmax"]
    slower = max(p["t_exp"], p["t_softmax"])
    slowest = max(gemms, slower)
    paths = [max(gemm0, gemm1, slower) + (2 * blocks - 2) * slowest]
    if blocks >= 2:
        paths.append(softmax + gemms + (2 * blocks - 3) * slowest)
        paths.append((blocks - 1) * (softmax + gemms) + slowest)
    return max(2 * blocks * gemms, gemms + softmax + max(paths))


def attention_pingpong_overlap(p: Point) -> int:
    """Two warpgroups in turns, each with GEMM0 ahead of its softmax."""
    blocks, gemm0, gemm1 = p["kv_blocks"], p["t_gemm0"], p["t_gemm1"]
    gemms, softmax = gemm0 + gemm1, p["t_exp"] + p["t_softmax"]
    slower = max(p["t_exp"], p["t_softmax"])
    if blocks == 1:
        return max(2 * gemms, gemms + softmax + max(gemm0, gemm1, slower))
    slowest = max(gemms, slower)
    chain = softmax + gemm1
    start = max(4 * gemm0 + gemm1, gemm0 + chain)
    paths = [
        2 * blocks * gemms,
        gemm0 + chain + (2 * blocks - 1) * slower,
        gemm0 + chain + 3 * gemm1 + (2 * blocks - 4) * slowest,
        start + chain + (2 * blocks - 4) * slowest + max(slower, gemm1),
    ]
    if blocks >= 3:
        paths.append(start + 2 * chain + (2 * blocks - 5) * slowest)
        paths.append(start + (blocks - 1) * chain + slowest)
    return max(paths)


CLOSED_FORMS: Final[Mapping[str, Callable[[Point], int]]] = MappingProxyType(
    {
        "sync": sync,
        "register_staged": register_staged,
        "multistage": multistage,
        "warp_specialized": warp_specialized,
        "persistent": persistent,
        "cooperative": persistent,
        "pingpong": pingpong,
        "attention_serial": attention_serial,
        "attention_pingpong": attention_pingpong,
        "attention_overlap": attention_overlap,
        "attention_pingpong_overlap": attention_pingpong_overlap,
    }
)

# Simpler forms, each exact where it does not return None.
RESTRICTED_FORMS: Final[Mapping[str, tuple[Callable[[Point], int | None], ...]]] = MappingProxyType(
    {
        "persistent": (persistent_deep_ring, persistent_compute_bound),
        "cooperative": (persistent_deep_ring, persistent_compute_bound),
        "pingpong": (pingpong_compute_bound, pingpong_hidden_epilogue),
    }
)
