"""Coordinates keep what was passed, and named dimensions meet as in xarray and pandas."""

from __future__ import annotations

import dataclasses
import itertools
import tomllib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import sweep
from sweep.errors import InputError, quoted, shorten
from sweep.hardware.gpu import GPUS
from sweep.inputs.reading import (
    number_row,
    read_flag,
    read_number,
    read_numbers,
    read_object,
    read_scalar,
)
from sweep.inputs.space import resolve
from sweep.inputs.space_file import parse_space
from sweep.storage.store import write_sweep

SEVEN = np.linspace(100, 2000, 7)
SHORT = {"k_tiles": 4}


def refused(call: Any, *arguments: Any, **named: Any) -> str:
    with pytest.raises(InputError) as caught:
        call(*arguments, **named)
    message = str(caught.value)
    assert message.isprintable()
    return message


class TestCoordinatesKeepWhatWasPassed:
    def test_every_own_value_is_found(self) -> None:
        ds = sweep.run("multistage", t_latency=SEVEN, **SHORT)
        assert ds.t_latency.values.tolist() == SEVEN.tolist()
        for value in SEVEN:
            assert ds.cycles.sel(t_latency=value).size == 1

    def test_a_measurement_on_the_same_axis_meets_all_points(self) -> None:
        ds = sweep.run("multistage", t_latency=SEVEN, **SHORT)
        measured = xr.DataArray(np.ones(7), dims="t_latency", coords={"t_latency": SEVEN})
        assert (ds.cycles - measured).sizes == {"t_latency": 7}

    def test_values_that_round_to_the_same(self) -> None:
        ds = sweep.run("sync", t_latency=[300, 300.0001], **SHORT)
        assert ds.t_latency.values.tolist() == [300, 300.0001]
        assert ds.cycles[0] == ds.cycles[1]

    def test_attributes_say_how_a_value_is_held(self) -> None:
        ds = sweep.run("sync", latency_cycles=[300.1], **SHORT)
        for name in ("latency_cycles", "t_latency", "t_mma"):
            assert ds[name].attrs["rounding"] == "held inside on a grid of 1/1024 cycle"
        assert "rounding" not in ds["k_tiles"].attrs
        assert "rounding" not in ds["cycles"].attrs

    def test_derived_coordinates_hold_what_was_used(self) -> None:
        ds = sweep.run("sync", latency_cycles=[300.1], **SHORT)
        assert ds.latency_cycles.item() == 300.1
        assert ds.t_latency.item() == round(300.1 * 1024) / 1024

    def test_along_schedules(self) -> None:
        latency = xr.DataArray(
            [0.1, 0.2], dims="schedule", coords={"schedule": ["sync", "multistage"]}
        )
        ds = sweep.run(["sync", "multistage"], t_latency=latency, **SHORT)
        assert ds.t_latency.values.tolist() == [0.1, 0.2]

    def test_arrays_of_points(self) -> None:
        points = xr.DataArray(SEVEN, dims="point")
        ds = sweep.run("sync", t_mma=points, t_latency=points / 3, **SHORT)
        assert ds.t_mma.values.tolist() == SEVEN.tolist()
        assert ds.t_latency.values.tolist() == (SEVEN / 3).tolist()

    def test_coordinate_of_an_axis_that_an_array_brings(self) -> None:
        issue = xr.DataArray(SEVEN, dims="t_latency", coords={"t_latency": SEVEN})
        ds = sweep.run("sync", t_issue=issue, t_latency=SEVEN, **SHORT)
        assert ds.sizes == {"t_latency": 7}

    def test_space_files(self) -> None:
        text = 'schedule = "sync"\n[parameters]\nt_mma = [0.1, 0.2]\nt_latency = 0.3'
        schedule, parameters = parse_space(tomllib.loads(text))
        space = resolve(schedule, parameters)
        assert space.coords["t_mma"][1].tolist() == [0.1, 0.2]
        assert space.coords["t_latency"][1].item() == 0.3

    def test_a_store_is_gone_on_with_by_the_values_passed(self, tmp_path: Path) -> None:
        path = tmp_path / "found.zarr"
        space = resolve("sync", {"t_mma": [0.1, 0.2], "k_tiles": 2})
        write_sweep(space, path)
        assert write_sweep(space, path, resume=True).kept == 2
        assert xr.open_zarr(path).t_mma.values.tolist() == [0.1, 0.2]
        other = resolve("sync", {"t_mma": [0.1, 0.2000001], "k_tiles": 2})
        assert "t_mma differs" in refused(write_sweep, other, path, resume=True)

    def test_one_point(self) -> None:
        one = sweep.simulate("sync", t_mma=0.1, k_tiles=1)
        assert one.t_mma == 0.1
        assert one.cycles % (1 / 1024) == 0

    def test_bounds_and_closed_forms_round_as_the_engine_does(self) -> None:
        from analysis.bounds import bound_dataset
        from analysis.causes.idle_time import idle_time
        from figures.charts.closed_form_points import closed_form_cycles

        ds = sweep.run("sync", t_mma=[0.1, 0.3], t_latency=0.7, **SHORT)
        assert (bound_dataset(ds).bound <= ds.cycles).all()
        assert (closed_form_cycles(ds, "sync") == ds.cycles).all()
        assert (idle_time(ds).tc_idle_time <= ds.cycles).all()


class TestPandas:
    def test_columns_of_one_frame_are_zipped(self) -> None:
        frame = pd.DataFrame({"stages": [2, 3, 4], "t_mma": [10.0, 20.0, 30.0]})
        ds = sweep.run("multistage", stages=frame.stages, t_mma=frame["t_mma"], **SHORT)
        assert ds.sizes == xr.DataArray(frame.stages).sizes == {"dim_0": 3}
        assert ds.stages.values.tolist() == [2, 3, 4]
        alone = [sweep.simulate("multistage", stages=s, t_mma=t, **SHORT) for s, t in frame.values]
        assert ds.cycles.values.tolist() == [one.cycles for one in alone]

    def test_a_named_index_is_the_dimension(self) -> None:
        index = pd.Index(["a", "b"], name="kernel")
        tiles = pd.Series(["64x64x64", "64x64x32"], index=index)
        ds = sweep.run("sync", tile=tiles, t_sync=pd.Series([1, 2], index=index), **SHORT)
        assert ds.sizes == {"kernel": 2}
        assert ds.kernel.values.tolist() == ["a", "b"]
        assert ds.sel(kernel="b").tile.item() == "64x64x32"

    def test_beside_a_plain_axis(self) -> None:
        ds = sweep.run("multistage", stages=[2, 3], t_mma=pd.Series([1, 2, 3]), **SHORT)
        assert ds.sizes == {"stages": 2, "dim_0": 3}

    def test_an_index_alone_is_an_axis(self) -> None:
        ds = sweep.run("sync", t_mma=pd.Index([1.0, 2.0], name="other"), **SHORT)
        assert ds.sizes == {"t_mma": 2}

    def test_an_index_named_after_another_axis(self) -> None:
        issue = pd.Series([1, 2], index=pd.Index([2, 3], name="stages"))
        ds = sweep.run("multistage", t_issue=issue, stages=[2, 3], **SHORT)
        assert ds.sizes == {"stages": 2}

    def test_indices_that_differ(self) -> None:
        message = refused(
            sweep.run, "sync", t_mma=pd.Series([1, 2]), t_latency=pd.Series([1, 2], index=[0, 2])
        )
        assert message == (
            "t_latency: its coordinate along 'dim_0' differs from that of the other arguments"
            " (1 and 2 at 1)"
        )
        assert "length 1" in refused(
            sweep.run, "sync", t_mma=pd.Series([1, 2]), t_latency=pd.Series([1])
        )

    def test_several_levels(self) -> None:
        levels = pd.MultiIndex.from_product([[1, 2], [3]], names=["a", "b"])
        series = pd.Series([1, 2], index=levels)
        stacked = xr.DataArray([1, 2], dims="x").expand_dims("y").stack(point=("x", "y"))
        plain = xr.DataArray([1, 2], dims="point", coords={"point": [5, 6]})
        assert "2 levels" in refused(sweep.run, "sync", t_mma=series)
        assert "MultiIndex" in refused(sweep.run, "sync", t_mma=levels)
        assert "2 levels" in refused(sweep.run, "sync", t_latency=plain, t_mma=stacked)
        apart = stacked.reset_index("point")
        assert sweep.run("sync", t_mma=apart, **SHORT).sizes == {"point": 2}

    def test_whole_tables(self) -> None:
        frame, ds = pd.DataFrame({"a": [1]}), xr.Dataset({"a": ("x", [1])})
        assert refused(sweep.run, "sync", t_mma=frame).startswith("t_mma: a DataFrame")
        assert refused(sweep.run, "sync", t_mma=ds).startswith("t_mma: a Dataset")


class TestXarray:
    def test_a_dimension_twice(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            square = xr.DataArray(np.ones((2, 2)), dims=("p", "p"))
        assert "'p' twice" in refused(sweep.run, "sync", t_mma=square)

    @pytest.mark.parametrize("units", [[1, 2], np.array(["cycle"]), 1, {}])
    def test_units_that_are_no_text(self, units: Any) -> None:
        array = xr.DataArray([1.0], dims="p", attrs={"units": units})
        assert "must be in 'cycle'" in refused(sweep.run, "sync", t_mma=array)

    def test_coordinates_that_are_not_numbers_are_equal_to_themselves(self) -> None:
        for values in ([np.nan, 1.0], ["a", "b"], np.array(["2020", "2021"], "M8[D]")):
            array = xr.DataArray([1.0, 2.0], dims="p", coords={"p": values})
            ds = sweep.run("sync", t_mma=array, t_latency=array, **SHORT)
            assert ds.sizes == {"p": 2}

    def test_text_as_objects_becomes_text(self) -> None:
        names = np.array(["a", "b"], dtype=object)
        array = xr.DataArray([1.0, 2.0], dims="p", coords={"p": names})
        assert resolve("sync", {"t_mma": array}).coords["p"][1].dtype.kind == "U"

    def test_zarr_takes_a_result_without_a_word_about_text(self, tmp_path: Path) -> None:
        ds = sweep.run(["sync", "multistage"], gpu=["lecture", "h100_sxm"], **SHORT)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ds.to_zarr(tmp_path / "x.zarr")
        assert not [one for one in caught if "Consolidated metadata" not in str(one.message)]
        assert xr.open_zarr(tmp_path / "x.zarr").identical(ds)


class TestRefusals:
    def test_schedules_without_end(self) -> None:
        assert "is there twice" in refused(sweep.run, itertools.repeat("sync"))
        assert "unknown schedule" in refused(sweep.run, itertools.count())
        schedule = sweep.SCHEDULES["sync"]
        endless = (dataclasses.replace(schedule, name=f"s{i}") for i in itertools.count())
        assert "more than" in refused(sweep.run, endless)

    def test_long_ranges(self) -> None:
        assert "must be at most" in refused(sweep.run, "sync", t_mma=range(10**30))
        assert "of memory" in refused(sweep.run, "sync", t_mma=range(10**12))
        assert "must be at least" in refused(sweep.run, "sync", t_mma=range(-(10**30), 0))
        assert resolve("sync", {"t_mma": range(7, 0, -3)}).coords["t_mma"][1].tolist() == [7, 4, 1]

    def test_products_of_axes_that_a_value_needs_whole(self) -> None:
        many = np.linspace(1000, 2000, 10**5)
        message = refused(
            resolve, "attention_serial", {"head_dim": range(1, 10**5), "tc_flop_per_cycle": many}
        )
        assert "depends on head_dim (99,999) x tc_flop_per_cycle (100,000)" in message

    def test_a_duration_names_what_it_follows_from(self) -> None:
        message = refused(sweep.run, "sync", mem_bytes_per_cycle=1e-300)
        assert message.startswith("t_transfer=4.9152e+304 cycle (from mem_bytes_per_cycle) with")

    def test_two_gpus_of_one_name(self) -> None:
        other = dataclasses.replace(GPUS["h100_sxm"], clock_hz=1e9)
        assert "'h100_sxm' is there twice" in refused(sweep.run, "sync", gpu=["h100_sxm", other])

    def test_element_rates_of_a_gpu(self) -> None:
        for rate in (0, -1, float("nan"), "x", True):
            mine = dataclasses.replace(GPUS["h100_sxm"], element_rates={"bf16": rate})
            assert "gpu.element_rates['bf16']=" in refused(sweep.run, "sync", gpu=mine)

    def test_progress(self, capsys: pytest.CaptureFixture[str]) -> None:
        for progress in (True, False):
            sweep.run("sync", progress=progress, **SHORT)
        assert capsys.readouterr().err == ""
        assert refused(sweep.run, "sync", progress="yes").startswith("progress='yes': ")

    def test_where_feasible_wants_the_flag(self) -> None:
        words = xr.Dataset({"feasible": ("p", ["yes", "no"])})
        assert "'feasible'" in refused(sweep.where_feasible, words)
        assert "'feasible'" in refused(sweep.where_feasible, xr.Dataset())

    def test_times(self) -> None:
        for value in (np.timedelta64(1, "ns"), np.array([1], "m8[ns]")):
            assert refused(sweep.run, "sync", t_latency=value) == (
                "t_latency=np.timedelta64(1,'ns'): must be a number (in cycle), not timedelta64"
            )


class TestSingleFunctions:
    def test_shapes_follow_numpy(self) -> None:
        assert read_number("x", [[1, 2], [3, 4]]).shape == (2, 2)
        assert read_number("x", pd.Index([1, 2])).tolist() == [1, 2]
        assert read_scalar("x", np.float32(2), whole=True) == 2
        assert "one number" in refused(read_scalar, "x", [1, 2])
        assert "different lengths" in refused(read_number, "x", [[1], [1, 2]])
        assert "empty" in refused(read_number, "x", [])

    def test_limits_and_names(self) -> None:
        row = number_row("row", "byte", whole=True, lower=1, upper=8)
        assert refused(read_number, "mine", 9, row) == "mine=9 byte: must be at most 8 byte"
        assert refused(read_number, "mine", 0, row) == "mine=0 byte: must be at least 1 byte"
        assert "whole" in refused(read_number, "mine", 1.5, row)

    def test_named_dimensions_meet(self) -> None:
        rows = {name: number_row(name) for name in "mn"}
        series = read_numbers({"m": pd.Series([1, 2]), "n": pd.Series([3, 4])}, rows)
        assert (series["m"] * series["n"]).tolist() == [3, 8]
        m, n = xr.DataArray([1, 2], dims="m"), xr.DataArray([3, 4, 5], dims="n")
        assert (read_numbers({"m": m, "n": n}, rows)["m"] * [3, 4, 5]).shape == (2, 3)
        assert "differs" in refused(
            read_numbers, {"m": pd.Series([1, 2]), "n": pd.Series([1, 2], index=[3, 4])}, rows
        )
        assert "shape (3,)" in refused(
            read_numbers, {"m": pd.Series([1, 2]), "n": np.array([1, 2, 3])}, rows
        )

    def test_flags_and_objects(self) -> None:
        assert read_flag("x", np.bool_(True)) is True
        assert "True or False" in refused(read_flag, "x", 1)
        assert refused(read_object, "ds", 1, xr.Dataset, "a Dataset") == (
            "ds=1: must be a Dataset, not int"
        )


def test_what_a_message_quotes() -> None:
    assert shorten("a\n\x1b[31m\udc80") == r"a\n\x1b[31m\udc80"
    assert len(shorten("x" * 10**6)) <= 40
    assert len(quoted(["x" * 10**6] * 10**6)) <= 40
    assert quoted(pd.Series([1])) == "<Series>"
    assert str(InputError("a\nb")) == r"a\nb"
    assert len(str(InputError("x" * 10**6))) <= 2000
