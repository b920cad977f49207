"""What a closed form says of itself, and its checked evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from analysis.closed_forms.arithmetic import NUMERIC, Formula, symbolic_arithmetic
from analysis.closed_forms.domain import (
    Condition,
    check,
    columns,
    extensions_off,
    unknown_to,
)
from analysis.periods.symbols import latex, symbol

Floats = npt.NDArray[np.float64]
Kind = Literal["exact", "bound", "asymptotic", "rule"]

SLICE = 2**13
"""Points evaluated together, so that the dozens of temporaries stay in the L2 cache."""


@dataclass(frozen=True)
class ClosedForm:
    """A formula for one schedule.

    Attributes
    ----------
    schedule, name : str
        ``name`` is "general" on the whole domain, else it says which part of it.
    kind : {"exact", "bound", "asymptotic", "rule"}
        "exact": equal to the simulation, transients included; "bound": never more than it;
        "asymptotic": the steady state; "rule": a rule of thumb.
    parameters : tuple of str
        What it takes; extensions (``t_sync``, asynchronous MMAs, arbitration) are off.
    function : callable
        ``function(values, arithmetic)``, the formula, unchecked; its docstring derives it.
    conditions : tuple of Condition
        Where it holds, beyond counts >= 1 and durations >= 0.
    bounded : bool
        Whether it has boundedly many terms, hence a SymPy form.
    quantity : {"cycles", "period"}
        Makespan, or steady cycles per output tile.
    """

    schedule: str
    name: str
    kind: Kind
    parameters: tuple[str, ...]
    function: Formula
    conditions: tuple[Condition, ...] = ()
    bounded: bool = True
    quantity: Literal["cycles", "period"] = "cycles"

    @property
    def derivation(self) -> str:
        """Why it holds."""
        return self.function.__doc__ or ""

    @property
    def domain_text(self) -> str:
        """Where it holds, in one line."""
        return " and ".join(one.text for one in self.conditions) or "everywhere"

    @property
    def sympy(self) -> Callable[[], Any] | None:
        """A function that gives the formula as a SymPy expression; None without a bounded one."""
        return self._expression if self.bounded else None

    def _expression(self) -> Any:
        values = {name: symbol(name) for name in self.parameters}
        return self.function(values, symbolic_arithmetic())

    @property
    def text(self) -> str:
        """The formula as text, from SymPy; where it has none, where to find the algorithm."""
        return str(self._expression()) if self.bounded else f"see {self.function.__qualname__}"

    @property
    def latex(self) -> str | None:
        """The formula as LaTeX, from SymPy, or None."""
        return latex(self._expression()) if self.bounded else None

    def domain(self, p: Mapping[str, Any]) -> npt.NDArray[np.bool_]:
        """Return where the formula holds, in the shape of the points."""
        values, shape = columns(p, self.parameters, self.schedule)
        unknown = unknown_to(self.parameters, self.schedule, p)
        off = extensions_off(p, unknown)
        inside = np.broadcast_to(off, np.broadcast_shapes(shape, off.shape)).copy()
        for condition in self.conditions:
            inside &= condition.holds(values)
        return inside

    def evaluate(self, p: Mapping[str, Any]) -> Floats:
        """Return the formula's value, within its conditions or not; see `__call__`."""
        values, shape = columns(p, self.parameters, self.schedule)
        size = int(np.prod(shape))
        flat = {
            name: value if value.ndim == 0 else np.broadcast_to(value, shape).reshape(-1)
            for name, value in values.items()
        }
        found = np.empty(size)
        for first in range(0, size, SLICE):
            here = slice(first, first + SLICE)
            part = {name: one if one.ndim == 0 else one[here] for name, one in flat.items()}
            found[here] = self.function(part, NUMERIC)
        return found.reshape(shape)

    def __call__(self, p: Mapping[str, Any]) -> Floats:
        """Return the formula's value at every point.

        Parameters
        ----------
        p : mapping
            Parameters by name, numbers or arrays that broadcast together: durations in cycles,
            counts. Durations are rounded to 1/1024 cycle, as the engine does. Durations that the
            formula doesn't know and extensions are refused unless they are off; anything else
            that it doesn't take is ignored.

        Returns
        -------
        ndarray of float64
            Cycles, or cycles per output tile where ``quantity`` is "period".

        Raises
        ------
        InputError
            A parameter is missing or out of its limits, a run is longer than the engine takes,
            or a point is outside the domain.
        """
        values, _ = columns(p, self.parameters, self.schedule)
        unknown = unknown_to(self.parameters, self.schedule, p)
        check(f"{self.schedule} ({self.name})", values, p, self.conditions, unknown)
        return self.evaluate(p)
