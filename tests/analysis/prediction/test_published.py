"""Published kernels: how they are joined, refitted, and how far predictions are."""

import builtins

import numpy as np
import pytest

import analysis
from analysis.prediction.attention_face import HALF_WIDTH as ATTENTION_WIDTH
from analysis.prediction.attention_rows import attention_left_out, attention_rows
from analysis.prediction.calibration import evidence_of, fit, unit_factors
from analysis.prediction.check_rows import of_known_kernels, predicted_shares
from analysis.prediction.constants import (
    ARCHITECTURES,
    CONSTANTS,
    ELEMENT_POWER,
    FITTED,
    HALF_WIDTH,
)
from analysis.prediction.published_report import COMMITTED, report, text_blocks
from analysis.prediction.published_rows import KEY, join, published_rows, read_table
from analysis.prediction.validation import (
    coverage,
    errors_of,
    kept_constants,
    leave_one_series_out,
    rank_correlations,
)
from sweep.errors import InputError
from sweep.host.tables import whole

MEASURED = dict(zip(KEY, ("H100", "bf16", "64", "64", "64", "s", "a"), strict=True)) | {
    "metric": "tflops",
    "value": "1",
    "source": "x",
    "confidence": "ok",
}
INPUTS = {name: MEASURED[name] for name in KEY} | {"class": "excluded", "reason": "why"}


@pytest.mark.parametrize(
    ("measured", "inputs", "told"),
    [
        ([MEASURED], [], "step=a is measured and has no inputs"),
        ([], [INPUTS], "step=a has inputs and is not measured"),
        ([MEASURED], [INPUTS, INPUTS], "step=a is there twice; give it once"),
        ([MEASURED], [INPUTS | {"class": "odd"}], "class='odd': must be one of tile, envelope"),
        ([MEASURED], [INPUTS | {"reason": ""}], "is excluded without a reason"),
    ],
)
def test_what_does_not_join(measured, inputs, told):
    with pytest.raises(InputError) as error:
        join(measured, inputs)
    assert told in str(error.value) and "gpu=H100" in str(error.value)


def test_every_row_says_what_it_is():
    sources = {row["key"] for row in read_table("sources")}
    for row in published_rows():
        assert row.source.split()[0] in sources, row
        if row.kind == "excluded":
            assert row.inputs["reason"]
        elif row.kind == "tile":
            evidence = row.inputs["evidence"]
            assert any(word in evidence for word in ("text", "source code", "assumed")), row.key
            for name in ("tile", "stages", "schedule", "epilogue", "threads", "warpgroups"):
                assert row.inputs[name], (row.key, name)
    assert not any(name in read_table("inputs")[0] for name in ("value", "tflops", "metric"))


def test_every_unit_with_a_factor_has_a_library_row():
    for family in ARCHITECTURES:
        evidence = evidence_of(family)
        factors = unit_factors(evidence.libraries)
        anchored = {
            unit
            for unit, anchor in zip(
                evidence.libraries.units, evidence.libraries.anchors, strict=True
            )
            if anchor
        }
        assert set(factors) == anchored
        assert all(0.5 < one < 1.3 for one in factors.values())


@pytest.mark.parametrize("family", ARCHITECTURES)
def test_the_constants_are_those_of_a_refit(family):
    evidence = evidence_of(family)
    found = fit(evidence)
    for name in FITTED:
        constant = CONSTANTS[family][name]
        assert found.constants[name] == pytest.approx(constant.value, rel=0.01)
        assert found.errors[name] == pytest.approx(constant.error, abs=0.015)
        away = abs(np.log(constant.value / constant.prior))
        assert away <= 2 * constant.spread, name


@pytest.mark.parametrize("family", ARCHITECTURES)
@pytest.mark.parametrize("signs", [(1, -1, 1, -1), (-1, -1, 1, 1), (1, 1, 1, 1)])
def test_a_refit_does_not_depend_on_its_start(family, signs):
    evidence = evidence_of(family)
    start = {
        name: CONSTANTS[family][name].prior * (1 + 0.2 * sign)
        for name, sign in zip(FITTED, signs, strict=True)
    }
    there, here = fit(evidence, start).constants, fit(evidence).constants
    for name in FITTED:
        assert there[name] == pytest.approx(here[name], rel=0.01)


def test_pipe_shares_at_their_clocks():
    errors = {}
    for family in ARCHITECTURES:
        shares = of_known_kernels(evidence_of(family).shares)
        found = predicted_shares(shares, None)
        errors |= {
            one.name: abs(value / one.pipe - 1) for one, value in zip(shares, found, strict=True)
        }
    assert len(errors) == 6
    assert sum(value <= 0.10 for value in errors.values()) >= 5
    assert errors["wayne-h100 CUTLASS coop"] <= 0.15, "half-sector stores"


def test_the_table_and_its_guard():
    found = report(refit=False)
    assert {one.name for one in found.lines} <= set(COMMITTED)
    assert not any(one.failed for one in found.lines)
    text = whole(text_blocks(found))
    assert "hopper, known tile" in text and "no series is left out" in text


def test_the_guard_sees_a_worse_class(monkeypatch):
    tight = {name: (median - 1, mean) for name, (median, mean) in COMMITTED.items()}
    monkeypatch.setattr("analysis.prediction.published_report.COMMITTED", tight)
    assert all(one.failed for one in report(refit=False).lines)


def test_the_order_of_the_steps_of_a_worklog():
    """Two series are exceptions.

    Of the kernels without a producer (gluon-05) the model sees the occupancy and not what wide
    tiles lose to registers; of two output blocks in turn (gluon-06-pipelined) not what a further
    warpgroup gains.
    """
    ranks = {}
    for family in ARCHITECTURES:
        ranks |= rank_correlations(kept_constants(family))
    low = {name for name, value in ranks.items() if value < 0.8}
    assert low == {
        "gluon-05-blocking H100 16384",
        "gluon-05-wgmma-overlap H100 16384",
        "gluon-06-pipelined GB200 16384",
    }


@pytest.mark.parametrize("family", ARCHITECTURES)
def test_the_interval_covers_four_fifths(family):
    found = leave_one_series_out(family)
    large = found.rows.large
    widths = HALF_WIDTH[family]
    for predicted, width in ((found.with_units, widths[0]), (found.without_units, widths[1])):
        share = coverage(predicted[large], found.rows.measured[large], width)
        assert 0.75 <= share <= 0.85


def test_errors_by_hand():
    found = errors_of(np.array([100.0, 120.0, 90.0, 105.0]), np.full(4, 100.0))
    assert found[1:4] == pytest.approx((7.5, 8.75, 17.0))
    assert found.within == 75


def test_attention_by_hand():
    rows = attention_rows()
    at = rows.kinds.index(("fp16", 128, 0))
    block = 2 * (1408 + 0.385 * 704 + 0.1 * 352 + 268)
    tiles, blocks = -(-512 // 128) * 32 * 16, -(-512 // 176)
    cycles = -(-tiles // 132) * (4310 + blocks * block)
    flop = 4 * 512 * 512 * 128 * 32 * 16
    assert rows.predicted()[at] == pytest.approx(flop / (cycles / 1.83e9) / 1e12)
    assert rows.measured[at] == 467


def test_attention_of_a_kind_that_was_left_out():
    found = attention_left_out()
    assert found.rows == 42
    assert found.median <= 6
    assert found.half_width == pytest.approx(ATTENTION_WIDTH, abs=0.005)


def test_power_of_every_element_type_that_was_published():
    assert {"bf16", "fp16", "fp8", "tf32", "fp4"} == set(ELEMENT_POWER)


def test_without_scipy_calibrate_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("scipy"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"needs scipy; install it with"):
        analysis.calibrate()
