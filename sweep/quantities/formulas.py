"""Formulas that a schedule declares: texts, or functions of one's own, called the same way."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from sweep.host.streams import describe
from sweep.quantities.arrays import Array
from sweep.quantities.expressions import Expression, expression

MOST_INPUTS = 32


class OwnFunction:
    """A vectorised function of a user's: its argument names say what it is given, as float64.

    Parameters
    ----------
    function : callable

    Raises
    ------
    ValueError
        In one line, where its arguments have no names.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            raise ValueError("is a function whose arguments have no names") from None
        kinds = {one.kind for one in parameters}
        plain = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY}
        if kinds - plain:
            raise ValueError("must name what it needs: no *arguments, no keyword-only ones")
        self.names = tuple(one.name for one in parameters)

    def __call__(self, *values: Any) -> Array:
        """Return what the function gives, of the shape that its inputs broadcast to.

        Raises
        ------
        ValueError
            In one line, for what it raises, and for a result that is no such array.
        """
        arrays = [np.asarray(value, dtype=np.float64) for value in values]
        shape = np.broadcast_shapes(*(one.shape for one in arrays))
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(self._function(*arrays))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a user's function raises becomes one line
            raise ValueError(f"ends in {describe(error)}") from None
        if found.dtype.kind not in "iuf":
            raise ValueError(f"gives {found.dtype}, and must give numbers")
        try:
            return np.broadcast_to(found, shape).astype(np.float64)
        except ValueError:
            raise ValueError(f"gives an array of shape {found.shape}, not {shape}") from None


def read_formula(formula: object) -> Expression | OwnFunction:
    """Return a formula as something to call with the values of its ``names``, in order.

    Parameters
    ----------
    formula : str or callable

    Raises
    ------
    ValueError
        In one line, for what is neither, or no arithmetic.

    Examples
    --------
    >>> read_formula(lambda tile_m, fma_lanes: tile_m / fma_lanes).names
    ('tile_m', 'fma_lanes')
    """
    if isinstance(formula, str):
        found: Expression | OwnFunction = expression(formula)
    elif callable(formula):
        found = OwnFunction(formula)
    else:
        raise ValueError(f"must be text or a function, not {type(formula).__name__}")
    if len(found.names) > MOST_INPUTS:
        raise ValueError(f"needs {len(found.names)} names; at most {MOST_INPUTS} can be")
    return found
