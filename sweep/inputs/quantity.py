"""Values on a grid: an axis per dimension, of length 1 where they do not depend on it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sweep.hardware.gpu import GPUS
from sweep.hardware.shapes import parse_shape
from sweep.inputs.labels import Label
from sweep.quantities.arrays import Array
from sweep.quantities.numbers import check_numbers
from sweep.quantities.tile_table import TileTable
from sweep.quantities.variables import VARIABLES


class Quantity(NamedTuple):
    """Values on the grid: one axis per dimension, of length 1 where constant.

    ``dims`` are those that it depends on; ``labels`` what codes stand for (empty for numbers);
    ``given`` the numbers as they were passed, where rounding changed them.
    """

    dims: frozenset[str]
    array: Array
    labels: tuple[Label, ...] = ()
    given: Array | None = None

    @property
    def is_table(self) -> bool:
        """Whether its codes stand for tables over output tiles."""
        return bool(self.labels) and isinstance(self.labels[0], TileTable)


def constant(name: str, value: Any, shape: tuple[int, ...]) -> Quantity:
    """Return a default as a quantity without dimensions."""
    variable = VARIABLES[name]
    if variable.numeric:
        return Quantity(frozenset(), check_numbers(variable, value).reshape(shape))
    labels: tuple[Label, ...] = variable.choices
    if name == "gpu":
        labels = (GPUS[value],)
    elif variable.dtype == "shape":
        labels = (parse_shape(name, value),)
    code = labels.index(value) if variable.choices else 0
    return Quantity(frozenset(), np.full(shape, code, dtype=np.int64), labels)
