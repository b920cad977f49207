"""GB200: the GPU of a Grace Blackwell module, the SMs of B200 at a higher clock."""

from sweep.hardware.presets._preset import Preset, clock_of_peak, same, share
from sweep.hardware.presets._sources import CHIP_TO_CHIP, DATASHEETS, PROPERTIES
from sweep.hardware.presets.b200 import FLOP_PER_CYCLE, L2_BYTES_PER_CYCLE, L2_SOURCE
from sweep.hardware.presets.b200 import PRESET as B200

SMS = 152
CLOCK = clock_of_peak(2500e12, SMS, FLOP_PER_CYCLE, DATASHEETS)

PRESET = Preset(
    "Blackwell, compute capability 10.0, 152 SMs, linked to a Grace CPU",
    {
        **{name: same(number, "the SM of B200") for name, number in B200.numbers.items()},
        "compute_capability": (10.0, PROPERTIES),
        "sm_count": (SMS, f"{PROPERTIES}; other texts give 148"),
        "clock_hz": (CLOCK[0], f"{CLOCK[1]}; at most 2.062 GHz ({PROPERTIES})"),
        "mem_bytes_per_cycle": share(L2_BYTES_PER_CYCLE, SMS, L2_SOURCE),
        "smem_per_block_bytes": (232_448, PROPERTIES),
        "smem_per_sm_bytes": (233_472, PROPERTIES),
        "l2_bytes": (135_528_448, PROPERTIES),
        "dram_bytes_per_second": (7.928064e12, f"{PROPERTIES}; {DATASHEETS} says 8.0 TB/s"),
        "host_link_bytes_per_second": CHIP_TO_CHIP,
    },
    {
        **B200.element_rates,
        "tf32": (0.5, f"{DATASHEETS}: 1,250 of 2,500 TFLOP/s"),
        "fp8": (2.0, f"{DATASHEETS}: 5,000 of 2,500 TFLOP/s"),
        "int8": (2.0, f"{DATASHEETS}: 5,000 TOP/s of 2,500 TFLOP/s"),
        "fp4": (4.0, f"{DATASHEETS}: 10,000 of 2,500 TFLOP/s"),
    },
)
