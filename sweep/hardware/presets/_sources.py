"""Where the presets' numbers are from, and what follows from a source alone."""

from __future__ import annotations

from collections.abc import Mapping

from sweep.hardware.capabilities import MAX_REGISTERS_PER_THREAD, REGISTERS_PER_SM, Sourced

RECALLED = "recalled, not checked against a document"
GUIDE = "CUDA C++ Programming Guide 12.6, arithmetic throughput and compute capability tables"
HOPPER = "NVIDIA Hopper whitepaper"
ADA = "NVIDIA Ada architecture whitepaper"
RTX_BLACKWELL = "NVIDIA RTX Blackwell architecture whitepaper"
DATASHEETS = "stas00/ml-engineering accelerator table, compiled from NVIDIA datasheets"
L40S_DATASHEET = "NVIDIA L40S datasheet"
PROPERTIES = "device properties, github openxla/xla, xla/backends/gpu/target_config/specs"
MICROBENCHMARKS = "gpu-benches, github te42kyfo/gpu-benches"
RANDOM_CHASE = f"{MICROBENCHMARKS}, random chase"
CHASE = "pointer chase, github markdewing/AI_kernels, latency/README.md"
LECTURE = "the lecture's machine model"
ONE_LATENCY = f"{LECTURE}: one latency for the whole copy path"
FA4 = "FlashAttention-4, arXiv 2603.05451"
B200_PROPERTIES = "B200 device properties and microbenchmarks"
H100_RERUN = "H100 SXM5 microbenchmark re-run at 1,980 MHz"
LUO24 = "Luo et al., arXiv 2402.13499"
LUO25 = "Luo et al., arXiv 2501.12084"
H20_TABLE = "aiconfigurator, github ai-dynamo/aiconfigurator, systems/h20_sxm.yaml"
H20_PROPERTIES = "device properties, github RightNow-AI/AutoMegaKernel, pull request 3"
H800_TABLE = "aiconfigurator, github ai-dynamo/aiconfigurator, pull request 968"
BLACKWELL_ULTRA = "Verda, GB300 NVL72 architecture, per-GPU specifications"

SIXTEEN_BIT = "the unit of the rates"
STORES = "derived: stores at the shared-memory bandwidth"

REGISTERS: Mapping[str, Sourced] = {
    "registers_per_sm": (REGISTERS_PER_SM, GUIDE),
    "max_registers_per_thread": (MAX_REGISTERS_PER_THREAD, GUIDE),
}

_PCIE = "PCI Express {} x16, one direction, before protocol overhead"
PCIE_3: Sourced = (15.75e9, _PCIE.format("3.0"))
PCIE_4: Sourced = (31.5e9, _PCIE.format("4.0"))
PCIE_5: Sourced = (63.0e9, _PCIE.format("5.0"))
PCIE_6: Sourced = (121.0e9, _PCIE.format("6.0") + ", 242 of 256 bytes of a flit")
CHIP_TO_CHIP: Sourced = (450e9, "NVLink-C2C to the Grace CPU, 900 GB/s in both directions together")
