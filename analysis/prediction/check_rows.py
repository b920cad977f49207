"""Kernels whose Tensor pipe share was published with a clock: compared, and weakly fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from analysis.prediction.cards import architecture
from analysis.prediction.constants import BLACKWELL
from analysis.prediction.gemm import predict_gemm
from analysis.prediction.kernels import Machine
from analysis.prediction.published_rows import GPU_NAMES, Row
from analysis.prediction.row_inputs import kernel_rows, machine_rows
from analysis.prediction.terms.k_tile_work import k_tile_work
from analysis.prediction.terms.power_clock import power_clock
from sweep.hardware.gpu import GPUS
from sweep.quantities.arrays import Array

TYPICAL_BYTES = 48.0
"""byte per cycle of a busy Tensor Core, where the tile was not published: 128x256x64 in bf16."""


class Share(NamedTuple):
    """A kernel as it was profiled.

    Attributes
    ----------
    row : Row
    pipe : float
        Share of the cycles that the Tensor pipe is active.
    clock_hz : float
        The clock of that run.
    """

    row: Row
    pipe: float
    clock_hz: float

    @property
    def name(self) -> str:
        """Series and step."""
        return f"{self.row.series} {self.row.inputs['step']}"


def profiled(rows: Sequence[Row], family: str) -> list[Share]:
    """Return the kernels of an architecture with a pipe share and a clock.

    Where only a rate was published beside the share, the clock is the one at which both agree.
    """
    metrics: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        gpu = GPU_NAMES.get(row.inputs["gpu"], "")
        if gpu and architecture(GPUS[gpu]) == family:
            metrics.setdefault(row.key, {})[row.metric] = row
    return [
        share
        for found in metrics.values()
        if "tensor_pipe_pct" in found and (share := _share(found)) is not None
    ]


def _share(found: Mapping[str, Row]) -> Share | None:
    row = found["tensor_pipe_pct"]
    pipe = row.value / 100
    if "sm_clock_ghz" in found:
        return Share(row, pipe, found["sm_clock_ghz"].value * 1e9)
    if "tflops" in found and row.inputs["step"] == "cuBLAS":
        gpu = GPUS[GPU_NAMES[row.inputs["gpu"]]]
        rate = (gpu.sm_count or 0) * (gpu.tc_flop_per_cycle or 0)
        return Share(row, pipe, found["tflops"].value * 1e12 / rate / pipe)
    return None


def of_known_kernels(shares: Sequence[Share]) -> list[Share]:
    """Return those whose tile is known."""
    return [one for one in shares if one.row.inputs["tile"]]


def predicted_shares(shares: Sequence[Share], constants: Mapping[str, float] | None) -> Array:
    """Return the pipe share that is predicted at each one's clock."""
    machine, rows = _machine(shares, constants), [one.row for one in shares]
    kernel = kernel_rows(rows)._replace(clock_hz=np.array([one.clock_hz for one in shares]))
    return predict_gemm(kernel, machine).pipe


def predicted_clocks(
    shares: Sequence[Share], constants: Mapping[str, float] | None, factor: float
) -> Array:
    """Return the clock in GHz that is predicted at each one's pipe share."""
    machine = _machine(shares, constants)
    machine = machine._replace(unit=machine.unit * factor)
    pipe = np.array([one.pipe for one in shares])
    return power_clock(machine, pipe, pipe * _bytes_per_busy_cycle(shares, machine))


def _bytes_per_busy_cycle(shares: Sequence[Share], machine: Machine) -> Array:
    found = np.full(len(shares), TYPICAL_BYTES)
    for i, one in enumerate(shares):
        if one.row.inputs["tile"]:
            alone = Machine(*(field[i : i + 1] if field.ndim else field for field in machine))
            work = k_tile_work(kernel_rows([one.row]), alone)
            found[i] = (work.copied / work.mma)[0]
    return found


def _machine(shares: Sequence[Share], constants: Mapping[str, float] | None) -> Machine:
    machine = machine_rows([one.row for one in shares])
    changed = {name: np.asarray(value) for name, value in (constants or {}).items()}
    return machine._replace(**changed)


def gives_clocks(family: str) -> bool:
    """Whether the profiled clocks of an architecture are those of a free run.

    Those of Hopper are under the profiler's own control.
    """
    return family == BLACKWELL
