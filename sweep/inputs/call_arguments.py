"""What a user gives: numbers, shapes, names and GPUs, single or many, laid out together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sweep.errors import Impossible, InputError, quoted
from sweep.hardware.shapes import text_sizes
from sweep.inputs.one_or_many import Names, holds_many, in_form, is_many, items_of
from sweep.inputs.reading import read_number, read_numbers
from sweep.quantities.arrays import Array
from sweep.quantities.data_path import DATA_PATH, bounded
from sweep.quantities.variables import VARIABLES, Variable


def numbers(name: str, value: Any) -> Array:
    """Return the numbers of a quantity, checked against its row.

    Raises
    ------
    InputError
        Naming the first one that is no number or out of limits.
    """
    return read_number(name, value, DATA_PATH[name])


def one_of_many(name: str, value: Any, many: str = "") -> int:
    """Return one whole number of a quantity; ``many`` names the function that takes several.

    Raises
    ------
    InputError
        For anything else.
    """
    found = numbers(name, value)
    if found.ndim:
        hint = f"; {many} takes many" if many else ""
        raise InputError(f"{name}: must be one number, not {found.size:,}{hint}")
    return int(found)


def one_of(name: str, value: Any, known: Sequence[int], unit: str) -> int:
    """Return one of a few whole numbers.

    Raises
    ------
    InputError
        For anything else.
    """
    whole = isinstance(value, int | float | np.integer | np.floating | np.ndarray)
    if (
        whole
        and not isinstance(value, bool | np.timedelta64)
        and np.ndim(value) == 0
        and value in known
    ):
        return int(value)
    *first, last = map(str, known)
    raise InputError(f"{name}={quoted(value)} {unit}: must be {', '.join(first)} or {last} {unit}")


def check_fields(given: Mapping[str, Any], used: Sequence[str], who: str) -> None:
    """Refuse a field of a GPU that a function does not use."""
    for name in given:
        if name not in used:
            raise InputError(f"{name}: has no effect on {who}, which uses {', '.join(used)}")


class Arguments:
    """The arguments of one call, read one after another and laid out together.

    Examples
    --------
    >>> given = Arguments()
    >>> given.number("m", [4096, 8192])
    >>> given.shape("tile", "128x256", (2,), "128x256")
    2
    >>> {name: one.tolist() for name, one in given.arrays().items()}
    {'m': [4096, 8192], 'tile M': [128, 128], 'tile N': [256, 256]}
    """

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._rows: dict[str, Variable] = {}

    def number(self, name: str, value: Any, row: Variable | None = None) -> None:
        """Add numbers; ``row`` by default the quantity of that name."""
        self._values[name] = value
        self._rows[name] = row or DATA_PATH[name]

    def codes(self, name: str, names: Names) -> None:
        """Add the codes of names."""
        self._values[name] = names.codes
        self._rows[name] = Variable(name, "physical", "1", name, "int64")

    def shape(self, name: str, value: Any, sizes: tuple[int, ...], example: str) -> int:
        """Add the extents of shapes, as "tile M", "tile N" and "tile K"; return how many.

        Parameters
        ----------
        name : str
        value : str, tuple, list, array, Series or DataArray
            ``"128x256"``, ``(128, 256)``, a tuple of arrays that broadcast, an array whose last
            axis holds the extents, or many shapes: a list, a tuple of texts or of tuples, an
            Index, Series or DataArray of texts.
        sizes : tuple of int
            How many extents it may have.
        example : str
            For the message.
        """
        extents = _extents(name, value)
        if extents is None or len(extents) not in sizes:
            counts = " or ".join(map(str, sizes))
            raise InputError(
                f"{name}={quoted(value)}: must be {counts} whole numbers, such as {example!r}"
            )
        for axis, extent in zip("mnk", extents, strict=False):
            self.number(f"{name} {axis.upper()}", extent, DATA_PATH[f"{name}_{axis}"])
        return len(extents)

    def fields(self, names: Sequence[str], cards: Names, given: Mapping[str, Any]) -> None:
        """Add fields of GPUs, or the numbers given instead."""
        for name in names:
            value = given.get(name)
            if name not in given:
                value = self._of_cards(name, cards)
            self.number(name, value, bounded(VARIABLES[name]))

    def _of_cards(self, name: str, cards: Names) -> Any:
        for card in cards.labels:
            if card.value(name) is None:
                units = VARIABLES[name].units
                raise Impossible(
                    f"{name}: not known for gpu={card.name!r}; give {name}=... in {units}"
                )
        table = np.array([card.value(name) for card in cards.labels])
        return in_form(cards.codes, table[np.asarray(cards.codes)])

    def arrays(self) -> dict[str, Array]:
        """Return all of them, broadcast against each other.

        Raises
        ------
        InputError
            In one line, for a number that is none or out of limits, and arrays that do not fit.
        """
        found = read_numbers(self._values, self._rows)
        return dict(zip(found, broadcast(found), strict=True))


def broadcast(given: Mapping[str, Array]) -> tuple[Array, ...]:
    """Broadcast arrays against each other.

    Raises
    ------
    InputError
        With names and shapes where they do not fit.
    """
    try:
        return tuple(np.broadcast_arrays(*given.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {one.shape}" for name, one in given.items() if one.ndim)
        raise InputError(f"{shapes}: shapes that do not broadcast") from None


def read_shape(name: str, value: Any, sizes: tuple[int, ...], example: str) -> tuple[int, ...]:
    """Return the extents of one shape.

    Raises
    ------
    InputError
        For anything else, many shapes included.
    """
    given = Arguments()
    given.shape(name, value, sizes, example)
    extents = tuple(given.arrays().values())
    if extents[0].ndim:
        raise InputError(f"{name}={quoted(value)}: must be one shape, such as {example!r}")
    return tuple(int(one) for one in extents)


def check_lengths(name: str, shapes: Sequence[tuple[int, ...]]) -> None:
    """Refuse shapes of different numbers of extents in one list."""
    if len(set(map(len, shapes))) > 1:
        raise InputError(f"{name}: all of them must be M x N, or all of them M x N x K")


def _extents(name: str, value: Any) -> tuple[Any, ...] | None:
    """Return the extents of a shape as given, None where it is none."""
    if isinstance(value, str):
        return text_sizes(value) or None
    if isinstance(value, tuple) and not is_many(value):
        return value or None
    if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "iuf":
        return tuple(np.moveaxis(value, -1, 0))
    if isinstance(value, dict | set) or not holds_many(name, value):
        return None
    items = items_of(name, value)
    rows = [_extents(name, one) for one in items.flat]
    if any(row is None for row in rows) or len({len(row) for row in rows if row}) != 1:
        return None
    columns = zip(*(row for row in rows if row), strict=True)
    return tuple(in_form(value, _column(column, items.shape)) for column in columns)


def _column(column: tuple[Any, ...], shape: tuple[int, ...]) -> Array:
    array = np.empty(len(column), dtype=object)
    array[:] = column
    return array.reshape(shape)
