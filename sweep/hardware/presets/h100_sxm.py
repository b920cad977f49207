"""H100 SXM5: Hopper with 132 SMs and 80 GB of HBM3."""

from collections.abc import Mapping

from sweep.hardware.capabilities import Sourced
from sweep.hardware.presets._preset import KIB, MIB, Preset
from sweep.hardware.presets._sources import (
    DATASHEETS,
    GUIDE,
    H100_RERUN,
    HOPPER,
    LUO25,
    MICROBENCHMARKS,
    PCIE_5,
    REGISTERS,
    SIXTEEN_BIT,
    STORES,
)

HOPPER_RATES: Mapping[str, Sourced] = {
    "bf16": (1.0, SIXTEEN_BIT),
    "fp16": (1.0, SIXTEEN_BIT),
    "tf32": (0.5, f"{DATASHEETS}: 494.5 of 989.4 TFLOP/s"),
    "fp8": (2.0, f"{DATASHEETS}: 1,979 of 989.4 TFLOP/s"),
    "int8": (2.0, f"{LUO25}: wgmma m64n256k32 s8 takes the 128 cycles of m64n256k16 f16"),
}
L2 = (
    "range 32-36: L2 measured at 4,207-4,808 byte/cycle over 132 SMs on H100 SXM5 at 1,980 MHz"
    " (github HPMLL/NVIDIA-Hopper-Benchmark; H100 SXM5 microbenchmark re-run)"
)
GLOBAL_LOAD = (
    "global load measured at 482-484 cycles on H100 SXM5 at 1,980 MHz (microbenchmark re-run);"
    f" H100 PCIe 650-658 ({MICROBENCHMARKS}); a TMA load adds 105-170 ({LUO25} and its logs)"
)

PRESET = Preset(
    "Hopper, compute capability 9.0, 80 GB HBM3",
    {
        "compute_capability": (9.0, GUIDE),
        "sm_count": (132, HOPPER),
        "clock_hz": (1.83e9, f"{HOPPER}; the clock that gives the tensor peak of 989.4 TFLOP/s"),
        "tc_flop_per_cycle": (4096, f"{HOPPER}: 4 Tensor Cores x 512 FMA"),
        "mem_bytes_per_cycle": (34, L2),
        "latency_cycles": (483, GLOBAL_LOAD),
        "exp_per_cycle": (16, GUIDE),
        "fma_lanes": (128, GUIDE),
        "staging_bytes_per_cycle": (128, STORES),
        "smem_bytes_per_cycle": (128, f"{HOPPER}; measured 127.5-127.9"),
        "smem_per_block_bytes": (227 * KIB, f"{HOPPER}: 227 KiB"),
        "smem_per_sm_bytes": (228 * KIB, f"{HOPPER}: 228 KiB"),
        **REGISTERS,
        "l2_bytes": (50 * MIB, f"{HOPPER}: 50 MiB"),
        "dram_bytes_per_second": (3.35e12, DATASHEETS),
        "l2_latency_cycles": (
            272.3,
            f"{H100_RERUN}: L2 hit, average; 295 near, 470 far, arXiv 2607.19922",
        ),
        "shared_memory_latency_cycles": (29.015, H100_RERUN),
        "host_link_bytes_per_second": PCIE_5,
    },
    HOPPER_RATES,
)
