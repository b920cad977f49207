"""H800 SXM: an H100 SXM with a slower NVLink, which the model does not see."""

from sweep.hardware.presets._preset import Preset, same
from sweep.hardware.presets._sources import H800_TABLE
from sweep.hardware.presets.h100_sxm import PRESET as H100

CHIP = f"the chip of H100 SXM ({H800_TABLE})"

PRESET = Preset(
    "Hopper, compute capability 9.0, 80 GB HBM3, slower NVLink than H100 SXM",
    {
        **{name: same(number, CHIP) for name, number in H100.numbers.items()},
        "dram_bytes_per_second": (3.35e12, H800_TABLE),
    },
    H100.element_rates,
)
