"""Refuse data that lacks what a figure draws, by naming it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sweep.errors import InputError, InputTypeError, quoted
from sweep.inputs.reading import read_object

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
    import xarray as xr

    read_object("ds", ds, xr.Dataset, f"a Dataset that {figure} draws")
    for name in variables:
        if not isinstance(name, str) or name not in ds:
            raise InputError(f"{figure}: the dataset has no variable {quoted(name)}")
    for dim in dims:
        if dim not in ds.dims:
            known = ", ".join(map(str, ds.dims)) or "none"
            raise InputError(f"{figure}: the dataset has no dimension {dim!r}; it has {known}")
        if not ds.sizes[dim]:
            raise InputError(f"{figure}: the dimension {dim!r} has no values")


def require_text(figure: str, **given: Any) -> None:
    """Check that names and notes are text.

    Raises
    ------
    InputTypeError
        Naming the figure and the first parameter that is none.
    """
    for name, value in given.items():
        if not isinstance(value, str):
            raise InputTypeError(f"{figure}: {name}={quoted(value)}: must be text")
        if not value.replace("\n", " ").isprintable():
            raise InputError(f"{figure}: {name}={quoted(value)}: has control characters")
