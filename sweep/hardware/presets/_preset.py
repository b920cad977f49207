"""What a preset's file says, and numbers that follow from published ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sweep.hardware.capabilities import Sourced

KIB, MIB = 1024, 1024**2


class Preset(NamedTuple):
    """A GPU's numbers, each with its source.

    Attributes
    ----------
    summary : str
        One line about it.
    numbers : mapping of str to (float, str)
        By field of a GPU.
    element_rates : mapping of str to (float, str)
        Tensor Core rate by element type, relative to 16-bit with FP32 accumulation.
    """

    summary: str
    numbers: Mapping[str, Sourced]
    element_rates: Mapping[str, Sourced]


def digits(number: float, count: int) -> float:
    """Round to so many significant digits.

    Examples
    --------
    >>> digits(35.4609, 3), digits(1855786000.0, 4)
    (35.5, 1856000000.0)
    """
    return float(f"{number:.{count}g}")


def share(bytes_per_cycle: float, sm_count: int, source: str) -> Sourced:
    """Return an SM's share of what the whole GPU moves per cycle, to three digits."""
    return digits(bytes_per_cycle / sm_count, 3), f"derived: {source}, over {sm_count} SMs"


def share_per_second(bytes_per_second: float, hz: float, sm_count: int, source: str) -> Sourced:
    """Return an SM's bytes per cycle of what the whole GPU moves per second, to three digits."""
    return share(bytes_per_second / hz, sm_count, f"{source} at {hz / 1e9:g} GHz")


def clock_of_peak(flop_per_second: float, sm_count: int, per_cycle: float, source: str) -> Sourced:
    """Return the clock at which so many FLOP per cycle and SM are the published peak."""
    hz = digits(flop_per_second / sm_count / per_cycle, 4)
    peak = f"{flop_per_second / 1e12:,g} TFLOP/s"
    return hz, f"derived: {peak} ({source}) over {sm_count} SMs x {per_cycle:,} FLOP/cycle"


def rate_of_peak(flop_per_second: float, sm_count: int, hz: float, source: str) -> Sourced:
    """Return the FLOP per cycle and SM that are the published peak at a clock."""
    rate = digits(flop_per_second / sm_count / hz, 4)
    peak = f"{flop_per_second / 1e12:,g} TFLOP/s"
    return rate, f"derived: {peak} ({source}) over {sm_count} SMs at {hz / 1e9:g} GHz"


def same(number: Sourced, why: str) -> Sourced:
    """Return a number of another GPU, and why it holds here too."""
    return number[0], f"derived: {why}; {number[1].removeprefix('derived: ')}"
