"""How many slot reuses fit between epilogues: the edges of a lattice polygon.

A stretch of a path that stays within m consecutive output tiles covers at most
``m * k_tiles - 1`` steps from k-tile to k-tile, so it can reuse a slot at most
``floor((m * k_tiles - 1) / stages)`` times. Those points (m, reuses) lie strictly below the line of
slope k_tiles / stages, and the polygon that they span is the lower sail of Klein's picture of the
continued fraction: its corners are lower convergents, its edges run along upper convergents h/k
and obey ``k * reuses <= h * m - 1``. A plane lattice polygon is normal: whatever n stretches
together may reach by the polygon, ``k * reuses <= h * m - n``, some n stretches do reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


class Edge(NamedTuple):
    """One edge of the polygon, for the points ``at`` that have it.

    It bounds stretches of ``first`` to ``last`` tiles (``last`` is 0 for no end), and starts at
    the corner (``first``, ``reuses``).
    """

    at: Ints
    h: Ints
    k: Ints
    first: Ints
    reuses: Ints
    last: Ints


def edges(k_tiles: Ints, stages: Ints) -> Iterator[Edge]:
    """Yield the edges of every point, in the order of growing stretches.

    Parameters
    ----------
    k_tiles, stages : 1-D arrays of one length

    Examples
    --------
    For k_tiles / stages = 5/8 = [0; 1, 1, 1, 2]: 1 reuse in two tiles, 3 in five, 5 more in
    every 8 after that.

    >>> for edge in edges(np.array([5]), np.array([8])):
    ...     print(*(int(value[0]) for value in edge[1:]))
    1 1 1 0 2
    2 3 2 1 5
    5 8 5 3 0
    """
    index = np.arange(k_tiles.size)
    # A lower and an upper convergent h/k, and what Euclid's algorithm still has to divide.
    low_h, below = np.divmod(k_tiles, stages)
    low_k, up_h, up_k, above = (np.full_like(index, v) for v in (1, 1, 0, 0))
    above += stages
    while index.size:
        exact = below == 0  # the lower convergent is k_tiles / stages itself
        if exact.any():
            h, k = low_h[exact], low_k[exact]
            yield Edge(index[exact], h, k, k - up_k[exact], h - up_h[exact], np.zeros_like(h))
            state = (index, low_h, low_k, up_h, up_k, below, above)
            index, low_h, low_k, up_h, up_k, below, above = (one[~exact] for one in state)
            if not index.size:
                return
        quotient, above = np.divmod(above, below)
        up_h, up_k = quotient * low_h + up_h, quotient * low_k + up_k
        exact = above == 0  # the upper one is
        quotient, rest = np.divmod(below, np.where(exact, 1, above))
        next_h, next_k = quotient * up_h + low_h, quotient * up_k + low_k
        last = np.where(exact, 0, np.where(rest == 0, next_k - up_k, next_k))
        yield Edge(index, up_h, up_k, low_k, low_h, last)
        state = (index, next_h, next_k, up_h, up_k, rest, above)
        index, low_h, low_k, up_h, up_k, below, above = (one[~exact] for one in state)
