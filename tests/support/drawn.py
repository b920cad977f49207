"""What a figure draws: its legends, lines and hatches."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch

from figures.drawing.saving import DOTS_PER_INCH
from tests.support.drawn_text import collisions


def assert_legible(figure: Figure) -> None:
    """Check that no text covers another or leaves the page, as it is saved."""
    figure.set_dpi(DOTS_PER_INCH)
    assert collisions(figure) == []


def legend(owner: Any) -> list[str]:
    """Return the entries of a figure's or an axes' legends."""
    legends = owner.legends if isinstance(owner, Figure) else [owner.get_legend()]
    return [text.get_text() for one in legends for text in one.get_texts()]


def caption_of(figure: Figure) -> str:
    """Return the caption on one line."""
    return figure.get_supxlabel().replace("\n", " ")


def hatched(axes: Any, hatch: str, x: Any, y: Any) -> Any:
    """Return which points of a grid, (y, x), lie in what is hatched so."""
    found = np.zeros((len(y), len(x)), dtype=bool)
    points = np.array([(left, up) for up in y for left in x])
    for patch in axes.patches:
        if isinstance(patch, PathPatch) and patch.get_hatch() == hatch:
            for polygon in patch.get_path().to_polygons(closed_only=False):
                low, high = polygon.min(axis=0), polygon.max(axis=0)
                found |= ((points >= low) & (points <= high)).all(axis=1).reshape(found.shape)
    return found


def line(axes: Any, label: str) -> Any:
    """Return the only line of that label."""
    (found,) = [one for one in axes.lines if one.get_label() == label]
    return found
