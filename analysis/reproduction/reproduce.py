"""Reproduce the reference figures: every claim beside the value that the project computes."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.reproduction.experiments import Value, computations
from analysis.reproduction.experiments.setup import Setup
from analysis.reproduction.reference_figures import Claim, claims
from sweep.errors import InputError
from sweep.host.files import write_text
from sweep.host.tables import Block, Cells, Column, Prose, Table, whole

_MARKS = {True: "ok", False: "WRONG", None: "not yet covered"}


@dataclass(frozen=True)
class Row:
    """A reference figure and what it came out as.

    Attributes
    ----------
    id, experiment, quantity, unit, parameters : str
    expected : float or str
    tolerance : float
        In the unit of the figure.
    computed : float, str or None
        None where the project does not compute it yet.
    """

    id: str
    experiment: str
    quantity: str
    expected: float | str
    computed: Value | None
    tolerance: float
    unit: str
    parameters: str

    @property
    def covered(self) -> bool:
        """Whether it is computed."""
        return self.computed is not None

    @property
    def ok(self) -> bool | None:
        """Whether it is within its tolerance; None where it is not computed."""
        if self.computed is None:
            return None
        if isinstance(self.expected, str) or isinstance(self.computed, str):
            return self.computed == self.expected
        return abs(self.computed - self.expected) <= self.tolerance


def reproduce(setup: Setup | None = None) -> list[Row]:
    """Compute every reference figure that the project covers.

    Parameters
    ----------
    setup : Setup, optional
        What to run on; the lecture's GPU and tile, to which the expected values belong.

    Returns
    -------
    list of Row
        In the order of the table.

    Examples
    --------
    >>> rows = reproduce()
    >>> [row.id for row in rows if row.ok is False]
    []
    >>> {row.id: row.computed for row in rows}["tile.mma"]
    1024.0
    """
    where, known = setup or Setup(), computations()
    return [
        _row(claim, known[claim.id](where) if claim.id in known else None) for claim in claims()
    ]


def _row(claim: Claim, computed: Value | None) -> Row:
    return Row(
        claim.id,
        claim.experiment,
        claim.quantity,
        claim.expected,
        computed,
        claim.tolerance,
        claim.unit,
        claim.parameters,
    )


def summary(rows: Sequence[Row]) -> str:
    """Count the rows in one line.

    Examples
    --------
    >>> summary([])
    '0 of 0 covered figures reproduced, 0 wrong; 0 not yet covered'
    """
    covered = [row for row in rows if row.covered]
    good = sum(row.ok is True for row in rows)
    return (
        f"{good} of {len(covered)} covered figures reproduced, {len(covered) - good} wrong;"
        f" {len(rows) - len(covered)} not yet covered"
    )


COLUMNS = (
    Column("id", key=True),
    Column("quantity", wraps=True),
    Column("expected", right=True),
    Column("computed", right=True),
    Column("+-", right=True),
    Column("unit"),
    Column(),
    Column("where", wraps=True),
)


def text_blocks(rows: Sequence[Row]) -> list[Block]:
    """Return the rows as a table for a person, a group per experiment, and a summary."""
    groups: dict[str, list[Cells]] = {}
    for row in rows:
        groups.setdefault(row.experiment, []).append(_cells(row))
    return [Table(COLUMNS, groups), "", Prose(summary(rows))]


def text_table(rows: Sequence[Row]) -> str:
    """Return the rows as they stand in a file: aligned, each in one line."""
    return whole(text_blocks(rows)) + "\n"


def _cells(row: Row) -> tuple[str, ...]:
    unit = "" if row.unit == "1" else row.unit
    tolerance = f"{row.tolerance:g}" if row.tolerance else "exact"
    return (
        row.id,
        row.quantity,
        _number(row.expected),
        "-" if row.computed is None else _number(row.computed, row.tolerance),
        tolerance,
        unit,
        _MARKS[row.ok],
        row.parameters,
    )


def _number(value: Value, tolerance: float = 0) -> str:
    """Write a figure, computed ones with one digit more than their tolerance has."""
    if isinstance(value, str):
        return value
    if tolerance and not float(value).is_integer():
        digits = len(f"{tolerance:f}".rstrip("0").partition(".")[2])
        return f"{value:,.{digits + 1}f}"
    return f"{value:,.6f}".rstrip("0").rstrip(".")


def json_rows(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the rows as plain objects: id, expected, computed, tolerance, ok and the rest."""
    return [
        {
            "id": row.id,
            "expected": row.expected,
            "computed": row.computed,
            "tolerance": row.tolerance,
            "ok": row.ok,
            "covered": row.covered,
            "unit": row.unit,
            "experiment": row.experiment,
            "quantity": row.quantity,
            "parameters": row.parameters,
        }
        for row in rows
    ]


def json_text(rows: Sequence[Row]) -> str:
    """Return the rows as one JSON document."""
    return json.dumps(json_rows(rows), indent=2, allow_nan=False)


def make_folder(folder: str | os.PathLike[str]) -> Path:
    """Make the folder that results go to.

    Raises
    ------
    InputError
        Where it cannot be made, or is a file.
    """
    where = Path(folder)
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write to {where}: {error.strerror or error}") from None
    return where


def write(rows: Sequence[Row], folder: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Write ``reproduce.txt`` and ``reproduce.json`` into a folder, each whole or not at all.

    Parameters
    ----------
    rows : sequence of Row
    folder : path
        Made where it does not exist.

    Returns
    -------
    tuple of Path
        The two files.
    """
    where = make_folder(folder)
    files = where / "reproduce.txt", where / "reproduce.json"
    for file, text in zip(files, (text_table(rows), json_text(rows) + "\n"), strict=True):
        write_text(file, text)
    return files
