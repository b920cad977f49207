"""A100 SXM: Ampere with 80 GB of HBM2e."""

from sweep.hardware.presets._preset import KIB, MIB, Preset, share_per_second
from sweep.hardware.presets._sources import (
    DATASHEETS,
    GUIDE,
    HOPPER,
    MICROBENCHMARKS,
    PCIE_4,
    RANDOM_CHASE,
    REGISTERS,
    SIXTEEN_BIT,
    STORES,
)

SMS, CLOCK_HZ = 108, 1.41e9
L2 = share_per_second(5.4e12, CLOCK_HZ, SMS, f"5.4 TB/s of L2 ({MICROBENCHMARKS})")
DOUBT = "; low confidence: 18.6 measured on A100 PCIe (arXiv 2402.13499), 47.4 documented"

PRESET = Preset(
    "Ampere, compute capability 8.0, 80 GB",
    {
        "compute_capability": (8.0, GUIDE),
        "sm_count": (SMS, DATASHEETS),
        "clock_hz": (CLOCK_HZ, DATASHEETS),
        "tc_flop_per_cycle": (2048, f"{DATASHEETS}: 432 Tensor Cores x 256 FMA over 108 SMs"),
        "mem_bytes_per_cycle": (L2[0], L2[1] + DOUBT),
        "latency_cycles": (571, f"{MICROBENCHMARKS}: global load, random chase"),
        "exp_per_cycle": (16, GUIDE),
        "fma_lanes": (64, GUIDE),
        "staging_bytes_per_cycle": (128, STORES),
        "smem_bytes_per_cycle": (128, f"{HOPPER}, comparison with A100"),
        "smem_per_block_bytes": (163 * KIB, f"{GUIDE}: 163 KiB"),
        "smem_per_sm_bytes": (164 * KIB, f"{GUIDE}: 164 KiB"),
        **REGISTERS,
        "l2_bytes": (40 * MIB, DATASHEETS),
        "dram_bytes_per_second": (2.039e12, DATASHEETS),
        "l2_latency_cycles": (211, f"{RANDOM_CHASE}; 218 near, 379 far, arXiv 2607.19922"),
        "shared_memory_latency_cycles": (29.0, "A100 PCIe, Luo et al., arXiv 2402.13499"),
        "host_link_bytes_per_second": PCIE_4,
    },
    {
        "bf16": (1.0, SIXTEEN_BIT),
        "fp16": (1.0, SIXTEEN_BIT),
        "tf32": (0.5, f"{DATASHEETS}: 156 of 312 TFLOP/s"),
        "int8": (2.0, f"{DATASHEETS}: 624 TOP/s of 312 TFLOP/s"),
    },
)
