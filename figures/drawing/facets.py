"""Panels for the dimensions that a figure does not use otherwise."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from figures.drawing.style import COLUMN_INCHES, PAGE_INCHES
from sweep.errors import InputError

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PANELS = 24
MOST_COLUMNS = 4
NARROW, PANEL_INCHES = 3, 1.9
"""From so many columns on a panel is that high; wider ones are higher."""


class Panel(NamedTuple):
    """One panel: what is drawn in it, and whether it stands at the left or the bottom."""

    axes: Axes
    data: xr.Dataset
    left: bool
    bottom: bool


class Grid(NamedTuple):
    """An empty figure with its panels."""

    figure: Figure
    panels: list[Panel]

    rows: int
    columns: int

    @property
    def axes(self) -> list[Axes]:
        """The axes of all panels."""
        return [panel.axes for panel in self.panels]

    @property
    def inches(self) -> tuple[float, float]:
        """About how wide and high a panel is."""
        width, height = self.figure.get_size_inches()
        return 0.85 * width / self.columns, max((height - 0.9) / self.rows - 0.5, 0.5)

    def label_y(self, label: str) -> None:
        """Write the label of the y axes once, wrapped to the figure's height."""
        letters = max(int(17 * (self.figure.get_figheight() - 0.75)), 15)
        text = "\n".join(textwrap.wrap(label, letters))
        if self.rows > 1:
            self.figure.supylabel(text, fontsize="medium")
        else:
            self.panels[0].axes.set_ylabel(text)


def facets(name: str, ds: xr.Dataset, used: Iterable[str]) -> Grid:
    """Return a figure with a panel per combination of the dimensions that are left.

    One dimension is wrapped into rows of up to four panels; of two the second makes the columns.

    Parameters
    ----------
    name : str
        The figure, for the message.
    ds : xarray.Dataset
        Without dimensions of length 1 other than those used.
    used : iterable of str
        Dimensions that a panel shows.

    Raises
    ------
    InputError
        If more than two dimensions are left, or they make more than 24 panels.
    """
    from matplotlib.figure import Figure

    inside = set(used)
    left = [str(dim) for dim in ds.dims if dim not in inside]
    shape = [ds.sizes[dim] for dim in left]
    if len(left) > 2:
        raise InputError(
            f"{name}: {len(left)} dimensions are left for panels ({', '.join(left)}), at most 2 can"
            f" be; choose with ds.sel({left[-1]}=...)"
        )
    points = [dict(zip(left, at, strict=True)) for at in product(*map(range, shape))]
    if len(points) > MOST_PANELS:
        raise InputError(
            f"{name}: {' x '.join(left)} makes {len(points)} panels, at most {MOST_PANELS} are"
            f" drawn; choose with ds.sel({left[-1]}=[...])"
        )
    columns = shape[1] if len(left) == 2 else min(len(points), MOST_COLUMNS)
    if len(left) == 1 and columns < len(points) <= 2 * NARROW:
        columns = NARROW
    if columns > MOST_PANELS // 3:
        raise InputError(
            f"{name}: {columns} panels side by side ({left[-1]}), at most {MOST_PANELS // 3} fit;"
            f" choose with ds.sel({left[-1]}=[...])"
        )
    rows = -(-len(points) // columns)
    high = PANEL_INCHES if columns >= NARROW or rows > 1 else 2.3
    width = COLUMN_INCHES * 1.25 if len(points) == 1 else PAGE_INCHES
    figure = Figure(figsize=(width, 0.5 + high * rows), layout="constrained")
    axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    panels = list(_panels(ds, points, axes))
    for spare in axes.flat[len(points) :]:
        spare.remove()
    return Grid(figure, panels, rows, columns)


def _panels(ds: xr.Dataset, points: list[dict[str, int]], axes: Any) -> Iterator[Panel]:
    columns = axes.shape[1]
    for index, point in enumerate(points):
        one = axes.flat[index]
        one.set_title("\n".join(title(ds[dim][at]) for dim, at in point.items()))
        bottom = index + columns >= len(points)
        if bottom:
            one.xaxis.set_tick_params(labelbottom=True)
        yield Panel(one, ds.isel(point), index % columns == 0, bottom)


def title(value: xr.DataArray) -> str:
    """Write one value of a coordinate with its name, a schedule's or a GPU's by itself.

    Examples
    --------
    >>> import sweep
    >>> ds = sweep.run(["sync", "multistage"], t_latency=[300, 1500])
    >>> title(ds.t_latency[1]), title(ds.schedule[0])
    ('t_latency = 1,500 cycle', 'sync')
    """
    plain = value.values.item()
    if isinstance(plain, str):
        return plain if value.name in ("schedule", "gpu", "tile") else f"{value.name} = {plain}"
    units = value.attrs.get("units", "1")
    return f"{value.name} = {plain:,.6g}" + ("" if units == "1" else f" {units}")
