"""From a GPU and an element type to the numbers of a prediction."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from analysis.prediction.constants import BLACKWELL, ELEMENT_POWER, HOPPER, values
from analysis.prediction.kernels import Machine
from sweep.hardware.durations import element_rate
from sweep.hardware.element_types import ELEMENT_BYTES
from sweep.hardware.gpu import GPU
from sweep.quantities.arrays import Array

_MEASURED = 0.8
"""DRAM rate as measured over the specification's, where no measurement is known."""
_PROPERTIES = "device properties"


class Card(NamedTuple):
    """What the layer knows of a GPU beside its preset.

    Attributes
    ----------
    fmax : float
        Highest SM clock in GHz.
    dram : float
        GB/s as measured by reads.
    unit : float
        Factor of the clock under load where nothing is known of the unit.
    source : str
    """

    fmax: float
    dram: float
    unit: float = 1.0
    source: str = _PROPERTIES


CARDS: Mapping[str, Card] = MappingProxyType(
    {
        "h100_sxm": Card(1.98, 3000),
        "h100_pcie": Card(1.755, 1900),
        "h800_sxm": Card(1.98, 3000),
        "h200_sxm": Card(1.98, 4200),
        "b200": Card(1.965, 6700),
        "b300": Card(2.032, 6400),
        "gb200": Card(2.06, 6700),
        "gb300": Card(2.03, 6700, 1.16, f"{_PROPERTIES}; the unit from published cuBLAS rows"),
    }
)
"""By the name of the preset. One unit of a B200 that was capped at 750 W had 0.72."""


def architecture(gpu: GPU) -> str:
    """Return "hopper" or "blackwell" for data-centre GPUs of these, "" for others."""
    capability = gpu.compute_capability or 0
    if capability == 9.0:
        return HOPPER
    return BLACKWELL if 10.0 <= capability < 11.0 else ""


def card_of(gpu: GPU) -> Card:
    """Return what is known of a GPU; of one that is not in the table, what its preset implies."""
    if gpu.name in CARDS:
        return CARDS[gpu.name]
    dram = _MEASURED * (gpu.dram_bytes_per_second or 0) / 1e9
    return Card((gpu.clock_hz or 0) / 1e9, dram, 1.0, "its own clock and DRAM rate")


NEEDED = (
    "sm_count",
    "clock_hz",
    "tc_flop_per_cycle",
    "l2_bytes",
    "dram_bytes_per_second",
    "smem_per_sm_bytes",
    "registers_per_sm",
)
"""Fields of a GPU without which there is no prediction."""


def machine_of(
    gpu: GPU, element_type: str, constants: Mapping[str, float] | None = None, unit: float = 1.0
) -> Machine:
    """Return the machine that a GPU is for an element type.

    Parameters
    ----------
    gpu : GPU
        A Hopper or Blackwell data-centre GPU with all of ``NEEDED``.
    element_type : str
        One that it supports.
    constants : mapping of str to float, optional
        Instead of those of its architecture.
    unit : float
        Factor on top of the card's own.

    Raises
    ------
    InputError
        For an element type that the GPU does not support.
    """
    family, card = architecture(gpu), card_of(gpu)
    known = dict(values(family) if constants is None else constants)
    rate = element_rate(gpu, element_type) * (gpu.tc_flop_per_cycle or 0)
    own = {
        "blackwell": family == BLACKWELL,
        "sm_count": gpu.sm_count,
        "flop_per_cycle": rate,
        "peak_hz": gpu.clock_hz,
        "l2_bytes": gpu.l2_bytes,
        "smem_bytes": gpu.smem_per_sm_bytes,
        "registers": gpu.registers_per_sm,
        "element_bytes": ELEMENT_BYTES[element_type],
        "element_power": ELEMENT_POWER.get(element_type, 1.0),
        "unit": card.unit * unit,
        "fmax": card.fmax,
        "dram": card.dram,
        **known,
    }
    return Machine(**{name: np.asarray(own[name]) for name in Machine._fields})


def stacked(machines: list[Machine], codes: Array) -> Machine:
    """Return the machine of every point from the machines that its codes index."""
    columns = ([getattr(one, name) for one in machines] for name in Machine._fields)
    return Machine(*(np.array(column)[codes] for column in columns))
