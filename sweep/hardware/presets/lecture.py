"""The lecture's machine: round numbers, a Hopper with a fast L2."""

from sweep.hardware.presets._preset import KIB, MIB, Preset
from sweep.hardware.presets._sources import GUIDE, H100_RERUN, HOPPER, LECTURE, ONE_LATENCY, PCIE_5
from sweep.hardware.presets.h100_sxm import HOPPER_RATES

PRESET = Preset(
    "the lecture's round numbers, a Hopper with a fast L2",
    {
        "compute_capability": (9.0, f"as H100 SXM: {GUIDE}"),
        "sm_count": (132, LECTURE),
        "clock_hz": (1.83e9, LECTURE),
        "tc_flop_per_cycle": (4096, LECTURE),
        "mem_bytes_per_cycle": (64, f"{LECTURE}; measured on H100: 32-36"),
        "latency_cycles": (700, LECTURE),
        "exp_per_cycle": (16, LECTURE),
        "fma_lanes": (128, LECTURE),
        "staging_bytes_per_cycle": (256, LECTURE),
        "smem_bytes_per_cycle": (128, f"as H100 SXM: {HOPPER}"),
        "smem_per_block_bytes": (232_448, LECTURE),
        "smem_per_sm_bytes": (228 * KIB, f"as H100 SXM: {HOPPER}: 228 KiB"),
        "registers_per_sm": (65_536, LECTURE),
        "max_registers_per_thread": (255, GUIDE),
        "l2_bytes": (50 * MIB, f"as H100 SXM: {HOPPER}: 50 MiB"),
        "dram_bytes_per_second": (3.35e12, LECTURE),
        "l2_latency_cycles": (700, ONE_LATENCY),
        "shared_memory_latency_cycles": (29.015, f"as H100 SXM: {H100_RERUN}"),
        "host_link_bytes_per_second": PCIE_5,
    },
    HOPPER_RATES,
)
