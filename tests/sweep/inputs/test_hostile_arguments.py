"""Every odd value for every parameter is taken as meant, or refused in one line that names it."""

from __future__ import annotations

import dataclasses
import math
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep
from sweep.catalogue.schedules import SCHEDULES
from sweep.errors import InputError
from sweep.hardware.gpu import GPUS
from sweep.inputs.rules import uses
from sweep.inputs.space import resolve
from sweep.quantities.variables import PARAMETERS, VARIABLES
from tests.support.hostile_values import hostile_values, numbers_meant

warnings.filterwarnings("ignore", "Duplicate dimension names")
VALUES = list(hostile_values())
USED = [name for name in PARAMETERS if any(name in uses(one) for one in SCHEDULES.values())]
LONGEST = 900


def user_of(name: str) -> str:
    return next(one for one, schedule in SCHEDULES.items() if name in uses(schedule))


def outcome(name: str, call: Callable[[], Any]) -> Any:
    """Return what a call gives, None where it is refused as it should be."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return call()
        except InputError as error:
            message = str(error)
    assert message.isprintable(), message
    assert len(message) <= LONGEST, message
    assert name.lower() in message.lower(), message
    return None


def some(count: int, seed: object) -> list[Any]:
    return random.Random(str(seed)).sample(VALUES, count)


def test_there_are_many() -> None:
    assert len(VALUES) > 1000


@pytest.mark.parametrize("value", ["4", None, True, 1j, b"4", {}, object(), xr.Dataset()])
def test_a_wrong_kind_of_object_is_a_type_error(value: Any) -> None:
    for call in (
        lambda: resolve("sync", {"t_mma": value}),
        lambda: resolve("sync", {"gpu": 7 if isinstance(value, str) else value}),
        lambda: sweep.simulate("sync", engine=7 if isinstance(value, str) else value),
        lambda: sweep.where_feasible(xr.DataArray(1) if isinstance(value, xr.Dataset) else value),
    ):
        with pytest.raises(TypeError) as caught:
            call()
        assert isinstance(caught.value, InputError)


@pytest.mark.parametrize("name", USED)
def test_parameters(name: str) -> None:
    """What is accepted stands in the coordinate as it was meant."""
    variable = VARIABLES[name]
    for value in some(250, name):
        space = outcome(name, lambda value=value: resolve(user_of(name), {name: value}))
        if space is None:
            meant = numbers_meant(value) if variable.numeric else None
            if meant and isinstance(value, int | float | np.number | list | np.ndarray):
                assert not all(acceptable(variable, one) for one in meant), repr(value)
            continue
        labels = np.ravel(space.coords[name][1]).tolist()
        if variable.numeric:
            assert labels == numbers_meant(value), repr(value)
        else:
            assert all(isinstance(label, str) for label in labels)


@pytest.mark.parametrize("name", [name for name in USED if VARIABLES[name].numeric])
def test_extreme_numbers_run_without_a_warning(name: str) -> None:
    for value in (5e-324, 1e-300, 0, 1, 2**53, 1e300, 1.7e308):
        schedule = user_of(name)
        short = {SCHEDULES[schedule].loop: 2} | {name: value}
        found = outcome(name, lambda short=short, one=schedule: sweep.run(one, **short))
        assert found is None or float(found[name]) == value


def acceptable(variable: Any, number: float) -> bool:
    """Whether a finite number is far inside the limits, where sums over a run are too."""
    if not math.isfinite(number) or (variable.dtype == "int64" and number != int(number)):
        return False
    lower = 8 if variable.name == "compute_capability" else variable.lower  # the first cp.async
    return bool(max(lower, 1e-3) < number < min(variable.upper, 1000))


@pytest.mark.parametrize("function", [sweep.run, sweep.simulate, sweep.trace])
def test_schedules(function: Any) -> None:
    for value in some(300, function):
        outcome("schedule", lambda value=value: function(value, k_tiles=2))


@pytest.mark.parametrize("function", [sweep.simulate, sweep.trace])
def test_engines(function: Any) -> None:
    for value in some(300, function):
        assert outcome("engine", lambda value=value: function("sync", engine=value)) is None


def test_threads() -> None:
    for value in some(300, "threads"):
        outcome("threads", lambda value=value: sweep.run("sync", threads=value, k_tiles=2))


def test_progress() -> None:
    for value in (one for one in some(300, "progress") if not callable(one)):
        outcome("progress", lambda value=value: sweep.run("sync", progress=value, k_tiles=2))


def test_where_feasible() -> None:
    for value in VALUES:
        assert outcome("ds", lambda value=value: sweep.where_feasible(value)) is None


@pytest.mark.parametrize("field", ["sm_count", "clock_hz", "mem_bytes_per_cycle", "latency_cycles"])
def test_figures_of_a_gpu(field: str) -> None:
    for value in some(300, field):
        mine = dataclasses.replace(GPUS["h100_sxm"], name="mine", **{field: value})
        outcome("gpu", lambda mine=mine: resolve("sync", {"gpu": mine}))
