"""Slopes of the kernels, circuit ratios and closed forms' steady terms are one rational number."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from analysis.closed_forms import CLOSED_FORMS, TILE_PERIODS
from analysis.closed_forms.arithmetic import NUMERIC
from analysis.periods.period import period_formula
from analysis.verification.claim import Points
from analysis.verification.draws import Columns, Where, draw, numbers, size
from analysis.verification.periods import far_steps
from sweep.catalogue.schedules import SCHEDULES
from sweep.quantities.variables import VARIABLES
from sweep.recurrence.folding import EXTENSIONS
from tests.support.one_loop import ONE_LOOP
from tests.support.points import scaled

POINTS = scaled(10_000, pure=25)
BURST = 840
"""Every number of steps that a circuit with up to 8 stages takes divides it."""
TILE_BURST = 2520
"""Every number of tiles, 10 at most, divides it."""
SINGLE_TILE = [name for name in ONE_LOOP if not SCHEDULES[name].tile_level]


def rational(p: Columns) -> Columns:
    return {
        name: np.array([Fraction(one) for one in column], dtype=object)
        if VARIABLES[name].kind == "duration"
        else column
        for name, column in p.items()
    }


def slope(points: Points, loop: str, burst: int) -> Any:
    """Cycles per step as fractions, far out: near ties of 1/1024 cycle take a while to settle."""
    first = far_steps(points.schedule, points.p, loop)
    early, late = (points.run({loop: steps}).cycles for steps in (first, first + burst))
    return np.array([Fraction(one) / burst for one in late - early], dtype=object)


@pytest.mark.parametrize("name", [one for one in SINGLE_TILE if one in CLOSED_FORMS])
def test_kernel_circuits_and_closed_form(name: str) -> None:
    schedule = SCHEDULES[name]
    points = Points(schedule, draw(schedule, Where(), POINTS, (1,)))
    exact = rational(numbers(points.p))
    ratio = period_formula(name).without(*EXTENSIONS).evaluate(exact)
    first = far_steps(schedule, points.p, schedule.loop)
    far = [exact | {schedule.loop: steps} for steps in (first, first + BURST)]
    early, late = (CLOSED_FORMS[name].function(p, NUMERIC) for p in far)
    kernel = slope(points, schedule.loop, BURST)
    assert size(points.p) == POINTS
    assert (kernel == ratio).all()
    assert ((late - early) / BURST == ratio).all()
    assert (points.timing.period == ratio.astype(float)).all()


@pytest.mark.parametrize("name", TILE_PERIODS)
def test_kernel_and_tile_period(name: str) -> None:
    form = TILE_PERIODS[name]
    schedule = SCHEDULES[form.schedule]
    where = Where(conditions=form.conditions)
    points = Points(schedule, draw(schedule, where, POINTS, (2,)))
    kernel = slope(points, "output_tiles", TILE_BURST)
    assert size(points.p) == POINTS
    if form.bounded:
        assert (form.function(rational(numbers(points.p)), NUMERIC) == kernel).all()
    assert (form.evaluate(points.p) == kernel.astype(float)).all()
    assert (points.timing.period == kernel.astype(float)).all()


@pytest.mark.parametrize("name", ["persistent", "cooperative", "pingpong"])
@pytest.mark.parametrize("release", ["consumer", "hardware"])
def test_one_tile_with_asynchronous_mmas_is_the_ring(name: str, release: str) -> None:
    """The main loop of a tile-level schedule has the period of warp_specialized."""
    extensions = EXTENSIONS if release == "consumer" else EXTENSIONS[:2]
    schedule = SCHEDULES[name]
    points = Points(schedule, draw(schedule, Where(extensions, release), POINTS // 10, (3,)))
    points.p["output_tiles"] = np.ones(size(points.p), np.int64)
    points.p["mma_in_flight"] %= points.p["stages"]
    found = slope(points, "k_tiles", BURST * 99)  # up to 8 MMAs in flight: a multiple of 9
    ratio = period_formula("warp_specialized", release).evaluate(rational(numbers(points.p)))
    assert (found == ratio).all()
