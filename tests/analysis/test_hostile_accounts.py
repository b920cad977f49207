"""What analysis says about runs, traces and points: odd values give a result or one clear line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import sweep
from analysis.bounds import bound_dataset, lower_bounds, tightest, utilization_bounds
from analysis.causes.critical_path import attribute, critical_path
from analysis.causes.idle_time import idle_time
from analysis.closed_forms import CLOSED_FORMS
from analysis.periods.period import period_formula
from analysis.verification.runner import verify
from sweep.errors import InputError
from tests.support.hostile import complaint, odd_values

POINT: dict[str, Any] = {
    "t_issue": 100,
    "t_transfer": 768,
    "t_latency": 700,
    "t_mma": 1024,
    "t_epilogue": 1280,
    "k_tiles": 4,
}
FORM, PERIOD = CLOSED_FORMS["sync"], period_formula("sync")


def form(**p: Any) -> Any:
    return FORM(p)


def period(**p: Any) -> Any:
    return PERIOD.evaluate(p)


def of_mapping(p: Any) -> Any:
    return FORM(p), FORM.evaluate(p), PERIOD.evaluate(p), PERIOD.binding(p)


RUN = sweep.run("sync", k_tiles=[2, 3])
TRACE = sweep.trace("sync", k_tiles=2)
CALLS: tuple[tuple[Callable[..., Any], dict[str, Any], tuple[str, ...]], ...] = (
    (idle_time, {"ds": RUN}, ("ds", "schedule", "threads")),
    (bound_dataset, {"ds": RUN}, ("ds", "schedule")),
    (critical_path, {"trace": TRACE}, ("trace", "schedule")),
    (attribute, {"path": critical_path(TRACE)}, ("path",)),
    (period_formula, {"schedule": "sync"}, ("schedule", "release")),
    (lower_bounds, {"schedule": "sync", **POINT}, ("release", *POINT)),
    (utilization_bounds, {"schedule": "sync", **POINT}, ("release", *POINT)),
    (verify, {"schedules": "sync", "points": 1}, ("points", "seed", "threads")),
    (form, POINT, tuple(POINT)),
    (period, POINT, ("t_issue", "t_transfer", "t_latency", "t_mma")),
)
MAPPINGS: tuple[Callable[..., Any], ...] = (tightest, of_mapping)


@pytest.mark.parametrize(
    ("function", "good", "parameter"),
    [
        pytest.param(function, good, name, id=f"{function.__name__}-{name}")
        for function, good, names in CALLS
        for name in names
    ],
)
def test_odd_values(function: Callable[..., Any], good: dict[str, Any], parameter: str) -> None:
    wrong = {
        name: complaint(function, good, parameter, name, value) for name, value in odd_values()
    }
    assert not {name: what for name, what in wrong.items() if what}


@pytest.mark.parametrize("function", MAPPINGS)
@pytest.mark.parametrize(
    "value",
    [None, True, 2.5, "x", [1], object(), np.ones(2)],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_mapping(function: Callable[..., Any], value: Any) -> None:
    with pytest.raises(InputError, match=r": must be a mapping of names, not "):
        function(value)


@pytest.mark.parametrize("function", [form, period])
def test_forms_read_what_a_run_reads(function: Callable[..., Any]) -> None:
    """A column, an index and arrays with named dimensions, and a shape that does not fit."""
    times = [300.0, 700.00001]
    rounded = [300.0, round(700.00001 * 1024) / 1024]
    right = [function(**POINT | {"t_latency": one}).item() for one in rounded]
    for given in (times, tuple(times), np.array(times), pd.Series(times), pd.Index(times)):
        assert function(**POINT | {"t_latency": given}).tolist() == right
    crossed = {
        "t_latency": xr.DataArray(times, dims="a"),
        "t_mma": xr.DataArray([1.0, 2, 3], dims="b"),
    }
    assert function(**POINT | crossed).shape == (2, 3)
    with pytest.raises(InputError, match=r"t_issue \(2,\), t_mma \(3,\): shapes that do not"):
        function(**POINT | {"t_issue": [1, 2], "t_mma": [1, 2, 3]})


@pytest.mark.parametrize("progress", [True, 1, "x", []])
def test_a_progress_that_is_no_function(progress: Any) -> None:
    with pytest.raises(InputError, match=r"^progress=.*: must be a function"):
        verify("sync", 1, progress=progress)


def test_schedules_to_verify() -> None:
    assert verify(iter(["sync"]), 1) == verify(["sync"], 1)  # type: ignore[arg-type]
    for wrong, says in ((3, "unknown schedule 3"), ([], "empty"), (["sync"] * 2, "twice")):
        with pytest.raises(InputError, match=says):
            verify(wrong, 1)  # type: ignore[arg-type]
