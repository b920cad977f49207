"""H100 PCIe: Hopper with 114 SMs, a lower clock and 80 GB of HBM2e."""

from sweep.hardware.presets._preset import (
    KIB,
    MIB,
    Preset,
    clock_of_peak,
    share_per_second,
)
from sweep.hardware.presets._sources import (
    DATASHEETS,
    GUIDE,
    HOPPER,
    LUO24,
    LUO25,
    MICROBENCHMARKS,
    PCIE_5,
    PROPERTIES,
    RANDOM_CHASE,
    REGISTERS,
    SIXTEEN_BIT,
    STORES,
)

SMS, FLOP_PER_CYCLE = 114, 4096
BOOST_HZ = 1.755e9
"""At which memory was measured; the tensor peak is quoted at a lower clock."""
L2 = share_per_second(7.0e12, BOOST_HZ, SMS, f"7.0 TB/s of L2 ({MICROBENCHMARKS})")

PRESET = Preset(
    "Hopper, compute capability 9.0, 114 SMs, 80 GB HBM2e",
    {
        "compute_capability": (9.0, GUIDE),
        "sm_count": (SMS, PROPERTIES),
        "clock_hz": clock_of_peak(756e12, SMS, FLOP_PER_CYCLE, DATASHEETS),
        "tc_flop_per_cycle": (FLOP_PER_CYCLE, f"{HOPPER}: 4 Tensor Cores x 512 FMA"),
        "mem_bytes_per_cycle": (L2[0], f"{L2[1]}; 34.6-39.2 on H800 PCIe ({LUO24})"),
        "latency_cycles": (
            654,
            f"{RANDOM_CHASE}: global load 650-658 cycles; a TMA load adds 105-170 ({LUO25})",
        ),
        "exp_per_cycle": (16, GUIDE),
        "fma_lanes": (128, PROPERTIES),
        "staging_bytes_per_cycle": (128, STORES),
        "smem_bytes_per_cycle": (128, HOPPER),
        "smem_per_block_bytes": (227 * KIB, f"{PROPERTIES}: 232,448 B"),
        "smem_per_sm_bytes": (228 * KIB, f"{PROPERTIES}: 233,472 B"),
        **REGISTERS,
        "l2_bytes": (50 * MIB, f"{PROPERTIES}: 52,428,800 B"),
        "dram_bytes_per_second": (2.03904e12, PROPERTIES),
        "l2_latency_cycles": (265.5, f"{RANDOM_CHASE}; 403 far"),
        "shared_memory_latency_cycles": (29.0, f"H800 PCIe, {LUO24}"),
        "host_link_bytes_per_second": PCIE_5,
    },
    {
        "bf16": (1.0, SIXTEEN_BIT),
        "fp16": (1.0, SIXTEEN_BIT),
        "tf32": (0.5, f"{DATASHEETS}: 378 of 756 TFLOP/s"),
        "fp8": (2.0, f"{DATASHEETS}: 1,513 of 756 TFLOP/s"),
        "int8": (2.0, f"{DATASHEETS}: 1,513 TOP/s of 756 TFLOP/s"),
    },
)
