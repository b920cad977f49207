"""Shapes as they are typed, "128x256x64": tiles and clusters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from sweep.errors import InputError, quoted
from sweep.quantities.variables import VARIABLES

_AXES = {"tile": ("M", "N", "K"), "cluster": ("M", "N")}


LARGEST_EXTENT: Mapping[str, int] = MappingProxyType({"tile": 2**16, "cluster": 2**10})
"""Far above what any GPU has; products of extents then stay exact in int64 and float64."""


@lru_cache(maxsize=4096)
def text_sizes(text: str) -> tuple[int, ...]:
    """Return the sizes of a shape as it is typed, none where the text is no shape."""
    found = re.fullmatch(r"\s*(\d{1,10}(?:\s*[xX]\s*\d{1,10})*)\s*", text, re.ASCII)
    return tuple(int(size) for size in re.split(r"[xX]", found[1])) if found else ()


def _tuple_sizes(sizes: tuple[Any, ...]) -> tuple[int, ...]:
    whole = all(
        isinstance(size, int | float | np.integer)
        and not isinstance(size, bool | np.timedelta64)
        and size % 1 == 0
        for size in sizes
    )
    return tuple(int(size) for size in sizes) if whole else ()


def parse_shape(name: str, value: object) -> tuple[int, ...]:
    """Return the sizes of a shape given as text or as a tuple.

    Parameters
    ----------
    name : {"tile", "cluster"}
        Which shape: M x N x K elements of a tile, or M x N CTAs of a cluster.
    value : str or tuple of int
        ``"128x256x64"`` or ``(128, 256, 64)``.

    Raises
    ------
    InputError
        If it is not that many whole numbers from 1 to ``LARGEST_EXTENT``.

    Examples
    --------
    >>> parse_shape("tile", "128x256x64"), parse_shape("cluster", (2, 1))
    ((128, 256, 64), (2, 1))
    """
    axes, example = _AXES[name], VARIABLES[name].default
    sizes = _tuple_sizes(value) if isinstance(value, tuple) else text_sizes(str(value))
    most = LARGEST_EXTENT[name]
    if len(sizes) != len(axes) or not all(0 < size <= most for size in sizes):
        raise InputError(
            f"{name}={quoted(value)}: must be {len(axes)} whole numbers from 1 to {most:,},"
            f" {' x '.join(axes)}, such as {example!r} or {text_sizes(str(example))}"
        )
    return sizes
