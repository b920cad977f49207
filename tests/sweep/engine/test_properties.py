"""What must hold at every point of every schedule, found by trying (hypothesis)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sweep
from sweep.catalogue.schedules import SCHEDULES
from sweep.description import Schedule
from sweep.engine.outputs import Outputs
from sweep.quantities.variables import VARIABLES
from sweep.simulator.simulation import run_events
from tests.support.one_loop import ONE_LOOP
from tests.support.points import (
    ATTENTION,
    COMPILED,
    TILE_LEVEL,
    Array,
    Columns,
    count_range,
    point,
    random_points,
    run_points,
    scaled,
    size,
    variant_points,
)

quickly = settings(
    max_examples=60 if COMPILED else 8,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
COUNTS = {"k_tiles": 24, "kv_blocks": 24, "output_tiles": 5, "stages": 8, "mma_in_flight": 7}
ORDERS = [
    (name, arbitration)
    for name in SCHEDULES
    for arbitration in (("ordered", "fifo") if name in ATTENTION else ("",))
]


@st.composite
def points(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """One point of a schedule that runs: whole cycles or 1/1024 cycle off them."""
    schedule = SCHEDULES[name]
    near = st.builds(
        lambda n, off: max(n + off / 1024, 0.0), st.integers(0, 40), st.integers(-1, 1)
    )
    p: dict[str, Any] = {one: draw(near) for one in schedule.durations}
    for one in schedule.parameters:
        if VARIABLES[one].kind == "count":
            p[one] = draw(st.integers(*count_range(one, COUNTS)))
    if "release" in schedule.parameters:
        p["release"] = draw(st.sampled_from(["consumer", "hardware"]))
        most = 0 if p["release"] == "hardware" else p["stages"] - 1
        p["mma_in_flight"] = min(p["mma_in_flight"], most)
    return p


def several(name: str, variants: list[dict[str, Any]]) -> Outputs:
    """Run some points at once."""
    columns: Columns = {one: np.array([p[one] for p in variants]) for one in variants[0]}
    return run_points(name, columns)


@pytest.mark.parametrize("name", SCHEDULES)
def test_longer_is_never_faster(name: str) -> None:
    @quickly
    @given(points(name), st.integers(1, 5000))
    def check(p: dict[str, Any], more: int) -> None:
        longer = [p | {one: p[one] + more / 1024} for one in SCHEDULES[name].durations]
        more_work = [
            p | {one: p[one] + 1} for one in ("k_tiles", "kv_blocks", "output_tiles") if one in p
        ]
        found = several(name, [p, *longer, *more_work])
        assert (found["cycles"] >= found["cycles"][0]).all()
        assert not (found["period"][: 1 + len(longer)] < found["period"][0]).any()

    check()


@pytest.mark.parametrize("name", [name for name, one in SCHEDULES.items() if one.ring])
def test_more_stages_never_cost_a_cycle(name: str) -> None:
    @quickly
    @given(points(name))
    def check(p: dict[str, Any]) -> None:
        stages = range(p["stages"], 12)
        found = several(name, [p | {"stages": one} for one in stages])
        assert (np.diff(found["cycles"]) <= 0).all()
        assert not (np.diff(found["period"]) > 0).any()

    check()


@pytest.mark.parametrize(("name", "arbitration"), ORDERS)
def test_scaling_all_durations_scales_the_times(name: str, arbitration: str) -> None:
    @quickly
    @given(points(name))
    def check(p: dict[str, Any]) -> None:
        if name in ATTENTION:
            p["arbitration"] = arbitration
        factors = np.array([1, 2, 4, 64, 1024])
        scaled_up = [
            p | {one: p[one] * factor for one in SCHEDULES[name].durations} for factor in factors
        ]
        found = several(name, scaled_up)
        np.testing.assert_array_equal(found["cycles"], found["cycles"][0] * factors)
        np.testing.assert_array_equal(found["period"], found["period"][0] * factors)
        for same in ("tc_utilization", "mem_utilization", "steady_tc_utilization", "bottleneck"):
            np.testing.assert_array_equal(found[same], np.full(5, found[same][0]))

    check()


def work(name: str, p: Columns) -> dict[str, Array]:
    """Cycles that each resource is held, by the operations of a schedule."""
    tiles = p["output_tiles"] if name in TILE_LEVEL else 1
    if name not in ATTENTION:
        copies = p["k_tiles"] * tiles
        return {"TC": copies * p["t_mma"], "MEM": copies * p["t_transfer"]}
    blocks = p["kv_blocks"] * len(SCHEDULES[name].agents)
    gemms = p["t_gemm0"] + p["t_gemm1"]
    return {"TC": blocks * gemms, "SFU": blocks * p["t_exp"], "FMA": blocks * p["t_softmax"]}


@pytest.mark.parametrize("name", ONE_LOOP)
def test_bounds(name: str) -> None:
    """No resource works longer than the run; utilisations are shares; steady ones too."""
    for _, p in variant_points(name, scaled(3_000), seed=41):
        for arbitration in ("ordered", "fifo") if name in ATTENTION else ("",):
            if arbitration:
                p["arbitration"] = np.full(size(p), arbitration)
            found = run_points(name, p)
            runs = ~np.isnan(found["cycles"])
            for resource, held in work(name, p).items():
                assert (found["cycles"][runs] >= held[runs]).all()
                with np.errstate(invalid="ignore"):
                    share = held / found["cycles"]
                used = found[f"{resource.lower()}_utilization"]
                np.testing.assert_array_equal(used[runs], share[runs])
            shares = [f"{one.lower()}_utilization" for one in ("TC", "MEM", "SFU", "FMA")]
            for output in (*shares, "steady_tc_utilization"):
                there = found[output][~np.isnan(found[output])]
                assert ((there >= 0) & (there <= 1)).all()
            serial = sum(
                p[one] for one in ("t_issue", "t_transfer", "t_latency", "t_mma") if one in p
            )
            assert (found["cycles"] >= serial)[runs].all()


@pytest.mark.parametrize(("name", "arbitration"), [one for one in ORDERS if one[0] in ONE_LOOP])
def test_traces_are_possible(name: str, arbitration: str) -> None:
    """No overlap on a resource or an agent; busy time as durations say; waits without gaps."""
    schedule = SCHEDULES[name]
    p = random_points(schedule, scaled(150, pure=10), seed=43, most=COUNTS)
    if "mma_in_flight" in p:
        p["mma_in_flight"] = np.minimum(p["mma_in_flight"], p["stages"] - 1)
    if name in ATTENTION:
        p["arbitration"][:] = arbitration
    for i in range(size(p)):
        here = point(p, i)
        _check_trace(schedule, here, {one: held[i] for one, held in work(name, p).items()})


def _check_trace(schedule: Schedule, p: dict[str, Any], held: dict[str, float]) -> None:
    result = run_events(schedule, p)
    events = schedule.events(p.get("release", "consumer"))
    asynchronous = {event.label for event in events if event.asynchronous}
    takes = {event.label: p[event.takes] if event.takes else 0.0 for event in events}
    assert result.held == held
    for resource in schedule.resources:
        uses = sorted((row.start, row.end) for row in result.rows if row.resource == resource)
        assert all(later[0] >= earlier[1] for earlier, later in pairwise(uses))
        assert sum(end - start for start, end in uses) == held[resource]
    for agent in schedule.agents:
        rows = [row for row in result.rows if row.agent == agent]
        alone = [row for row in rows if row.operation not in asynchronous]
        assert all(b.since == a.end for a, b in pairwise(alone))
        assert not alone or alone[0].since == 0
        requests = {row.since for row in rows if row.operation in asynchronous}
        assert requests <= {0.0} | {row.end for row in rows}  # of one in flight, too
    for row in result.rows:
        assert 0 <= row.since <= row.start <= row.end <= result.cycles
        assert row.end - row.start == takes[row.operation]
        assert bool(row.waited_for) == (row.start > row.since)


def test_cooperative_keeps_the_times_of_persistent() -> None:
    for _, p in variant_points("persistent", scaled(3_000), seed=45):
        one, other = run_points("persistent", p), run_points("cooperative", p)
        for output in ("cycles", "period", "bottleneck", "tc_utilization", "mem_utilization"):
            np.testing.assert_array_equal(one[output], other[output])


@pytest.mark.parametrize("name", TILE_LEVEL)
def test_one_output_tile_is_warp_specialized(name: str) -> None:
    for _, p in variant_points(name, scaled(3_000), seed=47):
        p["output_tiles"][:] = 1
        single = {one: column for one, column in p.items() if one != "output_tiles"}
        np.testing.assert_array_equal(
            run_points(name, p)["cycles"], run_points("warp_specialized", single)["cycles"]
        )


def test_first_come_first_served_can_beat_the_order_and_lose_to_it() -> None:
    """Graham's anomalies: no order is best everywhere."""
    softmax: dict[str, Any] = {
        "t_gemm0": [100, 500],
        "t_gemm1": 300,
        "t_exp": [100, 900],
        "t_softmax": 50,
    }
    for name in ("attention_pingpong", "attention_pingpong_overlap"):
        ds = sweep.run(name, arbitration=["ordered", "fifo"], kv_blocks=[7, 8], **softmax)
        gain = ds.cycles.sel(arbitration="ordered") - ds.cycles.sel(arbitration="fifo")
        assert (gain < 0).any() == (name == "attention_pingpong")
    overlap = {"t_gemm0": 1244, "t_gemm1": 100, "t_exp": 90, "t_softmax": 1100, "kv_blocks": 2}
    order, free = (
        sweep.simulate("attention_pingpong_overlap", arbitration=one, **overlap).cycles
        for one in ("ordered", "fifo")
    )
    assert free < order
