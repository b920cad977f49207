"""A quantity, or a flag, over two dimensions of any dataset; further ones make panels."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.drawing.categories import Categories, categories, spaced
from figures.drawing.facets import Grid, Panel, facets
from figures.drawing.infeasible import hatch, reasons, words
from figures.drawing.legends import legend_above
from figures.drawing.places import Places, places
from figures.drawing.requirements import require, require_text
from figures.drawing.style import (
    DIVERGING,
    INFEASIBLE,
    SEQUENTIAL,
    axis_label,
    caption,
    house_style,
)
from sweep.errors import InputError
from sweep.inputs.reading import number_row, read_flag, read_number
from sweep.quantities.arrays import Array

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


MOST, MOST_CONTOURS = 1e300, 1000
RASTER_CELLS = 4096
"""From so many cells on a panel is an image in vector files too."""


def heatmap(
    ds: xr.Dataset,
    x: str,
    y: str,
    value: str = "tc_utilization",
    *,
    contours: int | Sequence[float] = (),
    log: bool = False,
    note: str = "",
) -> Figure:
    """Draw a variable of a dataset as colours over two of its dimensions.

    Numbers stand to scale, on a logarithmic axis where their steps are geometric; names stand side
    by side. A quantity of both signs has a diverging map around zero; a flag (``bottleneck``) has
    a colour per meaning. Points that do not fit are hatched, their reason in the legend; where
    there is no value (a deadlock, a masked point) the cell is grey.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``sweep.run``, or any with such dimensions.
    x, y : str
        Dimensions, or coordinates along one each.
    value : str
        A variable over both; of the further dimensions up to two make panels.
    contours : int or sequence of float
        How many lines of equal value, or which.
    log : bool
        Colours by the logarithm of the value.
    note : str
        Stands in the caption before the parameters held fixed.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If the dataset lacks one of the names, or too many dimensions are left for panels.

    Examples
    --------
    >>> import sweep
    >>> ds = sweep.run("warp_specialized", stages=range(1, 7), t_latency=[300, 700, 1500, 3000])
    >>> figure = heatmap(ds, x="t_latency", y="stages", value="bottleneck")
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['tensor core', 'ring depth', 'does not fit: shared memory']
    """
    require_text("heatmap", x=x, y=y, value=value, note=note)
    require("heatmap", ds, [value])
    levels, logarithmic = _wanted(contours), read_flag("log", log)
    across, down = places("heatmap", ds, x), places("heatmap", ds, y)
    _check_axes(ds, x, y, value, across, down)
    ds = ds.squeeze(
        [dim for dim in ds.dims if ds.sizes[dim] == 1 and dim not in _dims(across, down)]
    )
    unfit = reasons(ds[[name for name in (value, "feasible", "infeasible_reason") if name in ds]])
    drawn = ds[[value]].assign({f"_{name}": mask for name, mask in unfit.items()})
    named = categories(drawn[value])
    if named is not None:
        drawn[value] = named.codes
    with house_style():
        grid = facets("heatmap", drawn, _dims(across, down))
        values = drawn[value].values
        style = _category_style(named) if named else _quantity_style(values, logarithmic)
        for panel in grid.panels:
            _draw(panel, value, across, down, style, list(unfit))
            across.dress(panel.axes, "x", grid.inches[0], panel.bottom)
            down.dress(panel.axes, "y", grid.inches[1], labelled=False)
            if named is None:  # after the scales, by which labels are placed on the lines
                _contours(panel, value, across, down, levels, logarithmic)
        grid.label_y(down.label)
        if named is None:
            _colour_bar(grid, axis_label(ds[value]))
        _legend(grid, named, list(unfit), bool(_unexplained(drawn, value, unfit)))
        caption(grid.figure, ds, note=note)
    return grid.figure


def _wanted(contours: Any) -> int | list[float]:
    """Return how many lines are wanted, or which."""
    if isinstance(contours, list | tuple) and not contours:
        return []
    row = number_row("contours", lower=-MOST)
    found = read_number("contours", contours, row)
    if found.ndim:
        return [float(level) for level in found.ravel()]
    return int(read_number("contours", contours, whole=True, upper=MOST_CONTOURS))


def _dims(*axes: Places) -> tuple[str, ...]:
    return tuple(one.dim for one in axes)


def _check_axes(ds: xr.Dataset, x: str, y: str, value: str, across: Places, down: Places) -> None:
    if across.dim == down.dim:
        raise InputError(f"heatmap: x={x!r} and y={y!r} run along one dimension, {across.dim!r}")
    for axis in (across, down):
        if axis.dim not in ds[value].dims:
            raise InputError(f"heatmap: {value!r} does not depend on {axis.dim!r}")


def _quantity_style(values: Array, log: bool) -> dict[str, Any]:
    """Return one colour scale for all panels."""
    from matplotlib.colors import CenteredNorm, LogNorm, Normalize

    known = values[np.isfinite(values)].astype(float)
    if log:
        known = known[known > 0]
        bounds = (known.min(), known.max()) if known.size else (1.0, 10.0)
        return {"cmap": SEQUENTIAL, "norm": LogNorm(*bounds)}
    if known.size and known.min() < 0 < known.max():
        return {"cmap": DIVERGING, "norm": CenteredNorm(0.0, float(np.abs(known).max()))}
    low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
    return {"cmap": SEQUENTIAL, "norm": Normalize(low, high if high > low else low + 1)}


def _category_style(named: Categories) -> dict[str, Any]:
    from matplotlib.colors import BoundaryNorm, ListedColormap

    count = max(len(named.names), 1)
    return {
        "cmap": ListedColormap(named.colours or (INFEASIBLE,)),
        "norm": BoundaryNorm(np.arange(count + 1) - 0.5, count),
    }


def _plane(panel: Panel, name: str, across: Places, down: Places) -> Array:
    variable = panel.data[name]
    if across.dim not in variable.dims or down.dim not in variable.dims:
        sizes = {down.dim: down.order.size, across.dim: across.order.size}
        variable = variable.expand_dims({k: n for k, n in sizes.items() if k not in variable.dims})
    plane = variable.transpose(down.dim, across.dim).values
    return np.asarray(plane[np.ix_(down.order, across.order)])


def _draw(
    panel: Panel, value: str, across: Places, down: Places, style: dict[str, Any], unfit: list[str]
) -> None:
    axes, plane = panel.axes, _plane(panel, value, across, down).astype(float)
    plane[~np.isfinite(plane)] = np.nan
    axes.set_facecolor(INFEASIBLE)
    axes.grid(False)
    many = plane.size > RASTER_CELLS
    axes.pcolormesh(
        across.edges, down.edges, np.ma.masked_invalid(plane), rasterized=many, zorder=1, **style
    )
    for reason in unfit:
        mask = _plane(panel, f"_{reason}", across, down).astype(bool)
        _hatch(panel, across, down, mask, hatch(reason))
    axes.set(xlim=(across.edges[0], across.edges[-1]), ylim=(down.edges[0], down.edges[-1]))


def _hatch(panel: Panel, across: Places, down: Places, mask: Array, pattern: str) -> None:
    """Hatch cells as one shape, so that the pattern runs on from cell to cell."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    boxes = []
    for row in range(mask.shape[0]):
        low, high = down.edges[row], down.edges[row + 1]
        turns = np.flatnonzero(np.diff(np.concatenate([[0], mask[row].astype(int), [0]])))
        for first, stop in turns.reshape(-1, 2):
            left, right = across.edges[first], across.edges[stop]
            boxes.append([(left, low), (right, low), (right, high), (left, high), (left, low)])
    if boxes:
        path = Path.make_compound_path(*(Path(box, closed=True) for box in boxes))
        panel.axes.add_patch(
            PathPatch(path, facecolor="none", edgecolor="0.1", linewidth=0, hatch=pattern, zorder=2)
        )


def _contours(
    panel: Panel,
    value: str,
    across: Places,
    down: Places,
    wanted: int | Sequence[float],
    log: bool,
) -> None:
    plane = _plane(panel, value, across, down).astype(float)
    known = plane[np.isfinite(plane)]
    if min(plane.shape) < 2 or not known.size or not known.min() < known.max():
        return
    levels = _levels(known, wanted, log)
    if levels:
        lines = panel.axes.contour(
            across.centres,
            down.centres,
            np.ma.masked_invalid(plane),
            levels=levels,
            colors="black",
            linewidths=0.8,
            zorder=3,
        )
        panel.axes.clabel(lines, fontsize=6, fmt=lambda level: f"{level:,.4g}")


def _levels(known: Array, wanted: int | Sequence[float], log: bool) -> list[float]:
    """Return levels that the values cross; Matplotlib warns about others."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    low, high = float(known.min()), float(known.max())
    if isinstance(wanted, int):
        if wanted < 1:
            return []
        locator = LogLocator(subs=(1, 2, 5), numticks=wanted) if log else MaxNLocator(wanted + 1)
        wanted = list(locator.tick_values(max(low, 1e-300) if log else low, high))
    return sorted({float(level) for level in wanted if low < level < high})


def _colour_bar(grid: Grid, label: str) -> None:
    mesh = grid.axes[0].collections[0]
    high = grid.figure.get_figheight() - 0.8
    text = "\n".join(textwrap.wrap(label, max(int(high * 16), 12)))
    grid.figure.colorbar(mesh, ax=grid.axes, label=text, pad=0.02)


def _unexplained(drawn: xr.Dataset, value: str, unfit: Iterable[str]) -> Any:
    empty = drawn[value].isnull()
    for name in unfit:
        empty = empty & ~drawn[f"_{name}"]
    return empty.any()


def _legend(grid: Grid, named: Categories | None, unfit: list[str], empty: bool) -> None:
    from matplotlib.patches import Patch

    rim: dict[str, Any] = {"edgecolor": "0.3", "linewidth": 0.4}
    found = [
        Patch(facecolor=colour, label=spaced(name), **rim)
        for name, colour in (zip(named.names, named.colours, strict=True) if named else ())
    ]
    found += [
        Patch(facecolor="white", label=words(name), hatch=hatch(name) * 2, **rim) for name in unfit
    ]
    if empty:
        found.append(Patch(facecolor=INFEASIBLE, label="no value", **rim))
    legend_above(grid.figure, found)
