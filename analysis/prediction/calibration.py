"""Refit of the constants to the published kernels, from scratch and deterministic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from analysis.prediction.check_rows import (
    Share,
    gives_clocks,
    of_known_kernels,
    predicted_clocks,
    predicted_shares,
    profiled,
)
from analysis.prediction.constants import ARCHITECTURES, CONSTANTS, FITTED
from analysis.prediction.published_rows import Row, published_rows
from analysis.prediction.row_set import RowSet, row_set
from sweep.errors import InputError
from sweep.quantities.arrays import Array

ROW_SPREAD, CLOCK_SPREAD, PIPE_SPREAD, UNIT_SPREAD = 0.10, 0.04, 0.05, 0.10
"""Standard deviations of a residual's logarithm."""
LONG_SERIES = 6
"""Rows of a series that count in full: a longer one weighs as many."""
SET_WEIGHT = 1.5
"""Rows that all clock pairs, and all pipe shares, weigh together."""
ROUNDS = 3
"""Fits, between which the factors of the units are worked out again."""


@dataclass(frozen=True)
class Fit:
    """Constants of one architecture as fitted.

    Attributes
    ----------
    constants, errors : dict of str to float
        By name; standard errors relative to the values.
    factors : dict of str to float
        Of every unit whose library row is known.
    """

    constants: dict[str, float]
    errors: dict[str, float]
    factors: dict[str, float]


@dataclass(frozen=True)
class Evidence:
    """What an architecture's constants are fitted to.

    Attributes
    ----------
    family : str
    tiles, libraries : RowSet
    shares : list of Share
        Kernels that were profiled.
    left_out : frozenset of str
        Series whose tile rows and profiles do not count.
    """

    family: str
    tiles: RowSet
    libraries: RowSet
    shares: list[Share]
    left_out: frozenset[str] = frozenset()

    @cached_property
    def counted(self) -> Array:
        """Whether each tile row counts."""
        inside = np.array([one not in self.left_out for one in self.tiles.series])
        return np.asarray(self.tiles.large & inside)

    @cached_property
    def weights(self) -> Array:
        """Weight of each tile row's residual."""
        names = np.array(self.tiles.series)
        lengths = np.array([(names[self.tiles.large] == one).sum() for one in names])
        return np.asarray(1 / np.sqrt(np.maximum(1, lengths / LONG_SERIES)))

    def without(self, series: frozenset[str]) -> Evidence:
        """Return the same without some series."""
        kept = [one for one in self.shares if one.row.series not in series]
        return Evidence(self.family, self.tiles, self.libraries, kept, series)


def evidence_of(family: str, rows: Sequence[Row] | None = None) -> Evidence:
    """Return the published evidence on an architecture."""
    rows = published_rows() if rows is None else rows
    tiles, libraries = row_set(rows, family, "tile"), row_set(rows, family, "envelope")
    return Evidence(family, tiles, libraries, profiled(rows, family))


def unit_factors(
    libraries: RowSet, constants: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return the factor of each unit: measured over predicted of its largest library row."""
    ratio = np.log(libraries.measured / libraries.predicted(constants))
    units = np.array(libraries.units)
    return {
        str(unit): float(np.exp(ratio[libraries.anchors & (units == unit)].mean()))
        for unit in np.unique(units[libraries.anchors])
        if unit
    }


def residuals(
    evidence: Evidence, constants: Mapping[str, float], factors: Mapping[str, float]
) -> Array:
    """Return every residual: rows, profiled clocks and pipe shares, and the priors."""
    tiles = evidence.tiles
    errors = np.log(tiles.predicted(constants, factors) / tiles.measured) / ROW_SPREAD
    parts = [(errors * evidence.weights)[evidence.counted]]
    if evidence.shares and gives_clocks(evidence.family):
        factor = factors.get(evidence.shares[0].row.inputs["unit"], 1.0)
        clocks = np.array([one.clock_hz for one in evidence.shares]) / 1e9
        found = predicted_clocks(evidence.shares, constants, factor)
        parts.append(_as_a_set(np.log(found / clocks) / CLOCK_SPREAD))
    known = of_known_kernels(evidence.shares)
    if known:
        pipes = np.array([one.pipe for one in known])
        found = predicted_shares(known, constants)
        parts.append(_as_a_set(np.log(found / pipes) / PIPE_SPREAD))
    priors = CONSTANTS[evidence.family]
    parts.append(
        np.array(
            [np.log(constants[name] / priors[name].prior) / priors[name].spread for name in FITTED]
        )
    )
    return np.concatenate(parts)


def _as_a_set(values: Array) -> Array:
    return np.asarray(values * np.sqrt(SET_WEIGHT / max(SET_WEIGHT, values.size)))


def fit(
    evidence: Evidence,
    start: Mapping[str, float] | None = None,
    *,
    with_factors: bool = True,
) -> Fit:
    """Fit the four constants of an architecture.

    Parameters
    ----------
    evidence : Evidence
    start : mapping of str to float, optional
        Instead of the priors.
    with_factors : bool
        Whether units whose library row is known have a factor of their own.

    Raises
    ------
    InputError
        If scipy is not installed.
    """
    solve = solver()
    priors = CONSTANTS[evidence.family]
    known = {name: priors[name].prior for name in FITTED} | dict(start or {})
    factors: dict[str, float] = {}
    errors: dict[str, float] = {}
    for _ in range(ROUNDS):
        factors = unit_factors(evidence.libraries, known) if with_factors else {}
        at = _residuals_near(evidence, factors, known["clock"])

        first = np.log([known[name] for name in FITTED])
        found = solve(at, first, loss="soft_l1", diff_step=1e-4, xtol=1e-10, ftol=1e-10)
        known = _named(found.x)
        spread = np.sqrt(np.diag(np.linalg.inv(found.jac.T @ found.jac)))
        errors = dict(zip(FITTED, map(float, spread), strict=True))
    return Fit(known, errors, factors)


def _residuals_near(
    evidence: Evidence, factors: Mapping[str, float], clock: float
) -> Callable[[Array], Array]:
    """Return the residuals of logarithms of constants.

    A unit's factor was worked out at a clock; at another it falls as that rises, since it is the
    product of both that its library row shows.
    """

    def at(logs: Array) -> Array:
        known = _named(logs)
        scaled = {unit: one * clock / known["clock"] for unit, one in factors.items()}
        return residuals(evidence, known, scaled)

    return at


def _named(logs: Array) -> dict[str, float]:
    return dict(zip(FITTED, map(float, np.exp(logs)), strict=True))


def solver() -> Callable[..., Any]:
    """Return scipy's least squares.

    Raises
    ------
    InputError
        If it is not installed.
    """
    try:
        from scipy.optimize import least_squares
    except ImportError:
        raise InputError(
            "calibrate: needs scipy; install it with 'pip install warpsweep[calibration]'"
        ) from None
    found: Callable[..., Any] = least_squares
    return found


def calibrate(start: Mapping[str, Mapping[str, float]] | None = None) -> dict[str, Fit]:
    """Refit the constants of every architecture from scratch.

    Parameters
    ----------
    start : mapping of str to mapping, optional
        Where to start by architecture, instead of the priors; the result does not depend on it.

    Returns
    -------
    dict of str to Fit
        By architecture.

    Raises
    ------
    InputError
        If scipy, an extra dependency, is not installed.
    """
    return {family: fit(evidence_of(family), (start or {}).get(family)) for family in ARCHITECTURES}
