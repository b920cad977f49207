"""How a claim fared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from analysis.closed_forms.form import Kind


@dataclass(frozen=True)
class Finding:
    """How one claim fared.

    Attributes
    ----------
    schedule, claim : str
    kind : {"exact", "bound", "asymptotic", "rule"}
    points : int
        Points of the claim's domain that it was tested on.
    violations : int
        Points at which it is wrong.
    worst, mean : float
        The largest and the mean gap at those points, in ``units``; 0 where there are none.
    units : str
    counterexample : str or None
        The first such point as the commands that simulate it.
    remark : str
        What else belongs to it.
    error : str
        What ended its test, in one line; "" where nothing did.
    """

    schedule: str
    claim: str
    kind: Kind
    points: int
    violations: int
    worst: float
    mean: float
    units: str
    counterexample: str | None
    remark: str = ""
    error: str = ""

    @property
    def failed(self) -> bool:
        """Whether a claim that must never be wrong is, or could not be tested.

        Steady states are tested exactly, too: with ==, on sums without rounding.
        """
        return bool(self.error) or (self.violations > 0 and self.kind != "rule")

    def json_row(self) -> dict[str, Any]:
        """Return what ``warpsweep verify --json`` prints of it; "error" only where there is one."""
        names = ("schedule", "claim", "kind", "points", "violations", "worst", "counterexample")
        error = ("error",) if self.error else ()
        return {name: getattr(self, name) for name in (*names, *error)}
