"""How far predictions are from published kernels that did not help to fit them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from analysis.prediction.calibration import Evidence, evidence_of, fit, unit_factors
from analysis.prediction.row_set import RowSet
from sweep.quantities.arrays import Array

INTERVAL = 0.8
WORKLOG = 4
"""Steps that make a worklog."""


class Errors(NamedTuple):
    """Of one class of rows.

    Attributes
    ----------
    rows : int
    median, mean, ninetieth : float
        Of the relative error's size, in per cent.
    within : float
        Per cent of the rows within 10 %.
    half_width : float
        h for which 80 % of the rows are within ``exp(+-h)``.
    """

    rows: int
    median: float
    mean: float
    ninetieth: float
    within: float
    half_width: float


def errors_of(predicted: Array, measured: Array) -> Errors:
    """Return how far predictions are from measurements.

    Examples
    --------
    >>> errors_of(np.array([110.0, 95.0, 100.0]), np.array([100.0, 100.0, 100.0])).median
    5.0
    """
    size = np.round(100 * np.abs(predicted / measured - 1), 9)
    logs = np.abs(np.log(predicted / measured))
    return Errors(
        size.size,
        float(np.median(size)),
        float(size.mean()),
        float(np.quantile(size, 0.9)),
        float(100 * (size <= 10).mean()),
        float(np.quantile(logs, INTERVAL)),
    )


@dataclass(frozen=True)
class Validation:
    """Rows of one architecture predicted without what they belong to.

    Attributes
    ----------
    rows : RowSet
    with_units, without_units : Array
        TFLOP/s, with the factors of units that are known, and with none.
    """

    rows: RowSet
    with_units: Array
    without_units: Array

    def errors(self, *, units: bool) -> Errors:
        """Return the errors over problems of at least 2048^3."""
        found = self.with_units if units else self.without_units
        return errors_of(found[self.rows.large], self.rows.measured[self.rows.large])


def leave_out(family: str, group: Callable[[int], str], evidence: Evidence) -> Validation:
    """Predict every row from a fit without its group.

    A unit's library row, which is no tile row, still gives the factor of the unit.

    Parameters
    ----------
    family : {"hopper", "blackwell"}
    group : callable
        The group of a tile row by its index.
    evidence : Evidence
    """
    tiles = evidence.tiles
    groups = np.array([group(i) for i in range(len(tiles.rows))])
    found = {units: np.zeros(len(tiles.rows)) for units in (True, False)}
    for name in np.unique(groups):
        out = groups == name
        series = frozenset(one for one, is_out in zip(tiles.series, out, strict=True) if is_out)
        rest = evidence.without(series)
        for units, predicted in found.items():
            fitted = fit(rest, with_factors=units)
            values = tiles.predicted(fitted.constants, fitted.factors if units else None)
            predicted[out] = values[out]
    return Validation(tiles, found[True], found[False])


def leave_one_series_out(family: str) -> Validation:
    """Predict every tile row from a fit without its series."""
    evidence = evidence_of(family)
    return leave_out(family, lambda i: evidence.tiles.series[i], evidence)


def leave_one_source_out(family: str) -> Validation:
    """Predict every tile row from a fit without its source."""
    evidence = evidence_of(family)
    return leave_out(family, lambda i: evidence.tiles.rows[i].source, evidence)


def kept_constants(family: str) -> Validation:
    """Predict every tile row from the constants that are kept."""
    evidence = evidence_of(family)
    factors = unit_factors(evidence.libraries)
    return Validation(
        evidence.tiles, evidence.tiles.predicted(None, factors), evidence.tiles.predicted()
    )


def libraries(family: str) -> tuple[Errors, Errors]:
    """Return the errors of library rows that no factor comes from, with and without factors."""
    found = evidence_of(family).libraries
    free = ~found.anchors & np.array([bool(unit) for unit in found.units])
    measured = found.measured[free]
    with_units = found.predicted(None, unit_factors(found))[free]
    return errors_of(with_units, measured), errors_of(found.predicted()[free], measured)


def rank_correlations(validation: Validation) -> dict[str, float]:
    """Return Spearman's correlation of predicted and measured rates inside each worklog.

    Steps of one series on one problem, at least four of them.
    """
    rows = validation.rows
    worklogs: dict[str, list[int]] = {}
    for i, row in enumerate(rows.rows):
        if rows.large[i]:
            worklogs.setdefault(" ".join((row.series, *row.key[:1], row.key[4])), []).append(i)
    return {
        name: _spearman(validation.with_units[members], rows.measured[members])
        for name, members in worklogs.items()
        if len(members) >= WORKLOG
    }


def _spearman(one: Array, other: Array) -> float:
    left, right = _ranks(one), _ranks(other)
    if np.ptp(left) == 0 or np.ptp(right) == 0:
        return float("nan")
    return float(np.corrcoef(left, right)[0, 1])


def _ranks(values: Array) -> Array:
    """Return ranks; equal values, to a tenth of a per cent, share theirs."""
    logs = np.round(np.log(values), 3)
    below = (logs[:, None] > logs).sum(axis=1)
    same = (logs[:, None] == logs).sum(axis=1)
    return np.asarray(below + (same - 1) / 2)


def series_errors(validation: Validation) -> dict[str, Errors]:
    """Return the errors of every series."""
    rows = validation.rows
    names = np.array(rows.series)
    found = {}
    for name in dict.fromkeys(rows.series):
        members = rows.large & (names == name)
        if members.any():
            found[name] = errors_of(validation.with_units[members], rows.measured[members])
    return found


def coverage(predicted: Iterable[float], measured: Iterable[float], half_width: float) -> float:
    """Return the share of rows inside the interval."""
    logs = np.abs(np.log(np.array(list(predicted)) / np.array(list(measured))))
    return float((logs <= half_width).mean())
