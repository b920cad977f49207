"""Traces: every event of a point, labelled, the same from both engines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep
from sweep.catalogue.schedules import SCHEDULES
from sweep.errors import InputError
from tests.support.labels import assert_labelled, short
from tests.support.points import ATTENTION


@pytest.mark.parametrize("name", SCHEDULES)
def test_traces_are_labelled(name: str) -> None:
    for engine in ("batch", "events"):
        ds = sweep.trace(name, engine=engine, **short(name))
        assert_labelled(ds)
        step = "block" if SCHEDULES[name].family == "attention" else "k_tile"
        columns = "agent resource operation output_tile since start end wait waits_for".split()
        assert set(ds.data_vars) == {*columns, step}
        assert (
            ds.attrs["cycles"] == float(ds.end.max()) == sweep.simulate(name, **short(name)).cycles
        )
        np.testing.assert_array_equal(ds.wait, ds.start - ds.since)
        assert (np.diff(ds.start) >= 0).all()
        assert ds.output_tile.max() == (2 if SCHEDULES[name].tile_level else 0)
        assert set(ds.agent.values) == set(SCHEDULES[name].agent_names)


def test_trace_of_one_k_tile_by_hand() -> None:
    ds = sweep.trace("warp_specialized", k_tiles=1, t_issue=10, t_transfer=20, t_latency=5, t_mma=7,
                     t_epilogue=3)  # fmt: skip
    rows = list(zip(ds.operation.values, ds.since.values, ds.start.values, ds.end.values,
                    ds.waits_for.values, strict=True))  # fmt: skip
    assert rows == [
        ("issue", 0, 0, 10, ""),
        ("transfer", 10, 10, 30, ""),
        ("wait_copy", 0, 35, 35, "full"),
        ("mma", 35, 35, 42, ""),
        ("release", 35, 42, 42, "mma"),
        ("epilogue", 42, 42, 45, ""),
    ]


@pytest.mark.parametrize("arbitration", ["ordered", "fifo"])
@pytest.mark.parametrize("name", ATTENTION)
def test_traces_of_either_order(name: str, arbitration: str) -> None:
    given: dict[str, Any] = {"kv_blocks": 5, "t_gemm0": 70, "t_gemm1": 300, "t_exp": 150}
    batch = sweep.trace(name, arbitration=arbitration, **given)
    events = sweep.trace(name, arbitration=arbitration, engine="events", **given)
    xr.testing.assert_identical(batch, events)


def test_a_deadlock_says_who_waits_for_what() -> None:
    for engine in ("batch", "events"):
        with pytest.raises(InputError, match=r"warp_specialized deadlocks: .* producer waits for"):
            sweep.trace("warp_specialized", engine=engine, stages=2, mma_in_flight=2)
        one = sweep.simulate("warp_specialized", engine=engine, stages=2, mma_in_flight=2)
        assert (one.infeasible_reason, one.feasible, one.bottleneck) == ("deadlock", "no", "none")
        assert np.isnan([one.cycles, one.tc_utilization, one.sfu_utilization, one.period]).all()
        assert np.isnan([one.tflops, one.steady_tc_utilization]).all()
