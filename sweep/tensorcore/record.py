"""Results that are read as attributes and as items, and print with their units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from sweep.host.tables import pairs
from sweep.quantities.data_path import DATA_PATH


def plain(values: Any) -> Any:
    """Return an array, or the number of an array without dimensions."""
    array = np.asarray(values)
    return array.item() if array.ndim == 0 else array


class Record(Mapping[str, Any]):
    """A dataclass whose public fields and properties are items too."""

    def __iter__(self) -> Iterator[str]:
        yield from (one.name for one in fields(self) if not one.name.startswith("_"))  # type: ignore[arg-type]
        yield from (name for name, value in vars(type(self)).items() if isinstance(value, property))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> Any:
        if name not in tuple(self):
            raise KeyError(name)
        return getattr(self, name)

    def __repr__(self) -> str:
        return str(pairs((name, _text(name, self[name])) for name in self))


def _text(name: str, value: Any) -> str:
    row = DATA_PATH.get(name)
    units = "" if row is None or row.units == "1" else f" {row.units}"
    if isinstance(value, float):
        return f"{value:.6g}{units}"
    return f"{value:,}{units}" if type(value) is int else f"{value}{units}"
