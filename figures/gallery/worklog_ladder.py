"""The steps of one published worklog: what each gained, measured and predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analysis.prediction.calibration import evidence_of, unit_factors
from analysis.prediction.constants import HALF_WIDTH, HOPPER
from figures.drawing.entry import Entry
from figures.drawing.requirements import require
from figures.drawing.style import PAGE_INCHES, caption, house_style

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

SERIES, SIZE = "fast.cu", "4096"


def worklog_ladder(ds: xr.Dataset) -> Figure:
    """Draw measured and predicted throughput of a worklog's steps.

    Parameters
    ----------
    ds : xarray.Dataset
        ``predicted`` and ``measured`` in TFLOP/s over ``step``, and the attribute ``half_width``,
        h of the interval ``exp(+-h)``.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If the dataset lacks one of them.
    """
    from matplotlib.figure import Figure

    require("worklog_ladder", ds, ("predicted", "measured"), ("step",))
    with house_style():
        figure = Figure(figsize=(PAGE_INCHES, 2.7), layout="constrained")
        axes = figure.subplots()
        at, half = np.arange(ds.sizes["step"]), float(ds.attrs["half_width"])
        predicted = ds.predicted.values
        axes.step(at, ds.measured.values, "-", where="mid", color="0.35", label="measured")
        below, above = predicted * (1 - np.exp(-half)), predicted * (np.exp(half) - 1)
        axes.errorbar(
            at, predicted, [below, above], fmt="o", markersize=3, capsize=2, linewidth=0.8,
            label="predicted, 80 % interval",
        )  # fmt: skip
        axes.set_xticks(at, [str(one) for one in ds.step.values])
        axes.set_ylim(0)
        axes.set(ylabel="throughput (TFLOP/s)", xlabel="step")
        axes.legend(loc="lower right")
        caption(figure, ds, note=str(ds.attrs.get("note", "")))
    return figure


def data() -> xr.Dataset:
    """Predict the steps of a worklog that are modelled, in its order."""
    import xarray as xr

    evidence = evidence_of(HOPPER)
    tiles = evidence.tiles
    chosen = [
        i
        for i, row in enumerate(tiles.rows)
        if row.series == SERIES and row.inputs["K"] == SIZE and tiles.large[i]
    ]
    predicted = tiles.predicted(None, unit_factors(evidence.libraries))
    units = {"units": "TFLOP/s"}
    return xr.Dataset(
        {
            "predicted": ("step", predicted[chosen], units),
            "measured": ("step", tiles.measured[chosen], units),
        },
        coords={"step": [tiles.rows[i].inputs["step"] for i in chosen]},
        attrs={
            "half_width": HALF_WIDTH[HOPPER][0],
            "note": (
                f"{SERIES} on an H100 SXM5, bf16, {SIZE}^3. K2, K3: serial, one copy at a time;"
                " K4: producer and consumer; K5: 128x256 tile; K6: persistent, naive tile order"
                " (a), grouped (b, c); K7: PTX barriers; K8: clusters of two; K10: asynchronous"
                " stores. What a naive tile order costs in the L2 is not modelled."
            ),
        },
    )


ENTRY = Entry(
    name="worklog_ladder",
    shows=(
        "Step by step the prediction follows the worklog, except for the naive tile order of K6a,"
        " whose misses in the L2 it does not know."
    ),
    data=data,
    draw=worklog_ladder,
)
