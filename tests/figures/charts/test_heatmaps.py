from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_rgba

import figures
import sweep
from figures.drawing.saving import figure_bytes
from figures.drawing.style import BOTTLENECK_COLOURS, HATCHES
from sweep.errors import InputError
from tests.support.drawn import assert_legible, caption_of, hatched, legend

RING = sweep.run(
    "warp_specialized",
    stages=range(1, 9),
    mma_in_flight=range(6),
    t_mma_latency=100,
    t_latency=[300, 1500],
)
"""Fits, deadlocks and does not fit shared memory."""


def _mesh(axes: Any) -> Any:
    return axes.collections[0]


def test_each_panel_shows_its_values() -> None:
    figure = figures.heatmap(RING, x="mma_in_flight", y="stages", value="period")
    panels = figure.axes[: RING.sizes["t_latency"]]
    assert [one.get_title() for one in panels] == [
        "t_latency = 300 cycle",
        "t_latency = 1,500 cycle",
    ]
    for axes, latency in zip(panels, RING.t_latency, strict=True):
        expected = RING.period.sel(t_latency=latency).transpose("stages", "mma_in_flight")
        drawn = np.ma.filled(_mesh(axes).get_array(), np.nan).reshape(expected.shape)
        np.testing.assert_array_equal(drawn, expected)
    assert _mesh(panels[0]).norm is not None
    assert _mesh(panels[0]).get_clim() == _mesh(panels[1]).get_clim()
    assert panels[0].get_xlabel() == RING.mma_in_flight.attrs["long_name"]
    assert panels[0].get_ylabel() == RING.stages.attrs["long_name"]
    assert figure.axes[-1].get_ylabel().replace("\n", " ") == (
        "steady cycles per k-tile, output tile or block (cycle)"
    )
    assert "t_mma_latency=100" in caption_of(figure)
    assert_legible(figure)


def test_infeasible_points_are_hatched_by_reason() -> None:
    figure = figures.heatmap(RING, x="mma_in_flight", y="stages")
    assert legend(figure) == ["deadlock", "does not fit: shared memory"]
    meanings = RING.infeasible_reason.attrs["flag_meanings"].split()
    for axes, index in zip(figure.axes, range(2), strict=False):
        one = RING.isel(t_latency=index).transpose("stages", "mma_in_flight", ...)
        for reason in ("deadlock", "shared_memory"):
            mask = one.infeasible_reason.values == meanings.index(reason)
            assert mask.any()
            found = hatched(axes, HATCHES[reason], one.mma_in_flight.values, one.stages.values)
            np.testing.assert_array_equal(found, mask)


def test_a_flag_is_drawn_as_categories_with_their_meanings() -> None:
    figure = figures.heatmap(RING.isel(t_latency=1), "mma_in_flight", "stages", "bottleneck")
    flags = RING.isel(t_latency=1).bottleneck
    meanings = flags.attrs["flag_meanings"].split()
    present = [meanings[code] for code in np.unique(flags)]
    assert legend(figure)[: len(present)] == [name.replace("_", " ") for name in present]
    mesh = _mesh(figure.axes[0])
    drawn = mesh.to_rgba(mesh.get_array()).reshape(*flags.shape, 4)
    order = flags.transpose("stages", "mma_in_flight").values
    for name in present:
        there = drawn.reshape(*order.shape, 4)[order == meanings.index(name)]
        assert (there == to_rgba(BOTTLENECK_COLOURS[name])).all()
    assert len(figure.axes) == 1  # no colour bar
    assert_legible(figure)


def test_numbers_stand_in_order_whatever_the_dataset_has() -> None:
    ds = sweep.run("multistage", stages=[4, 2, 3], t_latency=[3000, 300, 1000, 100])
    axes = figures.heatmap(ds, x="t_latency", y="stages", value="cycles").axes[0]
    expected = ds.cycles.sortby(["stages", "t_latency"]).transpose("stages", "t_latency")
    np.testing.assert_array_equal(_mesh(axes).get_array().reshape(3, 4), expected)
    assert axes.get_xscale() == "log"
    assert axes.get_yscale() == "linear"
    assert (np.diff(_mesh(axes).get_coordinates()[0, :, 0]) > 0).all()


def test_names_and_coordinates_along_a_dimension_make_an_axis() -> None:
    tiles = ["64x64x64", "128x128x64", "128x256x64"]
    ds = sweep.run(["multistage", "pingpong"], tile=tiles, stages=[2, 4])
    figure = figures.heatmap(ds, x="tile", y="stages", value="tflops")
    assert [one.get_text() for one in figure.axes[0].get_xticklabels()] == tiles
    assert_legible(figure)
    by_time = figures.heatmap(ds, x="t_transfer", y="stages", value="tflops").axes[0]
    assert by_time.get_xlabel() == "occupancy of the copy path per k-tile (cycle)"


def test_two_dimensions_make_a_grid_of_panels() -> None:
    ds = sweep.run(
        ["multistage", "warp_specialized", "pingpong"],
        stages=[2, 3, 4],
        t_latency=[300, 900],
        t_issue=[10, 100],
    )
    figure = figures.heatmap(ds, x="stages", y="t_issue", contours=3)
    titles = [one.get_title() for one in figure.axes[:6]]
    assert titles[:2] == ["multistage\nt_latency = 300 cycle", "multistage\nt_latency = 900 cycle"]
    assert_legible(figure)


def test_contours_are_where_they_are_asked_for() -> None:
    ds = sweep.run(["persistent", "pingpong"], k_tiles=range(1, 20), epilogue_weight=[0, 1, 2, 3])
    gain = ds.tc_utilization.diff("schedule").squeeze(drop=True) - 0.05
    space = gain.rename("gain").assign_attrs(long_name="gain", units="1").to_dataset()
    figure = figures.heatmap(space, "k_tiles", "epilogue_weight", "gain", contours=[0, 7])
    mesh, lines = figure.axes[0].collections[:2]
    assert lines.levels.tolist() == [0]
    assert mesh.norm.vmin == -mesh.norm.vmax
    vertices = np.concatenate([path.vertices for path in lines.get_paths()])
    at = {
        "k_tiles": xr.DataArray(vertices[:, 0], dims="p"),
        "epilogue_weight": xr.DataArray(vertices[:, 1], dims="p"),
    }
    assert np.abs(space.gain.interp(at)).max() < 0.02


@pytest.mark.parametrize(("log", "contours"), [(False, 4), (True, 4), (False, [0.5])])
@pytest.mark.parametrize("fill", [np.nan, np.inf, 0.0, -1.0])
def test_odd_values_never_break_it(fill: float, log: bool, contours: Any) -> None:
    whole = xr.Dataset({"value": (("y", "x"), np.full((3, 4), fill))})
    part = whole.copy(deep=True)
    part["value"][1, 1:3] = [2.0, 5.0]
    for ds in (whole, part, part.isel(x=[1]), part.isel(x=[1], y=[1])):
        figure = figures.heatmap(ds, "x", "y", "value", contours=contours, log=log)
        assert_legible(figure)


def test_masked_flags_and_missing_values_are_grey() -> None:
    ds = RING.isel(t_latency=0)
    masked = ds.assign(bottleneck=ds.bottleneck.where(ds.stages > 2))
    figure = figures.heatmap(masked, "mma_in_flight", "stages", "bottleneck")
    assert legend(figure)[-1] == "no value"


@pytest.mark.parametrize("kind", ["pdf", "svg", "png"])
def test_the_same_dataset_gives_the_same_bytes(kind: str) -> None:
    first, second = (
        figure_bytes(figures.heatmap(RING, "mma_in_flight", "stages", contours=2), kind)
        for _ in range(2)
    )
    assert first == second


def test_the_dataset_is_left_as_it_was() -> None:
    before = RING.copy(deep=True)
    figures.heatmap(RING, "mma_in_flight", "stages", "bottleneck")
    xr.testing.assert_identical(RING, before)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"x": "tile"}, "dimension"),
        ({"x": "latency"}, "latency"),
        ({"y": "stage"}, "stage"),
        ({"value": "speed"}, "speed"),
        ({"y": "mma_in_flight"}, "mma_in_flight"),
        ({"x": "cycles"}, "cycles"),
    ],
)
def test_refuses_what_is_not_there_by_name(arguments: dict[str, str], named: str) -> None:
    with pytest.raises(InputError, match=named) as error:
        figures.heatmap(RING, **({"x": "mma_in_flight", "y": "stages"} | arguments))
    assert str(error.value).startswith("heatmap: ")
    assert "\n" not in str(error.value)


def test_refuses_too_many_panels() -> None:
    ds = sweep.run("multistage", stages=[2, 3], t_latency=range(30), t_issue=[1, 2])
    with pytest.raises(InputError, match="30 panels"):
        figures.heatmap(ds, x="stages", y="t_issue")
    with pytest.raises(InputError, match="3 dimensions are left"):
        figures.heatmap(ds.expand_dims(a=2, b=2), x="stages", y="t_issue")
    with pytest.raises(InputError, match="value twice"):
        figures.heatmap(ds.isel(stages=[0, 0], t_latency=0), x="stages", y="t_issue")
    with pytest.raises(InputError, match="does not depend"):
        figures.heatmap(ds, x="stages", y="t_issue", value="t_latency")
