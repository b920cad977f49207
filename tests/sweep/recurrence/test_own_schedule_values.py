"""Descriptions that once got silently wrong answers: the right value, or a refusal in one line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sweep
from sweep.catalogue.schedules import SCHEDULES
from sweep.description import After, Event, Schedule

RING = (
    Event("issue", "load", takes="t_issue", after=(After("mma", lag="stages"),)),
    Event("transfer", "load", on="MEM", takes="t_transfer", asynchronous=True),
    Event("arrive", takes="t_latency", after=(After("transfer"),)),
)


def own(*rows: Event, **fields: Any) -> Schedule:
    """A GEMM schedule of these rows; its agents are those that they name."""
    agents = tuple(dict.fromkeys(row.agent for row in rows if row.agent))
    known: dict[str, Any] = {
        "name": "own",
        "family": "gemm",
        "summary": "a test",
        "reference": "a test",
        "agents": agents,
        "fixed_stages": 2,
        "loader": "tma",
    }
    return Schedule(**(known | {"events": lambda release: rows} | fields))


def eager_copy(agent: str = "warp", **names: str) -> Schedule:
    """The README's own schedule, with other names."""
    return own(
        Event("issue", agent, takes="t_issue"),
        Event("transfer", agent, on="MEM", takes="t_transfer", asynchronous=True),
        Event("arrive", takes="t_latency", after=(After("transfer"),)),
        Event(names.get("mma", "mma"), agent, on="TC", takes="t_mma", behind=1),
        Event("wait_copy", agent, takes="t_sync", after=(After("arrive"),)),
        Event("epilogue", agent, takes="t_epilogue", place="tile_end"),
        loader="cp_async",
        consumer_warpgroups=2,
    )


def refused(schedule: Schedule) -> str:
    with pytest.raises(sweep.InputError) as caught:
        sweep.simulate(schedule)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("agent", ["moved", "rounds", "shift", "steps", "kernel", "latest"])
def test_an_agent_with_a_name_of_the_generated_code(agent: str) -> None:
    expected = sweep.simulate(eager_copy(), k_tiles=8).cycles
    assert sweep.simulate(eager_copy(agent), k_tiles=8).cycles == expected
    assert sweep.trace(eager_copy(agent), k_tiles=8).attrs["cycles"] == expected


@pytest.mark.parametrize("event", ["warp", "t_mma", "latest", "slot", "lambda", "math", "None"])
def test_an_event_with_a_name_of_the_generated_code(event: str) -> None:
    expected = sweep.simulate(eager_copy(), k_tiles=8).cycles
    assert sweep.simulate(eager_copy(mma=event), k_tiles=8).cycles == expected


def test_the_schedule_of_the_readme() -> None:
    """64 copies one after the other, the last MMA and the epilogue: 64 (100 + 768 + 300) + ..."""
    for agent in ("warp", "moved", "rounds", "shift", "mma"):
        one = sweep.simulate(eager_copy(agent), t_latency=300)
        assert one.cycles == sweep.trace(eager_copy(agent), t_latency=300).attrs["cycles"]
        assert one.cycles == 64 * (100 + 768 + 300) + 1024 + 1280 == 77_056


def test_agents_with_the_names_of_events() -> None:
    def cycles(load: str, math: str) -> list[float]:
        rows = (
            Event("load", load, on="MEM", takes="t_transfer", after=(After("mma", lag=2),)),
            Event("mma", math, on="TC", takes="t_mma", after=(After("load"),)),
            Event("epilogue", math, takes="t_epilogue", place="tile_end"),
        )
        found = own(*rows)
        return [sweep.simulate(found).cycles, sweep.trace(found).attrs["cycles"]]

    names = (("a", "b"), ("load", "mma"), ("mma", "load"), ("epilogue", "t_mma"), ("_", "__"))
    assert {one for pair in names for one in cycles(*pair)} == {768 + 64 * 1024 + 1280}


@pytest.mark.parametrize("name", ["x; import os", "", "1st", "ﬁ", "ä", "a b", "x" * 65, 3, "TC"])
def test_what_is_no_name(name: Any) -> None:
    assert "agent" in refused(eager_copy(name)) or "event" in refused(eager_copy(name))


def test_two_accumulators_are_refused() -> None:
    """An epilogue of two tiles ago frees the accumulator: a lag of 2 between tiles."""
    rows = (
        *RING,
        Event(
            "wait_accumulator",
            "mma_warp",
            takes="t_sync",
            after=(After("drained", lag=2),),
            starts_at=2,
            place="tile_start",
        ),
        Event("mma", "mma_warp", on="TC", takes="t_mma", after=(After("arrive"),)),
        Event("full", after=(After("mma"),), place="tile_end"),
        Event("drained", "store", takes="t_epilogue", after=(After("full"),), place="tile_end"),
    )
    message = refused(own(*rows, tile_level=True))
    assert "'wait_accumulator': comes after 'drained' (lag=2)" in message
    assert "with lag=1" in message


def test_a_run_that_ends_in_an_asynchronous_use() -> None:
    rows = (
        Event("issue", "load", takes="t_issue"),
        Event("transfer", "load", on="MEM", takes="t_transfer", asynchronous=True),
        Event("arrive", takes="t_latency", after=(After("transfer"),)),
        Event("mma", "math", on="TC", takes="t_mma", after=(After("arrive"),), asynchronous=True),
        Event("epilogue", "load", takes="t_epilogue", place="tile_end"),
    )
    p = {"t_issue": 10, "t_transfer": 768, "t_latency": 700, "t_mma": 1024, "t_epilogue": 1280}
    one = sweep.simulate(own(*rows), k_tiles=2, **p)
    assert one.cycles == 10 + 768 + 700 + 2 * 1024 == 3526
    assert sweep.trace(own(*rows), k_tiles=2, **p).attrs["cycles"] == 3526
    assert one.tc_utilization == 2 * 1024 / 3526


def test_a_resource_used_once_per_tile() -> None:
    """It is held once per tile, not once per k-tile."""
    rows = (
        Event("load", "warp", on="MEM", takes="t_transfer"),
        Event("mma", "warp", on="TC", takes="t_mma"),
        Event("store", "warp", on="MEM", takes="t_store", place="tile_end"),
    )
    one = sweep.simulate(own(*rows), k_tiles=4, t_transfer=10, t_mma=20, t_store=30)
    assert one.cycles == 4 * 30 + 30
    assert (one.mem_utilization, one.tc_utilization) == (70 / 150, 80 / 150)


def test_two_rings_of_different_depth_agree() -> None:
    rows = (
        *RING,
        Event("mma", "math", on="TC", takes="t_mma", after=(After("arrive"), After("out", lag=4))),
        Event("out", "store", takes="t_store", after=(After("mma"),)),
    )
    p: dict[str, Any] = {"t_latency": 900, "t_store": 1500, "k_tiles": 40}
    for stages in (1, 2, 3, 4, 5, 7):
        one = sweep.simulate(own(*rows), stages=stages, **p)
        assert one.cycles == sweep.trace(own(*rows), stages=stages, **p).attrs["cycles"]


@pytest.mark.parametrize("lag", ["stages + 2", "stages - 1", "mma_in_flight", 3])
def test_other_lags_agree_or_are_refused(lag: Any) -> None:
    rows = (
        Event("issue", "load", takes="t_issue", after=(After("mma", lag=lag),)),
        *RING[1:],
        Event("mma", "math", on="TC", takes="t_mma", after=(After("arrive"),)),
    )
    if lag in ("stages - 1", "mma_in_flight"):
        assert "steps before it" in refused(own(*rows))
        return
    p = {"stages": 3} if "stages" in str(lag) else {}
    one = sweep.simulate(own(*rows), k_tiles=50, **p)
    assert one.cycles == sweep.trace(own(*rows), k_tiles=50, **p).attrs["cycles"]


def test_a_redundant_dependency_changes_nothing() -> None:
    plain = SCHEDULES["multistage"]

    def events(release: str) -> tuple[Event, ...]:
        return tuple(
            replace(row, after=(*row.after, After("arrive", lag=1)))
            if row.name == "wait_copy"
            else row
            for row in plain.events(release)
        )

    other = replace(plain, name="redundant", events=events, program=None)
    assert sweep.simulate(other).cycles == sweep.simulate("multistage").cycles == 74_384


@pytest.mark.parametrize("starts_at", [1, 2, 40])
def test_an_event_that_starts_late(starts_at: int) -> None:
    """The jump waits for it: 40 k-tiles are more than two stages."""
    rows = (
        Event("issue", "load", takes="t_issue", after=(After("mma", lag="stages"),)),
        *RING[1:],
        Event("fence", "math", takes="t_store", starts_at=starts_at, after=(After("arrive"),)),
        Event("mma", "math", on="TC", takes="t_mma", after=(After("arrive"),)),
    )
    p: dict[str, Any] = {"k_tiles": 200, "stages": 2, "t_store": 1500}
    one = sweep.simulate(own(*rows), **p)
    assert one.cycles == sweep.trace(own(*rows), **p).attrs["cycles"]


def test_a_dependency_on_what_starts_later() -> None:
    """What does not exist yet is nothing to wait for, in every account."""
    rows = (
        Event("load", "a", takes="t_issue", starts_at=5),
        Event("mma", "b", on="TC", takes="t_mma", after=(After("load", lag=1),)),
    )
    one = sweep.simulate(own(*rows), k_tiles=20)
    assert one.cycles == sweep.trace(own(*rows), k_tiles=20).attrs["cycles"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"loader": "dma"}, "loader='dma'"),
        ({"agents": ("load", "load")}, "there twice"),
        ({"turns": 3}, "turns=3"),
        ({"fixed_stages": -1}, "fixed_stages=-1"),
        ({"consumer_warpgroups": 0}, "consumer_warpgroups=0"),
        ({"tile_level": "no"}, "tile_level='no'"),
        ({"name": "multistage"}, "built-in"),
        ({"events": lambda release: ()}, "no event"),
        ({"events": lambda release: None}, "tuple of Event"),
    ],
)
def test_fields_that_make_no_sense(change: dict[str, Any], words: str) -> None:
    rows = (*RING, Event("mma", "math", on="TC", takes="t_mma", after=(After("arrive"),)))
    assert words in refused(own(*rows, **change))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (Event("mma", "math", "TC", "t_mma", behind=1, drain_after="mma"), "drain_after='mma'"),
        (Event("mma", "math", "TC", "t_mma", drain_after="arrive"), "has no effect"),
        (Event("mma", "math", "TC", "t_mma", asynchronous="no"), "asynchronous='no'"),  # type: ignore[arg-type]
        (Event("mma", "math", "TC", "t_mma", after=(After("late"),)), "which is no event"),
        (Event("mma", "math", "TC", "t_mma", starts_at=-1), "starts_at=-1"),
        (Event("mma", "math", "TC", "t_mma", behind="stages - 2"), "can be negative"),
        (Event("mma", "math", "TC", "t_other"), "no cycle parameter"),
        (Event("mma", "math", "NPU", "t_mma"), "unknown resource 'NPU'"),
        (Event("mma", "math", "TC", "t_mma", place="middle"), "place='middle'"),
        (Event("mma", "", "TC", "t_mma"), "no agent performs it"),
        (Event("mma", "math", "TC", "t_mma", after=(7,)), "write After"),  # type: ignore[arg-type]
    ],
)
def test_rows_that_make_no_sense(row: Event, words: str) -> None:
    load = replace(RING[0], after=())
    assert words in refused(own(load, *RING[1:], row))


def test_an_order_that_cannot_be_evaluated() -> None:
    rows = (
        Event("first", "a", takes="t_issue", after=(After("second"),)),
        Event("second", "b", on="TC", takes="t_mma"),
    )
    assert "'first': comes after 'second', 0 steps before it" in refused(own(*rows))


class TestEdges:
    """Edges of the engine: deep rings, long periods, points without a steady state."""

    def test_a_ring_of_more_slots_than_a_tile_has_k_tiles(self) -> None:
        for name in ("persistent", "cooperative", "pingpong"):
            one = sweep.simulate(name, tile="16x16x16", element_type="fp8", stages=65, k_tiles=64)
            assert one.bottleneck == "ring_depth"
            trip = one.t_issue + one.t_transfer + one.t_latency + one.t_mma
            assert one.period == 64 * trip / 65

    @pytest.mark.parametrize(
        "p",
        [
            {
                "t_issue": 9687613159,
                "t_transfer": 15739300904,
                "t_latency": 49307490033,
                "t_mma": 3962100425,
                "t_epilogue": 11777200479,
                "k_tiles": 7,
                "stages": 5,
            },
            {
                "t_issue": 2941,
                "t_transfer": 1549,
                "t_latency": 8921041293,
                "t_mma": 146243663,
                "t_epilogue": 0,
                "t_sync": 1,
                "mma_in_flight": 1,
                "k_tiles": 20,
                "stages": 62,
            },
        ],
    )
    def test_bottlenecks_of_long_periods(self, p: dict[str, int]) -> None:
        cycles = {one: n / 1024 if one.startswith("t_") else n for one, n in p.items()}
        assert sweep.simulate("persistent", output_tiles=3, **cycles).bottleneck == "ring_depth"

    def test_nothing_takes_any_time(self) -> None:
        for name in ("sync", "warp_specialized", "persistent", "pingpong"):
            durations = dict.fromkeys(SCHEDULES[name].durations, 0)
            one = sweep.simulate(name, **durations)
            assert (one.cycles, one.period, one.bottleneck) == (0, 0, "no_work")

    def test_a_point_that_runs_but_has_no_steady_state(self) -> None:
        one = sweep.simulate("warp_specialized", stages=4, mma_in_flight=5, k_tiles=4)
        assert one.cycles > 0
        assert np.isnan(one.period)
        assert one.bottleneck == "no_steady_state"
        assert one.infeasible_reason != "deadlock"

    def test_scores_come_before_the_next_block_is_asked_for(self) -> None:
        p = {"t_gemm0": 2, "t_gemm1": 1, "t_exp": 3, "t_softmax": 3, "kv_blocks": 2}
        for engine in ("batch", "events"):
            one = sweep.simulate(
                "attention_pingpong_overlap", arbitration="fifo", engine=engine, **p
            )
            assert one.cycles == 19
