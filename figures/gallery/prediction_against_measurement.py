"""Predicted throughput of published kernels beside what was measured, by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from analysis.prediction.attention_rows import attention_rows
from analysis.prediction.calibration import evidence_of, unit_factors
from analysis.prediction.constants import ARCHITECTURES, HALF_WIDTH, VERSION
from figures.drawing.entry import Entry
from figures.drawing.places import logarithmic
from figures.drawing.requirements import require
from figures.drawing.style import PAGE_INCHES, caption, house_style

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ATTENTION_WIDTH = 0.12


def prediction_against_measurement(classes: Sequence[xr.Dataset]) -> Figure:
    """Draw predicted over measured throughput, a panel per class, with the 80 % interval.

    Parameters
    ----------
    classes : sequence of xarray.Dataset
        Each with ``predicted`` and ``measured`` in TFLOP/s over ``kernel``, and the attributes
        ``title`` and ``half_width``, h of the interval ``exp(+-h)``.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If a dataset lacks one of them.
    """
    from matplotlib.figure import Figure

    for ds in classes:
        require("prediction_against_measurement", ds, ("predicted", "measured"), ("kernel",))
    with house_style():
        figure = Figure(figsize=(PAGE_INCHES, 2.9), layout="constrained")
        panels = np.atleast_1d(figure.subplots(1, len(classes)))
        for axes, ds in zip(panels, classes, strict=True):
            _panel(axes, ds)
        panels[0].set_ylabel("predicted (TFLOP/s)")
        caption(
            figure,
            *classes,
            note=(
                f"Constants of version {VERSION}; units whose library row is known have their own"
                " factor. Band: 80 % interval, from fits without the series. Problems of at least"
                " 2048^3."
            ),
        )
    return figure


def _panel(axes: Axes, ds: xr.Dataset) -> None:
    measured, predicted = ds.measured.values, ds.predicted.values
    ends = np.array([0.85 * measured.min(), 1.15 * measured.max()])
    half = float(ds.attrs["half_width"])
    axes.fill_between(ends, ends * np.exp(-half), ends * np.exp(half), color="0.9", zorder=0)
    axes.plot(ends, ends, color="0.5", linewidth=0.8, zorder=1)
    axes.plot(measured, predicted, "o", markersize=2.5, alpha=0.7)
    for which in ("x", "y"):
        logarithmic(axes, which)
    size = 100 * np.abs(predicted / measured - 1)
    axes.set(
        xlim=ends,
        ylim=ends,
        xlabel="measured (TFLOP/s)",
        title=f"{ds.attrs['title']}\n{len(measured)} kernels, median error {np.median(size):.1f} %",
    )
    axes.title.set_fontsize(7)


def data() -> tuple[xr.Dataset, ...]:
    """Predict every published kernel whose tile is known, and attention."""
    found = []
    for family in ARCHITECTURES:
        evidence = evidence_of(family)
        tiles = evidence.tiles
        predicted = tiles.predicted(None, unit_factors(evidence.libraries))[tiles.large]
        title = f"{family.capitalize()} GEMM, known tile"
        found.append(_dataset(predicted, tiles.measured[tiles.large], title, HALF_WIDTH[family][0]))
    rows = attention_rows()
    title = "FlashAttention-3 forward, H100"
    return (*found, _dataset(rows.predicted(), rows.measured, title, ATTENTION_WIDTH))


def _dataset(
    predicted: np.ndarray, measured: np.ndarray, title: str, half_width: float
) -> xr.Dataset:
    import xarray as xr

    units = {"units": "TFLOP/s"}
    return xr.Dataset(
        {"predicted": ("kernel", predicted, units), "measured": ("kernel", measured, units)},
        attrs={"title": title, "half_width": half_width},
    )


ENTRY = Entry(
    name="prediction_against_measurement",
    shows=(
        "Clock, waves, L2 rate and CTAs per SM bring the exact cycles to within 5 % of measured"
        " throughput in the median; the band is where four in five kernels fall."
    ),
    data=data,
    draw=prediction_against_measurement,
)
