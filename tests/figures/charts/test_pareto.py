from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import figures
import sweep
from figures.charts.front_points import on_front
from sweep.errors import InputError
from tests.support.drawn import assert_legible, caption_of, legend, line

NO = 0
"""Flag of ``feasible``."""
TILES = [f"{m}x{n}x64" for m in (64, 128, 256) for n in (64, 128, 256)]
SPACE = sweep.run(
    ["multistage", "warp_specialized", "pingpong"],
    tile=TILES,
    stages=range(2, 8),
    gpu="h100_sxm",
)
POINTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=20)


@given(POINTS)
def test_the_front_is_what_no_point_beats(pairs: list[tuple[int, int]]) -> None:
    points = np.array(pairs, dtype=float).reshape(-1, 2)
    beaten = [
        any((other <= one).all() and (other < one).any() for other in points) for one in points
    ]
    np.testing.assert_array_equal(on_front(points[:, 0], points[:, 1]), ~np.array(beaten, bool))


def test_points_and_front_are_the_dataset() -> None:
    figure = figures.pareto(SPACE, x="stages", y="tflops")
    axes = figure.axes[0]
    fits = (SPACE.feasible != NO).values
    stages = np.broadcast_to(SPACE.stages.values, SPACE.tflops.shape)
    for name in SPACE.schedule.values:
        one = (SPACE.schedule == name).values[:, None, None] & fits
        drawn = line(axes, str(name))
        assert sorted(drawn.get_ydata()) == sorted(SPACE.tflops.values[one])
        assert sorted(drawn.get_xdata()) == sorted(stages[one])
    front = line(axes, "front")
    best = [SPACE.tflops.values[fits & (stages <= count)].max() for count in range(2, 8)]
    reached = dict(zip(front.get_xdata(), front.get_ydata(), strict=True))
    for count, most in zip(range(2, 8), best, strict=True):
        assert max(value for at, value in reached.items() if at <= count) == most
    assert legend(figure) == [
        *map(str, SPACE.schedule.values),
        "does not fit: shared memory",
        "does not fit: registers",
        "front",
    ]
    assert axes.get_xlabel() == "slots of the shared-memory ring, less is better"
    assert "(TFLOP/s), more is better" in axes.get_ylabel().replace("\n", " ")
    assert "gpu=h100_sxm" in caption_of(figure)
    assert_legible(figure)


def test_the_front_is_listed_by_number() -> None:
    labels = ["schedule", "tile", "stages"]
    figure = figures.pareto(SPACE, x="t_epilogue", y="tflops", labels=labels)
    axes = figure.axes[0]
    assert axes.get_legend().get_title().get_text().endswith(": schedule, tile, stages")
    for entry in legend(axes):
        number, text = entry.split("   ")
        schedule, tile, stages = text.split(", ")
        point = SPACE.sel(schedule=schedule, tile=tile, stages=int(stages))
        (mark,) = [one for one in axes.texts if one.get_text() == number]
        assert mark.xy == (point.t_epilogue.item(), point.tflops.item())
    assert_legible(figure)


def test_a_sense_can_be_turned_round() -> None:
    ds = xr.Dataset({"a": ("p", [1.0, 2.0, 3.0]), "b": ("p", [1.0, 5.0, 2.0])})
    front = line(figures.pareto(ds, "a", "b", x_sense="max", y_sense="max").axes[0], "front")
    assert front.get_xdata().tolist() == [2, 3]
    front = line(figures.pareto(ds, "a", "b").axes[0], "front")
    assert front.get_xdata().tolist() == [1]


@pytest.mark.parametrize("fill", [np.nan, np.inf, 0.0, 3.0])
def test_odd_values_never_break_it(fill: float) -> None:
    ds = xr.Dataset({"a": ("p", [1.0, fill]), "b": ("p", [fill, 2.0])}, coords={"p": [1, 2]})
    for one in (ds, ds.isel(p=[0]), ds.isel(p=0), ds * np.nan):
        assert_legible(figures.pareto(one, "a", "b"))
        assert_legible(figures.pareto(one, "a", "b", labels=["p"]))


def test_deadlocks_are_left_out() -> None:
    ds = sweep.run("warp_specialized", stages=range(1, 4), mma_in_flight=range(4))
    figure = figures.pareto(ds, "stages", "cycles", by="mma_in_flight")
    assert "deadlock" not in legend(figure)
    assert_legible(figure)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"x": "bytes"}, "bytes"),
        ({"y": "speed"}, "speed"),
        ({"by": "colour"}, "colour"),
        ({"labels": ["stage"]}, "stage"),
        ({"x": "tile"}, "'tile' has no numbers"),
        ({"x_sense": "low"}, "'low'"),
    ],
)
def test_refuses_what_is_not_there_by_name(arguments: dict[str, str], named: str) -> None:
    with pytest.raises(InputError, match=named) as error:
        figures.pareto(SPACE, **({"x": "stages"} | arguments))
    assert str(error.value).startswith("pareto: ")
