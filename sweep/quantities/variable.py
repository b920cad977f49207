"""One quantity: its name, unit, limits and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "duration", "count", "choice", "physical", "gpu_field", "output", "flag", "trace", "axis"
]

EXACT_CYCLES = 2**43
"""Above this many cycles float64 no longer resolves 1/1024 cycle (52 bits less 10, plus one)."""
MOST_SLOTS = 1 << 16
"""The largest ring: half a megabyte of scratch for each of its states."""


@dataclass(frozen=True)
class Variable:
    """One quantity.

    Attributes
    ----------
    name : str
        What it is called everywhere.
    kind : str
        "duration" (a cycle parameter), "count", "choice", "physical", "gpu_field", "output",
        "flag" (an output that is an integer code), "trace" (a column of a trace) or "axis".
    units, long_name : str
        CF attributes.
    dtype : {"float64", "int64", "int8", "str", "shape"}
        How it is held; a shape ("128x256x64") is held as text.
    default : float, int, str or None
        None where it depends on the schedule, the tile or the GPU.
    lower, upper : float
        Limits of a number, inclusive; ``above_lower`` makes the lower one exclusive.
    choices : tuple of str
        The values of a choice; their order gives the integer codes.
    flag_values, flag_meanings : tuple
        CF attributes of a flag.
    """

    name: str
    kind: Kind
    units: str
    long_name: str
    dtype: str = "float64"
    default: float | int | str | None = None
    lower: float = 0
    upper: float = float("inf")
    above_lower: bool = False
    choices: tuple[str, ...] = ()
    flag_meanings: tuple[str, ...] = ()

    @property
    def flag_values(self) -> tuple[int, ...]:
        """The codes of a flag, in the order of their meanings."""
        return tuple(range(len(self.flag_meanings)))

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers rather than names or shapes."""
        return self.dtype not in ("str", "shape")

    def with_unit(self, value: object) -> str:
        """Return a value as text, followed by the unit where there is one."""
        return f"{value}" if self.units == "1" else f"{value} {self.units}"


def on_grid(row: Variable) -> bool:
    """Whether a number is rounded inside to 1/1024 cycle, so that every sum is exact."""
    return row.kind == "duration" or row.name == "latency_cycles"
