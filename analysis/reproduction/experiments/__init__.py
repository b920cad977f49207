"""The reference experiments: for every row of ``claims.csv`` that is covered, its computation.

One file per theme; a file here that defines ``COMPUTED``, a mapping from a row's id to a function
of a ``Setup``, is found without any list. A computation runs the engine or calls the analysis and
never repeats the expected value.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping

from analysis.reproduction.experiments.setup import Setup

Value = float | int | str
Computation = Callable[[Setup], Value]


def computations() -> dict[str, Computation]:
    """Return the computation of every covered row by its id.

    Raises
    ------
    ValueError
        If two files compute the same row.
    """
    found: dict[str, Computation] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        table: Mapping[str, Computation] = getattr(module, "COMPUTED", {})
        twice = found.keys() & table.keys()
        if twice:
            raise ValueError(f"{info.name}: {sorted(twice)} are computed elsewhere too")
        found |= table
    return found
