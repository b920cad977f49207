"""Points for claims are inside their domain, visit ties, and are the same everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from analysis.closed_forms import CLOSED_FORMS
from analysis.verification.draws import GRID, MOST, Where, draw, hardware, size
from analysis.verification.page import all_claims
from sweep.catalogue.schedules import SCHEDULES
from sweep.recurrence.folding import EXTENSIONS

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_points_are_inside_the_domain(name: str) -> None:
    form = CLOSED_FORMS[name]
    p = draw(SCHEDULES[form.schedule], Where(conditions=form.conditions), 3_000, (1,))
    p = {key: p[key] for key in form.parameters}
    assert size(p) == 3_000
    assert form.domain(p).all()


@pytest.mark.parametrize("name", SCHEDULES)
def test_zeros_ties_and_near_ties(name: str) -> None:
    schedule = SCHEDULES[name]
    p = draw(schedule, Where(EXTENSIONS, ""), 20_000, (2,))
    assert list(p) == list(schedule.parameters)
    for duration in schedule.durations:
        assert 0.05 < (p[duration] == 0).mean() < 0.75
        assert (p[duration] >= 0).all()
        assert (p[duration] * 1024 % 1 == 0).all()
    one, other = ("t_gemm0", "t_gemm1") if "t_gemm0" in p else ("t_transfer", "t_mma")
    if {one, other} <= set(p):  # edges are known by the names of the registry
        apart = np.abs(p[one] - p[other])
        assert (apart == 0).mean() > 0.05
        assert ((apart == GRID) & (p[one] >= 1)).sum() > 20
    for count in set(MOST) & set(p):
        assert p[count].max() <= MOST[count]
    assert not hardware(p).any() or (p["mma_in_flight"][hardware(p)] == 0).all()


def test_extensions_are_off_unless_asked_for() -> None:
    p = draw(SCHEDULES["pingpong"], Where(("t_mma_latency",), "hardware"), 2_000, (3,))
    assert hardware(p).all()
    assert p["t_mma_latency"].any()
    assert not p["t_sync"].any() and not p["mma_in_flight"].any()


def test_domain_in_words() -> None:
    texts = {claim.domain for claim in all_claims()}
    assert {"everywhere", "t_sync = 0", "arbitration = fifo"} <= texts
    release = next(c for c in all_claims() if "= hardware)" in c.name).domain
    assert release == "t_sync = mma_in_flight = 0 and release = hardware"


def test_same_points_in_every_process() -> None:
    code = (
        "from analysis.verification.draws import *;"
        " from sweep.catalogue.schedules import SCHEDULES as all;"
        "p = draw(all['pingpong'], Where(EXTENSIONS, ''), 500, (1,));"
        "print([float(column.sum()) for column in p.values()])"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1] != ""
