"""The few operations that let one formula be read by NumPy and by SymPy.

A formula is a function of the parameters and of an `Arithmetic`. With `NUMERIC` it takes arrays of
points (also of `fractions.Fraction`, for exact rational results); with `symbolic_arithmetic()` it
takes symbols and gives the expression itself. What is printed is thus what is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from analysis.periods.symbols import sympy_module

Values = Mapping[str, Any]
"""Parameters by name: arrays that broadcast together, or symbols."""


@dataclass(frozen=True)
class Arithmetic:
    """Largest and smallest of several terms, and a choice between two."""

    largest: Callable[..., Any]
    smallest: Callable[..., Any]
    where: Callable[[Any, Any, Any], Any]


Formula = Callable[[Values, Arithmetic], Any]


def _largest(*terms: Any) -> Any:
    return reduce(np.maximum, terms)


def _smallest(*terms: Any) -> Any:
    return reduce(np.minimum, terms)


NUMERIC = Arithmetic(_largest, _smallest, np.where)


def symbolic_arithmetic() -> Arithmetic:
    """Return the operations on SymPy expressions."""
    sympy = sympy_module()

    def where(condition: Any, yes: Any, no: Any) -> Any:
        return sympy.Piecewise((yes, condition), (no, True))

    return Arithmetic(sympy.Max, sympy.Min, where)
