from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import figures
import sweep
from figures.drawing.style import schedule_colour
from sweep.errors import InputError
from tests.support.drawn import assert_legible, caption_of, legend, line

NO = 0
"""Flag of ``feasible``."""
RIVALS = ["multistage", "warp_specialized"]
STAGES = sweep.run(RIVALS, stages=range(1, 9), t_latency=[300, 1500, 3000])


def test_lines_are_the_dataset() -> None:
    figure = figures.compare(STAGES, x="stages")
    assert legend(figure) == [*RIVALS, "does not fit: shared memory"]
    for axes, latency in zip(figure.axes, STAGES.t_latency, strict=True):
        for name in RIVALS:
            one = STAGES.sel(schedule=name, t_latency=latency)
            fits = one.feasible != NO
            drawn = line(axes, name)
            assert drawn.get_color() == schedule_colour(name)
            np.testing.assert_array_equal(drawn.get_xdata(), one.stages)
            np.testing.assert_array_equal(drawn.get_ydata(), one.tc_utilization.where(fits))
        (first, *_) = [found for found in axes.lines if found.get_label() == "_shared_memory"]
        assert first.get_markerfacecolor() == "white"
        np.testing.assert_array_equal(first.get_xdata(), [5, 6, 7, 8])
    assert (
        figure.axes[0].get_ylabel().replace("\n", " ") == (STAGES.tc_utilization.attrs["long_name"])
    )
    assert "k_tiles=64" in caption_of(figure)
    assert_legible(figure)


def test_ratios_to_a_baseline() -> None:
    figure = figures.compare(STAGES, "stages", "cycles", baseline="multistage")
    drawn = line(figure.axes[0], "warp_specialized").get_ydata()
    cycles = STAGES.cycles.isel(t_latency=0)
    ratio = cycles.sel(schedule="warp_specialized") / cycles.sel(schedule="multistage")
    np.testing.assert_array_equal(drawn[:4], ratio[:4])
    assert figure.axes[0].get_ylabel().replace("\n", " ") == "makespan relative to multistage"
    with pytest.raises(InputError, match="baseline='sync'"):
        figures.compare(STAGES, "stages", baseline="sync")


def test_bars_over_names_are_hatched_where_they_do_not_fit() -> None:
    tiles = ["64x64x64", "128x128x64", "128x256x64", "256x256x64"]
    ds = sweep.run([*RIVALS, "pingpong"], tile=tiles)
    figure = figures.compare(ds, x="tile", value="tflops")
    axes = figure.axes[0]
    for bars, name in zip(axes.containers, ds.schedule.values, strict=True):
        one = ds.sel(schedule=name)
        np.testing.assert_array_equal([bar.get_height() for bar in bars], one.tflops)
        assert [bool(bar.get_hatch()) for bar in bars] == (one.feasible == NO).values.tolist()
    assert legend(figure)[3:] == ["does not fit: shared memory", "does not fit: registers"]
    assert [one.get_text() for one in axes.get_xticklabels()] == tiles
    assert_legible(figure)


def test_deadlocks_are_crosses_on_the_axis() -> None:
    ds = sweep.run("warp_specialized", stages=range(1, 9), mma_in_flight=range(6))
    figure = figures.compare(ds, "stages", by="mma_in_flight")
    crosses = [one for one in figure.axes[0].lines if one.get_label() == "_deadlock"]
    found = np.concatenate([one.get_xdata() for one in crosses])
    reason = ds.infeasible_reason.attrs["flag_meanings"].split().index("deadlock")
    assert found.size == int((ds.infeasible_reason == reason).sum())
    assert "deadlock" in legend(figure)
    assert_legible(figure)


def test_many_rivals_and_many_points() -> None:
    latencies = np.geomspace(10, 5000, 60).round()
    ds = sweep.run("multistage", stages=range(2, 14), t_latency=latencies)
    figure = figures.compare(ds, "t_latency", by="stages")
    axes = figure.axes[0]
    assert axes.get_xscale() == "log"
    colours = {line(axes, f"stages = {count}").get_color() for count in range(2, 14)}
    assert len(colours) == 12
    assert_legible(figure)


def test_one_line_needs_no_legend() -> None:
    figure = figures.compare(sweep.run("sync", k_tiles=[1, 2, 3]), "k_tiles", "cycles")
    assert not figure.legends
    assert_legible(figure)


@pytest.mark.parametrize("x", ["x", "name"])
@pytest.mark.parametrize("fill", [np.nan, np.inf, 0.0, -2.0])
def test_odd_values_never_break_it(fill: float, x: str) -> None:
    ds = xr.Dataset(
        {"value": (("x", "by"), np.full((3, 2), fill))},
        coords={"x": [1, 2, 3], "name": ("x", list("abc"))},
    )
    for one in (ds, ds.isel(x=[0]), ds.isel(by=0)):
        assert_legible(figures.compare(one, x, "value"))
        assert_legible(figures.compare(one.isel(x=[0]), x, "value", by=None))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"x": "latency"}, "latency"),
        ({"value": "speed"}, "speed"),
        ({"by": "colour"}, "colour"),
        ({"value": "stages"}, "stages|depend"),
    ],
)
def test_refuses_what_is_not_there_by_name(arguments: dict[str, str], named: str) -> None:
    with pytest.raises(InputError, match=named) as error:
        figures.compare(STAGES, **({"x": "t_latency", "by": "schedule"} | arguments))
    assert "\n" not in str(error.value)


def test_refuses_names_as_values() -> None:
    with pytest.raises(InputError, match="'loader' has no numbers"):
        figures.compare(STAGES.reset_coords("loader"), x="schedule", value="loader")
