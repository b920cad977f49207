"""How many stages too many the textbook rule asks for, over a design space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.rings.design_space import over_provisioning, stage_rules
from figures.drawing.entry import Entry
from figures.drawing.requirements import require
from figures.drawing.style import COLOURS, PAGE_INCHES, axis_label, caption, house_style
from sweep.errors import InputError

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "stage_rule"
VARIABLES = (
    "textbook_stages",
    "corrected_stages",
    "fitting_stages",
    "extra_stages",
    "extra_bytes",
)
RULES = (("textbook_stages", "textbook rule", "--"), ("corrected_stages", "corrected rule", "-"))
KIB = 1024


def stage_rule(ds: xr.Dataset) -> Figure:
    """Draw both rules over ``t_latency`` at two points of the space, and the excess over all.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``analysis.rings.design_space.stage_rules``, with the dimension t_latency; the left
        panel takes the middle of every other dimension, the next the point where the rules differ
        most.

    Raises
    ------
    InputError
        If the dataset lacks one of its variables or t_latency, or has no points.
    """
    from matplotlib.figure import Figure

    require(NAME, ds, variables=VARIABLES, dims=("t_latency",))
    if not ds.extra_stages.size:
        raise InputError(f"{NAME}: the dataset has no points")
    with house_style():
        figure = Figure(figsize=(PAGE_INCHES, 2.9), layout="constrained")
        panels = figure.subplots(1, 3)
        others = [dim for dim in ds.dims if dim != "t_latency"]
        _rules(panels[0], ds.isel({dim: ds.sizes[dim] // 2 for dim in others}), others)
        _rules(panels[1], ds.isel(_worst(ds)), others)
        highest = max(float(axes.dataLim.y1) for axes in panels[:2])
        for axes in panels[:2]:
            axes.set_ylim(0, highest + 1)
        panels[0].set_ylabel("stages")
        panels[0].legend(loc="upper left")
        _excess(panels[2], ds)
        caption(figure, ds, note=_note(ds))
    return figure


def _worst(ds: xr.Dataset) -> dict[Any, int]:
    """Return where the excess, summed over latencies, is largest."""
    total = ds.extra_stages.fillna(0).sum("t_latency")
    at = np.unravel_index(int(total.values.argmax()), total.shape)
    return dict(zip(total.dims, map(int, at), strict=True))


def _rules(axes: Axes, line: xr.Dataset, others: list[Any]) -> None:
    from matplotlib.ticker import MaxNLocator

    for colour, (name, label, style) in zip(COLOURS[3::-3], RULES, strict=True):
        axes.step(
            line.t_latency, line[name], where="post", color=colour, linestyle=style, label=label
        )
    fits = int(line.fitting_stages.max())
    axes.axhline(fits, color="0.5", linewidth=0.8, linestyle=":", label="most that fit")
    axes.set_xlabel(axis_label(line.t_latency, columns=26))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    fixed = [f"{dim}={_text(line[dim].item())}" for dim in others]
    axes.set_title("\n".join(fixed), fontsize=6)


def _excess(axes: Axes, ds: xr.Dataset) -> None:
    extra = np.ravel(ds.extra_stages.values)
    counts = np.bincount(extra[np.isfinite(extra)].astype(int))
    percent = 100 * counts / extra.size
    bars = axes.bar(np.arange(counts.size), percent, color=COLOURS[0])
    texts = [f"{one:.0f}" if one >= 1 else f"{one:.1f}" for one in percent]
    axes.bar_label(bars, texts, fontsize=6)
    axes.set_xticks(np.arange(counts.size))
    axes.set_xlabel(axis_label(ds.extra_stages, columns=26))
    axes.set_ylabel("points of the space (%)")
    axes.set_title(f"{extra.size:,} points", fontsize=6)
    axes.grid(visible=False, axis="x")


def _note(ds: xr.Dataset) -> str:
    found = over_provisioning(ds)
    ranges = (f"{dim} {_range(ds[dim].values.tolist())}" for dim in ds.dims)
    return (
        "Left: the middle of the space; centre: where the rules differ most."
        f" The textbook rule asks for too many stages at {found.share:.1%} of the points, on"
        f" average {found.mean_extra:.2f} stages or {found.mean_extra_bytes / KIB:.0f} KiB there."
        f" Space: {'; '.join(ranges)}."
    )


def _range(values: list[Any]) -> str:
    texts = [_text(value) for value in values]
    return ", ".join(texts) if len(texts) <= 4 else f"{texts[0]} to {texts[-1]}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:,.6g}"


ENTRY = Entry(
    name=NAME,
    shows="The textbook rule never asks for too few stages, and at nearly half of a plain design"
    " space for too many.",
    data=stage_rules,
    draw=stage_rule,
)
