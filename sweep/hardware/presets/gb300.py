"""GB300: the GPU of a Grace Blackwell Ultra module, the SMs of B300 at a higher clock."""

from sweep.hardware.presets._preset import Preset, clock_of_peak, same, share
from sweep.hardware.presets._sources import (
    BLACKWELL_ULTRA,
    CHIP_TO_CHIP,
    DATASHEETS,
    PROPERTIES,
)
from sweep.hardware.presets.b200 import FLOP_PER_CYCLE, L2_BYTES_PER_CYCLE, L2_SOURCE
from sweep.hardware.presets.b300 import PRESET as B300

SMS = 152
CLOCK = clock_of_peak(2500e12, SMS, FLOP_PER_CYCLE, DATASHEETS)

PRESET = Preset(
    "Blackwell Ultra, compute capability 10.3, 152 SMs, linked to a Grace CPU",
    {
        **{name: same(number, "the SM of B300") for name, number in B300.numbers.items()},
        "compute_capability": (10.3, PROPERTIES),
        "sm_count": (SMS, PROPERTIES),
        "clock_hz": (CLOCK[0], f"{CLOCK[1]}; at most 2.07 GHz ({PROPERTIES})"),
        "mem_bytes_per_cycle": share(L2_BYTES_PER_CYCLE, SMS, L2_SOURCE),
        "l2_bytes": (135_528_448, PROPERTIES),
        "dram_bytes_per_second": (7.928064e12, f"{PROPERTIES}; {DATASHEETS} says 8.0 TB/s"),
        "host_link_bytes_per_second": CHIP_TO_CHIP,
    },
    {
        **B300.element_rates,
        "tf32": (0.5, f"{DATASHEETS}: 1,250 of 2,500 TFLOP/s"),
        "fp8": (2.0, f"{DATASHEETS}: 5,000 of 2,500 TFLOP/s"),
        "int8": (165 / 2500, f"{BLACKWELL_ULTRA}: 165 TOP/s of 2,500 TFLOP/s"),
        "fp4": (6.0, f"{DATASHEETS}: 15,000 of 2,500 TFLOP/s"),
    },
)
