"""The largest value of a linear function plus a weighted floor, for arrays of points.

What is left of a shared ring's longest path once its geometry is known: a straight line of paths
that must consist of whole slot reuses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def largest_with_floor(
    count: Ints, across: Floats, up: Floats, slope: Ints, offset: Ints, modulus: Ints
) -> Floats:
    """Return the maximum of ``across * t + up * floor((slope * t + offset) / modulus)``.

    Over the integers 0 <= t < ``count``; minus infinity where there are none. All arguments are
    1-D arrays of one length; ``slope`` and ``offset`` are nonnegative, ``modulus`` positive.

    Notes
    -----
    Euclid's algorithm. Whole multiples of ``modulus`` move from slope and offset into ``across``
    and the result. If ``across`` and ``up`` then agree in sign, the last or the first t is best.
    Otherwise only one t per height of the floor can be best: the first that reaches it
    (``up`` > 0) or the last that keeps it (``up`` < 0). That t is itself a floor of a linear
    function of the height, with ``slope`` and ``modulus`` exchanged; heights take the place of t.
    The steps are those of the greatest common divisor, at most logarithmic in ``modulus``.

    Examples
    --------
    >>> t = np.arange(7)
    >>> best = largest_with_floor(*(np.array([v]) for v in (7, -2.0, 3.0, 5, 1, 6)))
    >>> best.item(), max((-2 * t + 3 * ((5 * t + 1) // 6)).tolist())
    (3.0, 3)
    """
    best = np.full(count.shape, -np.inf)
    total = np.zeros(count.shape)
    index = np.flatnonzero(count > 0)
    state: list[npt.NDArray[Any]] = [
        column[index] for column in (count, across, up, slope, offset, modulus, total)
    ]
    while index.size:
        count, across, up, slope, offset, modulus, total = state
        whole, slope = np.divmod(slope, modulus)
        across = across + up * whole
        whole, offset = np.divmod(offset, modulus)
        total = total + up * whole
        last = count - 1
        top = (slope * last + offset) // modulus
        ends = total + np.maximum(0.0, across * last + up * top)
        best[index] = np.maximum(best[index], ends)
        falling = across < 0
        state = [
            top,
            up,
            across,
            modulus,
            modulus - 1 - offset + np.where(falling, slope, 0),
            slope,
            total + np.where(falling, up, 0.0),
        ]
        on = (top > 0) & np.where(falling, up > 0, (across > 0) & (up < 0))
        if not on.all():
            index = index[on]
            state = [column[on] for column in state]
    return best
