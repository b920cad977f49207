"""Where a closed form holds, and one line for a point where it doesn't."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.closed_forms.arithmetic import NUMERIC, Formula
from sweep.errors import InputError
from sweep.variables import VARIABLES

Columns = dict[str, npt.NDArray[Any]]
Mask = npt.NDArray[np.bool_]

_OFF: dict[str, object] = {
    "t_sync": 0,
    "t_mma_latency": 0,
    "mma_in_flight": 0,
    "arbitration": "ordered",
}


@dataclass(frozen=True)
class Condition:
    """``smaller <= larger``, in cycles unless ``units`` says otherwise."""

    text: str
    smaller: Formula
    larger: Formula
    units: str = " cycles"

    def holds(self, values: Mapping[str, Any]) -> Mask:
        """Return where it holds."""
        found: Mask = np.asarray(self.smaller(values, NUMERIC) <= self.larger(values, NUMERIC))
        return found


def columns(p: Mapping[str, Any], names: tuple[str, ...]) -> tuple[Columns, tuple[int, ...]]:
    """Return the named parameters as float64 or int64 arrays, and the shape of all together."""
    missing = [name for name in names if name not in p]
    if missing:
        raise InputError(f"missing {', '.join(missing)}: the formula takes {', '.join(names)}")
    values = {name: np.asarray(p[name]) for name in names}
    for name, value in values.items():
        if VARIABLES[name].kind == "count" and not np.all(value == np.floor(value)):
            raise InputError(f"{name} = {_first(value, value != np.floor(value))}: whole numbers")
        values[name] = value.astype(VARIABLES[name].dtype, copy=False)
    return values, np.broadcast_shapes(*(value.shape for value in values.values()))


def extensions_off(p: Mapping[str, Any]) -> Mask:
    """Return where the extensions that a point may name are off and the service is ordered."""
    inside: Mask = np.asarray(True)
    for name, off in _OFF.items():
        if name in p:
            inside = inside & (np.asarray(p[name]) == off)
    return inside


def check(
    what: str,
    values: Columns,
    p: Mapping[str, Any],
    conditions: tuple[Condition, ...],
) -> None:
    """Raise an `InputError` for the first point that a formula doesn't cover."""
    for name, value in values.items():
        row = VARIABLES[name]
        bad = ~(np.isfinite(value) & (value >= row.lower))
        if bad.any():
            least = row.with_unit(f"at least {row.lower:g}")
            raise InputError(f"{name} = {_first(value, bad)}: finite, {least}")
    for name, off in _OFF.items():
        given = np.asarray(p.get(name, off))
        if np.any(given != off):
            units = " cycle" if name.startswith("t_") else ""
            raise InputError(
                f"{name} = {_first(given, given != off)}{units}: the closed form of {what}"
                f" holds at {off}{units} only"
            )
    for condition in conditions:
        outside = ~condition.holds(values)
        if outside.any():
            left = _first(condition.smaller(values, NUMERIC), outside)
            right = _first(condition.larger(values, NUMERIC), outside)
            raise InputError(
                f"the closed form of {what} holds where {condition.text}:"
                f" {left} > {right}{condition.units}"
            )


def _first(value: Any, bad: Mask) -> str:
    """Write the value at the first bad point."""
    shape = np.broadcast_shapes(np.shape(value), bad.shape)
    at = np.argmax(np.broadcast_to(bad, shape))
    one = np.broadcast_to(np.asarray(value), shape).reshape(-1)[at]
    return f"{one:,.10g}" if isinstance(one, np.number) else str(one)
