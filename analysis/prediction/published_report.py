"""The table of predictions beside published kernels, and the figures that it is held to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, NamedTuple

from analysis.prediction.attention_rows import attention_errors, attention_left_out
from analysis.prediction.constants import ARCHITECTURES, VERSION
from analysis.prediction.validation import (
    Errors,
    kept_constants,
    leave_one_series_out,
    libraries,
    rank_correlations,
)
from sweep.host.tables import Block, Column, Prose, Table

TOLERANCE = 0.5
"""Points by which a class may be worse than its committed figure."""
COMMITTED: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "hopper, known tile": (4.6, 8.2),
        "hopper, known tile, no unit": (5.0, 11.2),
        "hopper, known tile, series left out": (5.2, 8.6),
        "hopper, known tile, series left out, no unit": (7.5, 11.9),
        "hopper, library": (4.8, 5.9),
        "blackwell, known tile": (5.4, 7.7),
        "blackwell, known tile, no unit": (6.5, 11.4),
        "blackwell, known tile, series left out": (5.6, 8.6),
        "blackwell, known tile, series left out, no unit": (6.8, 12.3),
        "blackwell, library": (9.1, 9.4),
        "hopper, FlashAttention-3 forward": (3.9, 5.9),
        "hopper, FlashAttention-3 forward, kind left out": (5.3, 7.7),
    }
)
"""Median and mean of the relative error's size by class, in per cent."""


class Line(NamedTuple):
    """One class of published kernels.

    Attributes
    ----------
    name : str
    errors : Errors
    worse : float
        Points by which the median or the mean is above the committed figure.
    """

    name: str
    errors: Errors
    worse: float

    @property
    def failed(self) -> bool:
        """Whether it is worse than it may be."""
        return self.worse > TOLERANCE


class Report(NamedTuple):
    """All classes, and the order of steps within each worklog.

    Attributes
    ----------
    lines : tuple of Line
    ranks : mapping of str to float
        Spearman's correlation by worklog; NaN where the model sees no difference.
    """

    lines: tuple[Line, ...]
    ranks: Mapping[str, float]


def report(*, refit: bool | None = None) -> Report:
    """Compare predictions with every published kernel.

    Parameters
    ----------
    refit : bool, optional
        Whether to refit without each series in turn too, which takes scipy and half a minute; by
        default where scipy is installed.
    """
    refit = find_spec("scipy") is not None if refit is None else refit
    found: dict[str, Errors] = {}
    ranks: dict[str, float] = {}
    for family in ARCHITECTURES:
        kept = kept_constants(family)
        found[f"{family}, known tile"] = kept.errors(units=True)
        found[f"{family}, known tile, no unit"] = kept.errors(units=False)
        if refit:
            out = leave_one_series_out(family)
            found[f"{family}, known tile, series left out"] = out.errors(units=True)
            found[f"{family}, known tile, series left out, no unit"] = out.errors(units=False)
        found[f"{family}, library"] = libraries(family)[0]
        ranks |= rank_correlations(kept)
    found["hopper, FlashAttention-3 forward"] = attention_errors()
    if refit:
        found["hopper, FlashAttention-3 forward, kind left out"] = attention_left_out()
    return Report(tuple(_line(name, one) for name, one in found.items()), ranks)


def _line(name: str, errors: Errors) -> Line:
    median, mean = COMMITTED[name]
    return Line(name, errors, max(errors.median - median, errors.mean - mean))


def text_blocks(found: Report) -> list[Block]:
    """Return the lines that a command prints."""
    columns = (
        Column("published kernels", key=True),
        *(Column(title, "%", right=True) for title in ("median", "mean", "90th")),
        Column("within 10 %", "%", right=True),
        Column("rows", right=True),
        Column("", wraps=True),
    )
    rows = [
        (
            one.name,
            f"{one.errors.median:.1f}",
            f"{one.errors.mean:.1f}",
            f"{one.errors.ninetieth:.1f}",
            f"{one.errors.within:.0f}",
            str(one.errors.rows),
            "worse than committed" if one.failed else "",
        )
        for one in found.lines
    ]
    ranks = (
        Column("worklog (order of its steps)", key=True),
        Column("rank correlation", right=True),
    )
    left_out = any("left out" in one.name for one in found.lines)
    note = "" if left_out else "Without scipy no series is left out in turn."
    return [
        Prose(f"Error of predicted TFLOP/s, constants of version {VERSION}", title=True),
        Table(columns, {"": rows}),
        note,
        Table(ranks, {"": list(_told(found.ranks))}),
    ]


def _told(ranks: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    for name, value in ranks.items():
        yield name, "no difference" if value != value else f"{value:.2f}"  # noqa: PLR0124


def as_json(found: Report) -> dict[str, Any]:
    """Return the report as plain values."""
    return {
        "constants": VERSION,
        "classes": {one.name: one.errors._asdict() | {"failed": one.failed} for one in found.lines},
        "rank_correlations": dict(found.ranks),
    }
