"""Closed periods of published kernels against how fast the interpreter advances, far out."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from analysis.closed_forms import ClosedForm
from analysis.closed_forms.arithmetic import NUMERIC, symbolic_arithmetic
from analysis.closed_forms.kernel_registry import KERNEL_TILE_PERIODS, STEP_PERIODS
from sweep.description.interpreter import interpret
from tests.support.kernels import KERNELS
from tests.support.points import scaled

FORMS = {**STEP_PERIODS, **KERNEL_TILE_PERIODS}
EXACT = [name for name, form in FORMS.items() if form.kind == "asymptotic"]
POINTS = scaled(60, pure=6)
SETTLED, APART = 120, 60
"""Iterations after which parts that drift apart have separated, and a multiple of every regime."""
MORE = 4
"""Iterations after the last one looked at: the end of a loop is not steady."""
SCALES = (2, 5, 12, 40)
Point = dict[str, Any]
COUNTS = {
    "k_tiles": (1, 6),
    "stages": (1, 6),
    "kv_stages": (1, 6),
    "accumulators": (1, 4),
    "subtiles": (1, 4),
    "store_stages": (1, 3),
    "register_buffers": (1, 4),
    "q_stages": (1, 4),
    "do_stages": (1, 4),
    "promote_every": (1, 2),
}


def drawn(form: ClosedForm, rng: np.random.Generator) -> Point:
    """Draw durations of one scale, many of them 0 and copies often short, and small counts."""
    scale = int(rng.choice(SCALES))
    p: Point = {"output_tiles": 1, "arbitration": "ordered"}
    for name in form.parameters:
        if name in COUNTS:
            p[name] = int(rng.integers(*COUNTS[name], endpoint=True))
        elif name.startswith("t_"):
            copied = name.startswith("t_load") or name in ("t_latency", "t_issue", "t_transfer")
            shorter = copied and rng.random() < 0.5
            most = scale // 4 if shorter else scale
            p[name] = float(rng.integers(0, most + 1) * (rng.random() > 0.15))
    return p | {KERNELS[form.schedule].loop: p.get("k_tiles", 1)}


def inside(form: ClosedForm, p: Point) -> bool:
    return all(bool(one.holds(p)) for one in form.conditions)


def points_of(form: ClosedForm, seed: int) -> list[Point]:
    """Draw points of the stated domain, which must not be a rarity."""
    rng = np.random.default_rng(seed)
    found: list[Point] = []
    for _ in range(60 * POINTS):
        p = drawn(form, rng)
        if inside(form, p):
            found.append(p)
        if len(found) == POINTS:
            return found
    pytest.fail(f"{len(found)} points of the domain in {60 * POINTS}")


def advance(form: ClosedForm, p: Point) -> Fraction:
    """Return how far the last event of an iteration, or tile, is from that of the one before.

    Far out and on average, by the interpreter.
    """
    schedule, tiles = KERNELS[form.schedule], form.quantity == "period"
    loop = "output_tiles" if tiles else schedule.loop
    last = dict.fromkeys((SETTLED, SETTLED + APART), 0.0)
    for row in interpret(schedule, p | {loop: SETTLED + APART + MORE}).rows:
        at = row.output_tile if tiles else row.k_tile
        if at in last:
            last[at] = max(last[at], row.end)
    return Fraction(last[SETTLED + APART] - last[SETTLED]) / APART


def claimed(form: ClosedForm, p: Point) -> Fraction:
    exact = {name: Fraction(value) for name, value in p.items() if not isinstance(value, str)}
    return Fraction(form.function(exact, NUMERIC))


@pytest.mark.parametrize("name", EXACT)
def test_period_is_the_steady_advance(name: str) -> None:
    form = FORMS[name]
    for p in points_of(form, seed=51):
        assert claimed(form, p) == advance(form, p), p


def test_three_slots_bound_the_period_and_mostly_reach_it() -> None:
    form = FORMS["fa4_forward.three_slots"]
    reached = []
    for p in points_of(form, seed=52):
        period, least = advance(form, p), claimed(form, p)
        assert least <= period, p
        reached.append(least == period)
    assert np.mean(reached) > 0.8


@pytest.mark.parametrize("name", FORMS)
def test_forms_say_what_they_hold_for_and_why(name: str) -> None:
    form = FORMS[name]
    assert len(form.derivation) > 60
    assert form.domain_text
    symbols = {one: sympy.Symbol(one, positive=True) for one in form.parameters}
    assert form.function(symbols, symbolic_arithmetic()).free_symbols <= set(symbols.values())
    unknown = set(form.parameters) - set(KERNELS[form.schedule].parameters)
    assert not unknown
    durations = {one for one in form.parameters if one.startswith("t_")}
    assert durations == set(KERNELS[form.schedule].durations)


FA4 = {"t_qk": 512, "t_pv_a": 384, "t_pv_b": 128, "t_mma_latency": 0, "t_max": 256} | {
    **{"t_exp_a": 768, "t_exp_b": 256, "t_sum": 128, "t_fix": 32, "t_out": 384},
    **{"t_load_q": 729, "t_load_k": 364, "t_load_v": 364, "t_latency": 681},
}


def test_splitting_p_or_emulating_a_quarter_of_the_exponentials_gain_the_same() -> None:
    """A block costs 2,048 cycles with P in two parts, 2,304 in one, 2,048 with a quarter emulated.

    FlashAttention-4 on a B200, 128 x 128 blocks at head dimension 128.
    """
    whole = {"t_pv_a": 512, "t_pv_b": 0, "t_exp_a": 1024, "t_exp_b": 0}
    quarter = whole | {"t_exp_a": 768}
    form = FORMS["fa4_forward"]
    periods = [claimed(form, FA4 | change) for change in ({}, whole, quarter)]
    assert periods == [2048, 2304, 2048]
    slots = FORMS["fa4_forward.three_slots"]
    assert claimed(slots, FA4) == 2069


def test_shared_columns_cost_the_tensor_core_a_read_per_block() -> None:
    """FlashAttention-4 backward: five products of 512 cycles, and 128 to read dQ."""
    products = {f"t_gemm_{name}": 512 for name in ("s", "dp", "dv", "dk", "dq")}
    rest = {"t_exp": 1024, "t_ds": 384, "t_add": 512}
    form = FORMS["fa4_backward"]
    assert claimed(form, products | rest | {"t_read": 128}) == 2688
    assert claimed(form, products | rest | {"t_read": 512}) == 3072
