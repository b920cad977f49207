"""The texts of a figure with where they are drawn: what a reader sees, and whether they collide."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from figures.drawing.style import house_style

TOUCH = 1.5
"""Dots by which boxes may overlap: they have room around the letters."""


def texts(figure: Figure) -> list[Text]:
    """Return the texts that are drawn, ticks outside the view and hidden ones left out."""
    with house_style():
        figure.draw_without_rendering()
    found = [*figure.texts, *(one for legend in figure.legends for one in _of_legend(legend))]
    if figure._supxlabel is not None:  # type: ignore[attr-defined]
        found.append(figure._supxlabel)  # type: ignore[attr-defined]
    for axes in figure.axes:
        found += _of_axes(axes)
    return [one for one in dict.fromkeys(found) if one.get_visible() and one.get_text().strip()]


def _of_axes(axes: Axes) -> Iterator[Text]:
    yield from (axes.title, axes._left_title, axes._right_title)  # type: ignore[attr-defined]
    yield from axes.texts
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_visible() and axes.axison:
            yield axis.label
            yield from _tick_labels(axis)
    legend = axes.get_legend()
    yield from _of_legend(legend) if legend else ()


def _tick_labels(axis: Axis) -> Iterator[Text]:
    low, high = sorted(axis.get_view_interval())
    slack = 1e-9 * (high - low)
    for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
        if low - slack <= tick.get_loc() <= high + slack:
            yield from (tick.label1, tick.label2)


def _of_legend(legend: Legend) -> list[Text]:
    return [legend.get_title(), *legend.get_texts()]


def collisions(figure: Figure) -> list[str]:
    """Return pairs of texts that are drawn over one another, and texts that leave the page."""
    boxes = [(one, box(one)) for one in texts(figure)]
    page = figure.bbox.padded(TOUCH)
    found = [
        f"{one.get_text()!r} leaves the page"
        for one, at in boxes
        if not (page.x0 <= at.x0 and at.x1 <= page.x1 and page.y0 <= at.y0 and at.y1 <= page.y1)
    ]
    upright = [(one.get_text(), at) for one, at in boxes if not one.get_rotation() % 90]
    corners = np.array([at.extents for _, at in upright]).reshape(-1, 4)
    low = np.maximum(corners[:, None, :2], corners[None, :, :2])
    high = np.minimum(corners[:, None, 2:], corners[None, :, 2:])
    over = np.argwhere(np.triu((high - low > TOUCH).all(axis=-1), 1))
    return found + [f"{upright[i][0]!r} is drawn over {upright[j][0]!r}" for i, j in over]


def box(text: Text) -> Bbox:
    """Return where a text is drawn, in dots."""
    return text.get_window_extent()


def legend_texts(figure: Figure) -> list[str]:
    """Return the entries of all legends of a figure."""
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes)]
    return [one.get_text() for legend in legends if legend for one in legend.get_texts()]
