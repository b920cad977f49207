"""A table over output tiles: one value of a count or duration for each tile of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sweep.errors import InputError, InputTypeError, quoted
from sweep.quantities.arrays import Array
from sweep.quantities.numbers import is_real

MOST_ENTRIES = 2**16
"""Of a table: as text, such as a dataset holds it, more would be megabytes."""
_NUMBER = r"\d{1,20}(?:\.\d{0,20})?(?:[eE]-?\d{1,3})?"
_TABLE = re.compile(rf"\s*{_NUMBER}(?:\s*\+\s*{_NUMBER})+\s*", re.ASCII)


@dataclass(frozen=True, repr=False)
class TileTable:
    """A value per output tile, in the order of the tiles; it counts as one value of a parameter.

    Attributes
    ----------
    entries : tuple of int or float
    plain : bool
        Whether it is one number that stands for any count of tiles.
    """

    entries: tuple[float, ...]
    plain: bool = False

    def __str__(self) -> str:
        return "+".join(repr(one).replace("e+", "e") for one in self.entries)

    def __repr__(self) -> str:
        return f"table({list(self.entries)!r})" if not self.plain else repr(self.entries[0])


def table(values: Iterable[Any]) -> TileTable:
    """Return a table over output tiles, one value of a count or duration for each.

    Parameters
    ----------
    values : iterable of number
        In the order of the tiles; there are as many output tiles as values.

    Returns
    -------
    TileTable
        Which ``sweep.run`` takes where it takes a number; as text it is "4+1+9".

    Raises
    ------
    InputError
        For no values, more than 65,536, or what is no number.

    Examples
    --------
    >>> str(table([4, 1, 9]))
    '4+1+9'
    """
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise InputTypeError(f"table({quoted(values)}): give a list of numbers, one per tile")
    found: list[float] = []
    for value in values:  # which may have no end
        if not is_real(value):
            raise InputTypeError(f"table: {quoted(value)} must be a number")
        if len(found) == MOST_ENTRIES:
            raise InputError(f"table: more than {MOST_ENTRIES:,} values, one per output tile")
        found.append(value.item() if isinstance(value, np.generic) else value)
    if not found:
        raise InputError("table: has no values; give one per output tile")
    return TileTable(tuple(found))


def read_table(text: str) -> TileTable | None:
    """Return the table that a text such as "4+1+9" is, None where it is none.

    Examples
    --------
    >>> read_table("4+1+9").entries, read_table("nine")
    ((4, 1, 9), None)
    """
    if len(text) > 24 * MOST_ENTRIES or not _TABLE.fullmatch(text):
        return None
    return table(_number(part.strip()) for part in text.split("+"))


def _number(text: str) -> float:
    return int(text) if text.isdecimal() else float(text)


class Lines:
    """Tables side by side: a line of numbers for each, and how many of them there are.

    Attributes
    ----------
    numbers : numpy.ndarray of float64 or int64
        Lines x tiles of the longest; 0 beyond a line's own length.
    lengths : numpy.ndarray of int64
        Of each line; -1 for one number that stands for any count of tiles.
    """

    def __init__(self, tables: Iterable[TileTable], dtype: str, tiles: int = 0) -> None:
        rows = tuple(tables)
        longest = max(tiles, *(len(row.entries) for row in rows))
        self.numbers: Array = np.zeros((len(rows), longest), dtype=dtype)
        for line, row in zip(self.numbers, rows, strict=True):
            line[: longest if row.plain else len(row.entries)] = row.entries
        self.lengths: Array = np.array([-1 if row.plain else len(row.entries) for row in rows])
