"""Where a prediction was calibrated, and how wide its interval is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from analysis.prediction.constants import BLACKWELL, HALF_WIDTH, HOPPER
from analysis.prediction.kernels import Machine
from sweep.quantities.arrays import Array
from sweep.quantities.predicted import predicted_code

SMALLEST_FLOP = 2.0**34
SHORTEST_K = 1024
EXTRAPOLATED_FACTOR = 2.0


def reasons(conditions: Mapping[str, Array], shape: tuple[int, ...]) -> Array:
    """Return the code of the gravest reason that holds at each point, 0 where none does.

    Parameters
    ----------
    conditions : mapping of str to Array
        By the reason's name.
    shape : tuple of int
    """
    found = np.zeros(shape, dtype=np.int8)
    for name in sorted(conditions, key=lambda one: predicted_code("reason", one)):
        found = np.where(conditions[name], predicted_code("reason", name), found)
    return found.astype(np.int8)


def status(reason: Array) -> Array:
    """Return the code of the status that a reason means."""
    gravest = predicted_code("reason", "does_not_fit")
    without = reason >= gravest
    code = np.where(reason > 0, predicted_code("status", "extrapolated"), 0)
    found: Array = np.where(without, predicted_code("status", "not_modelled"), code)
    return found.astype(np.int8)


def half_width(machine: Machine, unit_known: Array | bool, state: Array) -> Array:
    """Return h of the 80 % interval ``exp(+-h)``: doubled outside of the calibrated range."""
    known, unknown = (
        np.where(machine.blackwell, HALF_WIDTH[BLACKWELL][i], HALF_WIDTH[HOPPER][i]) for i in (0, 1)
    )
    width = np.where(unit_known, known, unknown)
    outside = state == predicted_code("status", "extrapolated")
    return np.asarray(width * np.where(outside, EXTRAPOLATED_FACTOR, 1.0))
