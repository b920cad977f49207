"""The page of formulas: what is claimed, of which kind, where, and how it was tested."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from analysis.verification.claim import Claim
from analysis.verification.claim_registry import claims_of
from analysis.verification.finding import Finding
from analysis.verification.report import gap_text
from sweep.catalogue.schedules import SCHEDULES
from sweep.description import Schedule

_INTRODUCTION = """\
# Formulas, and how they were tested

Written by `python docs/formulas.py`, from the same registry that `warpsweep verify` tests: every
formula is a function of `analysis`, and what is printed is what was computed.

* **exact**: equal to the simulation, transients included, at every point of the stated domain;
* **bound**: never on the wrong side;
* **asymptotic**: the steady state; equally tested with ==, on exact numbers;
* **rule**: a rule of thumb; its violations are counted, and nothing depends on it.

The points are random whole numbers of cycles with zeros, ties and near ties of 1/1024 cycle, drawn
from each claim's own domain. All counts are at least 1, all durations at least 0, and the order of
service is fixed unless the domain says otherwise. *Worst* is the largest gap at a violation. That
the accounts of a schedule agree is tested at 128 of every 32,768 points: two of the three run in
plain Python.
"""
_HEAD = """\
| claim | kind | says | where | points | violations | worst |
|---|---|---|---|--:|--:|--:|"""


class Tested(NamedTuple):
    """The last three columns of a claim's row."""

    points: str
    violations: str
    worst: str


Results = Mapping[tuple[str, str], Tested]


def all_claims() -> list[Claim]:
    """Return the claims that the page lists."""
    return [claim for schedule in SCHEDULES.values() for claim in claims_of(schedule)]


def results(findings: Sequence[Finding]) -> Results:
    """Return what findings say in the page, by schedule and claim."""
    return {
        (one.schedule, one.claim): Tested(
            f"{one.points:,}", f"{one.violations:,}", gap_text(one.worst, one.units)
        )
        for one in findings
    }


def read_results(text: str) -> Results:
    """Read the results back from a page."""
    found = {}
    for section in text.split("\n## ")[1:]:
        schedule = section.split("\n", 1)[0]
        for row in re.findall(r"^\| (?!claim )(.*) \|$", section, re.MULTILINE):
            cells = row.split(" | ")
            found[schedule, cells[0]] = Tested(*cells[-3:])
    return found


def page(tested: Results) -> str:
    """Return the whole page in Markdown."""
    sections = ("\n".join(_section(schedule, tested)) for schedule in SCHEDULES.values())
    return "\n".join([_INTRODUCTION, *sections])


def _section(schedule: Schedule, tested: Results) -> Iterator[str]:
    claims = claims_of(schedule)
    yield f"## {schedule.name}\n\n{schedule.summary[0].upper()}{schedule.summary[1:]}.\n"
    for claim in claims:
        if claim.formula is not None and claim.kind != "rule":
            yield _formula(claim, claim.formula())
    yield _HEAD
    for claim in claims:
        cells = (claim.name, claim.kind, claim.statement, f"`{claim.domain}`")
        yield f"| {' | '.join((*cells, *tested[schedule.name, claim.name]))} |"
    yield ""
    for claim in claims:
        if claim.remark is not None:
            yield f"{claim.name[0].upper()}{claim.name[1:]}: {claim.remark()}.\n"


def _formula(claim: Claim, latex: str | None) -> str:
    head = f"**{claim.name}**, where `{claim.domain}`:"
    if latex is None:
        return f"{head} an algorithm, see `analysis.closed_forms`.\n"
    return f"{head}\n\n```math\n{latex}\n```\n"
