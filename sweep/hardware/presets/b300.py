"""B300: Blackwell Ultra, the SM of B200 with twice the exponentials, more fp4, hardly any int8."""

from sweep.hardware.presets._preset import Preset, clock_of_peak, same, share
from sweep.hardware.presets._sources import (
    BLACKWELL_ULTRA,
    CHASE,
    DATASHEETS,
    FA4,
    PCIE_6,
    PROPERTIES,
)
from sweep.hardware.presets.b200 import FLOP_PER_CYCLE, L2_BYTES_PER_CYCLE, L2_SOURCE
from sweep.hardware.presets.b200 import PRESET as B200

SMS = 148
QRC = "B300 microbenchmarks, github ademeure/QuickRunCUDA"
CLOCK = clock_of_peak(2250e12, SMS, FLOP_PER_CYCLE, DATASHEETS)
THREE_EIGHT_BIT = (
    "derived: as GB300, three times fp8; for B300 12,600 to 15,000 of 2,250 TFLOP/s are quoted"
    f" ({DATASHEETS})"
)

PRESET = Preset(
    "Blackwell Ultra, compute capability 10.3, 148 SMs, 288 GB HBM3e",
    {
        **{name: same(number, "the SM of B200") for name, number in B200.numbers.items()},
        "compute_capability": (10.3, FA4),
        "sm_count": (SMS, f"{QRC}; elsewhere 158, and 160 of the whole die"),
        "clock_hz": (CLOCK[0], f"{CLOCK[1]}; at most 2.032 GHz ({QRC})"),
        "mem_bytes_per_cycle": share(L2_BYTES_PER_CYCLE, SMS, L2_SOURCE),
        "latency_cycles": (
            810,
            f"{CHASE}, B300 at 2,032 MHz: global load; 848 unlocked",
        ),
        "exp_per_cycle": (32, f"{FA4}: EX2 alone; 29.8 measured, {QRC}"),
        "smem_per_block_bytes": (232_448, PROPERTIES),
        "smem_per_sm_bytes": (233_472, PROPERTIES),
        "l2_bytes": (132_644_864, f"{CHASE}: 126.5 MiB"),
        "dram_bytes_per_second": (8.0e12, f"{DATASHEETS}; 6.38 TB/s measured, {QRC}"),
        "l2_latency_cycles": (295, f"{CHASE}, B300"),
        "host_link_bytes_per_second": PCIE_6,
    },
    {
        **B200.element_rates,
        "int8": (150 / 2250, f"{BLACKWELL_ULTRA}: 150 TOP/s of 2,250 TFLOP/s"),
        "fp4": (6.0, THREE_EIGHT_BIT),
    },
)
