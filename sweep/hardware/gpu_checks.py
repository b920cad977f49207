"""Whether a GPU of a user's own has numbers that a GPU can have."""

from __future__ import annotations

import math
from dataclasses import replace

from sweep.errors import InputError, InputTypeError, quoted
from sweep.hardware.gpu import GPU
from sweep.quantities.variables import GPU_FIELDS, VARIABLES, Variable


def check_gpu(gpu: GPU) -> None:
    """Check every figure of a GPU against its row of the registry.

    Raises
    ------
    InputError
        Naming the field, as ``gpu.clock_hz``.
    """
    from sweep.quantities.numbers import given_numbers, is_real

    if not isinstance(gpu.name, str) or not gpu.name:
        raise InputTypeError(f"gpu.name={quoted(gpu.name)}: must be a name")
    for name in GPU_FIELDS:
        value = gpu.value(name)
        if value is not None:
            if not is_real(value):
                raise InputTypeError(f"gpu.{name}={quoted(value)}: must be a number")
            given_numbers(_row(name), value)
    for name, rate in gpu.element_rates.items():
        if not is_real(rate):
            raise InputTypeError(f"gpu.element_rates[{name!r}]={quoted(rate)}: must be a number")
        if not (rate > 0 and math.isfinite(rate)):
            raise InputError(
                f"gpu.element_rates[{name!r}]={rate}: must be finite and above 0, as a multiple"
                " of the 16-bit rate"
            )


def _row(name: str) -> Variable:
    return replace(VARIABLES[name], name=f"gpu.{name}")
