"""RTX 5090: Blackwell for games, without tcgen05, half the rate with FP32 accumulation."""

from sweep.hardware.presets._preset import KIB, Preset, rate_of_peak, share_per_second
from sweep.hardware.presets._sources import (
    CHASE,
    GUIDE,
    PCIE_5,
    RECALLED,
    REGISTERS,
    RTX_BLACKWELL,
    SIXTEEN_BIT,
    STORES,
)

SMS, CLOCK_HZ = 170, 2.407e9
PROPERTIES = "device properties, github aikitoria/open-gpu-kernel-modules, issue 1"
TENSOR = rate_of_peak(209.5e12, SMS, CLOCK_HZ, f"{RTX_BLACKWELL}, FP32 accumulation")
PRO_6000 = "about 8.7 TB/s of L2 on RTX PRO 6000, the same chip with 188 SMs (Chips and Cheese)"
L2 = share_per_second(8.7e12, 2.6e9, 188, PRO_6000)
LISTED = f"{RTX_BLACKWELL}, {RECALLED}; the ratios are those of RTX PRO 5000 and RTX 5050"

PRESET = Preset(
    "Blackwell, compute capability 12.0, 170 SMs, half rate with FP32 accumulation, 32 GB GDDR7",
    {
        "compute_capability": (12.0, PROPERTIES),
        "sm_count": (SMS, PROPERTIES),
        "clock_hz": (CLOCK_HZ, f"{RTX_BLACKWELL}: boost; 2.655 GHz reported ({PROPERTIES})"),
        "tc_flop_per_cycle": (TENSOR[0], f"{TENSOR[1]}; 1,024 with FP16 accumulation"),
        "mem_bytes_per_cycle": (L2[0], f"{L2[1]}; low confidence"),
        "latency_cycles": (936, f"{CHASE}, 5090: global load"),
        "exp_per_cycle": (16, GUIDE),
        "fma_lanes": (128, PROPERTIES),
        "staging_bytes_per_cycle": (128, STORES),
        "smem_bytes_per_cycle": (128, "RTX PRO 6000, the same SM, Chips and Cheese"),
        "smem_per_block_bytes": (
            101_376,
            "device properties, github pytorch/pytorch, issue 161376",
        ),
        "smem_per_sm_bytes": (100 * KIB, f"{PROPERTIES}: 102,400 B"),
        **REGISTERS,
        "l2_bytes": (100_663_296, f"{PROPERTIES}: 96 MiB"),
        "dram_bytes_per_second": (1.792e12, f"{PROPERTIES}: 14,001 MHz, 512 bits"),
        "l2_latency_cycles": (360, f"{CHASE}, 5090"),
        "host_link_bytes_per_second": PCIE_5,
    },
    {
        "bf16": (1.0, SIXTEEN_BIT),
        "fp16": (1.0, SIXTEEN_BIT),
        "tf32": (0.5, f"104.8 of 209.5 TFLOP/s, {LISTED}"),
        "fp8": (2.0, f"419 of 209.5 TFLOP/s with FP32 accumulation, {LISTED}"),
        "int8": (4.0, f"838 TOP/s of 209.5 TFLOP/s, {LISTED}"),
        "fp4": (8.0, "4,096 FLOP/cycle per SM measured for NVFP4, github Neroued/ninfer, PR 160"),
    },
)
