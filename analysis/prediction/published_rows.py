"""Published kernels: what was measured, joined with what each was run with.

``published/gemm.csv`` and ``published/attention.csv`` hold what was measured, with sources;
``published/inputs.csv`` what each kernel is, with the evidence, and no measured value.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from sweep.errors import InputError

KEY = ("gpu", "dtype", "M", "N", "K", "series", "step")
"""What joins a measurement with its inputs."""
CLASSES = ("tile", "envelope", "excluded", "check")
GPU_NAMES: Mapping[str, str] = {
    "H100-SXM5": "h100_sxm",
    "H100": "h100_sxm",
    "H100 (slow unit)": "h100_sxm",
    "GH200-96GB": "h100_sxm",
    "H100-PCIe": "h100_pcie",
    "H800-SXM": "h800_sxm",
    "H200-SXM": "h200_sxm",
    "B200": "b200",
    "B200 (750 W, 1965 MHz cap)": "b200",
    "GB200": "gb200",
    "GB300": "gb300",
}
"""Presets of published names; others are in excluded rows only."""
ELEMENTS: Mapping[str, str] = {
    "bf16/fp16": "bf16",
    "mxfp8": "fp8",
    "mxfp4": "fp4",
    "nvfp4": "fp4",
}
"""Element types of published names that differ."""


class Row(NamedTuple):
    """One measured value and what it was measured on.

    Attributes
    ----------
    key : tuple of str
        By ``KEY``.
    metric : str
    value : float
        NaN where what was published is no number.
    source, confidence : str
    inputs : mapping of str to str
        The row of ``inputs.csv``.
    """

    key: tuple[str, ...]
    metric: str
    value: float
    source: str
    confidence: str
    inputs: Mapping[str, str]

    @property
    def kind(self) -> str:
        """What the row is for: tile, envelope, excluded or check."""
        return self.inputs["class"]

    @property
    def series(self) -> str:
        """The worklog or table it belongs to."""
        return self.inputs["series"]


@cache
def published_rows() -> tuple[Row, ...]:
    """Return every published GEMM with its inputs, in the table's order.

    Examples
    --------
    >>> next(row.value for row in published_rows() if row.inputs["step"] == "K7")
    704.0
    """
    return join(read_table("gemm"), read_table("inputs"))


@cache
def read_table(name: str) -> tuple[Mapping[str, str], ...]:
    """Return the rows of a table by its name, as text."""
    path = files("analysis.prediction") / "published" / f"{name}.csv"
    return tuple(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def join(
    measured: Sequence[Mapping[str, str]], inputs: Iterable[Mapping[str, str]]
) -> tuple[Row, ...]:
    """Return measurements with their inputs.

    Raises
    ------
    InputError
        For a measurement without inputs, inputs without a measurement, two inputs of one key, or
        a class that there is not; the message names the key.
    """
    by_key: dict[tuple[str, ...], Mapping[str, str]] = {}
    for one in inputs:
        key = _key(one)
        if key in by_key:
            raise InputError(f"inputs.csv: {_told(key)} is there twice; give it once")
        if one["class"] not in CLASSES:
            raise InputError(
                f"inputs.csv: {_told(key)}: class={one['class']!r}: must be one of"
                f" {', '.join(CLASSES)}"
            )
        if one["class"] == "excluded" and not one["reason"]:
            raise InputError(f"inputs.csv: {_told(key)}: is excluded without a reason")
        by_key[key] = one
    wanted = dict.fromkeys(_key(row) for row in measured)
    for key in wanted:
        if key not in by_key:
            raise InputError(f"inputs.csv: {_told(key)} is measured and has no inputs")
    for key in by_key:
        if key not in wanted:
            raise InputError(f"inputs.csv: {_told(key)} has inputs and is not measured")
    return tuple(
        Row(
            _key(row),
            row["metric"],
            _number(row["value"]),
            row["source"],
            row["confidence"],
            by_key[_key(row)],
        )
        for row in measured
    )


def _key(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in KEY)


def _told(key: tuple[str, ...]) -> str:
    return " ".join(f"{name}={value}" for name, value in zip(KEY, key, strict=True))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
