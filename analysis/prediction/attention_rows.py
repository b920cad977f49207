"""Published forward passes of FlashAttention-3 and what is predicted of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.prediction.calibration import solver
from analysis.prediction.published_rows import read_table
from analysis.prediction.terms.attention_time import (
    KEPT,
    TILES,
    AttentionConstants,
    Shape,
    attention_seconds,
)
from analysis.prediction.validation import Errors, errors_of
from sweep.hardware.gpu import GPUS
from sweep.quantities.arrays import Array

GPU, KERNEL = "H100-SXM5", "FA3"
ROW_SPREAD, PRIOR_SPREAD = 0.10, 3.0


class AttentionRows(NamedTuple):
    """Rows as arrays.

    Attributes
    ----------
    shape : Shape
    measured : Array
        TFLOP/s.
    kinds : tuple of (str, int, int)
        Element type, head dimension and causality of each.
    """

    shape: Shape
    measured: Array
    kinds: tuple[tuple[str, int, int], ...]

    def predicted(self, known: AttentionConstants = KEPT) -> Array:
        """Return TFLOP/s; half of the work counts where it is causal."""
        one = self.shape
        flop = 4.0 * one.batch * one.heads * one.seq_q * one.seq_k * one.head_dim
        return np.asarray(
            flop * np.where(one.causal, 0.5, 1.0) / attention_seconds(one, known)[0] / 1e12
        )


def attention_rows() -> AttentionRows:
    """Return the rows whose problem is known."""
    columns: list[list[float]] = []
    measured, kinds = [], []
    for row in read_table("attention"):
        if (row["gpu"], row["impl"], row["pass"], row["metric"]) != (GPU, KERNEL, "fwd", "tflops"):
            continue
        if not row["batch"]:
            continue
        kind = (row["dtype"], int(row["head_dim"]), int(row["causal"]))
        length = float(row["seqlen"])
        shape = (length, length, float(row["heads"]), float(row["batch"]), kind[1], kind[2])
        columns.append([*shape, kind[0] == "fp8", *TILES[kind]])
        measured.append(float(row["value"]))
        kinds.append(kind)
    fields = [np.array(column) for column in zip(*columns, strict=True)]
    fields[5], fields[6] = fields[5] > 0, fields[6] > 0
    fields.append(np.full(len(measured), float(GPUS["h100_sxm"].sm_count or 0)))
    shape_of = Shape(*fields)
    return AttentionRows(shape_of, np.array(measured), tuple(kinds))


def attention_errors() -> Errors:
    """Return the errors over all of them."""
    rows = attention_rows()
    return errors_of(rows.predicted(), rows.measured)


def fit_attention(rows: AttentionRows, counted: Array) -> AttentionConstants:
    """Refit the constants of attention to some of the rows, from those that are kept.

    They are all but free: a factor of 20 is one standard deviation, which only keeps apart what the
    rows do not tell apart.
    """
    logs = np.log(np.array(KEPT))

    def residuals(at: Array) -> Array:
        found = rows.predicted(AttentionConstants(*np.exp(at)))
        errors = np.log(found / rows.measured)[counted] / ROW_SPREAD
        return np.concatenate([errors, (at - logs) / PRIOR_SPREAD])

    fitted = solver()(residuals, logs, loss="soft_l1")
    return AttentionConstants(*map(float, np.exp(fitted.x)))


def attention_left_out() -> Errors:
    """Return the errors with each (type, head dimension, causality) left out of the fit in turn."""
    rows = attention_rows()
    found = np.zeros(rows.measured.size)
    for kind in dict.fromkeys(rows.kinds):
        out = np.array([one == kind for one in rows.kinds])
        found[out] = rows.predicted(fit_attention(rows, ~out))[out]
    return errors_of(found, rows.measured)
