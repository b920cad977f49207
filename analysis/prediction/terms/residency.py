"""CTAs that share an SM, where the kernel does not say."""

from __future__ import annotations

import numpy as np

from analysis.prediction.kernels import PINGPONG, WARP_SPECIALIZED, Kernel, Machine
from analysis.prediction.terms.k_tile_work import Work
from sweep.quantities.arrays import Array

RESERVED = 1024
"""Bytes of shared memory that CUDA keeps of each CTA."""
BARRIERS = 16
"""Bytes of a stage's two barriers."""
OTHER_REGISTERS = 56
MOST_REGISTERS = 255
BLACKWELL_REGISTERS = 64
"""Of a thread: the accumulators are in Tensor Memory."""
TENSOR_COLUMNS, FEWEST_COLUMNS, LANES = 512, 32, 128
MOST = 8


def ctas_that_fit(kernel: Kernel, machine: Machine, work: Work) -> Array:
    """Return the CTAs that fit shared memory, registers and Tensor Memory; 0 for none."""
    memory = machine.smem_bytes / (kernel.stages * (work.full + BARRIERS) + RESERVED)
    accumulators = kernel.tile_m * kernel.tile_n / kernel.threads
    needed = np.minimum(MOST_REGISTERS, 8 * np.ceil((accumulators + OTHER_REGISTERS) / 8))
    per_thread = np.where(machine.blackwell, BLACKWELL_REGISTERS, needed)
    registers = machine.registers / (kernel.threads * per_thread)
    columns = np.maximum(FEWEST_COLUMNS, kernel.tile_n) * np.ceil(kernel.tile_m / LANES)
    tensor_memory = np.where(machine.blackwell, TENSOR_COLUMNS / columns, np.inf)
    fit: Array = np.floor(np.minimum(np.minimum(memory, registers), tensor_memory))
    return np.minimum(MOST, fit)


def ctas_per_sm(kernel: Kernel, machine: Machine, work: Work) -> Array:
    """Return the CTAs per SM: 1 of persistent and warp-specialised kernels, else what fits.

    What the kernel says of itself comes first.
    """
    alone = (kernel.persistent > 0) | (kernel.schedule == WARP_SPECIALIZED)
    alone |= kernel.schedule == PINGPONG
    fit = np.maximum(1, ctas_that_fit(kernel, machine, work))
    own = np.where(alone, 1.0, fit)
    return np.where(np.isnan(kernel.ctas_per_sm), own, kernel.ctas_per_sm)
