"""What the figures draw: points, bars, cells and legends against the dataset."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_rgba

import sweep
from analysis.budgets.registers import accumulator_budget
from analysis.memory.littles_law import in_flight
from analysis.rings.design_space import over_provisioning, stage_rules
from figures.charts.closed_form_points import closed_form_cycles
from figures.charts.differences import difference_map, utilization_gain
from figures.drawing.palette import (
    BOTTLENECK_COLOURS,
    OPERATION_COLOURS,
    RESOURCE_COLOURS,
    schedule_colour,
    schedule_marker,
)
from figures.drawing.parameters import parameter_text
from figures.drawing.style import axis_label
from figures.gallery import (
    discover,
    littles_law,
    pingpong_minus_persistent,
    register_budgets,
    ring_bandwidth,
    roofline,
    stage_rule,
    utilization_against_stages,
)
from sweep.errors import InputError
from sweep.quantities.variables import VARIABLES
from tests.support.drawn_text import legend_texts


def points(axes: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the lines of axes that are markers alone."""
    return [
        (np.asarray(one.get_xdata(), float), np.asarray(one.get_ydata(), float))
        for one in axes.lines
        if one.get_linestyle() == "None"
    ]


class TestUtilizationAgainstStages:
    ds = utilization_against_stages.data()
    figure = utilization_against_stages.utilization_against_stages(ds)

    @pytest.mark.parametrize("panel", [0, 1])
    def test_points_are_the_datasets(self, panel: int) -> None:
        axes, one = self.figure.axes[panel], self.ds.isel(schedule=panel)
        assert axes.get_title() == one.schedule.item()
        drawn = {(x, round(y, 9)) for xs, ys in points(axes) for x, y in zip(xs, ys, strict=True)}
        want = one.tc_utilization.stack(at=("stages", "t_latency"))
        assert drawn == {
            (s, round(100 * v, 9)) for s, v in zip(want.stages.values, want.values, strict=True)
        }

    def test_open_points_do_not_fit(self) -> None:
        faces = {
            x: line.get_markerfacecolor() != "white"
            for line in self.figure.axes[0].lines
            if line.get_linestyle() == "None"
            for x in np.asarray(line.get_xdata()).tolist()
        }
        fits = self.ds.feasible.isel(schedule=0, t_latency=0) == 1
        assert faces == dict(zip(self.ds.stages.values.tolist(), fits.values, strict=True))

    def test_lines_are_closed_forms_and_meet_the_points(self) -> None:
        lines = [one for one in self.figure.axes[1].lines if one.get_linestyle() == "-"]
        assert len(lines) == self.ds.sizes["t_latency"]
        for line, latency in zip(lines, self.ds.t_latency.values, strict=True):
            want = 100 * self.ds.tc_utilization.sel(schedule="warp_specialized", t_latency=latency)
            np.testing.assert_allclose(line.get_ydata(), want, rtol=1e-12)

    def test_legend(self) -> None:
        assert legend_texts(self.figure) == ["300", "700", "1,500", "3,000"]


class TestClosedFormPoints:
    def test_exact_where_there_is_a_form(self) -> None:
        for name in ("multistage", "persistent", "attention_overlap"):
            counts = {"stages": [2, 3]} if "attention" not in name else {"kv_blocks": [4, 9]}
            ds = sweep.run(name, **counts)
            np.testing.assert_array_equal(closed_form_cycles(ds, name), ds.cycles)

    def test_nan_outside_the_domain_and_none_without_one(self) -> None:
        ds = sweep.run("multistage", t_sync=[0, 5], stages=3)
        found = closed_form_cycles(ds, "multistage")
        assert found is not None
        assert found.notnull().values.tolist() == [True, False]
        assert closed_form_cycles(ds, "of my own") is None
        assert closed_form_cycles(ds.drop_vars("t_mma"), "multistage") is None


class TestDifferences:
    ds = sweep.run(["pingpong", "persistent"], k_tiles=[4, 16, 64], epilogue_weight=[0.5, 1, 2, 4])

    def test_cells(self) -> None:
        figure = difference_map(
            self.ds, "a", ("pingpong", "persistent"), "k_tiles", "epilogue_weight"
        )
        cells = figure.axes[0].collections[0].get_array()
        gain = self.ds.tc_utilization.sel(schedule="pingpong") - self.ds.tc_utilization.sel(
            schedule="persistent"
        )
        np.testing.assert_allclose(cells, 100 * gain.transpose("epilogue_weight", "k_tiles"))

    def test_the_contour_where_it_stops_paying(self) -> None:
        ds = pingpong_minus_persistent.data()
        figure = pingpong_minus_persistent.pingpong_minus_persistent(ds)
        contours = figure.axes[0].collections[1]
        level = list(contours.levels).index(pingpong_minus_persistent.PAYS)  # type: ignore[attr-defined]
        gain = utilization_gain(
            ds, "a", ("pingpong", "persistent"), "k_tiles", "epilogue_weight"
        ).interp_like
        for x, y in contours.get_paths()[level].vertices[::7]:
            at = xr.Dataset(coords={"k_tiles": [x], "epilogue_weight": [y]})
            assert float(gain(at).squeeze()) == pytest.approx(0.01, abs=0.002)

    def test_zero_is_white_and_the_sign_is_the_colour(self) -> None:
        for first, second, strong in (("pingpong", "persistent", 2), ("persistent", "pingpong", 0)):
            figure = difference_map(self.ds, "a", (first, second), "k_tiles", "epilogue_weight")
            mesh = figure.axes[0].collections[0]
            assert min(mesh.to_rgba(0.0)[:3]) > 0.9
            values = np.asarray(mesh.get_array())
            extreme = mesh.to_rgba(float(values.flat[np.abs(values).argmax()]))
            assert int(np.argmax(extreme[:3])) == strong

    def test_unordered_axes_and_single_cells(self) -> None:
        turned = self.ds.isel(k_tiles=slice(None, None, -1))
        names = "a", ("pingpong", "persistent"), "k_tiles", "epilogue_weight"
        one, other = (difference_map(ds, *names) for ds in (self.ds, turned))
        cells = [figure.axes[0].collections[0].get_array() for figure in (one, other)]
        np.testing.assert_array_equal(*cells)
        assert difference_map(self.ds.isel(k_tiles=[0], epilogue_weight=[0]), *names, levels=(1,))

    def test_refusals(self) -> None:
        names = ("pingpong", "persistent"), "k_tiles", "epilogue_weight"
        with pytest.raises(InputError, match="a: the dataset has no schedule 'pingpong'"):
            difference_map(self.ds.sel(schedule=["persistent"]), "a", *names)
        more = self.ds.expand_dims(stages=[3, 4])
        with pytest.raises(InputError, match="a: select one value of stages first"):
            difference_map(more, "a", *names)


class TestRoofline:
    ds = roofline.data()
    figure = roofline.roofline(ds)

    @pytest.mark.parametrize("panel", [0, 1])
    def test_points_and_ceiling(self, panel: int) -> None:
        one = self.ds.isel(gpu=panel)
        ceiling, *schedules = self.figure.axes[panel].lines
        peak, bandwidth = float(one.flop_per_cycle), float(one.bytes_per_cycle)
        x, y = (np.asarray(values) for values in ceiling.get_data())
        np.testing.assert_allclose(y, np.minimum(peak, bandwidth * x))
        for line, name in zip(schedules, one.schedule.values.tolist(), strict=True):
            at, reached = (np.asarray(values) for values in line.get_data())
            np.testing.assert_array_equal(at, one.flop_per_byte)
            np.testing.assert_allclose(reached, peak * one.steady_tc_utilization.sel(schedule=name))
            assert line.get_color() == schedule_colour(name)
            assert line.get_marker() == schedule_marker(name)

    def test_nothing_is_above_the_roof(self) -> None:
        roof = np.minimum(self.ds.flop_per_cycle, self.ds.bytes_per_cycle * self.ds.flop_per_byte)
        reached = self.ds.flop_per_cycle * self.ds.steady_tc_utilization
        assert bool((reached <= roof * (1 + 1e-5)).all()), "times are rounded to 1/1024 cycle"

    def test_intensity_is_flop_over_copied_bytes(self) -> None:
        tile = self.ds.sel(tile="128x256x64")
        assert float(tile.flop_per_byte) == pytest.approx(2 * 128 * 256 * 64 / 49_152)


class TestStageRule:
    def test_bars_are_the_whole_space(self) -> None:
        ds = stage_rules()
        axes = stage_rule.stage_rule(ds).axes[2]
        heights = [bar.get_height() for bar in axes.patches]
        assert sum(heights) == pytest.approx(100)
        assert 100 - heights[0] == pytest.approx(100 * over_provisioning(ds).share)

    def test_steps_are_the_rules(self) -> None:
        ds = stage_rules(t_latency=[300, 700, 1500, 3000])
        textbook, corrected, fits = stage_rule.stage_rule(ds).axes[0].lines
        assert np.asarray(textbook.get_ydata()).tolist() == [3, 3, 4, 5]
        assert np.asarray(corrected.get_ydata()).tolist() == [2, 3, 4, 5]
        assert set(np.asarray(fits.get_ydata()).tolist()) == {4}

    def test_caption_tells_the_share(self) -> None:
        assert "46.1% of the points" in " ".join(
            stage_rule.stage_rule(stage_rules()).get_supxlabel().split()
        )


def test_littles_law_bars_and_marks() -> None:
    ds = littles_law.data()
    axes = littles_law.littles_law(ds).axes[0]
    heights = [[bar.get_height() * 1024 for bar in bars] for bars in axes.containers]
    np.testing.assert_allclose(heights, ds.in_flight_bytes.T)
    rows = {row.level: row for row in in_flight("h100_sxm", littles_law.TILE)}
    assert float(ds.in_flight_bytes.sel(gpu="h100_sxm", level="l2")) == rows["l2"].sm_bytes
    marks = [path.vertices[0, 1] * 1024 for path in axes.collections[0].get_paths()]
    np.testing.assert_allclose(marks, ds.ring_bytes)


def test_ring_bandwidth_never_exceeds_its_bound() -> None:
    ds = ring_bandwidth.data()
    axes = ring_bandwidth.ring_bandwidth(ds).axes[0]
    bounds, drawn = axes.lines[0:-1:2], axes.lines[1:-1:2]
    assert len(drawn) == ds.sizes["t_latency"]
    for bound, line in zip(bounds, drawn, strict=True):
        reached, at = np.asarray(line.get_ydata()), np.asarray(line.get_xdata())
        most = np.interp(at, *(np.asarray(one) for one in bound.get_data()))
        assert (reached <= most * (1 + 1e-9)).all()
        assert reached[0] == pytest.approx(most[0]), "one stage carries one copy a round trip"


def test_register_budgets_bars_and_spills() -> None:
    ds = register_budgets.data()
    figure = register_budgets.register_budgets(ds)
    for axes, n in zip(figure.axes, ds.warpgroups.values.tolist(), strict=True):
        accumulators, other, spilled = axes.containers
        budgets = [
            accumulator_budget(tile, n, available=int(ds.available.sel(warpgroups=n)))
            for tile in ds.tile.values.tolist()
        ]
        assert [bar.get_height() for bar in accumulators] == [one.accumulators for one in budgets]
        assert [bar.get_height() for bar in other] == pytest.approx([32] * len(budgets))
        spills = [one.spills for one in budgets if one.spills]
        assert [bar.get_height() for bar in spilled] == pytest.approx(spills)


def test_regime_map_cells_have_the_colour_of_what_binds() -> None:
    entry = discover()["regime_map"]
    ds = entry.data()
    meanings = ds.bottleneck.attrs["flag_meanings"].split()
    mesh = entry.draw(ds).axes[0].collections[0]
    cells = np.asarray(mesh.get_array())
    codes = ds.bottleneck.isel(schedule=0).transpose("stages", "t_latency").values
    for row, column in ((0, 0), (3, 5), (7, 100), (1, 200)):
        want = BOTTLENECK_COLOURS[meanings[codes[row, column]]]
        assert mesh.to_rgba(cells[row, column]) == pytest.approx(to_rgba(want))
    assert {"ring depth", "copy issue", "does not fit: shared memory"} <= set(
        legend_texts(entry.draw(ds))
    )


class TestStyle:
    def test_every_name_has_a_colour_of_its_own(self) -> None:
        assert set(BOTTLENECK_COLOURS) == set(VARIABLES["bottleneck"].flag_meanings)
        assert len(set(BOTTLENECK_COLOURS.values())) == len(BOTTLENECK_COLOURS)
        for family in ("gemm", "attention"):
            looks = [
                (schedule_colour(name), schedule_marker(name))
                for name, one in sweep.SCHEDULES.items()
                if one.family == family
            ]
            assert len({colour for colour, _ in looks}) == len(looks)
            assert len({marker for _, marker in looks}) == len(looks)

    def test_operations_have_the_colour_of_their_resource(self) -> None:
        assert OPERATION_COLOURS["mma"] == RESOURCE_COLOURS["TC"]
        assert OPERATION_COLOURS["transfer"] == RESOURCE_COLOURS["MEM"]
        assert OPERATION_COLOURS["exp"] == RESOURCE_COLOURS["SFU"]
        assert OPERATION_COLOURS["softmax"] == RESOURCE_COLOURS["FMA"]

    def test_a_schedule_of_ones_own_keeps_its_colour(self) -> None:
        assert schedule_colour("mine") == schedule_colour("mine")
        assert schedule_marker("mine")

    def test_labels(self) -> None:
        ds = sweep.run("sync", t_latency=[1, 2])
        assert axis_label(ds.t_latency) == "latency of a copy after its transfer (cycle)"
        assert axis_label(ds.tc_utilization, "use") == "use"
        assert axis_label(ds.t_latency, columns=24).count("\n") == 1
        bare = ds.t_latency.copy()
        bare.attrs = {}
        assert axis_label(bare) == axis_label(ds.t_latency), "known by its name"

    def test_parameters_that_say_nothing_are_left_out(self) -> None:
        text = parameter_text(sweep.run("warp_specialized", k_tiles=[1, 2]))
        assert "t_sync" not in text
        assert "cluster" not in text
        assert "k_tiles" not in text, "varies"
        assert "stages=4" in text
        changed = parameter_text(sweep.run("warp_specialized", t_sync=3, mma_in_flight=1))
        assert "t_sync=3" in changed
        assert "mma_in_flight=1" in changed
        assert parameter_text() == ""

    def test_parameters_by_schedule(self) -> None:
        text = parameter_text(sweep.run(["sync", "multistage", "warp_specialized"], k_tiles=8))
        assert "t_issue=100 (sync, multistage) or 10 (warp_specialized)" in text
        traces = [sweep.trace(name, k_tiles=2) for name in ("sync", "warp_specialized")]
        assert "t_issue=100 (sync) or 10 (warp_specialized)" in parameter_text(*traces)
