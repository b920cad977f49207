"""What a user gives: shapes and whole numbers, single or as arrays, and fields of a GPU."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.checks import check_numbers
from sweep.errors import Impossible, InputError
from sweep.hardware import GPU, GPUS
from sweep.tensorcore.quantities import QUANTITIES
from sweep.variables import VARIABLES

Array = NDArray[Any]
Shape = tuple[Array, ...]

_SHAPE_TEXT = re.compile(r"\s*\d+(\s*[xX]\s*\d+)+\s*", re.ASCII)


def numbers(name: str, value: Any) -> Array:
    """Return the numbers of a quantity, checked against its row.

    Raises
    ------
    InputError
        Naming the first one that is no number or out of limits.
    """
    return np.asarray(check_numbers(QUANTITIES[name], value))


def read_shapes(name: str, value: Any, sizes: tuple[int, ...], example: str) -> Shape:
    """Return the extents of one shape, or of many as arrays.

    Parameters
    ----------
    name : str
        "tile" or "cluster"; its extents are checked as ``tile_m``, ``tile_n`` and so on.
    value : str, tuple or list
        ``"128x256"``, ``(128, 256)``, a tuple of arrays that broadcast, an array whose last axis
        holds the extents, or a list of shapes, which becomes an axis.
    sizes : tuple of int
        How many extents it may have.
    example : str
        For the message.

    Examples
    --------
    >>> [extent.tolist() for extent in read_shapes("tile", ["64x64", (128, 256)], (2, 3), "64x64")]
    [[64, 128], [64, 256]]
    """
    extents = _extents(value)
    if extents is None or len(extents) not in sizes:
        counts = " or ".join(map(str, sizes))
        raise InputError(f"{name}={value!r}: must be {counts} whole numbers, such as {example!r}")
    names = (f"{name}_m", f"{name}_n", f"{name}_k")
    return tuple(numbers(one, extent) for one, extent in zip(names, extents, strict=False))


def _extents(value: Any) -> tuple[Any, ...] | None:
    """Return the extents of a shape as given, None where it is none."""
    if isinstance(value, str):
        found = _SHAPE_TEXT.fullmatch(value)
        return tuple(int(size) for size in re.split("[xX]", value)) if found else None
    if isinstance(value, tuple):
        return value
    if isinstance(value, np.ndarray) and value.ndim:
        return tuple(np.moveaxis(value, -1, 0))
    if isinstance(value, list) and value:
        rows = [_extents(one) for one in value]
        known = [row for row in rows if row is not None]
        if len(known) == len(rows) and len(set(map(len, known))) == 1:
            return tuple(list(column) for column in zip(*known, strict=True))
    return None


def find_gpu(gpu: str | GPU) -> GPU:
    """Return a GPU by its name.

    Raises
    ------
    InputError
        With the nearest name where there is none.
    """
    return gpu if isinstance(gpu, GPU) else GPUS.find(gpu)


def gpu_field(gpu: GPU, name: str, given: Mapping[str, Any] | None = None) -> Array:
    """Return a field of a GPU, or the numbers given instead.

    Raises
    ------
    InputError
        If it is neither given nor known.
    """
    value = (given or {}).get(name, gpu.value(name))
    if value is None:
        raise Impossible(
            f"{name}: not known for gpu={gpu.name!r}; give {name}=... in {VARIABLES[name].units}"
        )
    return np.asarray(check_numbers(VARIABLES[name], value))


def check_fields(given: Mapping[str, Any], used: Sequence[str], who: str) -> None:
    """Refuse a field of a GPU that a function does not use."""
    for name in given:
        if name not in used:
            raise InputError(f"{name}: has no effect on {who}, which uses {', '.join(used)}")


def broadcast(given: Sequence[Array]) -> tuple[Array, ...]:
    """Broadcast arrays against each other.

    Raises
    ------
    InputError
        With their shapes where they do not fit.
    """
    try:
        return tuple(np.broadcast_arrays(*given))
    except ValueError:
        shapes = ", ".join(dict.fromkeys(str(one.shape) for one in given if one.ndim))
        raise InputError(f"arrays of shapes {shapes} do not broadcast") from None
