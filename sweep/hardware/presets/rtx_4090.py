"""RTX 4090: Ada for games, half the rate with FP32 accumulation, 24 GB of GDDR6X."""

from sweep.hardware.presets._preset import KIB, Preset, rate_of_peak, share
from sweep.hardware.presets._sources import (
    ADA,
    GUIDE,
    LUO24,
    PCIE_4,
    RECALLED,
    REGISTERS,
    SIXTEEN_BIT,
    STORES,
)

SMS, CLOCK_HZ = 128, 2.52e9
PROPERTIES = "device properties, github NVIDIA/nvbench, pull request 207"
TENSOR = rate_of_peak(165.15e12, SMS, CLOCK_HZ, f"{ADA}, FP32 accumulation")
L2 = "1,945.6 byte/cycle of L2 with cp.async, github smallscientist1/cuda_microbenchmark"

PRESET = Preset(
    "Ada, compute capability 8.9, 128 SMs, half rate with FP32 accumulation, 24 GB GDDR6X",
    {
        "compute_capability": (8.9, PROPERTIES),
        "sm_count": (SMS, PROPERTIES),
        "clock_hz": (CLOCK_HZ, PROPERTIES),
        "tc_flop_per_cycle": (TENSOR[0], f"{TENSOR[1]}; 1,024 with FP16 accumulation"),
        "mem_bytes_per_cycle": share(1945.6, SMS, L2),
        "latency_cycles": (541.5, f"{LUO24}: global load"),
        "exp_per_cycle": (16, GUIDE),
        "fma_lanes": (128, GUIDE),
        "staging_bytes_per_cycle": (128, f"{STORES}, which is {RECALLED}"),
        "smem_bytes_per_cycle": (128, RECALLED),
        "smem_per_block_bytes": (99 * KIB, f"{GUIDE}: 99 KiB"),
        "smem_per_sm_bytes": (100 * KIB, f"{PROPERTIES}: 100 KiB"),
        **REGISTERS,
        "l2_bytes": (73_728 * KIB, f"{PROPERTIES}: 73,728 KiB"),
        "dram_bytes_per_second": (1.008e12, PROPERTIES),
        "l2_latency_cycles": (273, LUO24),
        "shared_memory_latency_cycles": (30.1, LUO24),
        "host_link_bytes_per_second": PCIE_4,
    },
    {
        "bf16": (1.0, SIXTEEN_BIT),
        "fp16": (1.0, SIXTEEN_BIT),
        "tf32": (0.5, f"{ADA}: 82.58 of 165.15 TFLOP/s"),
        "fp8": (2.0, f"{ADA}: 330.3 of 165.15 TFLOP/s, FP32 accumulation"),
        "int8": (4.0, f"{ADA}: 660.6 TOP/s of 165.15 TFLOP/s"),
    },
)
