"""Where a closed form holds, and one line for a point where it doesn't.

Points are read as the engine reads them: durations are rounded to its grid, and its limits on
numbers and on the length of a run apply.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.closed_forms.arithmetic import NUMERIC, Formula
from sweep.catalogue.schedules import SCHEDULES
from sweep.errors import InputError
from sweep.inputs.call_arguments import broadcast
from sweep.inputs.limits import check_run_length
from sweep.inputs.reading import read_mapping, read_numbers
from sweep.quantities.variables import VARIABLES

Columns = dict[str, npt.NDArray[Any]]
Mask = npt.NDArray[np.bool_]

NOT_DURATIONS_OF_EVENTS = frozenset({"t_gemm"})
"""Stands for the two GEMMs of a block, which are what events take."""
_OFF: Mapping[str, object] = {"mma_in_flight": 0, "arbitration": "ordered"}


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


def columns(
    p: Mapping[str, Any], names: tuple[str, ...], schedule: str
) -> tuple[Columns, tuple[int, ...]]:
    """Return the named parameters as the engine reads them, and the shape of all together.

    Raises
    ------
    InputError
        A parameter is missing or out of its limits, or a run is longer than the engine takes.
    """
    p = read_mapping("p", p)
    missing = [name for name in names if name not in p]
    if missing:
        raise InputError(f"missing {', '.join(missing)}: the formula takes {', '.join(names)}")
    values = read_numbers({name: p[name] for name in names}, VARIABLES, empty=True)
    shape = broadcast(values)[0].shape
    if 0 not in shape:
        nothing = dict.fromkeys(SCHEDULES[schedule].durations, np.zeros(()))
        check_run_length(SCHEDULES[schedule], nothing | values)
    return values, shape


def unknown_to(parameters: tuple[str, ...], schedule: str, p: Mapping[str, Any]) -> list[str]:
    """Return the durations that a formula does not know: the schedule's own, and those of points.

    Where they take time the formula does not hold.
    """
    named = [name for name in p if name in VARIABLES and VARIABLES[name].kind == "duration"]
    found = dict.fromkeys((*SCHEDULES[schedule].durations, *named))
    return [one for one in found if one not in {*parameters, *NOT_DURATIONS_OF_EVENTS}]


def _must_be(unknown: list[str], p: Mapping[str, Any]) -> dict[str, object]:
    return dict.fromkeys(unknown, 0) | {name: off for name, off in _OFF.items() if name in p}


def extensions_off(p: Mapping[str, Any], unknown: list[str]) -> Mask:
    """Return where durations unknown to a formula are 0, nothing is in flight, service in order."""
    inside: Mask = np.asarray(True)
    for name, off in _must_be(unknown, p).items():
        inside = inside & (np.asarray(p.get(name, VARIABLES[name].default)) == off)
    return inside


def check(
    what: str,
    values: Columns,
    p: Mapping[str, Any],
    conditions: tuple[Condition, ...],
    unknown: list[str],
) -> None:
    """Raise an `InputError` for the first point that a formula doesn't cover."""
    for name, off in _must_be(unknown, p).items():
        units = " cycle" if name in unknown else ""
        value = p.get(name, VARIABLES[name].default)
        if value is None:
            raise InputError(
                f"missing {name}: the closed form of {what} does not know this duration, and holds"
                f" at 0{units} only"
            )
        given = np.asarray(value)
        if np.any(given != off):
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
