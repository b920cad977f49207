"""A kernel and a machine with plain numbers, whose terms can be worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.prediction.kernels import TMA, WARP_SPECIALIZED, Kernel, Machine

KERNEL: dict[str, Any] = {
    "m": 8192,
    "n": 8192,
    "k": 8192,
    "tile_m": 128,
    "tile_n": 256,
    "tile_k": 64,
    "stages": 4,
    "schedule": WARP_SPECIALIZED,
    "cluster_m": 1,
    "cluster_n": 1,
    "cta_pair": 1,
    "consumer_warpgroups": 2,
    "threads": 384,
    "mma_in_flight": 1,
    "persistent": 1,
    "epilogue": TMA,
    "half_sectors": 0,
    "raster_group": 8,
    "sms_used": 128,
    "output_bytes": 2,
    "ctas_per_sm": np.nan,
    "clock_hz": np.nan,
    "library_barriers": 0,
    "copy_issue": 10,
}
MACHINE: dict[str, Any] = {
    "blackwell": False,
    "sm_count": 128,
    "flop_per_cycle": 4096,
    "peak_hz": 2e9,
    "l2_bytes": 50 * 2**20,
    "smem_bytes": 228 * 1024,
    "registers": 65536,
    "element_bytes": 2,
    "element_power": 1,
    "unit": 1,
    "fmax": 2.0,
    "dram": 3000,
    "l2_rate": 40,
    "clock": 2.5,
    "l2_latency": 800,
    "mma_latency": 100,
    "miss_latency": 300,
    "power_mma": 0.4,
    "power_data": 0.001,
    "warpgroup": 150,
    "port": 64,
    "sync": 60,
    "library_sync": 150,
    "store_base": 800,
    "handover": 500,
    "prologue": 700,
    "launch": 4,
    "coverage": 0.2,
}


def kernel(**changed: Any) -> Kernel:
    """Return the kernel with some fields changed."""
    return Kernel(**{name: np.asarray(value) for name, value in (KERNEL | changed).items()})


def machine(**changed: Any) -> Machine:
    """Return the machine with some fields changed."""
    return Machine(**{name: np.asarray(value) for name, value in (MACHINE | changed).items()})
