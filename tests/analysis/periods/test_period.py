"""Period formulas from a schedule's circuits: their values, names, words and refusals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from analysis.periods.period import period_formula
from sweep.catalogue.schedules import SCHEDULES
from sweep.errors import InputError
from sweep.quantities.bottlenecks import BOTTLENECKS
from sweep.quantities.variables import VARIABLES
from sweep.recurrence.folding import EXTENSIONS
from tests.accounts.recurrences import RECURRENCES
from tests.support.one_loop import ONE_LOOP
from tests.support.points import Columns, random_points, run_points, scaled

SINGLE_TILE = [name for name in ONE_LOOP if not SCHEDULES[name].tile_level]
VARIANTS = [
    (name, release)
    for name in SINGLE_TILE
    for release in SCHEDULES[name].release_modes or ["consumer"]
]
BURST = 840
"""A multiple of every circuit's steps where stages <= 8."""


def variant_points(name: str, release: str, points: int, seed: int) -> Columns:
    p = random_points(SCHEDULES[name], points, seed)
    if "release" in p:
        p["release"][:] = release
        p["mma_in_flight"] %= p["stages"]
        p["mma_in_flight"][p["release"] == "hardware"] = 0
    return p


def rational(p: Columns) -> Columns:
    """Durations as fractions."""
    return {
        name: np.array([Fraction(one) for one in column], dtype=object)
        if VARIABLES[name].kind == "duration"
        else column
        for name, column in p.items()
    }


@pytest.mark.parametrize(("name", "release"), VARIANTS)
def test_period_is_the_steady_slope_with_extensions(name: str, release: str) -> None:
    points, loop = scaled(2_000, pure=200), SCHEDULES[name].loop
    p = variant_points(name, release, points, seed=1)
    cycles = RECURRENCES[name].extended_batch_cycles
    slope = cycles(p | {loop: np.full(points, 4 * BURST)}) - cycles(
        p | {loop: np.full(points, 3 * BURST)}
    )
    expected = BURST * period_formula(name, release).evaluate(rational(p))
    settled = np.array([Fraction(one) for one in slope], dtype=object) == expected
    # Near ties of 1/1024 cycle outlast this many k-tiles; there the transient is the faster.
    assert settled.mean() > 0.95
    assert (slope <= expected).all()


@pytest.mark.parametrize("name", SINGLE_TILE)
def test_every_term_binds_somewhere_and_no_other_value_occurs(name: str) -> None:
    formula = period_formula(name).without(*EXTENSIONS)
    p = random_points(SCHEDULES[name], scaled(20_000), seed=2, extensions=False)
    period, binding = formula.evaluate(p), formula.binding(p)
    assert set(binding.tolist()) == set(range(len(formula.terms)))
    for index, term in enumerate(formula.terms):
        ratio = term.time(p) / term.advance(p)
        assert (ratio <= period).all()
        np.testing.assert_array_equal(period[binding == index], ratio[binding == index])


@pytest.mark.parametrize("name", SINGLE_TILE)
def test_terms_are_named_as_the_bottleneck_of_datasets(name: str) -> None:
    """Without durations of zero, extensions and ties a term's name follows from its circuit."""
    formula = period_formula(name)
    p = random_points(SCHEDULES[name], scaled(2_000), seed=3, extensions=False, ties=0)
    for duration in SCHEDULES[name].durations:
        if duration not in EXTENSIONS:
            p[duration] = p[duration] + 1.0
    computed = run_points(name, p)
    period = formula.evaluate(p)
    np.testing.assert_array_equal(computed["period"], period)
    ratios = np.array(
        [np.broadcast_to(t.time(p) / t.advance(p), period.shape) for t in formula.terms]
    )
    meanings = VARIABLES["bottleneck"].flag_meanings
    flags = np.array([meanings.index(term.bottleneck) for term in formula.terms])
    alone = np.array([len(set(flags[at])) == 1 for at in (ratios == period).T])
    assert alone.mean() > 0.5
    np.testing.assert_array_equal(computed["bottleneck"][alone], flags[formula.binding(p)][alone])


@pytest.mark.parametrize(("name", "release"), VARIANTS)
def test_without_extensions_the_value_stays(name: str, release: str) -> None:
    p = random_points(SCHEDULES[name], scaled(4_000), seed=4, extensions=False)
    p = {key: column for key, column in p.items() if key not in (*EXTENSIONS, "release")}
    full = period_formula(name, release)
    folded = full.without(*EXTENSIONS)
    np.testing.assert_array_equal(full.evaluate(p), folded.evaluate(p))
    assert not set(folded.parameters) & set(EXTENSIONS)
    assert len(folded.terms) <= len(full.terms)


@pytest.mark.parametrize(("name", "release"), VARIANTS)
def test_names_are_unique_and_text_covers_all_terms(name: str, release: str) -> None:
    formula = period_formula(name, release)
    names = [term.name for term in formula.terms]
    assert len(set(names)) == len(names)
    assert all(str(term) in formula.text and term.name in str(formula) for term in formula.terms)
    assert {term.bottleneck for term in formula.terms} <= set(BOTTLENECKS)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "multistage",
            "max(t_transfer, (t_issue + t_transfer + t_latency + t_mma) / stages, t_issue + t_mma)",
        ),
        (
            "warp_specialized",
            "max(t_mma, t_transfer, (t_issue + t_transfer + t_latency + t_mma) / stages, t_issue)",
        ),
        ("sync", "t_issue + t_transfer + t_latency + t_mma"),
        (
            "attention_pingpong",
            "max(2 * t_gemm0 + 2 * t_gemm1, 2 * t_exp, 2 * t_softmax,"
            " t_gemm0 + t_gemm1 + t_exp + t_softmax)",
        ),
    ],
)
def test_text(name: str, text: str) -> None:
    assert period_formula(name).without(*EXTENSIONS).text == text


def test_words() -> None:
    assert set(BOTTLENECKS) == set(VARIABLES["bottleneck"].flag_meanings)
    words = {term.name for name in SINGLE_TILE for term in period_formula(name).terms}
    assert {
        "Tensor Core",
        "copy bandwidth",
        "exp throughput",
        "issue on the critical path",
        "ring too shallow for the latency",
        "ring too shallow for the latency, stages - mma_in_flight slots",
        "MMA completion latency",
        "issue, copy, latency and store in series",
    } <= words


@pytest.mark.parametrize(("name", "release"), VARIANTS)
def test_symbolic_form_is_the_formula(name: str, release: str) -> None:
    sympy = pytest.importorskip("sympy")
    formula = period_formula(name, release)
    expression = formula.sympy()
    p = rational(variant_points(name, release, 10, seed=5))
    expected = formula.evaluate(p)
    for i in range(10):
        values = {one: sympy.Rational(p[one.name][i]) for one in expression.free_symbols}
        assert Fraction(str(expression.xreplace(values))) == Fraction(expected[i])


def test_latex() -> None:
    pytest.importorskip("sympy")
    assert period_formula("attention_overlap").latex == (
        r"\max\left(t_{\mathrm{gemm0}} + t_{\mathrm{gemm1}},"
        r" t_{\mathrm{exp}} + t_{\mathrm{gemm1}} + t_{\mathrm{softmax}}\right)"
    )


def test_no_period_is_nan() -> None:
    p: dict[str, Any] = {"t_issue": 1, "t_transfer": 2, "t_latency": 3, "t_mma": 4, "stages": 3}
    formula = period_formula("warp_specialized")
    in_flight = {"mma_in_flight": np.array([0, 2, 3, 4])}
    period = formula.evaluate(p | in_flight)
    assert period[:2].tolist() == [4, 6] and np.isnan(period[2:]).all()
    assert formula.binding(p | in_flight).tolist()[2:] == [-1, -1]
    p = {"t_gemm0": 1, "t_gemm1": 1, "t_exp": 1, "t_softmax": 1}
    fifo = {"arbitration": np.array(["ordered", "fifo"])}
    period = period_formula("attention_pingpong").evaluate(p | fifo)
    assert period[0] == 4 and np.isnan(period[1])


def test_refusals() -> None:
    with pytest.raises(InputError, match=r"pingpong runs over output tiles.*TILE_PERIODS"):
        period_formula("pingpong")
    with pytest.raises(InputError, match="unknown schedule 'multistge': did you mean"):
        period_formula("multistge")
    with pytest.raises(InputError, match="unknown release 'software'"):
        period_formula("sync", "software")
    with pytest.raises(InputError, match="missing stages"):
        period_formula("multistage").evaluate(
            {"t_issue": 1, "t_transfer": 1, "t_mma": 1, "t_latency": 1}
        )
    with pytest.raises(InputError, match="for release = consumer only"):
        period_formula("warp_specialized").evaluate(
            {
                "t_issue": 1,
                "t_transfer": 1,
                "t_mma": 1,
                "t_latency": 1,
                "stages": 1,
                "release": "hardware",
            }
        )
