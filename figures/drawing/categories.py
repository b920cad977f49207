"""Values that are names: flags with their meanings, and text; each with its colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from figures.drawing.style import BOTTLENECK_COLOURS, COLOURS, schedule_colour

if TYPE_CHECKING:
    import xarray as xr


class Categories(NamedTuple):
    """A variable as categories.

    Attributes
    ----------
    codes : xarray.DataArray
        0, 1, ... as in ``names``; NaN where there is no value.
    names : tuple of str
        Those that occur.
    colours : tuple of str
    """

    codes: xr.DataArray
    names: tuple[str, ...]
    colours: tuple[str, ...]


def categories(variable: xr.DataArray) -> Categories | None:
    """Return a flag's or a text variable's categories that occur, None for a quantity."""
    values = variable.values
    if values.dtype.kind == "T":  # zarr's text: Python's, as other text is
        values = values.astype(object)
    meanings = str(variable.attrs.get("flag_meanings", "")).split()
    if meanings:
        flags = np.asarray(variable.attrs.get("flag_values", np.arange(len(meanings))))
        known = list(zip(flags.tolist(), meanings, strict=True))
    elif values.dtype.kind in "UOS":
        known = [(name, str(name)) for name in sorted(set(values.ravel().tolist()))]
    else:
        return None
    there = [(flag, name) for flag, name in known if (values == flag).any()]
    codes: NDArray[Any] = np.full(values.shape, np.nan)
    for code, (flag, _) in enumerate(there):
        codes[values == flag] = code
    names = tuple(name for _, name in there)
    everything = [name for _, name in known]
    colours = tuple(_colour(str(variable.name), name, everything) for name in names)
    return Categories(variable.copy(data=codes), names, colours)


def _colour(variable: str, name: str, known: Sequence[str]) -> str:
    if variable == "bottleneck" and name in BOTTLENECK_COLOURS:
        return BOTTLENECK_COLOURS[name]
    if variable == "schedule":
        return schedule_colour(name)
    return COLOURS[known.index(name) % len(COLOURS)]


def spaced(name: str) -> str:
    """Write a name with spaces.

    Examples
    --------
    >>> spaced("copy_bandwidth")
    'copy bandwidth'
    """
    return name.replace("_", " ")
