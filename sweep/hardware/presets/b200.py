"""B200: Blackwell with 148 SMs, Tensor Memory and 180 GB of HBM3e."""

from sweep.hardware.presets._preset import KIB, MIB, Preset, clock_of_peak, share
from sweep.hardware.presets._sources import (
    B200_PROPERTIES,
    DATASHEETS,
    FA4,
    GUIDE,
    PCIE_5,
    REGISTERS,
    SIXTEEN_BIT,
    STORES,
)

SMS, FLOP_PER_CYCLE = 148, 8192
CLOCK = clock_of_peak(2250e12, SMS, FLOP_PER_CYCLE, DATASHEETS)
L2_BYTES_PER_CYCLE = 13_300
L2_SOURCE = f"13,300 byte/cycle of L2 measured on B200 at 1.587 GHz, {B200_PROPERTIES}"
GLOBAL_LOAD = (
    "global load measured at 655-707 cycles at 1,965 MHz, B200 microbenchmarks; 833-843 at 1,587"
    f" MHz, {B200_PROPERTIES}"
)
TENSOR_MEMORY = (
    "read of 128 x 128 FP32 measured at 532 cycles with its latency, 123 byte/cycle and more"
    " (github facebookexperimental/triton, NVLatencyModel.cpp); the lanes allow 512"
)

PRESET = Preset(
    "Blackwell, compute capability 10.0, 148 SMs",
    {
        "compute_capability": (10.0, B200_PROPERTIES),
        "sm_count": (SMS, B200_PROPERTIES),
        "clock_hz": (CLOCK[0], f"{CLOCK[1]}; {FA4}, uses 1.85 GHz"),
        "tc_flop_per_cycle": (FLOP_PER_CYCLE, FA4),
        "mem_bytes_per_cycle": share(L2_BYTES_PER_CYCLE, SMS, L2_SOURCE),
        "latency_cycles": (681, GLOBAL_LOAD),
        "exp_per_cycle": (16, FA4),
        "fma_lanes": (128, GUIDE),
        "staging_bytes_per_cycle": (128, STORES),
        "smem_bytes_per_cycle": (128, FA4),
        "smem_per_block_bytes": (227 * KIB, f"{B200_PROPERTIES}: 232,448 B"),
        "smem_per_sm_bytes": (228 * KIB, f"{B200_PROPERTIES}: 228 KiB"),
        **REGISTERS,
        "l2_bytes": (int(126.5 * MIB), f"{B200_PROPERTIES}: 126.5 MiB"),
        "dram_bytes_per_second": (8.0e12, f"{DATASHEETS}; 6.75 TB/s measured"),
        "l2_latency_cycles": (300, "B200 microbenchmarks at 1,965 MHz"),
        "shared_memory_latency_cycles": (29.0, "B200 microbenchmarks at 1,587 MHz"),
        "host_link_bytes_per_second": PCIE_5,
        "tmem_bytes_per_cycle": (128, TENSOR_MEMORY),
    },
    {
        "bf16": (1.0, SIXTEEN_BIT),
        "fp16": (1.0, SIXTEEN_BIT),
        "tf32": (0.5, f"{DATASHEETS}: 1,125 of 2,250 TFLOP/s"),
        "fp8": (2.0, f"{DATASHEETS}: 4,500 of 2,250 TFLOP/s"),
        "int8": (2.0, f"{DATASHEETS}: 4,500 TOP/s of 2,250 TFLOP/s"),
        "fp4": (4.0, f"{DATASHEETS}: 9,000 of 2,250 TFLOP/s (10,000 is quoted too)"),
    },
)
