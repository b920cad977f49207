"""A point as the command that simulates it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

import numpy as np

from sweep.quantities.variables import VARIABLES


def typed(schedule: str, point: Mapping[str, float]) -> str:
    """Return the command that simulates a point, with every parameter and digit that it needs.

    Parameters
    ----------
    schedule : str
        Its name or file.
    point : mapping
        Numbers by name; choices by their codes.

    Examples
    --------
    >>> point = {"t_gemm0": 3.0, "t_gemm1": 0.0009765625, "kv_blocks": 4, "arbitration": 1}
    >>> typed("attention_serial", point)
    'warpsweep simulate attention_serial t_gemm0=3 t_gemm1=0.0009765625 kv_blocks=4 \
arbitration=fifo'
    """
    values = (f"{name}={_plain(name, value)}" for name, value in point.items())
    return " ".join(["warpsweep simulate", shlex.quote(schedule), *values])


def _plain(name: str, value: float) -> str:
    if VARIABLES[name].kind == "choice":
        return VARIABLES[name].choices[int(value)]
    if isinstance(value, float):
        return np.format_float_positional(value, trim="-")
    return str(value)
