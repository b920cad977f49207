"""Names that several kernels declare; a formula is rounded once to 1/1024 cycle."""

from __future__ import annotations

from sweep.description import Duration

TENSOR_CORE = "(tc_flop_per_cycle * element_rate)"
"""FLOP per cycle of an SM's Tensor Core: ``element_rate`` is relative to 16-bit."""


def output(formula: str) -> Duration:
    """Declare the time to convert and store an agent's part of an output tile.

    Parameters
    ----------
    formula : str
        In cycles, rounded once to 1/1024 cycle.
    """
    return Duration("t_out", "time to convert and store an agent's part of an output tile", formula)


def transfer(slot_bytes: str) -> Duration:
    """Declare the occupancy of the copy path by a k-tile of that many bytes."""
    return Duration(
        "t_transfer",
        "occupancy of the copy path per k-tile",
        f"({slot_bytes}) / mem_bytes_per_cycle",
    )
