"""What the L2 gives an SM: bytes per cycle and latency, at the clock that the SM runs at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.prediction.kernels import Kernel, Machine
from analysis.prediction.terms.k_tile_work import Work
from sweep.quantities.arrays import Array

MIDDLE = 0.3
"""Share of the problem in the L2 at which its rate is the constant."""


class Supply(NamedTuple):
    """Of one k-tile, in cycles.

    Attributes
    ----------
    transfer, latency : Array
        Occupancy of the copy path; latency of a copy after it.
    """

    transfer: Array
    latency: Array


def l2_share(kernel: Kernel, machine: Machine) -> Array:
    """Return the share of operands and result that the L2 holds, at most 1."""
    operands = (kernel.m + kernel.n) * kernel.k * machine.element_bytes
    share: Array = np.minimum(1.0, machine.l2_bytes / (operands + 2.0 * kernel.m * kernel.n))
    return share


def l2_supply(work: Work, machine: Machine, share: Array, clock: Array) -> Supply:
    """Return transfer and latency at a clock in GHz.

    The L2 has a clock of its own: at a throttled SM clock each SM cycle gets more bytes, and a
    latency is fewer cycles.
    """
    slowdown = machine.fmax / clock
    rate = machine.l2_rate * (1 + machine.coverage * (share - MIDDLE)) * slowdown
    transfer = np.maximum(work.copied / rate, work.full / machine.port)
    latency = (machine.l2_latency + machine.miss_latency * (1 - share)) / slowdown
    return Supply(transfer, latency)
