"""A legend above the panels, for which the figure grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LETTER_INCHES, HANDLE_INCHES, ROW_INCHES = 0.056, 0.55, 0.16
"""Measured on legends of 7 points, with room to spare."""


def legend_above(figure: Figure, handles: Sequence[Any], title: str = "") -> None:
    """Write a legend above the panels, in as many columns as fit, and make the figure higher.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        With a constrained layout.
    handles : sequence of artists
        With their labels; no legend without any.
    title : str
    """
    if not handles:
        return
    longest = max(len(str(one.get_label())) for one in handles)
    fit = int(figure.get_figwidth() / (LETTER_INCHES * longest + HANDLE_INCHES))
    columns = max(1, min(fit, len(handles)))
    rows = -(-len(handles) // columns)
    columns = -(-len(handles) // rows)
    figure.set_figheight(figure.get_figheight() + ROW_INCHES * (rows + bool(title)) + 0.05)
    figure.legend(
        handles=list(handles), loc="outside upper center", ncols=columns, title=title or None
    )
