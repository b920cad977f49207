"""Rivals side by side: a line each over a quantity, bars over names; further dimensions panels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from figures.drawing.facets import Grid, Panel, facets, title
from figures.drawing.infeasible import MARKERS, hatch, reasons, words
from figures.drawing.legends import legend_above
from figures.drawing.places import Places, places, plain_number
from figures.drawing.requirements import require, require_text
from figures.drawing.style import (
    COLOURS,
    SEQUENTIAL,
    axis_label,
    caption,
    house_style,
    schedule_colour,
    schedule_marker,
)
from sweep.errors import InputError, quoted
from sweep.quantities.arrays import Array

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


MARKED = 24
"""Up to so many values on the x axis every point has a marker."""
BARS = 0.8
"""Share of a name's place that its bars take."""


class Rival(NamedTuple):
    """One line or set of bars: which index, its name in the legend, its look."""

    at: dict[str, int]
    name: str
    colour: str
    marker: str


def compare(
    ds: xr.Dataset,
    x: str,
    value: str = "tc_utilization",
    *,
    by: str | None = None,
    baseline: Any = None,
    note: str = "",
) -> Figure:
    """Draw a variable of a dataset over one dimension, a line or a set of bars per rival.

    Lines over numbers, on a logarithmic axis where their steps are geometric; bars over names.
    Points that do not fit are drawn open (bars hatched) on a dashed line, their reason in the
    legend; a deadlock, which has no value, is a cross on the axis.

    Parameters
    ----------
    ds : xarray.Dataset
        From ``sweep.run``, or any with such dimensions.
    x : str
        A dimension, or a coordinate along one.
    value : str
        A variable of numbers over it; of the further dimensions up to two make panels.
    by : str, optional
        The dimension of the rivals: ``schedule``, else the first that is left, unless given.
    baseline : optional
        One of the rivals, by its value: the others are drawn as ratios to it.
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
    >>> ds = sweep.run(["multistage", "warp_specialized"], stages=range(1, 7))
    >>> figure = compare(ds, x="stages")
    >>> [line.get_label() for line in figure.axes[0].lines if line.get_label()[0] != "_"]
    ['multistage', 'warp_specialized']
    """
    require_text("compare", x=x, value=value, note=note)
    require("compare", ds, [value])
    if by is not None:
        require_text("compare", by=by)
    across = places("compare", ds, x)
    ds = ds.squeeze([dim for dim in ds.dims if ds.sizes[dim] == 1 and dim != across.dim])
    dims = [str(dim) for dim in ds[value].dims]
    if across.dim not in dims:
        raise InputError(f"compare: {value!r} does not depend on {across.dim!r}")
    if ds[value].dtype.kind not in "iufb":
        raise InputError(f"compare: {value!r} has no numbers")
    dim = _rivals_dim(ds, [one for one in dims if one != across.dim], by)
    unfit = reasons(ds[[name for name in ("feasible", "infeasible_reason") if name in ds]])
    drawn = ds[[value]].assign({f"_{name}": mask for name, mask in unfit.items()})
    label = axis_label(ds[value])
    if baseline is not None:
        drawn[value], label = _relative(drawn[value], dim, baseline)
    rivals = list(_rivals(ds, dim))
    with house_style():
        grid = facets("compare", drawn, [across.dim, *([dim] if dim else [])])
        for panel in grid.panels:
            draw = _bars if across.names else _lines
            draw(panel, value, across, rivals, list(unfit))
            across.dress(panel.axes, "x", grid.inches[0], panel.bottom)
        grid.label_y(label)
        _limits(grid, drawn[value].values)
        _legend(grid, rivals, list(unfit), dim if len(rivals) > 1 else "", bool(across.names))
        caption(grid.figure, ds, note=note)
    return grid.figure


def _rivals_dim(ds: xr.Dataset, left: list[str], by: str | None) -> str:
    if by is not None:
        if by not in left and by in ds.coords and not ds[by].dims:
            return ""
        if by not in left:
            raise InputError(
                f"compare: by={quoted(by)} is no dimension that is left; {left or 'none'} is"
            )
        return by
    return "schedule" if "schedule" in left else (left or [""])[0]


def _rivals(ds: xr.Dataset, dim: str) -> Iterator[Rival]:
    import matplotlib as mpl

    if not dim:
        yield Rival({}, "", COLOURS[0], "o")
        return
    count = ds.sizes[dim]
    for index in range(count):
        one = ds[dim][index]
        name = title(one)
        if dim == "schedule":
            yield Rival({dim: index}, name, schedule_colour(name), schedule_marker(name))
        elif count <= len(COLOURS):
            yield Rival({dim: index}, name, COLOURS[index], "os^DvPX"[index])
        else:
            shade = mpl.colormaps[SEQUENTIAL](0.9 * index / (count - 1))
            yield Rival({dim: index}, name, mpl.colors.to_hex(shade), "o")


def _relative(variable: xr.DataArray, dim: str, baseline: Any) -> tuple[xr.DataArray, str]:
    known = variable[dim].values.tolist() if dim else []
    plain = isinstance(baseline, str | int | float | np.generic) and not isinstance(
        baseline, bool | np.timedelta64
    )
    if not plain or baseline not in known:
        raise InputError(
            f"compare: baseline={quoted(baseline)} is none of the rivals; they are {quoted(known)}"
        )
    base = variable.sel({dim: baseline}, drop=True)
    label = f"{variable.attrs.get('long_name', variable.name)} relative to {baseline}"
    return variable / base.where(base != 0), label


def _columns(
    panel: Panel, value: str, across: Places, rival: Rival, unfit: list[str]
) -> tuple[Array, dict[str, Array]]:
    """Return a rival's values along x, and where it does not fit by the reason."""
    one = panel.data.isel(rival.at)
    found = one[value].values[across.order].astype(float)
    found[~np.isfinite(found)] = np.nan
    size = {across.dim: across.order.size}
    masks = {}
    for reason in unfit:
        mask = one[f"_{reason}"]
        mask = mask if across.dim in mask.dims else mask.expand_dims(size)
        masks[reason] = mask.values[across.order].astype(bool)
    return found, masks


def _lines(panel: Panel, value: str, across: Places, rivals: list[Rival], unfit: list[str]) -> None:
    few = across.order.size <= MARKED
    for rival in rivals:
        y, masks = _columns(panel, value, across, rival, unfit)
        fits = ~np.logical_or.reduce(list(masks.values())) if masks else np.full(y.shape, True)
        look: dict[str, Any] = {"color": rival.colour, "zorder": 3}
        panel.axes.plot(across.centres, y, "--", linewidth=0.8, label="_all", **look)
        panel.axes.plot(
            across.centres,
            np.where(fits, y, np.nan),
            marker=rival.marker if few else "",
            label=rival.name or "_one",
            **look,
        )
        for reason, mask in masks.items():
            if reason == "deadlock":
                _crosses(panel, across.centres[mask], rival.colour)
            elif few:
                panel.axes.plot(
                    across.centres[mask],
                    y[mask],
                    MARKERS.get(reason, "o"),
                    markerfacecolor="white",
                    label=f"_{reason}",
                    **look,
                )


def _crosses(panel: Panel, at: Array, colour: str) -> None:
    """Mark points without a value on the axis."""
    panel.axes.plot(
        at,
        np.full(at.shape, 0.02),
        MARKERS["deadlock"],
        color=colour,
        transform=panel.axes.get_xaxis_transform(),
        clip_on=False,
        label="_deadlock",
        zorder=4,
    )


def _bars(panel: Panel, value: str, across: Places, rivals: list[Rival], unfit: list[str]) -> None:
    width = BARS / len(rivals)
    for index, rival in enumerate(rivals):
        y, masks = _columns(panel, value, across, rival, unfit)
        at = across.centres + width * (index - (len(rivals) - 1) / 2)
        bars = panel.axes.bar(at, y, width, color=rival.colour, label=rival.name or "_one")
        for reason, mask in masks.items():
            if reason == "deadlock":
                _crosses(panel, at[mask], rival.colour)
            for bar in np.array(bars.patches)[mask]:
                bar.set(facecolor="white", edgecolor=rival.colour, hatch=hatch(reason) * 2)
    panel.axes.grid(False, axis="x")


def _limits(grid: Grid, values: Array) -> None:
    from matplotlib.ticker import FuncFormatter

    grid.axes[0].yaxis.set_major_formatter(FuncFormatter(plain_number))
    known = values[np.isfinite(values)]
    if known.size and known.min() >= 0:
        grid.axes[0].set_ylim(bottom=0, top=1.05 * known.max() or 1.0)


def _legend(grid: Grid, rivals: list[Rival], unfit: list[str], dim: str, bars: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    found: list[Any] = []
    for one in rivals if dim else ():
        line = Line2D([], [], color=one.colour, marker=one.marker, label=one.name)
        found.append(Patch(color=one.colour, label=one.name) if bars else line)
    for reason in unfit:
        if bars and reason != "deadlock":
            found.append(
                Patch(
                    facecolor="white",
                    edgecolor="0.3",
                    linewidth=0.4,
                    hatch=hatch(reason) * 2,
                    label=words(reason),
                )
            )
        else:
            found.append(_open_line(reason))
    legend_above(grid.figure, found)


def _open_line(reason: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D(
        [],
        [],
        color="0.3",
        linestyle="" if reason == "deadlock" else "--",
        linewidth=0.8,
        marker=MARKERS.get(reason, "o"),
        markerfacecolor="white",
        label=words(reason),
    )
