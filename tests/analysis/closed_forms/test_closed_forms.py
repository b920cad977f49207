"""Closed forms against hand-written recurrences, on whole domains, and what they are made of."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from analysis.closed_forms import CLOSED_FORMS, TILE_PERIODS, ClosedForm
from analysis.closed_forms.arithmetic import NUMERIC
from analysis.closed_forms.floor_maximum import largest_with_floor
from analysis.closed_forms.ring_geometry import edges
from analysis.periods.period import period_formula
from sweep.catalogue.schedules import SCHEDULES
from sweep.errors import InputError
from tests.accounts.recurrences import EXTENSIONS_OFF, RECURRENCES
from tests.support.one_loop import ONE_LOOP
from tests.support.points import Columns, point, random_points, scaled, taken

EXACT = [name for name, form in CLOSED_FORMS.items() if form.kind == "exact"]
BY_HAND = [name for name in CLOSED_FORMS if "." in name]
SINGLE_TILE = [name for name in ONE_LOOP if not SCHEDULES[name].tile_level]
FEW = {"stages": 3, "k_tiles": 4, "output_tiles": 9, "kv_blocks": 5, "mma_in_flight": 0}
TILES = {"stages": 9, "k_tiles": 7, "output_tiles": 40, "kv_blocks": 9, "mma_in_flight": 0}
MANY = {"stages": 96, "k_tiles": 400, "output_tiles": 200, "kv_blocks": 3000, "mma_in_flight": 0}
LECTURE = {"t_issue": 10, "t_transfer": 768, "t_latency": 700, "t_mma": 1024, "t_epilogue": 1280}
POINT: dict[str, Any] = LECTURE | {"stages": 4, "k_tiles": 4, "output_tiles": 8}


def points_of(form: ClosedForm, points: int, seed: int, **how: Any) -> Columns:
    """Random points, extensions off; half of those with epilogues have longer ones."""
    p = random_points(SCHEDULES[form.schedule], points, seed, extensions=False, **how)
    if "output_tiles" in p:
        longer = np.random.default_rng(seed).integers(0, 2 * p["k_tiles"] + 1)
        p["t_epilogue"] = p["t_epilogue"] * np.where(longer % 2 == 0, 1, longer)
    return p


def assert_exact(form: ClosedForm, p: Columns) -> None:
    inside = form.domain(p)
    cycles = RECURRENCES[form.schedule].batch_cycles(p)
    wrong = np.flatnonzero(inside & (form.evaluate(p) != cycles))
    assert wrong.size == 0, (point(p, wrong[0]), cycles[wrong[0]])


def test_every_schedule_has_a_form_on_the_whole_domain() -> None:
    general = {form.schedule for form in CLOSED_FORMS.values() if not form.conditions}
    assert general == set(ONE_LOOP)


@pytest.mark.parametrize("most", [None, FEW, TILES], ids=["counts to 70", "few", "more tiles"])
@pytest.mark.parametrize("name", EXACT)
def test_exact_form_equals_recurrence(name: str, most: dict[str, int] | None) -> None:
    how = {} if most is None else {"most": most}
    assert_exact(CLOSED_FORMS[name], points_of(CLOSED_FORMS[name], scaled(20_000), seed=1, **how))


@pytest.mark.parametrize("name", ["pingpong", "pingpong.deep_ring"])
def test_one_reuse_less_than_fit_leaves_room_for_two_epilogues(name: str) -> None:
    """11 tiles of 3, 3, 2 and 2: worth more than 3, 3, 3 and a lost one."""
    p = {"t_issue": 0, "t_transfer": 5, "t_latency": 4, "t_mma": 1, "t_epilogue": 24}
    p |= {"stages": 2, "k_tiles": 2, "output_tiles": 11}
    assert CLOSED_FORMS[name](p) == RECURRENCES["pingpong"].cycles(p) == 171


@pytest.mark.parametrize("name", [name for name in EXACT if "." not in name])
def test_exact_form_with_deep_rings_and_many_tiles(name: str) -> None:
    p = points_of(CLOSED_FORMS[name], scaled(2_000, pure=100), seed=2, most=MANY)
    assert_exact(CLOSED_FORMS[name], p)


@pytest.mark.parametrize("name", ["warp_specialized", "persistent", "cooperative", "pingpong"])
def test_hardware_release_changes_nothing_without_extensions(name: str) -> None:
    p = points_of(CLOSED_FORMS[name], scaled(4_000), seed=3)
    off: dict[str, Any] = dict(EXTENSIONS_OFF) | {"release": "hardware"}
    cycles = RECURRENCES[name].extended_batch_cycles(p | off)
    np.testing.assert_array_equal(CLOSED_FORMS[name](p), cycles)


@pytest.mark.parametrize("name", BY_HAND)
def test_domain_is_neither_empty_nor_wider_than_it_needs(name: str) -> None:
    """With any of its conditions broken, and the others kept, a form by hand is wrong at times."""
    form = CLOSED_FORMS[name]
    p = points_of(form, scaled(8_000), seed=4)
    inside = form.domain(p)
    assert 0.02 < inside.mean() < 1
    cycles = RECURRENCES[form.schedule].batch_cycles(p)
    for condition in form.conditions:
        others = [one for one in form.conditions if one is not condition]
        only = np.logical_and.reduce([~condition.holds(p), *(one.holds(p) for one in others)])
        assert np.any(form.evaluate(p)[only] != cycles[only]), condition.text


@pytest.mark.parametrize("name", [one for one in SINGLE_TILE if one in CLOSED_FORMS])
def test_steady_slope_is_the_largest_circuit_ratio(name: str) -> None:
    """In rational arithmetic; far out, and over a multiple of every circuit's steps."""
    form, loop = CLOSED_FORMS[name], SCHEDULES[name].loop
    p: Columns = points_of(form, 300, seed=5)
    for duration in SCHEDULES[name].durations:
        rational = [Fraction(value).limit_denominator(1024) for value in p[duration]]
        p[duration] = np.array(rational, dtype=object)
    burst = p.get("stages", 1)
    far = 100_000 * burst
    early, late = (form.function(p | {loop: n}, NUMERIC) for n in (far, far + burst))
    assert ((late - early) == period_formula(name).evaluate(p) * burst).all()


@pytest.mark.parametrize("name", TILE_PERIODS)
def test_tile_period_is_the_slope(name: str) -> None:
    """Exactly, rounded once; over a multiple of every circuit's tiles (stages <= 8: 1 to 10)."""
    form = TILE_PERIODS[name]
    p = points_of(CLOSED_FORMS[form.schedule], scaled(20_000), seed=6)
    p = taken(p, form.domain(p))
    assert len(p["stages"]) > scaled(20_000) / 50
    makespan, far = CLOSED_FORMS[form.schedule].function, 1_000 * 2520  # beyond a run's limit
    late, early = (makespan(p | {"output_tiles": np.array(n)}, NUMERIC) for n in (far + 2520, far))
    slope = late - early
    np.testing.assert_array_equal(form(p), slope / 2520)


@pytest.mark.parametrize("name", [name for name, form in CLOSED_FORMS.items() if form.bounded])
def test_symbolic_form_is_the_function(name: str) -> None:
    sympy = pytest.importorskip("sympy")
    form = CLOSED_FORMS[name]
    assert form.sympy is not None
    expression = form.sympy()
    assert {str(one) for one in expression.free_symbols} <= set(form.parameters)
    p = points_of(form, 12, seed=7, most=FEW)
    for i in range(12):
        here = point(p, i)
        values = {one: sympy.Rational(Fraction(here[one.name])) for one in expression.free_symbols}
        assert Fraction(str(expression.xreplace(values))) == Fraction(form.evaluate(here).item())
    assert form.latex and "\\" in form.latex


def test_formulas_print() -> None:
    pytest.importorskip("sympy")
    assert CLOSED_FORMS["warp_specialized.compute_bound"].text == (
        "k_tiles*t_mma + t_epilogue + t_issue + t_latency + t_transfer"
    )
    assert CLOSED_FORMS["persistent.compute_bound"].latex == (
        r"\mathrm{output\ tiles} \left(\mathrm{k\ tiles} t_{\mathrm{mma}} +"
        r" t_{\mathrm{epilogue}}\right) + t_{\mathrm{issue}} + t_{\mathrm{latency}} +"
        r" t_{\mathrm{transfer}}"
    )
    assert CLOSED_FORMS["pingpong"].sympy is None
    assert CLOSED_FORMS["pingpong"].text == "see pingpong"


def test_every_form_says_why_it_holds() -> None:
    for form in (*CLOSED_FORMS.values(), *TILE_PERIODS.values()):
        assert len(form.derivation) > 60
        assert form.domain_text


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("persistent", {"t_sync": 3}, "t_sync = 3 cycle: the closed form of persistent"),
        ("persistent", {"mma_in_flight": 1}, "mma_in_flight = 1: .* holds at 0 only"),
        ("persistent", {"stages": 0}, "stages=0: must be at least 1"),
        ("persistent", {"k_tiles": 2.5}, "k_tiles=2.5: must be a whole number"),
        ("persistent", {"t_mma": -1}, "t_mma=-1 cycle: must be at least 0 cycle"),
        ("persistent", {"t_mma": np.inf}, "t_mma=inf cycle: must be finite"),
        (
            "persistent.deep_ring",
            {"t_latency": 5000},
            r"where t_issue \+ .* <= stages \* max\(.*\): 6,802 > 4,096 cycles",
        ),
        ("pingpong.hidden_epilogue", {"t_epilogue": [1280, 9999]}, "9,999 > 4,096 cycles"),
    ],
)
def test_outside_its_domain_a_form_refuses(name: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CLOSED_FORMS[name](POINT | change)


def test_missing_parameter_and_free_arbitration_are_refused() -> None:
    with pytest.raises(InputError, match="missing t_mma: the formula takes"):
        CLOSED_FORMS["sync"](
            {name: 1 for name in CLOSED_FORMS["sync"].parameters if name != "t_mma"}
        )
    p = {"t_gemm0": 1, "t_gemm1": 1, "t_exp": 1, "t_softmax": 1, "kv_blocks": 1}
    with pytest.raises(InputError, match=r"arbitration = fifo: .* holds at ordered only"):
        CLOSED_FORMS["attention_pingpong"](p | {"arbitration": "fifo"})
    assert not CLOSED_FORMS["attention_pingpong"].domain(p | {"arbitration": "fifo"})
    with pytest.raises(InputError, match=r"2 <= kv_blocks: 2 > 1$"):
        CLOSED_FORMS["attention_pingpong.hidden_softmax"](p)


@pytest.mark.parametrize("name", ["multistage", "pingpong"])
def test_points_of_any_shape(name: str) -> None:
    stages, k_tiles = np.arange(1, 6), np.arange(1, 90)[:, np.newaxis]
    grid = CLOSED_FORMS[name](POINT | {"stages": stages, "k_tiles": k_tiles, "output_tiles": 3})
    assert grid.shape == (89, 5)
    one = CLOSED_FORMS[name](POINT | {"stages": 4, "k_tiles": 7, "output_tiles": 3})
    assert one.shape == () and one == grid[6, 3]
    assert CLOSED_FORMS[name](POINT | {"stages": np.array([], int)}).shape == (0,)
    many = CLOSED_FORMS[name](POINT | {"t_latency": np.arange(10_000), "stages": 2})
    assert many[9_999] == CLOSED_FORMS[name](POINT | {"t_latency": 9_999, "stages": 2})


def test_largest_with_floor_equals_trying_all() -> None:
    rng = np.random.default_rng(8)
    points = scaled(4_000)
    count = rng.integers(0, 30, points)
    across, up = rng.integers(-9, 10, (2, points)) * rng.choice([0.25, 1.0, 8.0], (2, points))
    slope, offset = rng.integers(0, 40, (2, points))
    modulus = rng.integers(1, 25, points)
    found = largest_with_floor(count, across, up, slope, offset, modulus)
    for i in range(points):
        t = np.arange(count[i])
        values = across[i] * t + up[i] * ((slope[i] * t + offset[i]) // modulus[i])
        assert found[i] == values.max(initial=-np.inf)


@pytest.mark.parametrize("k_tiles", range(1, 24))
def test_edges_bound_the_reuses_of_a_stretch_and_meet_them_at_corners(k_tiles: int) -> None:
    for stages in range(1, 24):
        found = [[int(one[0]) for one in edge] for edge in edges(*np.array([[k_tiles], [stages]]))]
        assert found[0][3] == 1 and found[-1][5] == 0
        for _, h, k, first, reuses, last in found:
            assert h * stages >= k * k_tiles
            assert reuses == (first * k_tiles - 1) // stages
            assert k * reuses == h * first - 1
            for m in range(first, (last or first + 3 * stages) + 1):
                most = min((h * m - 1) // k for _, h, k, *_ in found)
                assert most == (m * k_tiles - 1) // stages == (h * m - 1) // k
