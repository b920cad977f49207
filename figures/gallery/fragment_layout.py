"""Which lane of a warp holds which element of A, B and C of mma.m16n8k16."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.drawing.entry import Entry
from figures.drawing.legends import legend_above
from figures.drawing.requirements import require
from figures.drawing.style import COLOURS, PAGE_INCHES, caption, house_style
from sweep.tensorcore import fragment

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHAPE, ELEMENT_TYPE = "m16n8k16", "fp16"
OPERANDS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {"a": ("A", "m", "k"), "b": ("B", "k", "n"), "c": ("C and D", "m", "n")}
)
"""By operand: its name, its rows and its columns."""
DRAWN = ("a_lane", "a_element", "b_lane", "b_element", "c_lane", "c_element")
PAIR = 2
"""Elements that share a colour and lie side by side: a register of A or B, two of C."""
PALE = 0.45
LANE = 0
"""The lane whose elements are framed."""


def fragment_layout(ds: xr.Dataset) -> Figure:
    """Draw the operands element by element: the lane as a number, its registers as colours.

    Parameters
    ----------
    ds : xarray.Dataset
        ``a_lane``, ``a_element`` over (m, k); ``b_lane``, ``b_element`` over (k, n); ``c_lane``,
        ``c_element`` over (m, n): which lane holds an element, and as which of its own.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If the dataset lacks one of them.
    """
    from matplotlib.figure import Figure

    require("fragment_layout", ds, DRAWN, ("m", "n", "k"))
    widths = [ds.sizes[columns] + 0.2 for _, _, columns in OPERANDS.values()]
    with house_style():
        figure = Figure(figsize=(PAGE_INCHES, 3.75), layout="constrained")
        panels = figure.subplots(1, len(OPERANDS), width_ratios=widths)
        for axes, operand in zip(panels, OPERANDS, strict=True):
            _draw(axes, ds, operand)
        _legend(figure, ds)
        caption(
            figure,
            note=(
                f"mma.{SHAPE}, {ELEMENT_TYPE}: numbers are lanes, colours pairs of a lane's"
                f" elements in the order of its registers; the elements of lane {LANE} are framed."
                " C lies as the left half of A does: two C side by side are the A of a next mma."
            ),
        )
    return figure


def _draw(axes: Axes, ds: xr.Dataset, operand: str) -> None:
    import matplotlib as mpl
    from matplotlib.patches import Rectangle

    name, down, along = OPERANDS[operand]
    lanes = ds[f"{operand}_lane"].transpose(down, along).values
    elements = ds[f"{operand}_element"].transpose(down, along).values
    for (row, column), lane in np.ndenumerate(lanes):
        colour = COLOURS[int(elements[row, column]) // PAIR]
        axes.add_patch(
            Rectangle(
                (column - 0.5, row - 0.5),
                1,
                1,
                facecolor=mpl.colors.to_rgba(colour, PALE),
                edgecolor="white",
                linewidth=0.6,
            )
        )
        axes.text(column, row, str(lane), fontsize=5, ha="center", va="center_baseline")
    for row, column in np.argwhere(lanes == LANE):
        axes.add_patch(
            Rectangle(
                (column - 0.5, row - 0.5),
                1,
                1,
                facecolor="none",
                edgecolor="black",
                linewidth=1.2,
                zorder=3,
            )
        )
    rows, columns = lanes.shape
    axes.set(
        xlim=(-0.6, columns - 0.4),
        ylim=(rows - 0.4, -0.6),
        aspect="equal",
        xticks=range(0, columns, 4),
        yticks=range(0, rows, 4),
        title=f"{name}, {rows} x {columns}",
        xlabel=along,
        ylabel=down,
    )
    axes.grid(False)
    axes.spines[:].set_visible(False)


def _legend(figure: Figure, ds: xr.Dataset) -> None:
    import matplotlib as mpl
    from matplotlib.patches import Patch

    most = max(int(ds[f"{operand}_element"].max()) for operand in OPERANDS) + 1
    legend_above(
        figure,
        [
            Patch(
                facecolor=mpl.colors.to_rgba(COLOURS[first // PAIR], PALE),
                label=f"elements {first}, {first + 1}",
            )
            for first in range(0, most, PAIR)
        ],
    )


def data() -> xr.Dataset:
    """Turn the fragments round: from where a lane's elements lie to who holds an element."""
    import xarray as xr

    found: dict[str, Any] = {}
    for operand, (_, down, along) in OPERANDS.items():
        places = fragment(SHAPE, operand, ELEMENT_TYPE)
        shape = tuple(places.reshape(-1, 2).max(axis=0) + 1)
        lanes, elements = np.full(shape, -1), np.full(shape, -1)
        for (lane, element), _ in np.ndenumerate(places[..., 0]):
            at = tuple(places[lane, element])
            lanes[at], elements[at] = lane, element
        found[f"{operand}_lane"] = ((down, along), lanes)
        found[f"{operand}_element"] = ((down, along), elements)
    return xr.Dataset(found)


ENTRY = Entry(
    name="fragment_layout",
    shows=(
        "Every lane holds pairs of neighbours, of A in four quadrants, of C in two halves that lie"
        " as the left half of A does."
    ),
    data=data,
    draw=fragment_layout,
)
