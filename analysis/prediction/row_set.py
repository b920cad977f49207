"""Published rows of one architecture as arrays, and what the layer predicts of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.prediction.cards import architecture
from analysis.prediction.gemm import predict_gemm
from analysis.prediction.kernels import Kernel, Machine
from analysis.prediction.published_rows import GPU_NAMES, Row
from analysis.prediction.row_inputs import candidate_rows, kernel_rows, machine_rows
from sweep.hardware.gpu import GPUS
from sweep.quantities.arrays import Array

SMALLEST = 2.0 * 2048**3
"""FLOP of the smallest problem that counts for the fit and for the figures."""


@dataclass(frozen=True)
class RowSet:
    """Rows whose tile is known, or whose kernel is a library's choice.

    Attributes
    ----------
    rows : tuple of Row
    kernel : Kernel
        Arrays over the rows; over (rows, candidates) of a library's.
    machine : Machine
        Arrays over the rows.
    measured : Array
        TFLOP/s.
    series, units : tuple of str
        Per row; a unit without a name has nothing known.
    anchors : Array
        Whether a row says what its unit's factor is.
    """

    rows: tuple[Row, ...]
    kernel: Kernel
    machine: Machine
    measured: Array
    series: tuple[str, ...]
    units: tuple[str, ...]
    anchors: Array

    @property
    def large(self) -> Array:
        """Whether a problem is at least as large as 2048^3."""
        first = (column if column.ndim == 1 else column[:, 0] for column in self.kernel[:3])
        m, n, k = first
        return np.asarray(2.0 * m * n * k >= SMALLEST)

    def predicted(
        self,
        constants: Mapping[str, float] | None = None,
        factors: Mapping[str, float] | None = None,
    ) -> Array:
        """Return TFLOP/s of every row; of a library's the best of its candidates.

        Parameters
        ----------
        constants : mapping of str to float, optional
            Instead of those that are kept, by name.
        factors : mapping of str to float, optional
            Factor of each unit, 1 where it is not named.
        """
        machine = self.machine
        if constants:
            machine = machine._replace(**{k: np.asarray(v) for k, v in constants.items()})
        if factors:
            own = np.array([factors.get(unit, 1.0) for unit in self.units])
            machine = machine._replace(unit=machine.unit * own)
        if self.kernel.m.ndim == 1:
            return predict_gemm(self.kernel, machine).tflops
        wide = Machine(*(one[:, None] if one.ndim else one for one in machine))
        return np.asarray(predict_gemm(self.kernel, wide).tflops.max(axis=1))


def row_set(rows: Sequence[Row], family: str, kind: str) -> RowSet:
    """Return the rows of an architecture and class that have a rate.

    Parameters
    ----------
    rows : sequence of Row
    family : {"hopper", "blackwell"}
    kind : {"tile", "envelope"}
    """
    chosen = tuple(row for row in rows if row.kind == kind and _is_rate(row, family))
    machine = machine_rows(chosen)
    kernel = kernel_rows(chosen) if kind == "tile" else candidate_rows(chosen, machine)
    return RowSet(
        chosen,
        kernel,
        machine,
        np.array([row.value for row in chosen]),
        tuple(row.series for row in chosen),
        tuple(row.inputs["unit"] for row in chosen),
        np.array([row.inputs["unit_anchor"] == "1" for row in chosen]),
    )


def _is_rate(row: Row, family: str) -> bool:
    name = GPU_NAMES.get(row.inputs["gpu"], "")
    return row.metric == "tflops" and bool(name) and architecture(GPUS[name]) == family
