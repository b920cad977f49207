"""What can be had of two quantities at once: every point, and the front that none beats."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from figures.charts.front_points import Points, flat_points, on_front, value_text
from figures.drawing.infeasible import MARKERS, words
from figures.drawing.legends import legend_above
from figures.drawing.places import LOG_RANGE, logarithmic, plain_number
from figures.drawing.requirements import require, require_text
from figures.drawing.style import (
    COLOURS,
    COLUMN_INCHES,
    PAGE_INCHES,
    axis_label,
    caption,
    house_style,
    schedule_colour,
    schedule_marker,
)
from sweep.errors import InputError, InputTypeError, quoted
from sweep.quantities.arrays import Array

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


SENSES = ("min", "max")
RASTER_POINTS = 4096
MOST_LABELS = 16
APART = (9.0, 7.0)
"""Points of type between two numbers of the front that can be told apart."""
_MORE = ("utilization", "tflops", "reuse", "efficiency")
"""Of quantities named so more is better, of others less."""


def pareto(
    ds: xr.Dataset,
    x: str,
    y: str = "tc_utilization",
    *,
    x_sense: str | None = None,
    y_sense: str | None = None,
    by: str | None = None,
    labels: Sequence[str] = (),
    note: str = "",
) -> Figure:
    """Draw all points of a dataset by two quantities, and the front of those that none beats.

    A point is on the front if it fits and no other that fits is at least as good in both and
    better in one. Points that do not fit are open, their reason in the legend; those without a
    value are left out.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``sweep.run``, or any other; all its dimensions are points.
    x, y : str
        Variables or coordinates of numbers: a cost, say, and what it buys.
    x_sense, y_sense : {"min", "max"}, optional
        Which way is better; utilisations, throughput, reuse and efficiency are maximised, the
        rest is minimised, unless given.
    by : str, optional
        A coordinate whose values are told by colour: ``schedule`` where there are several.
    labels : sequence of str
        Coordinates that say which point is which, listed beside the front by number.
    note : str
        Stands in the caption before the parameters held fixed.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If the dataset lacks one of the names, or a sense is neither.

    Examples
    --------
    >>> import sweep
    >>> ds = sweep.run("multistage", stages=range(1, 7), tile=["128x128x64", "128x256x64"])
    >>> figure = pareto(ds, x="stages", y="tflops", labels=["tile", "stages"])
    >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    ['1   128x256x64, 1', '2   128x256x64, 2', '3   128x256x64, 3', '4   128x256x64, 4']
    """
    require_text("pareto", x=x, y=y, note=note)
    if by is not None:
        require_text("pareto", by=by)
    if not isinstance(labels, list | tuple):
        raise InputTypeError(f"pareto: labels={quoted(labels)}: must be a list of names")
    require_text("pareto", **{f"labels[{i}]": one for i, one in enumerate(labels)})
    require("pareto", ds, [x, y, *labels])
    senses = [_sense(x, "x_sense", x_sense), _sense(y, "y_sense", y_sense)]
    by = by or ("schedule" if ds.sizes.get("schedule", 1) > 1 else "")
    if by:
        require("pareto", ds, [by])
    points, unfit = flat_points(ds, x, y, by, labels)
    better = np.stack([points.x, points.y]) * [[1 if s == "min" else -1] for s in senses]
    front = np.flatnonzero(points.fits)
    front = front[on_front(*better[:, front])]
    front = front[np.argsort(points.x[front], kind="stable")]
    with house_style():
        from matplotlib.figure import Figure

        wide = PAGE_INCHES if labels else COLUMN_INCHES * 1.25
        figure = Figure(figsize=(wide, 3.4), layout="constrained")
        axes = figure.subplots()
        handles = _scatter(axes, points, unfit)
        handles.append(_front(axes, points, front, senses))
        axes.set(xlabel=_label(ds[x], senses[0], 60), ylabel=_label(ds[y], senses[1], 34))
        for which, values in (("x", points.x), ("y", points.y)):
            _ticks(axes, which, values)
        legend_above(figure, handles)
        if labels:
            _list(axes, points, front, senses, ", ".join(labels))
        caption(figure, ds, note=note)
    return figure


def _sense(name: str, parameter: str, given: str | None) -> str:
    if given is None:
        return "max" if any(word in name for word in _MORE) else "min"
    if not isinstance(given, str) or given not in SENSES:
        raise InputError(f"pareto: {parameter}={quoted(given)}: a sense is 'min' or 'max'")
    return given


def _scatter(axes: Axes, points: Points, unfit: dict[str, Array]) -> list[Any]:
    from matplotlib.lines import Line2D

    handles: list[Any] = []
    many = points.x.size > RASTER_POINTS
    groups = list(dict.fromkeys(points.by.tolist()))
    for index, group in enumerate(groups):
        colour, marker = _look(group, index)
        mine = points.by == group
        axes.plot(
            points.x[mine & points.fits],
            points.y[mine & points.fits],
            marker,
            color=colour,
            markersize=3,
            alpha=0.8,
            rasterized=many,
            label=str(group),
        )
        for reason, mask in unfit.items():
            axes.plot(
                points.x[mine & mask],
                points.y[mine & mask],
                MARKERS.get(reason, "o"),
                color=colour,
                markerfacecolor="none",
                markeredgewidth=0.6,
                markersize=3,
                alpha=0.6,
                rasterized=many,
                label=f"_{reason}",
                zorder=1.5,
            )
        if len(groups) > 1:
            handles.append(
                Line2D([], [], color=colour, marker=marker, ls="", label=value_text(group))
            )
    return [*handles, *(_reason_handle(reason) for reason in unfit)]


def _reason_handle(reason: str) -> Any:
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"color": "0.3", "markerfacecolor": "none"}
    look["marker"] = MARKERS.get(reason, "o")
    return Line2D([], [], ls="", label=words(reason), **look)


def _look(group: Any, index: int) -> tuple[str, str]:
    from sweep.catalogue.schedules import SCHEDULES

    if group in SCHEDULES:
        return schedule_colour(group), schedule_marker(group)
    return COLOURS[index % len(COLOURS)], "os^DvPX"[index % 7]


def _front(axes: Axes, points: Points, front: Array, senses: list[str]) -> Any:
    """Draw the front as the border of what can be had."""
    where: Literal["pre", "post"] = "post" if senses[0] == "min" else "pre"
    (line,) = axes.step(
        points.x[front], points.y[front], where=where, color="black", label="front", zorder=4
    )
    return line


def _list(axes: Axes, points: Points, front: Array, senses: list[str], head: str) -> None:
    """Write numbers at points of the front, and beside the axes which they are."""
    from matplotlib.lines import Line2D

    groups = _apart(axes, points, front)
    left, up = senses[0] == "min", senses[1] == "max"
    handles = []
    for number, group in enumerate(groups, start=1):
        axes.annotate(
            str(number),
            (points.x[group[0]], points.y[group[0]]),
            xytext=(-2 if left else 2, 2 if up else -2),
            textcoords="offset points",
            ha="right" if left else "left",
            va="bottom" if up else "top",
            fontsize=6,
            zorder=5,
        )
        for index in group:
            text = f"{number}   {points.labels[index]}"
            handles.append(Line2D([], [], ls="", label=text))
    if handles:
        some = "" if sum(map(len, groups)) == front.size else f" ({len(groups)} points apart)"
        axes.legend(
            handles=handles[:MOST_LABELS],
            loc="upper left",
            bbox_to_anchor=(1.01, 1.02),
            title=f"front{some}: {head}",
            handlelength=0,
            handletextpad=0,
            alignment="left",
        )


def _apart(axes: Axes, points: Points, front: Array) -> list[list[int]]:
    """Group equal points of the front, and leave out what would be written over another."""
    place = axes.transData.transform(np.stack([points.x[front], points.y[front]], axis=-1))
    groups: list[list[int]] = []
    last = np.full(2, -np.inf)
    for index, at in zip(front.tolist(), place, strict=True):
        first = groups[-1][0] if groups else -1
        if groups and points.x[index] == points.x[first] and points.y[index] == points.y[first]:
            groups[-1].append(index)
        elif (np.abs(at - last) > np.array(APART) * axes.figure.get_dpi() / 72).any():
            groups.append([index])
            last = at
    return groups


def _ticks(axes: Axes, which: str, values: Array) -> None:
    """Use a logarithmic axis for values far apart, and whole ticks for whole numbers."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    if values.size and values.min() > 0 and values.max() >= LOG_RANGE * values.min():
        logarithmic(axes, which)
        return
    axis = axes.xaxis if which == "x" else axes.yaxis
    whole = bool((values == np.round(values)).all())
    axis.set_major_locator(MaxNLocator(6, integer=whole))
    axis.set_major_formatter(FuncFormatter(plain_number))


def _label(variable: xr.DataArray, sense: str, letters: int) -> str:
    text = f"{axis_label(variable)}, {'less' if sense == 'min' else 'more'} is better"
    return "\n".join(textwrap.wrap(text, letters))
