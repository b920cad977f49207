"""Whole spaces of the data path: one dimension per sequence, labelled with units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from sweep.errors import InputError
from sweep.hardware.gpu import GPU
from sweep.host.memory import available_bytes, human_bytes
from sweep.inputs.arguments import Argument, check_distinct, read_argument
from sweep.inputs.dimensions import expand
from sweep.inputs.one_or_many import label_items, named_form
from sweep.inputs.reading import shared_sizes
from sweep.quantities.arrays import Array
from sweep.quantities.data_path import DATA_PATH
from sweep.results.datasets import build

if TYPE_CHECKING:
    import xarray as xr

BYTES_PER_POINT = 500
"""Peak memory of a point: traffic has 14 inputs and 16 outputs."""
IMPOSSIBLE = "impossible"
"""The variable that says why a cell has no values; empty where it has some."""

Call = Callable[..., Mapping[str, Any]]


@dataclass(frozen=True)
class Axis:
    """One parameter of a space: the argument, and what its codes stand for.

    Attributes
    ----------
    argument : Argument
        Its dimensions, and numbers, or codes of labels.
    items : tuple
        What a code stands for in a call; empty for numbers, which stand for themselves.
    """

    argument: Argument
    items: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        """What the caller calls it."""
        return self.argument.name

    def at(self, values: Array) -> Any:
        """Return what a call takes at some points: an array, or the extents of shapes."""
        if not self.items:
            return values
        found = np.array(self.items)[values]
        return tuple(found.T) if isinstance(self.items[0], tuple) else found

    def one(self, value: Any) -> Any:
        """Return what a call takes at one point."""
        return self.items[int(value)] if self.items else value.item()


def label_axis(
    name: str, value: Any, read: Callable[[Any], Any], label: Callable[[Any], str]
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
    given = label_items(name, value)
    if given is None:
        item = read(value)
        return Axis(Argument(name, (), np.zeros((), dtype=np.int64), (label(item),)), (item,))
    items = tuple(read(one) for one in given.flat)
    dims, coords = named_form(name, value)
    if not dims and given.ndim > 1:
        raise InputError(
            f"{name}: an array of {given.ndim} dimensions has no names for them; give an"
            " xarray.DataArray"
        )
    codes, labels = np.arange(len(items)).reshape(given.shape), tuple(map(label, items))
    found = Argument(name, dims or (name,), codes, labels, coords)
    if not dims:
        check_distinct(found)
    return Axis(found, items)


def number_axis(name: str, value: Any) -> Axis:
    """Return the axis of a number: any sequence, Series or DataArray varies."""
    return Axis(read_argument(name, value, DATA_PATH[name]))


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
    arguments = {axis.name: axis.argument for axis in (*one_by_one, *at_once)}
    sizes = shared_sizes(arguments)
    count = prod(sizes.values())
    _check_memory(count)
    points = {name: _spread(argument, sizes) for name, argument in arguments.items()}
    looped = np.stack([points[axis.name] for axis in one_by_one])
    cells = _Cells(count)
    for combination in np.unique(looped, axis=1).T:
        where = np.flatnonzero((looped == combination[:, None]).all(axis=0))
        items = {axis.name: axis.one(at) for axis, at in zip(one_by_one, combination, strict=True)}
        cells.fill(call, items, [(axis, points[axis.name]) for axis in at_once], where)
    return _dataset(arguments, sizes, cells.columns(flagged))


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
        spread: Sequence[tuple[Axis, Array]],
        where: Array,
    ) -> None:
        """Evaluate some points; where they are refused together, one by one."""
        taken = {axis.name: axis.at(values[where]) for axis, values in spread}
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


def _spread(argument: Argument, sizes: Mapping[str, int]) -> Array:
    """Return the numbers or codes of an argument at every point of the space."""
    laid_out = expand(argument, tuple(sizes)).array
    return np.broadcast_to(laid_out, tuple(sizes.values())).ravel()


def _check_memory(points: int) -> None:
    needed, free = points * BYTES_PER_POINT, available_bytes()
    if needed > free:
        raise InputError(
            f"{points:,} points need about {human_bytes(needed)} of memory, {human_bytes(free)} are"
            " free: give fewer values"
        )


def _dataset(
    arguments: Mapping[str, Argument], sizes: Mapping[str, int], found: Mapping[str, Array]
) -> xr.Dataset:
    coords: dict[str, Any] = {}
    for argument in arguments.values():
        coords = {**argument.coords, **coords}
    coords |= {name: (argument.dims, argument.text) for name, argument in arguments.items()}
    dims, shape = tuple(sizes), tuple(sizes.values())
    variables = {name: (dims, _text(values).reshape(shape)) for name, values in found.items()}
    return build(variables, coords, rows=DATA_PATH)


def _text(values: Array) -> Array:
    return values.astype(str) if values.dtype.kind == "O" else values
