"""The GPUs known by name: one row each, every number beside its source.

A row is (summary, {field: (number, source)}, {element type: (rate, source)}).
"""

from __future__ import annotations

Sourced = tuple[float, str]
Row = tuple[str, dict[str, Sourced], dict[str, Sourced]]

KIB, MIB = 1024, 1024**2

RECALLED = "recalled, not checked against a document"
GUIDE = "CUDA C++ Programming Guide 12.6, arithmetic throughput and compute capability tables"
HOPPER = "NVIDIA Hopper whitepaper"
DATASHEETS = "stas00/ml-engineering accelerator table, compiled from NVIDIA datasheets"
MICROBENCHMARKS = "gpu-benches, github te42kyfo/gpu-benches"
LECTURE = "the lecture's machine model"
FA4 = "FlashAttention-4, arXiv 2603.05451"
B200_PROPERTIES = "B200 device properties and microbenchmarks"
LUO25 = "Luo et al., arXiv 2501.12084"

SAME_CHIP = "derived: the chip of H100 SXM; "
SIXTEEN_BIT = "the unit of the rates"

REGISTERS: dict[str, Sourced] = {
    "registers_per_sm": (65_536, GUIDE),
    "max_registers_per_thread": (255, GUIDE),
}
HOPPER_RATES: dict[str, Sourced] = {
    "bf16": (1.0, SIXTEEN_BIT),
    "fp16": (1.0, SIXTEEN_BIT),
    "tf32": (0.5, f"{DATASHEETS}: 494.5 of 989.4 TFLOP/s"),
    "fp8": (2.0, f"{DATASHEETS}: 1,979 of 989.4 TFLOP/s"),
    "int8": (2.0, f"{LUO25}: wgmma m64n256k32 s8 takes the 128 cycles of m64n256k16 f16"),
}
GH100: dict[str, Sourced] = {
    "compute_capability": (9.0, GUIDE),
    "sm_count": (132, HOPPER),
    "clock_hz": (1.83e9, f"{HOPPER}; the clock that gives the tensor peak of 989.4 TFLOP/s"),
    "tc_flop_per_cycle": (4096, f"{HOPPER}: 4 Tensor Cores x 512 FMA"),
    "mem_bytes_per_cycle": (
        34,
        (
            "range 32-36: L2 measured at 4,207-4,808 byte/cycle over 132 SMs on H100 SXM5 at"
            " 1,980 MHz (github HPMLL/NVIDIA-Hopper-Benchmark; H100 SXM5 microbenchmark re-run)"
        ),
    ),
    "latency_cycles": (
        483,
        (
            "global load measured at 482-484 cycles on H100 SXM5 at 1,980 MHz (microbenchmark"
            f" re-run); H100 PCIe 650-658 ({MICROBENCHMARKS}); a TMA load adds 105-170 ({LUO25}"
            " and its logs)"
        ),
    ),
    "exp_per_cycle": (16, GUIDE),
    "fma_lanes": (128, GUIDE),
    "staging_bytes_per_cycle": (128, "derived: stores at the shared-memory bandwidth"),
    "smem_bytes_per_cycle": (128, f"{HOPPER}; measured 127.5-127.9"),
    "smem_per_block_bytes": (227 * KIB, f"{HOPPER}: 227 KiB"),
    "smem_per_sm_bytes": (228 * KIB, f"{HOPPER}: 228 KiB"),
    **REGISTERS,
    "l2_bytes": (50 * MIB, f"{HOPPER}: 50 MiB"),
    "dram_bytes_per_second": (3.35e12, DATASHEETS),
}

PRESETS: dict[str, Row] = {
    "lecture": (
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
        },
        HOPPER_RATES,
    ),
    "v100_sxm2": (
        "Volta, compute capability 7.0",
        {
            "compute_capability": (7.0, GUIDE),
            "sm_count": (80, RECALLED),
            "clock_hz": (1.53e9, RECALLED),
            "tc_flop_per_cycle": (1024, RECALLED),
            "latency_cycles": (431, f"{MICROBENCHMARKS}: global load 425-437 cycles"),
            "exp_per_cycle": (16, RECALLED),
            "fma_lanes": (64, RECALLED),
            "staging_bytes_per_cycle": (
                128,
                f"derived: stores at the shared-memory bandwidth, which is {RECALLED}",
            ),
            "smem_bytes_per_cycle": (128, RECALLED),
            "smem_per_block_bytes": (96 * KIB, RECALLED),
            "smem_per_sm_bytes": (96 * KIB, RECALLED),
            **REGISTERS,
            "l2_bytes": (6 * MIB, MICROBENCHMARKS),
            "dram_bytes_per_second": (0.9e12, DATASHEETS),
        },
        {"fp16": (1.0, SIXTEEN_BIT)},
    ),
    "a100_sxm": (
        "Ampere, compute capability 8.0, 80 GB",
        {
            "compute_capability": (8.0, GUIDE),
            "sm_count": (108, DATASHEETS),
            "clock_hz": (1.41e9, DATASHEETS),
            "tc_flop_per_cycle": (2048, f"{DATASHEETS}: 432 Tensor Cores x 256 FMA over 108 SMs"),
            "mem_bytes_per_cycle": (
                35.5,
                (
                    f"derived: 5.4 TB/s of L2 ({MICROBENCHMARKS}) at 1.41 GHz over 108 SMs; low"
                    " confidence: 18.6 measured on A100 PCIe (arXiv 2402.13499), 47.4 documented"
                ),
            ),
            "latency_cycles": (571, f"{MICROBENCHMARKS}: global load, random chase"),
            "exp_per_cycle": (16, GUIDE),
            "fma_lanes": (64, GUIDE),
            "staging_bytes_per_cycle": (128, "derived: stores at the shared-memory bandwidth"),
            "smem_bytes_per_cycle": (128, f"{HOPPER}, comparison with A100"),
            "smem_per_block_bytes": (163 * KIB, f"{GUIDE}: 163 KiB"),
            "smem_per_sm_bytes": (164 * KIB, f"{GUIDE}: 164 KiB"),
            **REGISTERS,
            "l2_bytes": (40 * MIB, DATASHEETS),
            "dram_bytes_per_second": (2.039e12, DATASHEETS),
        },
        {
            "bf16": (1.0, SIXTEEN_BIT),
            "fp16": (1.0, SIXTEEN_BIT),
            "tf32": (0.5, f"{DATASHEETS}: 156 of 312 TFLOP/s"),
            "int8": (2.0, f"624 TOP/s of 312 TFLOP/s, {RECALLED}"),
        },
    ),
    "h100_sxm": ("Hopper, compute capability 9.0, 80 GB HBM3", GH100, HOPPER_RATES),
    "h200_sxm": (
        "Hopper, compute capability 9.0, 141 GB HBM3e",
        {
            **GH100,
            "clock_hz": (1.83e9, DATASHEETS),
            "mem_bytes_per_cycle": (34, SAME_CHIP + GH100["mem_bytes_per_cycle"][1]),
            "latency_cycles": (483, SAME_CHIP + GH100["latency_cycles"][1]),
            "dram_bytes_per_second": (4.8e12, DATASHEETS),
        },
        HOPPER_RATES,
    ),
    "b200": (
        "Blackwell, compute capability 10.0, 148 SMs",
        {
            "compute_capability": (10.0, B200_PROPERTIES),
            "sm_count": (148, B200_PROPERTIES),
            "clock_hz": (
                1.856e9,
                (
                    f"derived: 2,250 TFLOP/s ({DATASHEETS}) over 148 SMs x 8,192 FLOP/cycle; {FA4},"
                    " uses 1.85 GHz"
                ),
            ),
            "tc_flop_per_cycle": (8192, FA4),
            "mem_bytes_per_cycle": (
                89.9,
                (
                    f"derived: 13,300 byte/cycle of L2 measured at 1.587 GHz over 148 SMs,"
                    f" {B200_PROPERTIES}"
                ),
            ),
            "latency_cycles": (
                681,
                (
                    "global load measured at 655-707 cycles at 1,965 MHz, B200 microbenchmarks;"
                    f" 833-843 at 1,587 MHz, {B200_PROPERTIES}"
                ),
            ),
            "exp_per_cycle": (16, FA4),
            "fma_lanes": (128, GUIDE),
            "staging_bytes_per_cycle": (128, "derived: stores at the shared-memory bandwidth"),
            "smem_bytes_per_cycle": (128, FA4),
            "smem_per_block_bytes": (227 * KIB, f"{B200_PROPERTIES}: 232,448 B"),
            "smem_per_sm_bytes": (228 * KIB, f"{B200_PROPERTIES}: 228 KiB"),
            **REGISTERS,
            "l2_bytes": (int(126.5 * MIB), f"{B200_PROPERTIES}: 126.5 MiB"),
            "dram_bytes_per_second": (8.0e12, f"{DATASHEETS}; 6.75 TB/s measured"),
        },
        {
            "bf16": (1.0, SIXTEEN_BIT),
            "fp16": (1.0, SIXTEEN_BIT),
            "tf32": (0.5, f"{DATASHEETS}: 1,125 of 2,250 TFLOP/s"),
            "fp8": (2.0, f"{DATASHEETS}: 4,500 of 2,250 TFLOP/s"),
            "int8": (2.0, f"4,500 TOP/s of 2,250 TFLOP/s, {RECALLED}"),
            "fp4": (4.0, f"{DATASHEETS}: 9,000 of 2,250 TFLOP/s (10,000 is quoted too)"),
        },
    ),
}
