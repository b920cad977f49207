"""Idle time by cause: exact sums, an account from traces, one from hand-written recurrences."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep
from analysis.causes.idle_time import ORDER, idle_time
from sweep.catalogue.schedules import SCHEDULES
from sweep.description import Schedule
from sweep.errors import InputError
from sweep.simulator.simulation import Deadlock, run_events
from tests.accounts.recurrences import RECURRENCES
from tests.support.one_loop import BEYOND, ONE_LOOP
from tests.support.points import (
    ATTENTION,
    COMPILED,
    Array,
    Columns,
    point,
    random_points,
    scaled,
    size,
)
from tests.support.points import (
    MOST as FAR,
)

POINTS = scaled(3_000, 100)
MOST = {"stages": 6, "k_tiles": 16, "output_tiles": 5, "kv_blocks": 16, "mma_in_flight": 4}
GEMM = [name for name in ONE_LOOP if name not in ATTENTION]
ISSUES_MORE_BEFORE_THE_FIRST_MMA = ("register_staged", "multistage")


def run_columns(name: str, p: Columns) -> xr.Dataset:
    return sweep.run(name, **{key: xr.DataArray(one, dims="point") for key, one in p.items()})


def parts(found: xr.Dataset) -> dict[str, Array]:
    return {str(name): found.idle_time.sel(cause=name).values for name in found.cause.values}


def held(name: str, p: Columns) -> Array:
    """Return for how long MMAs hold the Tensor Core: as often as their loop and tiles say."""
    schedule, total = SCHEDULES[name], np.zeros(size(p))
    counts: dict[str, Any] = {schedule.place(row): 1 for row in schedule.events("consumer")}
    counts |= {one.name: p.get(one.count, one.count) for one in schedule.loops}
    for row in schedule.events("consumer"):
        if row.on == "TC":
            total += p[row.takes] * counts[schedule.place(row)] * p.get("output_tiles", 1)
    return total


@pytest.mark.parametrize("arbitration", ["ordered", "fifo"])
@pytest.mark.parametrize("name", SCHEDULES)
def test_parts_sum_to_the_idle_time_exactly(name: str, arbitration: str) -> None:
    few = POINTS if name in ONE_LOOP else POINTS // 15
    p = random_points(SCHEDULES[name], few, seed=41, most=MOST if few < POINTS else FAR)
    if "arbitration" in p:
        p["arbitration"][:] = arbitration
    elif arbitration == "fifo":
        return
    ds = run_columns(name, p)
    found = idle_time(ds)
    dead = np.isnan(ds.cycles.values)
    idle = ds.cycles.values - held(name, p)
    np.testing.assert_array_equal(found.tc_idle_time, idle)
    np.testing.assert_array_equal(sum(parts(found).values()), idle)
    for cause, cycles in parts(found).items():
        np.testing.assert_array_equal(np.isnan(cycles), dead)
        assert (cycles[~dead] >= 0).all(), cause
        assert (cycles * 1024 % 1)[~dead].max() == 0
    if name not in ONE_LOOP:
        return  # few points: some causes need not be met
    never = {cause for cause, cycles in parts(found).items() if not (cycles > 0).any()}
    # A single tile has one epilogue, its drain.
    assert never <= (set() if SCHEDULES[name].tile_level else {"epilogue"}) or not COMPILED


def by_recurrence(name: str, p: dict[str, Any]) -> dict[str, float]:
    """Leave out one duration after another, by the hand-written recurrence of one point."""
    gone = dict(p)
    found = dict.fromkeys(ORDER, 0.0)
    before = RECURRENCES[name].extended_cycles(gone)
    for duration, cause, once in (
        ("t_latency", "latency", "fill"),
        ("t_mma_latency", "mma_latency", "drain"),
        ("t_sync", "sync", "fill"),
        ("t_issue", "issue", "fill"),
        ("t_transfer", "bandwidth", "fill"),
        ("t_store", "store", "fill"),
        ("t_epilogue", "epilogue", "drain"),
        ("t_exp", "exp", "fill"),
        ("t_softmax", "softmax", "fill"),
    ):
        if duration in p:
            gone[duration] = 0
            after = RECURRENCES[name].extended_cycles(gone)
            first = min(before - after, p[duration])
            found[once] += first
            found[cause] += before - after - first
            before = after
    return found


@pytest.mark.parametrize("name", RECURRENCES)
def test_against_the_hand_written_recurrence(name: str) -> None:
    p = random_points(SCHEDULES[name], scaled(300, 10), seed=42)
    found = parts(idle_time(run_columns(name, p)))
    for i in range(size(p)):
        expected = by_recurrence(name, point(p, i))
        for cause, cycles in found.items():
            np.testing.assert_equal(cycles[i], expected.pop(cause), err_msg=cause)
        assert not np.nansum(list(expected.values()))


@pytest.mark.parametrize("name", GEMM)
def test_fill_and_drain_are_the_ends_of_the_trace(name: str) -> None:
    """And the causes' own parts are the gaps between MMAs."""
    p = random_points(SCHEDULES[name], scaled(300, 10), seed=43, most=MOST)
    found = parts(idle_time(run_columns(name, p)))
    alive = 0
    for i in range(size(p)):
        try:
            result = run_events(SCHEDULES[name], point(p, i))
        except Deadlock:
            assert np.isnan(found["fill"][i])
            continue
        mmas = [(row.start, row.end) for row in result.rows if row.resource == "TC"]
        issuing = mmas[0][0] - found["fill"][i]
        assert issuing >= 0 if name in ISSUES_MORE_BEFORE_THE_FIRST_MMA else issuing == 0
        assert found["drain"][i] == result.cycles - mmas[-1][1]
        gaps = sum(after[0] - before[1] for before, after in itertools.pairwise(mmas))
        own = sum(one[i] for cause, one in found.items() if cause not in ("fill", "drain"))
        assert own == gaps + issuing
        alive += 1
    assert alive > size(p) / 2


@pytest.mark.parametrize("name", dict.fromkeys([*ATTENTION, *BEYOND]))
def test_idle_time_of_the_trace(name: str) -> None:
    few = scaled(300, 10) if name in ONE_LOOP else scaled(30, 5)
    p = random_points(SCHEDULES[name], few, seed=44, most=MOST)
    found = idle_time(run_columns(name, p)).tc_idle_time.values
    for i in range(size(p)):
        try:
            result = run_events(SCHEDULES[name], point(p, i))
        except Deadlock:
            assert np.isnan(found[i])
            continue
        uses = [row for row in result.rows if row.resource == "TC"]
        assert found[i] == result.cycles - sum(row.end - row.start for row in uses)


def only(found: xr.Dataset) -> dict[str, float]:
    return {cause: float(one) for cause, one in parts(found).items() if one > 0}


@pytest.mark.parametrize(
    ("schedule", "changed", "expected"),
    [
        ("warp_specialized", {}, {"fill": 1478, "drain": 1280}),
        ("persistent", {}, {"fill": 1478, "epilogue": 7 * 1280, "drain": 1280}),
        ("pingpong", {}, {"fill": 1478, "drain": 1280}),
        (
            "warp_specialized",
            {"t_transfer": 1500},
            {"fill": 2210, "bandwidth": 63 * 476, "drain": 1280},
        ),
        ("warp_specialized", {"t_issue": 1500}, {"fill": 2968, "issue": 63 * 476, "drain": 1280}),
        ("multistage", {}, {"fill": 1568, "issue": 60 * 100, "drain": 1280}),
        (
            "sync",
            {},
            {
                "fill": 1568,
                "latency": 63 * 700,
                "issue": 63 * 100,
                "bandwidth": 63 * 768,
                "drain": 1280,
            },
        ),
        ("attention_serial", {}, {"fill": 768, "exp": 31 * 512, "softmax": 31 * 256}),
        ("attention_overlap", {}, {"fill": 768, "exp": 31 * 256}),
        ("attention_pingpong", {}, {"fill": 512}),
        (
            "persistent",
            {"t_mma_latency": 100},
            {"fill": 1478, "mma_latency": 511 * 100, "epilogue": 7 * 1280, "drain": 1380},
        ),
    ],
)
def test_known_causes(schedule: str, changed: dict[str, float], expected: dict[str, float]) -> None:
    loop = SCHEDULES[schedule].loop
    ds = sweep.run(schedule, **{loop: [SCHEDULES[schedule].kv_blocks or 64]}, **changed)
    assert only(idle_time(ds).isel({loop: 0})) == expected


def test_latency_that_the_stages_do_not_cover() -> None:
    ds = sweep.run("warp_specialized", stages=range(1, 7), t_latency=1500)
    latency = idle_time(ds).idle_time.sel(cause="latency").values
    assert (np.diff(latency) <= 0).all()
    assert latency[0] == 63 * 1500
    assert latency[-1] == 0


def test_dataset_of_several_schedules() -> None:
    ds = sweep.run(
        ["sync", "register_staged", "persistent", "attention_overlap"],
        gpu=["lecture", "h100_sxm"],
        clock_hz=[1.5e9, 1.8e9],  # moves no cycle
        mma_in_flight=[0, 4],
        release="consumer",
        t_exp=[100, 500],
    )
    found = idle_time(ds)
    assert found.idle_time.dims == ("cause", *ds.cycles.dims)
    assert found.cause.values.tolist() == list(ORDER)
    assert np.isnan(found.tc_idle_time.sel(schedule="persistent", mma_in_flight=4)).all()
    idle = (ds.cycles * (1 - ds.tc_utilization)).fillna(0)
    np.testing.assert_allclose(found.tc_idle_time.fillna(0), idle, rtol=1e-9)
    np.testing.assert_allclose(found.idle_share.sum("cause").where(found.tc_idle_time > 0, 1), 1)
    assert not found.idle_time.sel(schedule="attention_overlap", cause="latency").any()
    assert float(found.t_transfer.sel(gpu="lecture")) == 768
    for name in ("idle_time", "tc_idle_time", "idle_share", "cause"):
        assert set(found[name].attrs) == {"units", "long_name"}


def test_parts_of_a_dataset() -> None:
    ds = sweep.run(["multistage", "persistent"], stages=[2, 3, 4], t_latency=[300, 1500])
    found = idle_time(ds)
    for name in ("multistage", "persistent"):
        part = idle_time(ds.sel(schedule=name).transpose("t_latency", "stages"))
        one = idle_time(ds.sel(schedule=name, stages=3, t_latency=1500))
        for cause in part.cause.values:
            whole = found.idle_time.sel(schedule=name, cause=cause)
            np.testing.assert_array_equal(whole.T, part.idle_time.sel(cause=cause))
            assert whole.sel(stages=3, t_latency=1500) == one.idle_time.sel(cause=cause)
    masked = idle_time(ds.where(ds.stages < 4))
    assert np.isnan(masked.idle_time.sel(stages=4)).all()
    np.testing.assert_array_equal(masked.tc_idle_time[:, :2], found.tc_idle_time[:, :2])


def test_the_same_for_any_number_of_threads() -> None:
    ds = sweep.run("pingpong", t_latency=np.arange(scaled(70_000, 1000)) % 977, k_tiles=3)
    xr.testing.assert_identical(idle_time(ds, threads=1), idle_time(ds, threads=3))


def test_shared_durations_are_refused() -> None:
    plain = SCHEDULES["sync"]

    def events(release: str) -> Any:
        rows = plain.events(release)
        return (*rows[:-1], type(rows[-1])("epilogue", "warp", takes="t_mma", place="tile_end"))

    odd = Schedule("odd", "gemm", "", "", ("warp",), events, loader="cp_async", fixed_stages=1)
    ds = sweep.run(odd, k_tiles=[2, 3])
    with pytest.raises(InputError, match="t_mma: odd holds the Tensor Core for it"):
        idle_time(ds, odd)
