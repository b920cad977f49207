"""Measurements that others published, each with its source; the model is shown beside them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Measurement:
    """One measured forward attention kernel.

    Attributes
    ----------
    id, kernel : str
        Its name here, and what was run.
    gpu, element_type : str
    head_dim, sequence, batch, heads : int
    causal : bool
    milliseconds, tflops : float
        As published.
    source : str
    """

    id: str
    kernel: str
    gpu: str
    element_type: str
    head_dim: int
    causal: bool
    sequence: int
    batch: int
    heads: int
    milliseconds: float
    tflops: float
    source: str

    @property
    def flop(self) -> float:
        """Useful FLOP of the forward pass: 4 sequence^2 head_dim per head, half of it if causal.

        Examples
        --------
        >>> one = published()[0]
        >>> one.tflops, round(one.flop / one.milliseconds / 1e9)
        (661.0, 661)
        """
        whole = 4.0 * self.sequence**2 * self.head_dim * self.heads * self.batch
        return whole / 2 if self.causal else whole


@cache
def published() -> tuple[Measurement, ...]:
    """Read the table, in its order.

    Examples
    --------
    >>> [(one.id, one.tflops) for one in published()]
    [('fa3.full', 661.0), ('fa3.no_overlap', 582.0), ('fa3.no_specialisation', 570.0)]
    """
    text = files("analysis.reproduction").joinpath("published.csv").read_text(encoding="utf-8")
    return tuple(_measurement(row) for row in csv.DictReader(text.splitlines()))


def _measurement(row: dict[str, str]) -> Measurement:
    return Measurement(
        row["id"],
        row["kernel"],
        row["gpu"],
        row["element_type"],
        int(row["head_dim"]),
        row["causal"] == "yes",
        int(row["sequence"]),
        int(row["batch"]),
        int(row["heads"]),
        float(row["milliseconds"]),
        float(row["tflops"]),
        row["source"],
    )
