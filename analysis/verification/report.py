"""Findings as a table for a person, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.verification.finding import Finding
from sweep.host.tables import Block, Cells, Column, Prose, Table, whole
from sweep.results.as_json import to_json

COLUMNS = (
    Column("claim", key=True),
    Column("kind"),
    Column("points", right=True),
    Column("violations", right=True),
    Column("worst", right=True),
)


def text_table(findings: Sequence[Finding]) -> str:
    """Return the findings as aligned text, a block per schedule, then what was violated.

    Examples
    --------
    >>> print(text_table([Finding("sync", "slope", "asymptotic", 9, 0, 0.0, 0.0, "cycle", None)]))
    claim  kind        points  violations  worst
    <BLANKLINE>
    sync
    slope  asymptotic       9           0      0
    <BLANKLINE>
    1 claim: nothing that must hold is violated
    """
    return whole(text_blocks(findings))


def text_blocks(findings: Sequence[Finding]) -> list[Block]:
    """Return the findings as a table with a group per schedule, then what was violated."""
    groups: dict[str, list[Cells]] = {}
    for one in findings:
        groups.setdefault(one.schedule, []).append(_cells(one))
    blocks: list[Block] = [Table(COLUMNS, groups)]
    for one in findings:
        if one.error:
            told = f"{one.schedule}: {one.claim} ({one.kind}) could not be tested: {one.error}"
            blocks += ["", Prose(told)]
        if one.violations:
            blocks += ["", *_violated(one)]
    return [*blocks, "", Prose(summary(findings))]


def summary(findings: Sequence[Finding]) -> str:
    """Say in one line whether everything that must hold does."""
    failed = [one for one in findings if one.failed]
    count = f"{len(findings)} claim{'' if len(findings) == 1 else 's'}"
    if not failed:
        return f"{count}: nothing that must hold is violated"
    names = ", ".join(f"{one.schedule}: {one.claim}" for one in failed)
    return f"{count}, {len(failed)} of them wrong: {names}"


def json_text(findings: Sequence[Finding]) -> str:
    """Return the findings as one JSON list; an infinite gap (a deadlock) is null."""
    return to_json([one.json_row() for one in findings])


def gap_text(value: float, units: str) -> str:
    """Write a gap with its unit.

    Examples
    --------
    >>> gap_text(2.0, "stage"), gap_text(0.5, "1"), gap_text(0.0, "cycle")
    ('2 stage', '0.5', '0')
    """
    return f"{value:,.6g} {units}" if value and units != "1" else f"{value:,.6g}"


def _cells(one: Finding) -> tuple[str, ...]:
    counts = (f"{one.points:,}", "error" if one.error else f"{one.violations:,}")
    return (one.claim, one.kind, *counts, gap_text(one.worst, one.units))


def _violated(one: Finding) -> list[Block]:
    """Say how far off, then the first counterexample: a command to copy, left in one piece."""
    share = one.violations / one.points
    mean, worst = (gap_text(value, one.units) for value in (one.mean, one.worst))
    told = (
        f"{one.schedule}: {one.claim} ({one.kind}) is off at {share:.1%} of the points,"
        f" by {mean} on average and {worst} at most; first"
    )
    remark = [Prose(f"  {one.remark}")] if one.remark else []
    return [Prose(told), f"  {one.counterexample}", *remark]
