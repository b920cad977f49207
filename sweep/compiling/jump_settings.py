"""How patiently a regime is looked for, and in which rows of scratch its states are kept.

Kernels and the code that writes them share these numbers: they are part of every kept kernel.
"""

PATIENCE = 8
"""Rounds (or tiles) after which drift is looked for; most points settle before."""

HISTORY = 17
"""Last states between tiles that are kept, to find short regimes by."""

SHORT = (HISTORY - 1) // 2
"""Groups of tiles that are found by comparing the last states."""

KEPT, AHEAD, REACHED, STRIDE, MARK, BEFORE_MARK = range(HISTORY, HISTORY + 6)
"""Rows after them, for leaps and for the search for long regimes."""

TILE_ROWS = HISTORY + 6
"""Rows for the loop over output tiles."""

POLICIES = 200
"""Policies tried before giving up; two or three are usual."""

COUNTED_ROWS = 9
"""Complex rows for policies beside those of the rings and of the main loop."""
