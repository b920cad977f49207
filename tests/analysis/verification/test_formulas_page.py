"""The page of formulas lists every claim as it is now, and nothing that must hold is violated."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.verification.accounts import ACCOUNTS, ACCOUNTS_FIFO
from analysis.verification.finding import Finding
from analysis.verification.page import all_claims, page, read_results, results
from tests.support.one_loop import BEYOND

TEXT = (Path(__file__).parents[3] / "docs" / "formulas.md").read_text(encoding="utf-8")


def test_lists_every_claim_as_it_is_now() -> None:
    """All but the counts, which take a million points each, is written anew."""
    pytest.importorskip("sympy")
    assert page(read_results(TEXT)) == TEXT


def test_nothing_that_must_hold_is_violated() -> None:
    tested = read_results(TEXT)
    assert set(tested) == {(claim.schedule.name, claim.name) for claim in all_claims()}
    for claim in all_claims():
        points, violations, worst = tested[claim.schedule.name, claim.name]
        few = claim.name in (ACCOUNTS, ACCOUNTS_FIFO)  # these run in plain Python
        wanted = 3_000 if few else 500_000
        if claim.schedule.name in BEYOND:  # laid out and interpreted point by point
            wanted = 9 if few else 30
        assert int(points.replace(",", "")) > wanted
        if claim.kind != "rule":
            assert (violations, worst) == ("0", "0")


def test_results_are_read_back() -> None:
    pytest.importorskip("sympy")
    found = [
        Finding(c.schedule.name, c.name, c.kind, 12_345, 1, 2.5, 2.5, c.units, None)
        for c in all_claims()
    ]
    assert read_results(page(results(found))) == results(found)
