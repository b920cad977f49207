"""How many output tiles and CTAs an SM runs, and how they share it, in every schedule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sweep
from sweep.catalogue.discovery import discover
from sweep.errors import InputError
from sweep.inputs.space import resolve
from sweep.quantities.variables import RESIDENCY, VARIABLES
from sweep.results.points import event_parameters
from tests.support.own_schedules import DRAINED

SCHEDULES = discover()
DTYPES = {"duration": np.float64, "count": np.int64, "choice": np.int8}


@pytest.mark.parametrize("name", SCHEDULES)
def test_values_always_hold_them(name: str) -> None:
    schedule = SCHEDULES[name]
    space = resolve(name, {})
    values = {one: space.values[0][one] for one in RESIDENCY}
    for one, array in values.items():
        assert array.dtype == DTYPES[VARIABLES[one].kind]
    found = {one: array.item() for one, array in values.items()}
    level = schedule.tile_level
    assert found == {
        "output_tiles": 8 if level else 1,
        "ctas_per_sm": 1,
        "tile_scheduler": 1 if level else 0,
        "t_launch": 0.0,
        "t_stagger": 0.0,
        "arbitration": 0,
    }
    told = event_parameters(space)
    assert told["tile_scheduler"] == ("static_persistent" if level else "single")
    assert told["arbitration"] == "ordered"


@pytest.mark.parametrize("name", SCHEDULES)
def test_they_are_coordinates_only_where_given(name: str) -> None:
    shown = set(RESIDENCY) & set(resolve(name, {}).coords)
    assert shown == set(RESIDENCY) & set(SCHEDULES[name].parameters)
    given: dict[str, Any] = {
        "output_tiles": [1, 3],
        "ctas_per_sm": 1,
        "tile_scheduler": "single",
        "t_launch": 2.5,
        "t_stagger": [0, 4],
        "arbitration": "alternate",
    }
    space = resolve(name, given)
    assert set(RESIDENCY) <= set(space.coords)
    assert space.dims == {"output_tiles": 2, "t_stagger": 2}


def test_service_is_fifo_by_default_where_ctas_share_an_sm() -> None:
    space = resolve("sync", {"ctas_per_sm": [1, 2, 3]})
    assert space.values[0]["arbitration"].tolist() == [0, 1, 1]
    assert "arbitration" not in space.coords
    shown = resolve("attention_pingpong", {"ctas_per_sm": [1, 2]}).coords["arbitration"]
    assert shown[0] == ("ctas_per_sm",)
    assert shown[1].tolist() == ["ordered", "fifo"]
    given = resolve("sync", {"ctas_per_sm": [1, 2], "arbitration": "alternate"})
    assert given.values[0]["arbitration"].tolist() == [2]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"ctas_per_sm": [1, 2], "arbitration": "ordered"},
            "arbitration='ordered': nothing orders ctas_per_sm=2 CTAs; give arbitration='fifo' or",
        ),
        ({"ctas_per_sm": 0}, "ctas_per_sm=0: must be at least 1"),
        ({"ctas_per_sm": 1025}, "ctas_per_sm=1025: must be at most 1024"),
        ({"t_launch": -1}, "t_launch=-1 cycle: must be at least 0"),
        ({"tile_scheduler": "persistent"}, "unknown tile_scheduler 'persistent'"),
        ({"t_launch": 2**42, "output_tiles": 2}, "t_launch=4.39.*e\\+12 cycle with k_tiles=64"),
        ({"t_stagger": 2**42, "ctas_per_sm": 2}, "t_stagger=4.39.*e\\+12 cycle with"),
        ({"output_tiles": 2**40}, "a run of 7.*e\\+13 steps is longer"),
    ],
)
def test_refusals(given: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        resolve("sync", given)


def test_loops_of_ones_own_count_towards_the_length_of_a_run() -> None:
    resolve(DRAINED, {"t_report": 1, "parts_count": 2**20, "t_drain": 2.0**19})
    with pytest.raises(InputError, match=r"t_drain=.* with k_tiles=64, parts_count=1048576, out"):
        resolve(DRAINED, {"t_report": 1, "parts_count": 2**20, "t_drain": 2.0**20})


class TestBlocksOfAttention:
    def test_defaults_are_those_of_a_warpgroup(self) -> None:
        for name, rows in (("attention_serial", 64), ("attention_pingpong", 128)):
            values = resolve(name, {}).values[0]
            found = [values[one].item() for one in ("block_m", "block_n", "head_dim_v")]
            assert found == [rows, 128, 128]
            assert values["t_exp"] == 512
        assert not {"block_m", "block_n", "head_dim_v"} & set(
            resolve("attention_serial", {}).coords
        )

    def test_durations_follow_from_them(self) -> None:
        where = {"block_m": 256, "block_n": 80, "head_dim": 256, "head_dim_v": 128}
        values = resolve("attention_pingpong", where).values[0]
        assert values["t_gemm0"] == 2 * 128 * 80 * 256 / 4096
        assert values["t_gemm1"] == 2 * 128 * 80 * 128 / 4096
        assert values["t_exp"] == 128 * 80 / 16
        assert values["t_softmax"] == 4 * 128 * 80 / 128
        assert values["flop_per_step"] == 2 * 256 * 80 * (256 + 128)

    def test_a_given_gemm_wins(self) -> None:
        values = resolve("attention_serial", {"t_gemm": 9, "head_dim_v": 64}).values[0]
        assert (values["t_gemm0"], values["t_gemm1"]) == (9, 9)

    def test_they_are_axes(self) -> None:
        ds = sweep.run("attention_serial", block_n=[64, 128], head_dim_v=[64, 128])
        assert ds.sizes == {"block_n": 2, "head_dim_v": 2}
        assert (
            ds.cycles.sel(block_n=128, head_dim_v=128) == sweep.simulate("attention_serial").cycles
        )
        with pytest.raises(InputError, match=r"block_n: has no effect on sync; .*give tile="):
            resolve("sync", {"block_n": 64})
