"""One look for every figure: widths, fonts, axis labels, and the caption line.

The colours are in ``figures.drawing.palette`` and can be had from here.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from figures.drawing.palette import (
    BOTTLENECK_COLOURS,
    COLOURS,
    DIVERGING,
    HATCHES,
    INFEASIBLE,
    OPERATION_COLOURS,
    RESOURCE_COLOURS,
    SEQUENTIAL,
    operation_colour,
    schedule_colour,
    schedule_marker,
)
from figures.drawing.parameters import parameter_text
from sweep.quantities.attributes import attributes
from sweep.quantities.variables import VARIABLES

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

__all__ = [
    "BOTTLENECK_COLOURS",
    "CAPTION_POINTS",
    "COLOURS",
    "COLUMN_INCHES",
    "DIVERGING",
    "HATCHES",
    "INFEASIBLE",
    "OPERATION_COLOURS",
    "PAGE_INCHES",
    "RC",
    "RESOURCE_COLOURS",
    "SEQUENTIAL",
    "axis_label",
    "caption",
    "house_style",
    "operation_colour",
    "parameter_text",
    "schedule_colour",
    "schedule_marker",
]

COLUMN_INCHES = 3.4
"""A column of a two-column paper."""
PAGE_INCHES = 7.0
"""Both columns."""
CAPTION_POINTS = 6.0
"""Size of the caption line."""
WIDTH_SHARE = 0.94
"""Of the page that a caption takes: letters of a png are up to 3 % wider than their outlines."""

RC: Mapping[str, Any] = MappingProxyType(
    {
        "figure.dpi": 150,
        "font.family": "DejaVu Sans",
        "font.size": 8,
        "axes.titlesize": 8,
        "axes.labelsize": 8,
        "xtick.labelsize": 7,
        "ytick.labelsize": 7,
        "legend.fontsize": 7,
        "legend.title_fontsize": 7,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "0.9",
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "legend.frameon": False,
        "lines.linewidth": 1.2,
        "lines.markersize": 4,
        "hatch.linewidth": 0.5,
        "svg.hashsalt": "warpsweep",
        "svg.fonttype": "path",
        "pdf.fonttype": 42,
    }
)


@contextmanager
def house_style() -> Iterator[None]:
    """Give figures that are made or saved inside the house's look, whatever the user's settings."""
    import matplotlib

    settings: Any = dict(RC)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(settings)
        yield


def axis_label(variable: xr.DataArray, name: str | None = None, columns: int = 0) -> str:
    """Write an axis label from a variable's attributes, its unit in parentheses where it has one.

    Attributes that are missing are those of the quantity of that name.

    Parameters
    ----------
    variable : xarray.DataArray
    name : str, optional
        What to call it, instead of its ``long_name``.
    columns : int
        Letters per line; one line unless given.

    Examples
    --------
    >>> import sweep
    >>> axis_label(sweep.run("sync", k_tiles=[1, 2]).cycles)
    'makespan (cycle)'
    """
    known = attributes(str(variable.name)) if variable.name in VARIABLES else {}
    attrs = known | variable.attrs
    called = name or str(attrs.get("long_name", variable.name))
    units = attrs.get("units", "1")
    text = called if units == "1" else f"{called} ({units})"
    return "\n".join(textwrap.wrap(text, columns)) if columns else text


def caption(figure: Figure, *datasets: xr.Dataset, note: str = "") -> None:
    """Write what was held fixed under a figure, in small type, wrapped to its width.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        With a constrained layout, which makes room for the line.
    *datasets : xarray.Dataset
        What is drawn: ``figures.drawing.parameters`` says which of its parameters are written.
    note : str
        Stands before the parameters: how to read the figure, where that needs a word.
    """
    text = " ".join(part for part in (note, parameter_text(*datasets)) if part)
    figure.supxlabel(
        "\n".join(_lines(text, WIDTH_SHARE * 72 * figure.get_figwidth())),
        x=0.01,
        ha="left",
        fontsize=CAPTION_POINTS,
        color="0.3",
        parse_math=False,
    )


def _lines(text: str, points: float) -> list[str]:
    """Wrap a caption to lines that are at most so wide as they are drawn."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=RC["font.family"], size=CAPTION_POINTS)
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".lstrip()
        width, _, _ = text_to_path.get_text_width_height_descent(longer, font, ismath=False)
        if width > points and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
