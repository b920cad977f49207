"""What a user gives for a prediction to arrays: dimensions, defaults, and what follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sweep.errors import InputError, unknown_name
from sweep.inputs.arguments import Argument, read_argument
from sweep.inputs.dimensions import expand
from sweep.inputs.reading import shared_sizes
from sweep.quantities.arrays import Array
from sweep.quantities.predicted import PREDICTED


class Arguments:
    """Checked parameters of a prediction.

    Parameters
    ----------
    given : mapping of str to value
        By name; a sequence is a dimension, and named objects bring theirs.
    known, needed : tuple of str
        The names there are, and those that have no default.
    what : str
        What is predicted, for messages.

    Raises
    ------
    InputError
        For an unknown name, one that is missing, or a value out of limits.
    """

    def __init__(
        self, given: Mapping[str, Any], known: tuple[str, ...], needed: tuple[str, ...], what: str
    ) -> None:
        for name in given:
            if name not in known:
                raise unknown_name("parameter", name, known)
        for name in needed:
            if name not in given:
                raise InputError(f"{name}: {what} needs it; give {name}=...")
        self.arguments: dict[str, Argument] = {
            name: read_argument(name, value, PREDICTED[name]) for name, value in given.items()
        }
        self.sizes = shared_sizes(self.arguments)
        self.shape = tuple(self.sizes.values())

    def has(self, name: str) -> bool:
        """Whether a parameter was given."""
        return name in self.arguments

    def number(self, name: str, default: Array | float | None = None) -> Array:
        """Return a number, its default where it was not given; the registry's if there is none."""
        if name in self.arguments:
            return expand(self.arguments[name], tuple(self.sizes)).array
        own = PREDICTED[name].default if default is None else default
        return np.asarray(own)

    def codes(self, name: str) -> tuple[Array, tuple[Any, ...]]:
        """Return the codes of names, shapes or GPUs, and what they stand for."""
        if name not in self.arguments:
            row = PREDICTED[name]
            argument = read_argument(name, row.default, row)
            return argument.array, argument.labels
        argument = self.arguments[name]
        return expand(argument, tuple(self.sizes)).array, argument.labels

    def texts(self, name: str) -> Array:
        """Return names as text."""
        codes, labels = self.codes(name)
        return np.asarray(np.array([str(label) for label in labels])[codes])

    def extents(self, name: str, count: int) -> tuple[Array, ...]:
        """Return the sides of shapes.

        Raises
        ------
        InputError
            For a shape of another number of sides.
        """
        codes, labels = self.codes(name)
        for label in labels:
            if len(label) != count:
                told = "x".join(map(str, label))
                raise InputError(f"{name}={told}: must have {count} sides")
        sides = np.array(labels)
        return tuple(sides[:, i][codes] for i in range(count))

    def coords(self) -> dict[str, Any]:
        """Return every parameter that was given as a coordinate, and what they brought."""
        found: dict[str, Any] = {}
        for argument in self.arguments.values():
            found = {**argument.coords, **found}
        return found | {
            name: (argument.dims, argument.text) for name, argument in self.arguments.items()
        }
