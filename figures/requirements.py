"""Refuse data that lacks what a figure draws, by naming it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sweep.errors import InputError

if TYPE_CHECKING:
    import xarray as xr


def require(
    figure: str, ds: xr.Dataset, variables: Iterable[str] = (), dims: Iterable[str] = ()
) -> None:
    """Check that a dataset has what a figure needs.

    Raises
    ------
    InputError
        Naming the figure and the first variable or dimension that is missing or empty.
    """
    for name in variables:
        if name not in ds:
            raise InputError(f"{figure}: the dataset has no variable {name!r}")
    for dim in dims:
        if dim not in ds.dims:
            known = ", ".join(map(str, ds.dims)) or "none"
            raise InputError(f"{figure}: the dataset has no dimension {dim!r}; it has {known}")
        if not ds.sizes[dim]:
            raise InputError(f"{figure}: the dimension {dim!r} has no values")
