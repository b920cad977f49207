"""The SM clock under load: dynamic power at constant voltage shared by what is busy."""

from __future__ import annotations

import numpy as np

from analysis.prediction.kernels import Machine
from sweep.quantities.arrays import Array


def power_clock(machine: Machine, pipe: Array, bytes_per_cycle: Array) -> Array:
    """Return the clock in GHz at which the power of clock tree, Tensor Cores and data is the cap.

    Parameters
    ----------
    machine : Machine
    pipe : Array
        Share of the cycles that the Tensor Cores are busy.
    bytes_per_cycle : Array
        Copied by an SM.
    """
    load = machine.power_mma * machine.element_power * pipe + machine.power_data * bytes_per_cycle
    capped: Array = np.minimum(machine.fmax, machine.unit * machine.clock / (1 + load))
    return capped
