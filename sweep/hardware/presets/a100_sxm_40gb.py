"""A100 SXM with 40 GB: the chip of the 80 GB card, slower memory."""

from sweep.hardware.presets._preset import Preset, same
from sweep.hardware.presets._sources import PROPERTIES
from sweep.hardware.presets.a100_sxm import PRESET as A100

CHIP = "the chip of A100 SXM with 80 GB"

PRESET = Preset(
    "Ampere, compute capability 8.0, 40 GB",
    {
        **{name: same(number, CHIP) for name, number in A100.numbers.items()},
        "sm_count": (108, PROPERTIES),
        "clock_hz": (1.41e9, PROPERTIES),
        "smem_per_block_bytes": (166_912, f"{PROPERTIES}: 163 KiB"),
        "smem_per_sm_bytes": (167_936, f"{PROPERTIES}: 164 KiB"),
        "l2_bytes": (41_943_040, f"{PROPERTIES}: 40 MiB"),
        "dram_bytes_per_second": (1.5552e12, PROPERTIES),
    },
    A100.element_rates,
)
