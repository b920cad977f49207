"""Whole spaces of the data path: one dimension per sequence, labelled with units."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sweep.errors import Impossible, InputError
from sweep.hardware import GPU
from sweep.memory import available_bytes, human_bytes
from sweep.tensorcore.quantities import attributes
from sweep.version import __version__

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[Any]
BYTES_PER_POINT = 500
"""Peak memory of a point: traffic has 14 inputs and 16 outputs."""

Call = Callable[..., Mapping[str, Any]]


@dataclass(frozen=True)
class Axis:
    """One parameter of a space.

    Attributes
    ----------
    name : str
    items : tuple
        Its values, one where it is fixed.
    labels : tuple
        The same as they stand in the dataset.
    varies : bool
        Whether it is a dimension.
    """

    name: str
    items: tuple[Any, ...]
    labels: tuple[Any, ...]
    varies: bool


def label_axis(name: str, value: Any, label: Callable[[Any], Any] = str) -> Axis:
    """Return the axis of a parameter whose values are names or shapes: a list varies."""
    return _axis(name, value, isinstance(value, list), label)


def number_axis(name: str, value: Any) -> Axis:
    """Return the axis of a number: any sequence or one-dimensional array varies."""
    varies = isinstance(value, list | tuple | range) or np.ndim(value) == 1
    if np.ndim(value) > 1:
        raise InputError(f"{name}: must be a number or a sequence of numbers")
    return _axis(name, value, varies, lambda one: one)


def _axis(name: str, value: Any, varies: bool, label: Callable[[Any], Any]) -> Axis:
    items = tuple(value) if varies else (value,)
    if not items:
        raise InputError(f"{name}: is empty; give at least one value")
    return Axis(name, items, tuple(label(one) for one in items), varies)


def gpu_label(gpu: str | GPU) -> str:
    """Return a GPU's name."""
    return gpu.name if isinstance(gpu, GPU) else str(gpu)


def shape_label(shape: Any) -> str:
    """Return a shape as text, "128x256"."""
    return "x".join(map(str, shape)) if isinstance(shape, tuple) else str(shape)


def evaluate(
    call: Call, one_by_one: Sequence[Axis], at_once: Sequence[Axis], cells: str = ""
) -> xr.Dataset:
    """Evaluate a function over the outer product of axes.

    Parameters
    ----------
    call : callable
        Takes the item of every axis of ``one_by_one`` and the index array of every axis of
        ``at_once``, by name, and returns arrays over the latter.
    one_by_one, at_once : sequence of Axis
        Dimensions that are looped over, and that are broadcast.
    cells : str
        The axis of ``at_once`` some of whose items may be impossible where others are not. Given
        one, a cell that cannot exist is flagged by the reason in the variable ``impossible``.

    Raises
    ------
    Impossible
        If no cell can exist.
    """
    axes = (*one_by_one, *at_once)
    outer = tuple(len(axis.items) for axis in one_by_one)
    inner = tuple(len(axis.items) for axis in at_once)
    _check_memory(prod((*outer, *inner)))
    indices = np.ix_(*(np.arange(size) for size in inner))
    spread = {axis.name: index for axis, index in zip(at_once, indices, strict=True)}
    found: dict[str, Array] = {}
    told = np.full((*outer, *inner), "", dtype=object)
    for place in product(*(range(size) for size in outer)):
        items = {axis.name: axis.items[i] for axis, i in zip(one_by_one, place, strict=True)}
        for part, values in _cells(call, items, spread, cells):
            where: Any = (*place, *part)
            if isinstance(values, Impossible):
                told[where] = str(values)
                refusal = values
                continue
            for name, column in values.items():
                _store(found, name, column, told.shape)[where] = column
    if not found:
        raise refusal
    return _dataset(axes, found | ({"impossible": told} if cells else {}))


def _cells(
    call: Call, items: Mapping[str, Any], spread: Mapping[str, Array], cells: str
) -> Iterator[tuple[tuple[slice, ...], Mapping[str, Any] | Impossible]]:
    """Call at once, or in ever smaller parts along ``cells`` until only impossible ones fail."""
    names = list(spread)
    waiting = [(0, spread[cells].size)] if cells else [(0, 0)]
    while waiting:
        start, stop = waiting.pop()
        part = [slice(None)] * len(names)
        some = dict(spread)
        if cells:
            at = names.index(cells)
            part[at] = slice(start, stop)
            some[cells] = np.take(spread[cells], range(start, stop), axis=at)
        try:
            yield tuple(part), call(**items, **some)
        except Impossible as refusal:
            if not cells:
                raise
            if stop - start == 1:
                yield tuple(part), refusal
            else:
                middle = (start + stop) // 2
                waiting += [(middle, stop), (start, middle)]


def _store(found: dict[str, Array], name: str, column: Any, shape: tuple[int, ...]) -> Array:
    """Return the array of an output, made for the first cell: NaN, 0 or "" where none is."""
    if name not in found:
        dtype = np.asarray(column).dtype
        dtype = np.dtype(np.int8) if dtype.kind == "b" else dtype
        empty: Any = {"f": np.nan, "U": ""}.get(dtype.kind, 0)
        found[name] = np.full(shape, empty, dtype=_wide(dtype))
    return found[name]


def _wide(dtype: np.dtype[Any]) -> Any:
    return object if dtype.kind == "U" else dtype


def _check_memory(points: int) -> None:
    needed, free = points * BYTES_PER_POINT, available_bytes()
    if needed > free:
        raise InputError(
            f"{points:,} points need about {human_bytes(needed)} of memory, {human_bytes(free)} are"
            " free: give fewer values"
        )


def _dataset(axes: Sequence[Axis], found: Mapping[str, Array]) -> xr.Dataset:
    import xarray as xr

    dims = tuple(axis.name for axis in axes if axis.varies)
    shape = tuple(len(axis.items) for axis in axes if axis.varies)
    coords = {
        axis.name: (axis.name, list(axis.labels), attributes(axis.name))
        if axis.varies
        else ((), axis.labels[0], attributes(axis.name))
        for axis in axes
    }
    variables = {
        name: (dims, _text(values).reshape(shape), attributes(name))
        for name, values in found.items()
    }
    attrs = {"Conventions": "CF-1.11", "source": f"warpsweep {__version__}"}
    return xr.Dataset(variables, coords=coords, attrs=attrs)


def _text(values: Array) -> Array:
    return values.astype(str) if values.dtype.kind == "O" else values
