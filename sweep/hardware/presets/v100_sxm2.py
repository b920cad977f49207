"""V100 SXM2: Volta, the first Tensor Cores, fp16 alone."""

from sweep.hardware.presets._preset import KIB, MIB, Preset
from sweep.hardware.presets._sources import (
    DATASHEETS,
    GUIDE,
    MICROBENCHMARKS,
    PCIE_3,
    PROPERTIES,
    RANDOM_CHASE,
    RECALLED,
    REGISTERS,
    SIXTEEN_BIT,
    STORES,
)

PRESET = Preset(
    "Volta, compute capability 7.0",
    {
        "compute_capability": (7.0, GUIDE),
        "sm_count": (80, PROPERTIES),
        "clock_hz": (1.53e9, PROPERTIES),
        "tc_flop_per_cycle": (1024, RECALLED),
        "latency_cycles": (431, f"{MICROBENCHMARKS}: global load 425-437 cycles"),
        "exp_per_cycle": (16, RECALLED),
        "fma_lanes": (64, PROPERTIES),
        "staging_bytes_per_cycle": (128, f"{STORES}, which is {RECALLED}"),
        "smem_bytes_per_cycle": (128, RECALLED),
        "smem_per_block_bytes": (96 * KIB, f"{PROPERTIES}: 98,304 B"),
        "smem_per_sm_bytes": (96 * KIB, f"{PROPERTIES}: 98,304 B"),
        **REGISTERS,
        "l2_bytes": (6 * MIB, MICROBENCHMARKS),
        "dram_bytes_per_second": (0.9e12, DATASHEETS),
        "l2_latency_cycles": (215, RANDOM_CHASE),
        "host_link_bytes_per_second": PCIE_3,
    },
    {"fp16": (1.0, SIXTEEN_BIT)},
)
