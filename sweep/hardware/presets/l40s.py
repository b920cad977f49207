"""L40S: Ada for data centres, the full rate with FP32 accumulation, 48 GB of GDDR6."""

from sweep.hardware.presets._preset import KIB, MIB, Preset, clock_of_peak, share_per_second
from sweep.hardware.presets._sources import (
    DATASHEETS,
    GUIDE,
    L40S_DATASHEET,
    MICROBENCHMARKS,
    PCIE_4,
    RANDOM_CHASE,
    RECALLED,
    REGISTERS,
    SIXTEEN_BIT,
    STORES,
)

SMS, FLOP_PER_CYCLE = 142, 1024
L40_HZ = 2.49e9
CLOCK = clock_of_peak(362.05e12, SMS, FLOP_PER_CYCLE, L40S_DATASHEET)
L2 = share_per_second(5.2e12, L40_HZ, SMS, f"5.2 TB/s of L2 on L40 ({MICROBENCHMARKS})")

PRESET = Preset(
    "Ada, compute capability 8.9, 142 SMs, 48 GB GDDR6",
    {
        "compute_capability": (8.9, GUIDE),
        "sm_count": (SMS, f"{L40S_DATASHEET}: 18,176 lanes, 568 Tensor Cores"),
        "clock_hz": (CLOCK[0], f"{CLOCK[1]}; at most 2.52 GHz"),
        "tc_flop_per_cycle": (
            FLOP_PER_CYCLE,
            f"4 Tensor Cores x 128 FMA, FP32 accumulation at the full rate, {RECALLED}; fits the"
            " published peak at the L40's 2.49 GHz",
        ),
        "mem_bytes_per_cycle": L2,
        "latency_cycles": (632, f"{RANDOM_CHASE}, L40: global load"),
        "exp_per_cycle": (16, GUIDE),
        "fma_lanes": (128, GUIDE),
        "staging_bytes_per_cycle": (128, f"{STORES}, which is {RECALLED}"),
        "smem_bytes_per_cycle": (128, RECALLED),
        "smem_per_block_bytes": (99 * KIB, f"{GUIDE}: 99 KiB"),
        "smem_per_sm_bytes": (100 * KIB, f"{GUIDE}: 100 KiB"),
        **REGISTERS,
        "l2_bytes": (96 * MIB, f"{MICROBENCHMARKS}, L40: its L2 ends there; 48 MiB is listed too"),
        "dram_bytes_per_second": (0.864e12, f"{L40S_DATASHEET}; 0.846 TB/s measured on L40"),
        "l2_latency_cycles": (276.5, f"{RANDOM_CHASE}, L40"),
        "host_link_bytes_per_second": PCIE_4,
    },
    {
        "bf16": (1.0, SIXTEEN_BIT),
        "fp16": (1.0, SIXTEEN_BIT),
        "tf32": (0.5, f"{L40S_DATASHEET}: 183 of 362.05 TFLOP/s"),
        "fp8": (2.0, f"{L40S_DATASHEET}: 733 of 362.05 TFLOP/s"),
        "int8": (2.0, f"{DATASHEETS}: 733 TOP/s of 362 TFLOP/s"),
    },
)
