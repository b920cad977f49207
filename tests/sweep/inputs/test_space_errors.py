"""Every rule that refuses what a user asks for: one line, naming parameter, value, limit, unit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr

from sweep.catalogue.discovery import discover
from sweep.errors import InputError
from sweep.inputs.rules import uses
from sweep.inputs.space import resolve
from sweep.quantities.variables import EXACT_CYCLES, PARAMETERS, VARIABLES

SCHEDULES = discover()
NUMERIC = [name for name in PARAMETERS if VARIABLES[name].numeric]
USED = [name for name in PARAMETERS if any(name in uses(one) for one in SCHEDULES.values())]


def user_of(name: str) -> str:
    return next(one for one, schedule in SCHEDULES.items() if name in uses(schedule))


def refused(schedule: Any, **parameters: Any) -> str:
    with pytest.raises(InputError) as caught:
        resolve(schedule, parameters)
    message = str(caught.value)
    assert "\n" not in message
    return message


BAD_NUMBERS = [
    -1,
    -1.5,
    float("nan"),
    float("inf"),
    -float("inf"),
    "4",
    b"4",
    True,
    None,
    4j,
    10**400,
    np.bool_(True),
    np.datetime64("2020"),
    np.array(True),
    {"a": 1},
    {1, 2},
    object(),
    [1, None],
    [1, True],
    [1, "a"],
    [1, float("nan")],
    [[1, 2], [3, 4]],
    np.array([[1, 2]]),
    np.array(["a"]),
    np.array([True]),
    np.ma.masked_array([1, 2], mask=[False, True]),
    xr.DataArray([1, -1], dims="point"),
    xr.DataArray([True], dims="point"),
    (one for one in (1, 2)),
]


@pytest.mark.parametrize("name", [name for name in NUMERIC if name in USED])
@pytest.mark.parametrize("bad", BAD_NUMBERS, ids=lambda bad: repr(bad)[:20])
def test_bad_numbers(name: str, bad: Any) -> None:
    assert refused(user_of(name), **{name: bad}).startswith(name)


@pytest.mark.parametrize("name", [name for name in USED if not VARIABLES[name].numeric])
@pytest.mark.parametrize("bad", [None, True, 7, 1.5, b"x", "", "nonsense", ["a", 1], [[]], {}, 1j])
def test_bad_names(name: str, bad: Any) -> None:
    message = refused(user_of(name), **{name: bad})
    assert name in message.lower()


@pytest.mark.parametrize("name", USED)
@pytest.mark.parametrize("empty", [[], (), np.array([]), xr.DataArray([], dims="point")])
def test_empty_axes(name: str, empty: Any) -> None:
    assert refused(user_of(name), **{name: empty}).startswith(f"{name}: an empty axis")


@pytest.mark.parametrize("name", USED)
def test_below_the_lower_limit(name: str) -> None:
    variable = VARIABLES[name]
    if variable.numeric:
        bad = variable.lower if variable.above_lower else variable.lower - 1
        message = refused(user_of(name), **{name: bad})
        assert message.startswith(f"{name}={bad}")
        assert f"{variable.lower:g}" in message
        assert variable.units == "1" or variable.units in message


@pytest.mark.parametrize("name", [name for name in USED if VARIABLES[name].dtype == "int64"])
def test_fractions_of_counts(name: str) -> None:
    assert "must be a whole number" in refused(user_of(name), **{name: 1.5})
    assert "must be a whole number" in refused(user_of(name), **{name: [2, 1.5]})
    resolve(user_of(name), {name: 2.0})


def test_zero_stages() -> None:
    assert refused("multistage", stages=0) == "stages=0: must be at least 1"
    assert refused("multistage", stages=[1, 0]) == "stages=0: must be at least 1"


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_parameter_without_effect_is_refused(schedule: str, name: str) -> None:
    if name not in uses(SCHEDULES[schedule]):
        message = refused(schedule, **{name: 1})
        assert message.startswith(f"{name}: has no effect on {schedule}; ")
        users = [one for one in SCHEDULES if name in uses(SCHEDULES[one])]
        assert all(one in message for one in users)
        assert users or message.endswith("no schedule uses it")


@pytest.mark.parametrize(
    ("schedule", "name"),
    [
        ("warp_specialized", "exp_per_cycle"),
        ("warp_specialized", "staging_bytes_per_cycle"),
        ("warp_specialized", "l2_bytes"),
        ("sync", "stages"),
        ("multistage", "release"),
        ("attention_serial", "tile"),
        ("attention_serial", "k"),
        ("attention_serial", "loader"),
        ("attention_serial", "consumer_warpgroups"),
        ("attention_serial", "latency_cycles"),
    ],
)
def test_examples_without_effect(schedule: str, name: str) -> None:
    assert "has no effect" in refused(schedule, **{name: 1})


def test_one_schedule_that_uses_it_is_enough() -> None:
    resolve(["sync", "multistage"], {"stages": 3})


@pytest.mark.parametrize(
    ("given", "hint"), [("stagse", "stages"), ("t_latncy", "t_latency"), ("tiel", "tile")]
)
def test_unknown_parameters(given: str, hint: str) -> None:
    assert refused("multistage", **{given: 1}) == (
        f"unknown parameter {given!r}: did you mean {hint!r}?"
    )


@pytest.mark.parametrize("name", ["cycles", "bottleneck", "event", "start"])
def test_outputs_are_no_parameters(name: str) -> None:
    assert refused("sync", **{name: 1}).startswith(f"unknown parameter {name!r}")


def test_schedules() -> None:
    assert "did you mean 'sync'" in refused("snyc")
    assert "did you mean 'sync'" in refused(["multistage", "snyc"])
    assert "is there twice" in refused(["sync", "multistage", "sync"])
    assert "empty axis" in refused([])
    for bad in (None, 3, [None], b"sync"):
        assert "unknown schedule" in refused(bad)


def test_unknown_choices() -> None:
    assert "did you mean 'hardware'" in refused("warp_specialized", release="hardwre")
    assert "did you mean 'h100_sxm'" in refused("sync", gpu="h100")
    assert "did you mean 'fp8'" in refused("sync", element_type=["bf16", "fp88"])
    assert "'lecture' is there twice" in refused("sync", gpu=["lecture", "lecture"])


def test_shapes() -> None:
    for bad in ("128x256", (128, 256), [128, 256, 64], np.array([128, 256, 64])):
        assert refused("sync", tile=bad).startswith("tile=")


def test_unsupported_element_type() -> None:
    message = refused("sync", gpu="h100_sxm", element_type="fp4", k_tiles=[4, 8])
    assert "'fp4'" in message
    assert "'h100_sxm'" in message


def test_in_flight_has_no_meaning_with_hardware_release() -> None:
    message = refused("pingpong", release="hardware", mma_in_flight=1)
    assert message.startswith("mma_in_flight=1: ")
    refused("pingpong", release=["consumer", "hardware"], mma_in_flight=[0, 1])
    resolve("pingpong", {"release": "hardware", "mma_in_flight": 0})
    zipped = {
        "release": xr.DataArray(["consumer", "hardware"], dims="point"),
        "mma_in_flight": xr.DataArray([1, 0], dims="point"),
    }
    resolve("pingpong", zipped)
    refused("pingpong", **{**zipped, "mma_in_flight": xr.DataArray([0, 1], dims="point")})


def test_warpgroups_that_take_turns() -> None:
    assert "multiple of 2" in refused("pingpong", consumer_warpgroups=[2, 3])
    resolve("pingpong", {"consumer_warpgroups": 4})


class TestZipped:
    def test_sizes(self) -> None:
        message = refused(
            "sync", t_mma=xr.DataArray([1, 2], dims="p"), t_latency=xr.DataArray([1], dims="p")
        )
        assert message == "t_latency: length 1 along dimension 'p', but t_mma has 2"

    @pytest.mark.parametrize("other", [[1, 3], ["a", "b"]])
    def test_coordinates(self, other: list[Any]) -> None:
        a = xr.DataArray([1, 2], dims="p", coords={"p": [1, 2]})
        b = xr.DataArray([1, 2], dims="p", coords={"p": other})
        assert "coordinate along 'p' differs" in refused("sync", t_mma=a, t_latency=b)

    def test_coordinate_of_an_axis(self) -> None:
        issue = xr.DataArray([1.0, 2.0], dims="stages", coords={"stages": [2, 4]})
        assert "(3 and 4 at 1)" in refused("multistage", t_issue=issue, stages=[2, 3])

    def test_axis_and_its_own_coordinate(self) -> None:
        stages = xr.DataArray([2, 3], dims="stages", coords={"stages": [4, 5]})
        assert "coordinate along 'stages' differs" in refused("multistage", stages=stages)

    def test_names_of_schedules(self) -> None:
        issue = xr.DataArray([1, 2], dims="schedule", coords={"schedule": ["sync", "pingpong"]})
        assert "differs" in refused(["sync", "multistage"], t_issue=issue)


@pytest.mark.parametrize("extra", [{}, {"k_tiles": 4}, {"k_tiles": xr.DataArray([4], dims="p")}])
def test_dimension_named_after_another_parameter(extra: dict[str, Any]) -> None:
    message = refused("sync", t_latency=xr.DataArray([1.0], dims="k_tiles"), **extra)
    assert message.startswith("t_latency: dimension 'k_tiles' has the name of a parameter")


def test_dimension_named_after_an_output() -> None:
    assert "has the name of an output" in refused(
        "sync", t_latency=xr.DataArray([1.0], dims="cycles")
    )


def test_dimension_schedule_without_an_axis() -> None:
    array = xr.DataArray([1.0], dims="schedule")
    assert "give a list of schedules" in refused("sync", t_latency=array)
    assert "length 1" in refused(["sync", "multistage"], t_latency=array)


def test_dimension_without_a_text_name() -> None:
    assert "text name" in refused("sync", t_latency=xr.DataArray([1.0], dims=[3]))


def test_wrong_units() -> None:
    array = xr.DataArray([1.0], dims="p", attrs={"units": "ns"})
    assert (
        refused("sync", t_latency=array) == "t_latency: given in units of 'ns', must be in 'cycle'"
    )


class TestExactness:
    """Above 2**43 cycles steps of 1/1024 cycle are not exact."""

    def test_one_duration(self) -> None:
        assert f"at most {EXACT_CYCLES} cycle" in refused("sync", t_latency=float(2**44))

    def test_sum_over_a_run(self) -> None:
        message = refused("sync", t_latency=2.0**40)
        assert message.startswith("t_latency=1.09951e+12 cycle with k_tiles=64: ")
        assert str(EXACT_CYCLES) in message
        resolve("sync", {"t_latency": 2.0**36})

    def test_an_epilogue_counts_once_a_tile(self) -> None:
        resolve("sync", {"t_epilogue": 2.0**42, "k_tiles": 64})
        message = refused("sync", t_epilogue=2.0**43 - 1, k_tiles=1)
        assert message.startswith("t_epilogue=8.79609e+12 cycle with k_tiles=1: ")
        refused("persistent", t_epilogue=2.0**42, k_tiles=64, output_tiles=2)

    def test_counts(self) -> None:
        assert "with k_tiles=" in refused("persistent", k_tiles=2**30, output_tiles=2**10)

    def test_steps_without_duration(self) -> None:
        none = dict.fromkeys(SCHEDULES["persistent"].durations, 0)
        assert "steps" in refused("persistent", k_tiles=2**40, output_tiles=2**40, **none)

    def test_zipped_points_are_judged_one_by_one(self) -> None:
        k_tiles = xr.DataArray([1, 2**40], dims="point")
        zero = dict.fromkeys(SCHEDULES["sync"].durations, 0)
        fits = {**zero, "t_mma": xr.DataArray([2.0**42, 1.0], dims="point"), "k_tiles": k_tiles}
        resolve("sync", fits)
        refused("sync", **{**fits, "t_mma": xr.DataArray([2.0**42, 9.0], dims="point")})

    def test_tiny_rates(self) -> None:
        assert "2**43" in refused("sync", mem_bytes_per_cycle=1e-300)
