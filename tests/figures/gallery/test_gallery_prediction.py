"""The figures of predictions beside measurements draw what they are given."""

import numpy as np
import pytest
import xarray as xr

from figures.gallery import prediction_against_measurement as beside
from figures.gallery import worklog_ladder as ladder
from sweep.errors import InputError


def kernels(title="a class"):
    return xr.Dataset(
        {"predicted": ("kernel", [90.0, 210.0]), "measured": ("kernel", [100.0, 200.0])},
        attrs={"title": title, "half_width": 0.1},
    )


def test_a_panel_per_class_with_its_band_and_median():
    figure = beside.ENTRY.draw([kernels("one"), kernels("two")])
    assert len(figure.axes) == 2
    axes = figure.axes[0]
    assert axes.get_title().startswith("one\n2 kernels, median error 7.5 %")
    points = axes.lines[-1]
    assert points.get_xdata().tolist() == [100, 200]
    assert points.get_ydata().tolist() == [90, 210]
    band = axes.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(1.15 * 200 * np.exp(0.1))


def test_the_steps_with_their_intervals():
    ds = xr.Dataset(
        {"predicted": ("step", [90.0, 210.0]), "measured": ("step", [100.0, 200.0])},
        coords={"step": ["K1", "K2"]},
        attrs={"half_width": 0.1},
    )
    axes = ladder.ENTRY.draw(ds).axes[0]
    assert [one.get_text() for one in axes.get_xticklabels()] == ["K1", "K2"]
    segments = axes.collections[0].get_segments()
    assert segments[1][:, 1] == pytest.approx([210 * np.exp(-0.1), 210 * np.exp(0.1)])


@pytest.mark.parametrize("name", ["predicted", "measured"])
def test_what_lacks_a_rate_is_refused(name):
    with pytest.raises(InputError, match=f"no variable '{name}'"):
        beside.ENTRY.draw([kernels().drop_vars(name)])


def test_the_data_are_the_published_kernels():
    classes = beside.ENTRY.data()
    assert [ds.sizes["kernel"] for ds in classes] == [65, 79, 42]
    steps = ladder.ENTRY.data()
    assert steps.step.values[0] == "K2"
    assert float(steps.measured.sel(step="K7")) == 704
