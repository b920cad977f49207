"""The four attention schedules against the time of the exponentials over that of the GEMMs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import sweep
from figures.drawing.entry import Entry
from figures.drawing.infeasible import NOT_KNOWN, reasons, unknown, words
from figures.drawing.legends import legend_above
from figures.drawing.places import logarithmic
from figures.drawing.requirements import require
from figures.drawing.style import (
    PAGE_INCHES,
    caption,
    house_style,
    schedule_colour,
    schedule_marker,
)

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SCHEDULES = (
    "attention_serial",
    "attention_overlap",
    "attention_pingpong",
    "attention_pingpong_overlap",
)
GPUS = (
    ("v100_sxm2", "fp16"),
    ("a100_sxm", "fp16"),
    ("h100_sxm", "fp16"),
    ("h100_sxm", "fp8"),
    ("b200", "fp16"),
    ("b200", "fp8"),
)
PANELS = (
    ("tc_utilization", "Tensor Core utilisation (%)"),
    ("sfu_utilization", "SFU utilisation (%)"),
)
TIMES = ("t_exp", "t_gemm0", "t_gemm1")


def exp_ratio(ds: xr.Dataset) -> xr.DataArray:
    """Return the time of the exponentials of a block over that of its two GEMMs."""
    ratio: xr.DataArray = ds.t_exp / (ds.t_gemm0 + ds.t_gemm1)
    return ratio


def attention_against_exp_ratio(curves: xr.Dataset, gpus: xr.Dataset | None = None) -> Figure:
    """Draw Tensor Core and SFU utilisation over the ratio, a line per schedule, GPUs as markers.

    Parameters
    ----------
    curves : xarray.Dataset
        From ``sweep.run`` over schedule and one dimension along which the ratio varies.
    gpus : xarray.Dataset, optional
        The same schedules over ``mark``, with the coordinates gpu and element_type along it.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If a dataset lacks one of these.
    """
    from matplotlib.figure import Figure

    names = [name for name, _ in PANELS]
    require("attention_against_exp_ratio", curves, [*names, *TIMES], ["schedule"])
    if gpus is not None:
        needed = [*names, *TIMES, "gpu", "element_type"]
        require("attention_against_exp_ratio", gpus, needed, ["schedule", "mark"])
    with house_style():
        figure = Figure(figsize=(PAGE_INCHES, 2.9), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        for axes, (name, label) in zip(panels, PANELS, strict=True):
            _draw(axes, curves, name)
            if gpus is not None:
                _mark(axes, gpus, name)
                _name_gpus(axes, gpus)
            axes.set(ylabel=label, xlabel="time of the exponentials / time of the GEMMs")
            axes.set_ylim(0, 103)
        unfit = list(reasons(gpus)) if gpus is not None else []
        if gpus is not None and np.any(unknown(gpus)):
            unfit.append(NOT_KNOWN)
        legend_above(
            figure,
            [*_legend(curves.schedule.values), _bound(panels[0], curves), *map(_open, unfit)],
        )
        caption(
            figure,
            curves,
            note=(
                "Lines: the Tensor Core's rate varies, 16 exponentials per cycle and 128 FMA lanes"
                " per SM. Markers: each GPU with its own rates (V100 and A100 have 64 FMA lanes and"
                " leave the lines)."
            ),
        )
    return figure


def _draw(axes: Axes, curves: xr.Dataset, name: str) -> None:
    ratio = exp_ratio(curves).values.ravel()
    for schedule in curves.schedule.values:
        line = 100 * curves[name].sel(schedule=schedule).values
        axes.plot(ratio, line, color=schedule_colour(str(schedule)), label=schedule)
    logarithmic(axes, "x")
    axes.set_xlim(ratio.min(), ratio.max())


def _mark(axes: Axes, gpus: xr.Dataset, name: str) -> None:
    """Mark each GPU, open where the blocks do not fit it, or are not known to."""
    ratio = exp_ratio(gpus).values.ravel()
    unfit = sum(reasons(gpus).values(), start=gpus[name].isnull()).astype(bool) | unknown(gpus)
    for schedule in gpus.schedule.values:
        one, colour = gpus[name].sel(schedule=schedule), schedule_colour(str(schedule))
        fits = ~unfit.sel(schedule=schedule).values
        for mask, face in ((fits, colour), (~fits, "white")):
            axes.plot(
                ratio[mask],
                100 * one.values[mask],
                schedule_marker(str(schedule)),
                color=colour,
                markerfacecolor=face,
                label=f"_{schedule}" if face == colour else f"_{schedule}, does not fit",
                zorder=3,
            )


def _open(reason: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D(
        [], [], color="0.3", marker="o", ls="", markerfacecolor="white", label=words(reason)
    )


def _bound(axes: Axes, curves: xr.Dataset) -> Any:
    """Draw what no schedule can pass: the SFU is busy all the time."""
    ratio = np.sort(exp_ratio(curves).values.ravel())
    most = 100 * np.minimum(1, 1 / ratio)
    (line,) = axes.plot(ratio, most, ":", color="0.4", label="the SFU's bound", zorder=1)
    return line


def _name_gpus(axes: Axes, gpus: xr.Dataset) -> None:
    """Write names under the ratio that each GPU has; those at one ratio together."""
    ratio = exp_ratio(gpus).values.ravel()
    found: dict[float, list[str]] = {}
    for at, gpu, kind in zip(ratio, gpus.gpu.values, gpus.element_type.values, strict=False):
        short = str(gpu).split("_")[0].upper()
        found.setdefault(float(at), []).append(short if kind == "fp16" else f"{short} {kind}")
    for at, names in found.items():
        axes.axvline(at, color="0.6", linewidth=0.6, zorder=0)
        axes.annotate(
            ",\n".join(names),
            (at, 3),
            xytext=(2, 0),
            textcoords="offset points",
            fontsize=6,
            color="0.3",
            va="bottom",
        )


def _legend(schedules: Sequence[Any]) -> list[Any]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color=schedule_colour(str(n)), marker=schedule_marker(str(n)), label=str(n))
        for n in schedules
    ]


def data() -> tuple[xr.Dataset, xr.Dataset]:
    """Sweep the Tensor Core's rate, and simulate GPUs with 16-bit and 8-bit elements."""
    import xarray as xr

    rates = np.geomspace(512, 32768, 193)
    curves = sweep.run(list(SCHEDULES), tc_flop_per_cycle=rates, element_type="fp16")
    gpus = sweep.run(
        list(SCHEDULES),
        gpu=xr.DataArray([gpu for gpu, _ in GPUS], dims="mark"),
        element_type=xr.DataArray([kind for _, kind in GPUS], dims="mark"),
    )
    return curves, gpus


def _draw_both(both: tuple[xr.Dataset, xr.Dataset] | xr.Dataset) -> Figure:
    pair = both if isinstance(both, tuple) else (both,)
    return attention_against_exp_ratio(*pair)


ENTRY = Entry(
    name="attention_against_exp_ratio",
    shows=(
        "The faster the Tensor Core, the more the exponentials weigh: from a ratio of 1 on, which"
        " B200 has reached, the SFU binds whatever the schedule."
    ),
    data=data,
    draw=_draw_both,
)
