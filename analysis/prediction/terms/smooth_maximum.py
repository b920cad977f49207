"""The larger of several limits, where limits that come close cost more than the larger alone."""

from __future__ import annotations

import numpy as np

from sweep.quantities.arrays import Array

_TINY = 1e-300


def smooth_maximum(*limits: Array) -> Array:
    """Return ``(sum of limits^12)^(1/12)``.

    Two equal limits cost 6 % more than one; a limit half as large as the other costs nothing. It
    was fitted: the plain maximum costs a point of error.

    Examples
    --------
    >>> smooth_maximum(np.array(100.0), np.array([0.0, 50.0, 100.0])).round(2).tolist()
    [100.0, 100.0, 105.95]
    """
    largest = np.maximum(limits[0], _TINY)
    for one in limits[1:]:
        largest = np.maximum(largest, one)
    total = _twelfth_power(limits[0] / largest)
    for one in limits[1:]:
        total = total + _twelfth_power(one / largest)
    return np.asarray(largest * total ** (1 / 12))


def _twelfth_power(ratio: Array) -> Array:
    cube = ratio * ratio * ratio
    sixth = cube * cube
    return np.asarray(sixth * sixth)
