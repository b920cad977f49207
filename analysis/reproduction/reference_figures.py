"""The table of reference figures that the project answers for, as it is written down."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Claim:
    """One reference figure.

    Attributes
    ----------
    id, experiment, quantity : str
        Its name, what it belongs to, and what it is.
    expected : float or str
        The figure; text where it is not one number ("8/4/4").
    tolerance : float
        Largest difference, in the unit of the figure.
    unit, parameters : str
        Unit ("1" for a pure number), and where it holds.
    """

    id: str
    experiment: str
    quantity: str
    expected: float | str
    tolerance: float
    unit: str
    parameters: str


@cache
def claims() -> tuple[Claim, ...]:
    """Read the table, in its order.

    Examples
    --------
    >>> claims()[0].id, claims()[0].expected, claims()[0].unit
    ('tile.bytes', 49152.0, 'byte')
    """
    text = files("analysis.reproduction").joinpath("claims.csv").read_text(encoding="utf-8")
    return tuple(_claim(row) for row in csv.DictReader(text.splitlines()))


def _claim(row: dict[str, str]) -> Claim:
    return Claim(
        row["id"],
        row["experiment"],
        row["quantity"],
        _number_or_text(row["expected"]),
        float(row["tolerance"]),
        row["unit"],
        row["parameters"],
    )


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
