"""The constants of the layer: value, standard error, prior and source, per architecture.

Four per architecture are fitted to published kernels (``analysis.prediction.calibration``); the
others are fixed by microbenchmarks or by what they describe.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

VERSION = "1"
"""Of the values below: changes when one of them does."""
HOPPER, BLACKWELL = "hopper", "blackwell"
ARCHITECTURES = (HOPPER, BLACKWELL)


class Constant(NamedTuple):
    """One constant of one architecture.

    Attributes
    ----------
    value : float
    units : str
    meaning : str
    source : str
    error : float
        Standard error relative to the value; 0 where it is fixed.
    prior, spread : float
        What is known of it without the published kernels: value, and standard deviation of its
        logarithm; 0 where it is fixed.
    """

    value: float
    units: str
    meaning: str
    source: str
    error: float = 0.0
    prior: float = 0.0
    spread: float = 0.0


_CLOCK_PAIRS = "utilisation and clock of eight kernels of one worklog on a B200"
_SAME: Mapping[str, Constant] = {
    "power_mma": Constant(
        0.40, "1", "power of busy Tensor Cores over that of the clock tree", _CLOCK_PAIRS
    ),
    "power_data": Constant(
        0.0014, "cycle/byte", "power of copied data over that of the clock tree", _CLOCK_PAIRS
    ),
    "sync": Constant(60, "cycle", "a barrier", "latency of mbarrier microbenchmarks"),
    "library_sync": Constant(
        150, "cycle", "more for a library's barrier objects", "one worklog's step to PTX barriers"
    ),
    "handover": Constant(
        500, "cycle", "hand-over of the accumulator", "order of a barrier round trip and a drain"
    ),
    "coverage": Constant(
        0.2, "1", "L2 rate gained as the L2 holds all of the problem", "L2 microbenchmarks"
    ),
}

CONSTANTS: Mapping[str, Mapping[str, Constant]] = MappingProxyType(
    {
        HOPPER: MappingProxyType(
            {
                "l2_rate": Constant(
                    35.3,
                    "byte/cycle",
                    "L2 rate per SM at the highest clock",
                    "L2 microbenchmarks, 4,207-4,808 byte/cycle",
                    0.05,
                    34.0,
                    0.12,
                ),
                "clock": Constant(
                    2.38,
                    "GHz",
                    "clock at no load that the power law starts from",
                    "clocks and utilisations published together",
                    0.05,
                    2.3,
                    0.08,
                ),
                "l2_latency": Constant(
                    753,
                    "cycle",
                    "a copy under load at the highest clock",
                    "global load plus TMA",
                    0.19,
                    700,
                    0.25,
                ),
                "mma_latency": Constant(
                    94,
                    "cycle",
                    "drain of an MMA",
                    "MMA dependency microbenchmarks",
                    0.33,
                    100,
                    0.35,
                ),
                "miss_latency": Constant(
                    300, "cycle", "more for a copy that misses the L2", "L2 miss microbenchmarks"
                ),
                "warpgroup": Constant(
                    150,
                    "cycle",
                    "lockstep of each further warpgroup without a producer",
                    "CTAs of four and eight warps of one tutorial",
                ),
                "port": Constant(64, "byte/cycle", "copies into shared memory", "documented"),
                "store_base": Constant(800, "cycle", "start of a TMA epilogue", "TMA latency"),
                "prologue": Constant(
                    700, "cycle", "before a CTA's first copy", "launch and descriptor latency"
                ),
                "launch": Constant(
                    4, "us", "launch and DRAM ramp", "intercept of time over bytes, M of 32 to 128"
                ),
                **_SAME,
            }
        ),
        BLACKWELL: MappingProxyType(
            {
                "l2_rate": Constant(
                    72.7,
                    "byte/cycle",
                    "L2 rate per SM at the highest clock",
                    "L2 microbenchmarks, 21.2 TB/s",
                    0.11,
                    67.0,
                    0.12,
                ),
                "clock": Constant(
                    1.96,
                    "GHz",
                    "clock at no load that the power law starts from",
                    _CLOCK_PAIRS,
                    0.05,
                    2.05,
                    0.08,
                ),
                "l2_latency": Constant(
                    774,
                    "cycle",
                    "a copy under load at the highest clock",
                    "global load plus TMA",
                    0.14,
                    750,
                    0.25,
                ),
                "mma_latency": Constant(
                    214,
                    "cycle",
                    "drain of an MMA",
                    "MMA dependency microbenchmarks",
                    0.17,
                    350,
                    0.35,
                ),
                "miss_latency": Constant(
                    500, "cycle", "more for a copy that misses the L2", "L2 miss microbenchmarks"
                ),
                "warpgroup": Constant(
                    80,
                    "cycle",
                    "lockstep of each further warpgroup without a producer",
                    "CTAs of four and eight warps of one tutorial",
                ),
                "port": Constant(120, "byte/cycle", "copies into shared memory", "documented"),
                "store_base": Constant(1000, "cycle", "start of a TMA epilogue", "TMA latency"),
                "prologue": Constant(
                    1000, "cycle", "before a CTA's first copy", "launch and descriptor latency"
                ),
                "launch": Constant(
                    7, "us", "launch and DRAM ramp", "intercept of time over bytes, M of 32 to 128"
                ),
                **_SAME,
            }
        ),
    }
)
"""By architecture and name."""

FITTED = ("l2_rate", "clock", "l2_latency", "mma_latency")
"""Those that the published kernels set."""

ELEMENT_POWER: Mapping[str, float] = MappingProxyType(
    {"bf16": 1.0, "fp16": 1.15, "tf32": 0.92, "fp8": 1.37, "fp4": 1.37}
)
"""Power of MMAs relative to bf16; fp4 as fp8. One H200's cuBLAS at its cap of 700 W."""
HALF_WIDTH = MappingProxyType({HOPPER: (0.14, 0.19), BLACKWELL: (0.15, 0.18)})
"""80 % quantile of |log error|, leaving one series out: with a unit factor, without."""


def values(architecture: str) -> dict[str, float]:
    """Return the constants of an architecture as plain numbers by name."""
    return {name: one.value for name, one in CONSTANTS[architecture].items()}
