"""H20: a Hopper with 78 SMs whose Tensor Cores are slowed down, and fast HBM3."""

from sweep.hardware.presets._preset import KIB, MIB, Preset, rate_of_peak, same
from sweep.hardware.presets._sources import (
    GUIDE,
    H20_PROPERTIES,
    H20_TABLE,
    HOPPER,
    PCIE_5,
    REGISTERS,
    SIXTEEN_BIT,
    STORES,
)
from sweep.hardware.presets.h100_sxm import PRESET as H100

SMS = 78
CHIP = "not measured here, a GH100 as H100 SXM has"
CLOCK = same(H100.numbers["clock_hz"], CHIP)
CALLED = "TF32 74, FP8 and INT8 296 of 148 TFLOP/s, as listed for HGX H20"

PRESET = Preset(
    "Hopper, compute capability 9.0, 78 SMs with slow Tensor Cores, 96 GB HBM3",
    {
        "compute_capability": (9.0, H20_PROPERTIES),
        "sm_count": (SMS, H20_PROPERTIES),
        "clock_hz": CLOCK,
        "tc_flop_per_cycle": rate_of_peak(148e12, SMS, CLOCK[0], H20_TABLE),
        "mem_bytes_per_cycle": same(
            H100.numbers["mem_bytes_per_cycle"], f"{CHIP}, where 132 SMs share the L2: the least"
        ),
        "latency_cycles": same(H100.numbers["latency_cycles"], CHIP),
        "exp_per_cycle": (16, GUIDE),
        "fma_lanes": (128, GUIDE),
        "staging_bytes_per_cycle": (128, STORES),
        "smem_bytes_per_cycle": (128, HOPPER),
        "smem_per_block_bytes": (227 * KIB, f"{H20_PROPERTIES}: 232,448 B"),
        "smem_per_sm_bytes": (228 * KIB, f"{H20_PROPERTIES}: 233,472 B"),
        **REGISTERS,
        "l2_bytes": (60 * MIB, f"{H20_PROPERTIES}: 60 MiB"),
        "dram_bytes_per_second": (4.0e12, f"{H20_TABLE}; 3.71 TB/s measured ({H20_PROPERTIES})"),
        "l2_latency_cycles": same(H100.numbers["l2_latency_cycles"], CHIP),
        "shared_memory_latency_cycles": same(H100.numbers["shared_memory_latency_cycles"], CHIP),
        "host_link_bytes_per_second": PCIE_5,
    },
    {
        "bf16": (1.0, SIXTEEN_BIT),
        "fp16": (1.0, SIXTEEN_BIT),
        "tf32": (0.5, CALLED),
        "fp8": (2.0, CALLED),
        "int8": (2.0, CALLED),
    },
)
