"""From what a user types to the arrays a kernel eats: dimensions, coordinates, defaults."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr

from sweep.catalogue.discovery import discover
from sweep.hardware.gpu import GPUS
from sweep.inputs.rules import OCCUPANCY, rules_of, uses
from sweep.inputs.space import Space, resolve
from sweep.quantities.variables import PARAMETERS, VARIABLES

SCHEDULES = discover()


def value(space: Space, name: str, schedule: int = 0) -> Any:
    return np.squeeze(space.values[schedule][name]).tolist()


def coordinate(space: Space, name: str) -> tuple[tuple[str, ...], Any]:
    dims, array = space.coords[name]
    return dims, array.tolist()


@pytest.mark.parametrize("name", SCHEDULES)
class TestEverySchedule:
    def test_defaults(self, name: str) -> None:
        space = resolve(name, {})
        schedule = SCHEDULES[name]
        values = space.values[0]
        assert set(values) == {
            *rules_of(schedule).needed,
            *OCCUPANCY,
            "default_block",
            "default_scales",
            "flop" if schedule.flop else "flop_per_step",
            *(f"ring:{ring.name}" for ring in schedule.rings),
            "known",
            "impossible",
        }
        assert (space.dims, space.grid, space.points) == ({}, (), 1)
        for parameter in schedule.parameters:
            kind = VARIABLES[parameter].kind
            dtype = {"duration": np.float64, "count": np.int64, "choice": np.int8}[kind]
            assert values[parameter].dtype == dtype
            assert values[parameter].shape == ()
            assert space.coords[parameter][0] == ()

    def test_each_parameter_can_be_an_axis(self, name: str) -> None:
        """Each accepts its own default as an axis of one, which then has that dimension."""
        for parameter in uses(SCHEDULES[name]) & set(PARAMETERS):
            variable = VARIABLES[parameter]
            first = variable.choices[0] if variable.choices else variable.default
            if first is None:
                card = GPUS[SCHEDULES[name].defaults.get("gpu", "lecture")]
                first = card.value(parameter) if variable.kind == "gpu_field" else 2
            space = resolve(name, {parameter: [first]})
            assert space.dims == {parameter: 1}
            assert space.coords[parameter][0] == (parameter,)
            for array in space.values[0].values():
                assert array.shape == (1,)

    def test_grid_is_never_materialised(self, name: str) -> None:
        loop = SCHEDULES[name].loop
        space = resolve(name, {loop: range(1, 1001), "fma_lanes": np.arange(1.0, 1001.0)})
        assert space.points == 10**6
        assert max(array.size for array in space.values[0].values()) <= 1000


def test_defaults_are_the_published_ones() -> None:
    space = resolve("persistent", {})
    expected = {
        "stages": 4,
        "k_tiles": 64,
        "output_tiles": 8,
        "t_issue": 10,
        "t_transfer": 768,
        "t_latency": 700,
        "t_mma": 1024,
        "t_epilogue": 1280,
        "t_sync": 0,
        "t_mma_latency": 0,
        "mma_in_flight": 0,
        "release": 0,
        "flop_per_step": 2 * 128 * 256 * 64,
        "consumer_warpgroups": 1,
    }
    assert {name: value(space, name) for name in expected} == expected
    assert coordinate(space, "release") == ((), "consumer")
    assert coordinate(space, "gpu") == ((), "lecture")
    assert coordinate(space, "tile") == ((), "128x256x64")


def test_dimensions_in_the_order_given_schedule_first() -> None:
    space = resolve(["sync", "multistage"], {"t_latency": [1, 2, 3], "stages": range(2, 4)})
    assert space.dims == {"schedule": 2, "t_latency": 3, "stages": 2}
    assert list(space.coords)[:3] == ["schedule", "t_latency", "stages"]
    assert space.grid == (3, 2)
    assert space.values[1]["stages"].shape == (1, 2)
    assert space.values[0]["t_latency"].shape == (3, 1)
    assert space.points == 12


def test_a_sequence_of_one_schedule_is_an_axis() -> None:
    assert resolve(["sync"], {}).dims == {"schedule": 1}
    assert resolve(np.array(["sync", "multistage"]), {}).dims == {"schedule": 2}
    assert resolve(SCHEDULES["sync"], {}).dims == {}


def test_schedule_defaults_become_coordinates_over_schedule() -> None:
    names = ["multistage", "warp_specialized", "attention_serial", "attention_pingpong"]
    space = resolve(names, {})
    dims, issue = coordinate(space, "t_issue")
    assert dims == ("schedule",)
    assert issue[:2] == [100, 10]
    assert np.isnan(issue[2:]).all()
    assert coordinate(space, "kv_blocks") == (("schedule",), [0, 0, 32, 16])
    assert coordinate(space, "loader") == (("schedule",), ["cp_async", "tma", "", ""])
    assert coordinate(space, "t_mma") == ((), 1024)
    assert coordinate(space, "consumer_warpgroups") == ((), 2)


def test_one_loader_for_all() -> None:
    space = resolve(["multistage", "warp_specialized"], {"loader": "tma"})
    assert coordinate(space, "t_issue") == ((), 10)


def test_schedule_coordinate_keeps_other_dimensions() -> None:
    space = resolve(["multistage", "warp_specialized"], {"loader": ["tma", "cp_async"]})
    assert coordinate(space, "t_issue") == (("loader",), [10, 100])
    space = resolve(["sync", "attention_serial"], {"gpu": ["lecture", "h100_sxm"]})
    assert coordinate(space, "t_latency") == (("gpu",), [700, 483])


def test_derived_coordinates_have_the_dimensions_they_depend_on() -> None:
    given = {
        "tile": ["128x256x64", (128, 128, 64)],
        "mem_bytes_per_cycle": [64.0],
        "stages": [2, 3],
    }
    space = resolve("warp_specialized", given)
    assert coordinate(space, "tile") == (("tile",), ["128x256x64", "128x128x64"])
    assert coordinate(space, "t_transfer") == (("tile", "mem_bytes_per_cycle"), [[768], [512]])
    assert coordinate(space, "t_mma") == (("tile",), [1024, 512])
    assert coordinate(space, "t_latency") == ((), 700)


def test_gpu_axis() -> None:
    space = resolve("sync", {"gpu": ["lecture", "h100_sxm"]})
    assert value(space, "sm_count") == [132, 132]
    assert value(space, "t_transfer") == [768, round(49_152 / 34 * 1024) / 1024]
    assert [gpu.name for gpu in space.gpus] == ["lecture", "h100_sxm"]


def test_gpu_field_overrides_every_gpu() -> None:
    space = resolve("sync", {"gpu": ["lecture", "h100_sxm"], "mem_bytes_per_cycle": 32})
    assert coordinate(space, "t_transfer") == ((), 1536)
    assert coordinate(space, "mem_bytes_per_cycle") == ((), 32)
    assert "clock_hz" not in space.coords


def test_element_type_axis_over_gpus() -> None:
    given = {"gpu": ["h100_sxm", "b200"], "element_type": ["bf16", "fp8"]}
    assert value(resolve("sync", given), "t_mma") == [[1024, 512], [512, 256]]


def test_a_cycle_parameter_wins() -> None:
    space = resolve("sync", {"t_mma": 500, "tile": "64x64x64", "latency_cycles": 3, "t_latency": 9})
    assert (value(space, "t_mma"), value(space, "t_latency")) == (500, 9)
    assert value(space, "flop_per_step") == 2 * 64**3
    assert coordinate(space, "latency_cycles") == ((), 3)


def test_t_gemm_sets_both_unless_given() -> None:
    space = resolve("attention_serial", {"t_gemm": [256, 512], "t_gemm1": 100})
    assert (value(space, "t_gemm0"), value(space, "t_gemm1")) == ([256, 512], 100)


def test_k_sets_k_tiles() -> None:
    assert value(resolve("sync", {"k": 4097}), "k_tiles") == 65
    assert value(resolve("sync", {"k": 4096, "tile": ["64x64x64", "64x64x32"]}), "k_tiles") == [
        64,
        128,
    ]
    assert value(resolve("sync", {"k": 4097, "k_tiles": 65}), "k_tiles") == 65


def test_useful_work() -> None:
    assert value(resolve("attention_serial", {}), "flop_per_step") == 4 * 64 * 128 * 128
    assert value(resolve("attention_pingpong", {}), "flop_per_step") == 2 * 4 * 64 * 128 * 128
    assert np.isnan(value(resolve("sync", {"t_mma": 5}), "flop_per_step"))
    assert not resolve("sync", {"t_mma": 5}).values[0]["known"].any()


def test_what_is_not_used_is_no_coordinate() -> None:
    given = {"t_transfer": 1, "t_mma": 2, "t_epilogue": 3, "t_latency": 4, "t_issue": 5}
    space = resolve("sync", given)
    assert not {"tile", "cluster", "loader", "epilogue_weight"} & set(space.coords)


def test_choices_are_codes_in_order() -> None:
    space = resolve("warp_specialized", {"release": ["hardware", "consumer"]})
    assert value(space, "release") == [1, 0]
    assert coordinate(space, "release") == (("release",), ["hardware", "consumer"])
    assert value(resolve("attention_serial", {"arbitration": "fifo"}), "arbitration") == 1


@pytest.mark.parametrize(
    "axis",
    [
        [2, 3],
        (2, 3),
        range(2, 4),
        np.array([2, 3]),
        np.array([2.0, 3.0]),
        np.array([2, 3], dtype=np.uint8),
        [2.0, 3],
        [np.int32(2), np.float32(3)],
        np.array([2, 3], dtype=object),
        xr.DataArray([2, 3], dims="stages"),
        xr.DataArray([2, 3], dims="stages", coords={"stages": [2, 3]}),
        xr.Variable("stages", [2, 3]),
    ],
    ids=lambda axis: f"{type(axis).__name__}",
)
def test_kinds_of_axes(axis: Any) -> None:
    space = resolve("multistage", {"stages": axis})
    assert space.dims == {"stages": 2}
    assert coordinate(space, "stages") == (("stages",), [2, 3])
    assert space.values[0]["stages"].dtype == np.int64


@pytest.mark.parametrize(
    "scalar", [4, 4.0, np.int8(4), np.float32(4), np.array(4), xr.DataArray(4)]
)
def test_kinds_of_scalars(scalar: Any) -> None:
    space = resolve("multistage", {"stages": scalar})
    assert (space.dims, value(space, "stages")) == ({}, 4)


def test_numbers_may_repeat_in_an_axis() -> None:
    assert coordinate(resolve("multistage", {"stages": [3, 2, 3]}), "stages")[1] == [3, 2, 3]


def test_cycle_parameters_lie_on_the_grid() -> None:
    space = resolve("sync", {"t_latency": [0.1, 1 / 2048, 3 / 2048], "t_mma": 0.1})
    assert value(space, "t_latency") == [102 / 1024, 0, 2 / 1024]
    assert value(space, "t_mma") == 102 / 1024
    assert coordinate(space, "t_latency")[1] == [0.1, 1 / 2048, 3 / 2048]
    assert coordinate(space, "t_mma")[1] == 0.1


def test_a_tuple_of_numbers_is_one_shape() -> None:
    space = resolve("sync", {"tile": (64, 64, 64), "cluster": (2, 1), "loader": "tma"})
    assert space.dims == {}
    assert (coordinate(space, "tile")[1], coordinate(space, "cluster")[1]) == ("64x64x64", "2x1")
    assert resolve("sync", {"tile": ("64x64x64", "64x64x32")}).dims == {"tile": 2}
    assert resolve("sync", {"cluster": [(2, 1), [1, 2]]}).dims == {"cluster": 2}


class TestDataArrays:
    def test_own_dimensions_and_coordinates(self) -> None:
        latency = xr.DataArray(
            [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
            dims=("unit", "point"),
            coords={"point": [10, 20, 30], "batch": ("unit", ["a", "b"])},
        )
        space = resolve("sync", {"k_tiles": [1, 2], "t_latency": latency})
        assert space.dims == {"k_tiles": 2, "unit": 2, "point": 3}
        assert coordinate(space, "point") == (("point",), [10, 20, 30])
        assert coordinate(space, "batch") == (("unit",), ["a", "b"])
        assert "unit" not in space.coords
        assert coordinate(space, "t_latency") == (("unit", "point"), latency.values.tolist())

    def test_shared_dimensions_are_zipped_and_transposed(self) -> None:
        a = xr.DataArray(np.arange(6.0).reshape(2, 3), dims=("p", "q"))
        b = xr.DataArray(np.arange(6.0).reshape(3, 2), dims=("q", "p"))
        space = resolve("sync", {"t_mma": a, "t_latency": b})
        assert space.dims == {"p": 2, "q": 3}
        assert value(space, "t_latency") == b.values.T.tolist()

    def test_along_another_parameter(self) -> None:
        issue = xr.DataArray([1.0, 2.0], dims="stages", coords={"stages": [2, 3]})
        space = resolve("multistage", {"t_issue": issue, "stages": [2, 3]})
        assert space.dims == {"stages": 2}
        assert value(space, "t_issue") == [1, 2]

    def test_along_schedule(self) -> None:
        issue = xr.DataArray(
            [1.0, 2.0], dims="schedule", coords={"schedule": ["sync", "multistage"]}
        )
        space = resolve(["sync", "multistage"], {"t_issue": issue})
        assert [value(space, "t_issue", i) for i in (0, 1)] == [1, 2]
        assert coordinate(space, "t_issue") == (("schedule",), [1, 2])

    def test_text(self) -> None:
        tiles = xr.DataArray(["64x64x64", "64x64x32", "64x64x64"], dims="point")
        space = resolve("sync", {"tile": tiles, "k": 128})
        assert value(space, "k_tiles") == [2, 4, 2]
        assert coordinate(space, "tile") == (("point",), tiles.values.tolist())

    def test_coordinates_named_after_quantities_give_way(self) -> None:
        latency = xr.DataArray([1.0], dims="point", coords={"stages": 9, "t_mma": ("point", [5])})
        space = resolve("multistage", {"t_latency": latency})
        assert coordinate(space, "stages") == ((), 4)
        assert coordinate(space, "t_mma") == ((), 1024)

    def test_right_units_pass(self) -> None:
        latency = xr.DataArray([1.0], dims="point", attrs={"units": "cycle"})
        assert resolve("sync", {"t_latency": latency}).dims == {"point": 1}

    def test_a_million_zipped_points(self) -> None:
        n = 10**6
        stages = xr.DataArray(np.arange(n) % 7 + 1, dims="point")
        latency = xr.DataArray(np.arange(n, dtype=float), dims="point")
        space = resolve("warp_specialized", {"stages": stages, "t_latency": latency})
        assert space.points == n
        assert space.values[0]["t_mma"].shape == (1,)


def test_a_gpu_of_ones_own() -> None:
    import dataclasses

    mine = dataclasses.replace(GPUS["h100_sxm"], name="mine", mem_bytes_per_cycle=48)
    space = resolve("sync", {"gpu": ["h100_sxm", mine]})
    assert coordinate(space, "gpu") == (("gpu",), ["h100_sxm", "mine"])
    assert value(space, "t_transfer")[1] == 1024
    assert mine in space.gpus


def test_no_mutation_of_what_was_given() -> None:
    stages = np.array([2, 3])
    space = resolve("multistage", {"stages": stages})
    stages[0] = 7
    assert coordinate(space, "stages")[1] == [2, 3]
