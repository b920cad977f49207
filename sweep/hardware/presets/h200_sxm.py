"""H200 SXM: the chip of H100 SXM with 141 GB of HBM3e."""

from sweep.hardware.presets._preset import Preset, same
from sweep.hardware.presets._sources import DATASHEETS
from sweep.hardware.presets.h100_sxm import PRESET as H100

CHIP = "the chip of H100 SXM"

PRESET = Preset(
    "Hopper, compute capability 9.0, 141 GB HBM3e",
    {
        **{name: same(number, CHIP) for name, number in H100.numbers.items()},
        "clock_hz": (1.83e9, DATASHEETS),
        "dram_bytes_per_second": (4.8e12, DATASHEETS),
    },
    H100.element_rates,
)
