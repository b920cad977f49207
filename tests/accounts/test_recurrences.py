"""Hand-written recurrences against closed forms, a SimPy model and known values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import config

from tests.accounts.closed_form_oracle import CLOSED_FORMS, RESTRICTED_FORMS
from tests.accounts.recurrences import COUNTS, RECURRENCES

POINTS = 300 if config.DISABLE_JIT else 20_000  # type: ignore[attr-defined]
SCHEDULES = list(RECURRENCES)
RING_SCHEDULES = ["warp_specialized", "persistent", "cooperative", "pingpong"]
LIMITS = {"stages": 8, "k_tiles": 70, "output_tiles": 9, "kv_blocks": 40, "mma_in_flight": 9}

LECTURE: dict[str, Any] = {
    "t_transfer": 768,
    "t_latency": 700,
    "t_store": 192,
    "t_mma": 1024,
    "t_epilogue": 1280,
    "t_gemm0": 512,
    "t_gemm1": 512,
    "t_exp": 512,
    "t_softmax": 256,
    "stages": 4,
    "k_tiles": 64,
    "output_tiles": 8,
}
TMA = {"t_issue": 10}
CP_ASYNC = {"t_issue": 100}


def random_points(names: tuple[str, ...], points: int, seed: int) -> dict[str, Any]:
    """Small whole durations, many of them zero or equal, and counts within LIMITS.

    A third of the points draw durations up to 4, a third up to 30 and a third up to 2,000; k-tiles
    are few in half of the points, so that whole tiles fit into the ring.
    """
    rng = np.random.default_rng(seed)
    scale = rng.choice([4, 30, 2000], points)
    p: dict[str, Any] = {}
    for name in names:
        if name == "release":
            p[name] = rng.choice(["consumer", "hardware"], points)
        elif name in COUNTS:
            most = np.full(points, LIMITS[name])
            most[rng.random(points) < 0.5] = min(LIMITS[name], 10)
            p[name] = rng.integers(0 if name == "mma_in_flight" else 1, most + 1)
        else:
            p[name] = rng.integers(0, scale + 1) * (rng.random(points) > 0.1)
    return p


def point(p: dict[str, Any], i: int) -> dict[str, Any]:
    return {name: values[i].item() for name, values in p.items()}


@pytest.mark.parametrize("schedule", [one for one in SCHEDULES if one in CLOSED_FORMS])
def test_recurrence_equals_closed_form(schedule: str) -> None:
    recurrence = RECURRENCES[schedule]
    p = random_points(recurrence.parameters, POINTS, seed=1)
    cycles = recurrence.batch_cycles(p)
    for i in range(POINTS):
        here = point(p, i)
        assert cycles[i] == CLOSED_FORMS[schedule](here), here


@pytest.mark.parametrize("schedule", RESTRICTED_FORMS)
def test_recurrence_equals_restricted_forms(schedule: str) -> None:
    recurrence = RECURRENCES[schedule]
    p = random_points(recurrence.parameters, POINTS, seed=2)
    cycles = recurrence.batch_cycles(p)
    for form in RESTRICTED_FORMS[schedule]:
        inside = 0
        for i in range(POINTS):
            here = point(p, i)
            expected = form(here)
            if expected is not None:
                inside += 1
                assert cycles[i] == expected, here
        assert inside > POINTS / 20, form


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_extensions_off_change_nothing(schedule: str) -> None:
    recurrence = RECURRENCES[schedule]
    p = random_points(recurrence.parameters, POINTS, seed=3)
    plain = recurrence.batch_cycles(p)
    np.testing.assert_array_equal(recurrence.extended_batch_cycles(p), plain)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_one_point_equals_batch(schedule: str) -> None:
    recurrence = RECURRENCES[schedule]
    p = random_points(recurrence.parameters + recurrence.extensions, 50, seed=4)
    plain, extended = recurrence.batch_cycles(p), recurrence.extended_batch_cycles(p)
    for i in range(50):
        assert recurrence.cycles(point(p, i)) == plain[i]
        np.testing.assert_equal(recurrence.extended_cycles(point(p, i)), extended[i])


def test_cooperative_keeps_the_times_of_persistent() -> None:
    persistent, cooperative = RECURRENCES["persistent"], RECURRENCES["cooperative"]
    p = random_points(persistent.parameters + persistent.extensions, POINTS, seed=5)
    np.testing.assert_array_equal(
        cooperative.extended_batch_cycles(p), persistent.extended_batch_cycles(p)
    )


@pytest.mark.parametrize("schedule", RING_SCHEDULES[1:])
def test_one_output_tile_is_warp_specialized(schedule: str) -> None:
    one = RECURRENCES["warp_specialized"]
    p = random_points(one.parameters + one.extensions, POINTS, seed=6)
    np.testing.assert_array_equal(
        RECURRENCES[schedule].extended_batch_cycles({**p, "output_tiles": 1}),
        one.extended_batch_cycles(p),
    )


@pytest.mark.parametrize("schedule", RING_SCHEDULES)
def test_deadlock_iff_a_tile_never_releases_a_slot(schedule: str) -> None:
    recurrence = RECURRENCES[schedule]
    p = random_points(recurrence.parameters + recurrence.extensions, POINTS, seed=7)
    dead = (
        (p["release"] == "consumer")
        & (p["mma_in_flight"] >= p["stages"])
        & (p["k_tiles"] > p["stages"])
    )
    assert dead.any()
    np.testing.assert_array_equal(np.isnan(recurrence.extended_batch_cycles(p)), dead)


@pytest.mark.parametrize("release", ["consumer", "hardware"])
@pytest.mark.parametrize("schedule", RING_SCHEDULES)
def test_asynchronous_period(schedule: str, release: str) -> None:
    """Steady cycles per k-tile = the largest circuit ratio, over whole numbers of bursts.

    The circuits: the slowest of issue, copy and MMA; a slot's round trip; under ``consumer`` also
    the MMAs in flight and the slots they leave to the producer.
    """
    recurrence = RECURRENCES[schedule]
    points = POINTS // 10
    p = random_points(recurrence.parameters + recurrence.extensions, points, seed=8)
    p |= {"release": release, "output_tiles": np.ones(points, int), "t_sync": np.zeros(points)}
    p["mma_in_flight"] = p["mma_in_flight"] % p["stages"]
    in_flight, stages = p["mma_in_flight"], p["stages"]
    copy = p["t_issue"] + p["t_transfer"] + p["t_latency"]
    mma = p["t_mma"] + p["t_mma_latency"]
    circuits = [p["t_issue"], p["t_transfer"], p["t_mma"], (copy + mma) / stages]
    if release == "consumer":
        circuits += [mma / (in_flight + 1), copy / (stages - in_flight)]
    # Every cyclicity divides this (stages <= 8); 1,680 more k-tiles settle all but near ties.
    burst = 840
    early = recurrence.extended_batch_cycles({**p, "k_tiles": 2 * burst})
    late = recurrence.extended_batch_cycles({**p, "k_tiles": 3 * burst})
    expected = burst * np.max(circuits, axis=0)
    settled = np.isclose(late - early, expected, rtol=1e-12, atol=1e-6)
    assert settled.mean() > 0.98
    assert np.all(late - early <= expected + 1e-6)


@pytest.mark.parametrize(
    ("schedule", "parameters", "cycles"),
    [
        ("pingpong", {"mma_in_flight": 1}, 71),
        ("pingpong", {"mma_in_flight": 1, "stages": 2}, 72),
        ("pingpong", {"mma_in_flight": 1, "t_sync": 7}, 87),
        ("pingpong", {"release": "hardware", "t_sync": 7}, 79),
        ("persistent", {"mma_in_flight": 1, "stages": 2}, 96),
        ("persistent", {"release": "hardware", "stages": 2}, 96),
    ],
)
def test_two_tiles_worked_out_by_hand(
    schedule: str, parameters: dict[str, Any], cycles: int
) -> None:
    p = {
        "t_issue": 1,
        "t_transfer": 2,
        "t_latency": 3,
        "t_mma": 10,
        "t_mma_latency": 5,
        "t_epilogue": 20,
        "stages": 4,
        "k_tiles": 2,
        "output_tiles": 2,
    }
    assert RECURRENCES[schedule].extended_cycles(p | parameters) == cycles


@pytest.mark.parametrize("stages", [1, 4])
def test_simpy_model_equals_recurrence(stages: int) -> None:
    pytest.importorskip("simpy")
    from tests.accounts.simpy_model import warp_specialized_cycles

    recurrence = RECURRENCES["warp_specialized"]
    p = random_points(recurrence.parameters, 60, seed=9)
    p["stages"][:] = stages
    for i in range(60):
        here = point(p, i)
        assert warp_specialized_cycles(here) == recurrence.cycles(here), here


def test_sixty_four_k_tiles_through_four_stages() -> None:
    assert RECURRENCES["warp_specialized"].cycles(LECTURE | TMA) == 68_294


@pytest.mark.parametrize(
    ("schedule", "parameters", "percent"),
    [
        ("sync", CP_ASYNC, 39.2),
        ("register_staged", CP_ASYNC, 57.0),
        ("multistage", CP_ASYNC | {"stages": 2}, 76.8),
        ("multistage", CP_ASYNC | {"stages": 3}, 88.0),
        ("multistage", CP_ASYNC, 88.1),
        ("multistage", CP_ASYNC | {"t_transfer": 1536, "t_epilogue": 2304}, 64.0),
        ("warp_specialized", TMA, 96.0),
        ("warp_specialized", {"t_issue": 800}, 94.9),
        ("warp_specialized", TMA | {"t_transfer": 1536, "t_epilogue": 2304}, 64.0),
        ("persistent", TMA | {"k_tiles": 4}, 73.7),
        ("cooperative", TMA | {"k_tiles": 4}, 73.7),
        ("pingpong", TMA | {"k_tiles": 4}, 92.2),
        ("persistent", TMA | {"k_tiles": 16, "t_epilogue": 8 * 1280}, 61.1),
        ("pingpong", TMA | {"k_tiles": 16, "t_epilogue": 8 * 1280}, 91.8),
        ("attention_serial", {"kv_blocks": 32}, 57.1),
        ("attention_pingpong", {"kv_blocks": 16}, 98.5),
        ("attention_overlap", {"kv_blocks": 32}, 79.0),
        ("attention_pingpong_overlap", {"kv_blocks": 16}, 99.2),
        ("attention_overlap", {"kv_blocks": 32, "t_gemm0": 256, "t_gemm1": 256}, 49.6),
        ("attention_pingpong_overlap", {"kv_blocks": 16, "t_gemm0": 256, "t_gemm1": 256}, 95.5),
        ("attention_serial", {"kv_blocks": 32, "t_gemm0": 1024, "t_gemm1": 1024}, 72.7),
    ],
)
def test_tensor_core_utilization(schedule: str, parameters: dict[str, Any], percent: float) -> None:
    p = LECTURE | parameters
    if schedule.startswith("attention"):
        warpgroups = 2 if "pingpong" in schedule else 1
        busy = warpgroups * p["kv_blocks"] * (p["t_gemm0"] + p["t_gemm1"])
    else:
        tiles = p["output_tiles"] if "output_tiles" in RECURRENCES[schedule].parameters else 1
        busy = tiles * p["k_tiles"] * p["t_mma"]
    assert round(100 * busy / RECURRENCES[schedule].cycles(p), 1) == percent
