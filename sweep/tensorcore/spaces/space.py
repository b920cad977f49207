"""Whole spaces of the data path: one dimension per sequence, labelled with units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from sweep.errors import InputError, quoted
from sweep.hardware.gpu import GPU
from sweep.host.memory import available_bytes, human_bytes
from sweep.inputs.arguments import read_argument
from sweep.inputs.dimensions import same_values
from sweep.inputs.one_or_many import label_items, named_form
from sweep.quantities.arrays import Array
from sweep.quantities.data_path import QUANTITIES, attributes
from sweep.quantities.variables import VARIABLES
from sweep.version import __version__

if TYPE_CHECKING:
    import xarray as xr

BYTES_PER_POINT = 500
"""Peak memory of a point: traffic has 14 inputs and 16 outputs."""
IMPOSSIBLE = "impossible"
"""The variable that says why a cell has no values; empty where it has some."""

Call = Callable[..., Mapping[str, Any]]
Coordinates = Mapping[str, tuple[tuple[str, ...], Array]]


@dataclass(frozen=True)
class Axis:
    """One parameter of a space.

    Attributes
    ----------
    name : str
    dims : tuple of str
        None where it is fixed, its name for a sequence, its own for a Series or DataArray.
    codes : numpy.ndarray of int
        Which of the items stands where.
    items : tuple
        Its values.
    labels : tuple
        The same as they stand in the dataset.
    coords : mapping
        Coordinates that it brought.
    """

    name: str
    dims: tuple[str, ...]
    codes: Array
    items: tuple[Any, ...]
    labels: tuple[Any, ...]
    coords: Coordinates = field(default_factory=dict)

    @property
    def text(self) -> Array:
        """Its labels over its dimensions."""
        return np.asarray(np.array(self.labels)[self.codes])


def label_axis(
    name: str, value: Any, read: Callable[[Any], Any], label: Callable[[Any], Any]
) -> Axis:
    """Return the axis of a parameter whose values are names or shapes.

    Parameters
    ----------
    name : str
    value : one value, or a list, Series or DataArray of them
    read : callable
        Turns what a user gives for one value into an item, or refuses it.
    label : callable
        Turns an item into what stands in the dataset.
    """
    items = label_items(name, value)
    if items is None:
        item = read(value)
        return Axis(name, (), np.zeros((), dtype=np.int64), (item,), (label(item),))
    read_items = tuple(read(one) for one in items.flat)
    dims, coords = named_form(name, value)
    if not dims and items.ndim > 1:
        raise InputError(
            f"{name}: an array of {items.ndim} dimensions has no names for them; give an"
            " xarray.DataArray"
        )
    codes = np.arange(len(read_items)).reshape(items.shape)
    labels = tuple(label(one) for one in read_items)
    return Axis(name, dims or (name,), codes, read_items, labels, coords)


def number_axis(name: str, value: Any) -> Axis:
    """Return the axis of a number: any sequence, Series or DataArray varies."""
    found = read_argument(name, value, QUANTITIES.get(name) or VARIABLES[name])
    items = tuple(found.array.ravel().tolist())
    codes = np.arange(len(items)).reshape(found.array.shape)
    labels = tuple(np.asarray(found.text).ravel().tolist())
    return Axis(name, found.dims, codes, items, labels, found.coords)


def gpu_label(gpu: GPU) -> str:
    """Return a GPU's name."""
    return gpu.name


def shape_label(shape: tuple[int, ...]) -> str:
    """Return a shape as text, "128x256"."""
    return "x".join(map(str, shape))


def evaluate(
    call: Call, one_by_one: Sequence[Axis], at_once: Sequence[Axis], *, flagged: bool = True
) -> xr.Dataset:
    """Evaluate a function over the outer product of axes; those that share a dimension are zipped.

    Where the function refuses a cell, its numbers are NaN, its flags no and its texts empty, and
    the variable ``impossible`` says why.

    Parameters
    ----------
    call : callable
        Takes the item of every axis of ``one_by_one`` and an array of items of every axis of
        ``at_once``, by name, and returns arrays over the latter.
    one_by_one, at_once : sequence of Axis
        Parameters that are looped over, and that are taken as arrays.
    flagged : bool
        Whether there is a variable ``impossible``.

    Raises
    ------
    InputError
        If axes that share a dimension differ along it, the space is too large, or every cell is
        refused.
    """
    axes = (*one_by_one, *at_once)
    sizes = _sizes(axes)
    count = prod(sizes.values())
    _check_memory(count)
    codes = {axis.name: _spread(axis, sizes) for axis in axes}
    looped = np.stack([codes[axis.name] for axis in one_by_one])
    cells = _Cells(count)
    for combination in np.unique(looped, axis=1).T:
        where = np.flatnonzero((looped == combination[:, None]).all(axis=0))
        items = {
            axis.name: axis.items[code] for axis, code in zip(one_by_one, combination, strict=True)
        }
        cells.fill(call, items, {axis.name: (axis, codes[axis.name]) for axis in at_once}, where)
    return _dataset(axes, sizes, cells.columns(flagged))


class _Cells:
    """The results of every point, and why some have none."""

    def __init__(self, count: int) -> None:
        self._found: dict[str, Array] = {}
        self._refused: dict[int, InputError] = {}
        self._count = count

    def fill(
        self,
        call: Call,
        items: Mapping[str, Any],
        spread: Mapping[str, tuple[Axis, Array]],
        where: Array,
    ) -> None:
        taken = {name: _items(axis, codes[where]) for name, (axis, codes) in spread.items()}
        try:
            found = call(**items, **taken)
        except InputError as error:
            if where.size == 1:
                self._refused[int(where[0])] = error
                return
            for one in where:
                self.fill(call, items, spread, np.array([one]))
            return
        for name, values in found.items():
            array = np.asarray(values)
            array = array.astype(np.int8) if array.dtype.kind == "b" else array
            if name not in self._found:
                kind = object if array.dtype.kind == "U" else array.dtype
                self._found[name] = np.zeros(self._count, dtype=kind)
            self._found[name][where] = array

    def columns(self, flagged: bool) -> dict[str, Array]:
        """Return every result, and the reasons if they are wanted."""
        if not self._found:
            raise next(iter(self._refused.values()))
        lacking = list(self._refused)
        columns = self._found
        if lacking:
            columns = {name: _without(array, lacking) for name, array in columns.items()}
        reasons = np.full(self._count, "", dtype=object)
        reasons[lacking] = [str(error) for error in self._refused.values()]
        return columns | ({IMPOSSIBLE: reasons} if flagged else {})


def _without(array: Array, lacking: list[int]) -> Array:
    if array.dtype.kind == "O" or array.dtype == np.int8:
        array[lacking] = "" if array.dtype.kind == "O" else 0
        return array
    array = array.astype(np.float64)
    array[lacking] = np.nan
    return array


def _items(axis: Axis, codes: Array) -> Any:
    """Return the items of an axis at some points: an array, or the extents of shapes."""
    if isinstance(axis.items[0], tuple):
        return tuple(np.array(axis.items)[codes].T)
    return np.array(axis.items)[codes]


def _sizes(axes: Sequence[Axis]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    seen: dict[str, tuple[str, Array]] = {}
    for axis in axes:
        for dim, size in zip(axis.dims, axis.codes.shape, strict=True):
            if sizes.setdefault(dim, size) != size:
                raise InputError(
                    f"{axis.name}: {size} values along {quoted(dim)}, another has {sizes[dim]}"
                )
            if dim in axis.coords:
                owner, values = seen.setdefault(dim, (axis.name, axis.coords[dim][1]))
                if not same_values(values, axis.coords[dim][1]):
                    raise InputError(
                        f"{axis.name}: its coordinate along {quoted(dim)} differs from that of"
                        f" {owner}"
                    )
    return sizes


def _spread(axis: Axis, sizes: Mapping[str, int]) -> Array:
    """Return the codes of an axis at every point of the space."""
    order = sorted(range(len(axis.dims)), key=lambda i: list(sizes).index(axis.dims[i]))
    shape = tuple(size if dim in axis.dims else 1 for dim, size in sizes.items())
    laid_out = axis.codes.transpose(order).reshape(shape)
    return np.broadcast_to(laid_out, tuple(sizes.values())).ravel()


def _check_memory(points: int) -> None:
    needed, free = points * BYTES_PER_POINT, available_bytes()
    if needed > free:
        raise InputError(
            f"{points:,} points need about {human_bytes(needed)} of memory, {human_bytes(free)} are"
            " free: give fewer values"
        )


def _dataset(
    axes: Sequence[Axis], sizes: Mapping[str, int], found: Mapping[str, Array]
) -> xr.Dataset:
    import xarray as xr

    coords: dict[str, Any] = {}
    for axis in axes:
        coords |= {name: coord for name, coord in axis.coords.items() if name not in coords}
    for axis in axes:
        coords[axis.name] = (axis.dims, axis.text, attributes(axis.name))
    dims, shape = tuple(sizes), tuple(sizes.values())
    variables = {
        name: (dims, _text(values).reshape(shape), attributes(name))
        for name, values in found.items()
    }
    attrs = {"Conventions": "CF-1.11", "source": f"warpsweep {__version__}"}
    return xr.Dataset(variables, coords=coords, attrs=attrs)


def _text(values: Array) -> Array:
    return values.astype(str) if values.dtype.kind == "O" else values
