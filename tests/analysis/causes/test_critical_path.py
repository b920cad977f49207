"""Critical paths: contiguous, made of what the trace shows, and the slope of the makespan."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

import sweep
from analysis.causes.critical_path import attribute, critical_path
from analysis.causes.happenings import linked
from sweep.catalogue.schedules import SCHEDULES
from sweep.errors import InputError
from sweep.quantities.variables import VARIABLES
from sweep.simulator.simulation import Deadlock, run_events
from tests.accounts.recurrences import RECURRENCES
from tests.support.one_loop import ONE_LOOP
from tests.support.points import ATTENTION, Columns, point, random_points, scaled, size

POINTS = scaled(100, 4)
MOST = {"stages": 5, "k_tiles": 12, "output_tiles": 4, "kv_blocks": 12, "mma_in_flight": 4}
IN_FLIGHT = {"t_latency", "t_mma_latency", ""}


def living_points(name: str, seed: int, arbitration: str = "ordered") -> list[dict[str, object]]:
    few = POINTS if name in ONE_LOOP else max(POINTS // 10, 4)
    p: Columns = random_points(SCHEDULES[name], few, seed, MOST)
    if "arbitration" in p:
        p["arbitration"][:] = arbitration
    found = []
    for i in range(size(p)):
        here = point(p, i)
        try:
            run_events(SCHEDULES[name], here)
        except Deadlock:
            continue
        found.append(here)
    assert len(found) > few / 2
    return found


def assert_sound(path: xr.Dataset, trace: xr.Dataset) -> None:
    step = "block" if "block" in trace else "k_tile"
    key = ("agent", "operation", "output_tile", step)
    rows = defaultdict(list)
    for row in trace.to_dataframe().reset_index().to_dict("records"):
        rows[tuple(row[name] for name in key)].append(row)
    steps = path.to_dataframe().reset_index().to_dict("records")
    assert steps[0]["start"] == 0
    assert steps[-1]["end"] == trace.attrs["cycles"]
    assert path.duration.values.sum() == trace.attrs["cycles"]
    for one, following in itertools.pairwise(steps):
        assert one["end"] == following["start"]
    for one in steps:
        assert one["duration"] == one["end"] - one["start"]
        length = trace[one["parameter"]].item() if one["parameter"] else 0
        assert one["duration"] == length
        if one["agent"]:
            said = ("resource", "start", "end", "waits_for")
            alike = rows[tuple(one[name] for name in key)]  # rows of one operation for two tiles
            assert [one[name] for name in said] in [[row[n] for n in said] for row in alike], one
        else:
            assert one["parameter"] in IN_FLIGHT


@pytest.mark.parametrize("engine", ["batch", "events"])
@pytest.mark.parametrize("name", SCHEDULES)
def test_a_gapless_chain_from_the_trace(name: str, engine: str) -> None:
    for p in living_points(name, seed=31):
        trace = sweep.trace(name, engine=engine, **p)
        assert_sound(critical_path(trace), trace)


@pytest.mark.parametrize("name", ATTENTION)
def test_first_come_first_served(name: str) -> None:
    for p in living_points(name, seed=32, arbitration="fifo"):
        trace = sweep.trace(name, **p)
        assert_sound(critical_path(trace), trace)


@pytest.mark.parametrize("name", RECURRENCES)
def test_steps_are_slopes_of_the_hand_written_recurrence(name: str) -> None:
    """Makespans are convex in the durations: a step count is a subgradient."""
    recurrence = RECURRENCES[name]
    for p in living_points(name, seed=33)[:: 1 + POINTS // 50]:
        found = attribute(critical_path(sweep.trace(name, **p)))
        assert found.cycles == recurrence.extended_cycles(p)
        assert found.cycles == sum(one.cycles for one in found.contributions)
        for parameter in SCHEDULES[name].durations:
            steps = sum(one.steps for one in found.contributions if one.parameter == parameter)
            for change in (-7, -1, 1, 7, 1000):
                changed = {**p, parameter: max(p[parameter] + change, 0)}  # type: ignore[operator]
                by = changed[parameter] - p[parameter]  # type: ignore[operator]
                assert recurrence.extended_cycles(changed) >= found.cycles + steps * by


@pytest.mark.parametrize("name", SCHEDULES)
def test_every_row_of_a_trace_is_linked_to_what_let_it_go(name: str) -> None:
    for p in living_points(name, seed=34)[:20]:
        rows = run_events(SCHEDULES[name], p).rows
        happenings = linked(SCHEDULES[name], p, rows)
        operations = [one for one in happenings if one.agent]
        assert len(operations) == len(rows)
        for one in happenings:
            assert max((before.end for before in one.after), default=0) == one.start


def test_known_paths() -> None:
    shallow = attribute(critical_path(sweep.trace("warp_specialized", stages=2, t_latency=1500)))
    assert shallow.contributions[0][:2] == ("arrive", "t_latency")
    epilogues = {
        name: sum(
            one.steps
            for one in attribute(critical_path(sweep.trace(name))).contributions
            if one.parameter == "t_epilogue"
        )
        for name in ("persistent", "pingpong")
    }
    assert epilogues == {"persistent": 8, "pingpong": 1}


def test_ties_go_to_the_agent_itself() -> None:
    """The MMA before ends as the copy arrives: the warp did not wait."""
    tie = sweep.trace("multistage", t_issue=0, t_transfer=100, t_latency=0, t_mma=100, k_tiles=3)
    path = critical_path(tie)
    expected = ["wait_copy", *(["mma", "wait_copy"] * 2), "mma", "epilogue"]
    assert path.operation.values[3:].tolist() == expected
    assert path.waits_for.values[3:].tolist() == ["copy", *[""] * 6]


def test_of_several_that_end_last_the_one_that_started_first() -> None:
    path = critical_path(sweep.trace("warp_specialized", k_tiles=2, t_epilogue=0))
    assert path.operation.values[-1] == "mma"
    shared = critical_path(sweep.trace("cooperative", k_tiles=2, output_tiles=1))
    assert shared.agent.values[-1] == "consumer_0"


def test_labels_and_text() -> None:
    trace = sweep.trace("attention_overlap", kv_blocks=2)
    path = critical_path(trace)
    assert "block" in path
    assert all(variable.attrs["units"] for variable in path.data_vars.values())
    assert path.start.attrs["long_name"] == VARIABLES["start"].long_name
    assert path.attrs == trace.attrs
    assert float(path.t_exp) == float(trace.t_exp)
    text = str(attribute(path))
    assert text.startswith("attention_overlap: a critical path of 3,072 cycles\n")
    assert "t_exp      exp      SFU" in text


def test_nothing_takes_time() -> None:
    durations = dict.fromkeys(SCHEDULES["pingpong"].durations, 0)
    path = critical_path(sweep.trace("pingpong", k_tiles=3, output_tiles=3, **durations))
    assert not path.duration.any()
    assert str(attribute(path)) == "pingpong: a critical path of 0 cycles"


def test_a_schedule_of_ones_own_is_given_and_is_that_of_the_trace() -> None:
    mine = replace(SCHEDULES["sync"], name="mine")
    trace = sweep.trace(mine, k_tiles=2)
    assert critical_path(trace, mine).sizes["step"] == 11
    with pytest.raises(InputError, match=r"schedule 'mine' is not built in.*give schedule="):
        critical_path(trace)
    with pytest.raises(InputError, match="schedule='sync': trace is of mine"):
        critical_path(trace, "sync")
    with pytest.raises(InputError, match=r"trace: must be of one point, from sweep\.trace"):
        critical_path(sweep.run(mine, k_tiles=2), mine)
    with pytest.raises(InputError, match="trace: must be a Dataset of sweep, not of type NoneType"):
        critical_path(None)  # type: ignore[arg-type]


def test_durations_on_the_grid() -> None:
    values = (1 / 1024, 0.5, 3.25, 2.75, 1 / 512)
    names = ("t_issue", "t_transfer", "t_latency", "t_mma", "t_epilogue")
    p = dict(zip(names, values, strict=True))
    path = critical_path(sweep.trace("warp_specialized", k_tiles=5, stages=2, **p))
    assert np.all(path.end.values[:-1] == path.start.values[1:])
    assert path.duration.values.sum() == path.attrs["cycles"]
