from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep
from analysis.causes.ordering_barrier import barrier_value
from analysis.reproduction.published import published
from figures.drawing.style import schedule_colour
from figures.gallery import attention_against_exp_ratio as ratio
from figures.gallery import fa3_ablation as ablation
from figures.gallery import idle_time_by_cause as idle
from figures.gallery import ordering_barrier_value as barrier
from sweep.errors import InputError
from tests.support.drawn import assert_legible, caption_of, legend, line


@pytest.fixture(scope="module")
def ratios() -> Any:
    return ratio.data()


@pytest.fixture(scope="module")
def order() -> xr.Dataset:
    return barrier.data()


def test_attention_curves_and_gpus_are_the_datasets(ratios: Any) -> None:
    curves, gpus = ratios
    figure = ratio.ENTRY.draw(ratios)
    at = curves.t_exp / (curves.t_gemm0 + curves.t_gemm1)
    for axes, (name, label) in zip(figure.axes, ratio.PANELS, strict=True):
        assert axes.get_ylabel() == label
        for schedule in ratio.SCHEDULES:
            drawn, marks = line(axes, schedule), line(axes, f"_{schedule}")
            assert drawn.get_color() == schedule_colour(schedule)
            np.testing.assert_array_equal(drawn.get_xdata(), at)
            np.testing.assert_array_equal(
                drawn.get_ydata(), 100 * curves[name].sel(schedule=schedule)
            )
            fits = gpus.sel(schedule=schedule).feasible == 1
            values = 100 * gpus[name].sel(schedule=schedule)
            np.testing.assert_array_equal(marks.get_ydata(), values[fits])
            others = line(axes, f"_{schedule}, does not fit")
            assert others.get_markerfacecolor() == "white"
            np.testing.assert_array_equal(others.get_ydata(), values[~fits])
    assert legend(figure) == [
        *ratio.SCHEDULES,
        "the SFU's bound",
        "not known whether it fits",
    ]
    assert_legible(figure)


def test_gpus_stand_at_the_ratios_that_are_known(ratios: Any) -> None:
    gpus = ratios[1]
    found = ratio.exp_ratio(gpus).values.tolist()
    assert found == [0.125, 0.25, 0.5, 1.0, 1.0, 2.0]
    texts = {one.get_text() for one in ratio.ENTRY.draw(ratios).axes[0].texts}
    assert texts == {"V100", "A100", "H100", "H100 fp8,\nB200", "B200 fp8"}
    h100 = gpus.isel(mark=2).tc_utilization
    assert h100.sel(schedule="attention_pingpong").item() == pytest.approx(0.985, abs=5e-4)


def test_no_curve_passes_the_bound_of_the_sfu(ratios: Any) -> None:
    curves = ratios[0]
    bound = np.minimum(1, 1 / ratio.exp_ratio(curves))
    assert (curves.tc_utilization <= bound + 1e-12).all()
    drawn = line(ratio.ENTRY.draw(ratios).axes[0], "the SFU's bound").get_ydata()
    np.testing.assert_allclose(np.sort(drawn), np.sort(100 * bound))


def test_missing_points_leave_gaps(ratios: Any) -> None:
    curves, gpus = ratios
    assert_legible(ratio.attention_against_exp_ratio(curves, gpus.where(gpus.mark > 0)))
    with pytest.raises(InputError, match="'mark'"):
        ratio.attention_against_exp_ratio(curves, curves)
    with pytest.raises(InputError, match="sfu_utilization"):
        ratio.attention_against_exp_ratio(curves.drop_vars("sfu_utilization"), gpus)


def test_the_ablation_keeps_measurement_and_model_apart() -> None:
    ds = ablation.data()
    figure = ablation.ENTRY.draw(ds)
    assert legend(figure) == ["measured (FlashAttention-3)", "model"]
    for axes, scale in zip(figure.axes, (None, 0), strict=True):
        measured, model = axes.containers
        for bars, name in ((measured, "measured"), (model, "model")):
            values = ds[name] if scale is None else ds[name] / ds[name][scale]
            np.testing.assert_array_equal([bar.get_height() for bar in bars], values)
        assert not any(bar.get_hatch() for bar in measured)
        assert all(bar.get_hatch() for bar in model)
    text = caption_of(figure)
    assert "arXiv 2407.08608" in text
    assert "8,448 keys" in text
    assert_legible(figure)


def test_the_ablation_is_what_was_published_and_simulated() -> None:
    ds = ablation.data()
    assert ds.measured.values.tolist() == [661, 582, 570]
    for row, one in zip(published(), ds.transpose("configuration").model.values, strict=True):
        schedule = ablation.CONFIGURATIONS[row.id][0]
        run = sweep.run(schedule, gpu="h100_sxm", element_type="fp16", kv_blocks=66)
        assert run.tflops.item() == one
        assert row.flop / row.milliseconds / 1e9 == pytest.approx(row.tflops, rel=2e-3)
    causal = replace(published()[0], causal=True)
    assert causal.flop == published()[0].flop / 2


def test_the_ablation_draws_gaps_and_unknown_kernels() -> None:
    ds = ablation.data()
    ds["model"] = ds.model.where(ds.configuration != "fa3.full")
    assert_legible(ablation.fa3_ablation(ds.assign_coords(configuration=["a", "b", "c"])))
    with pytest.raises(InputError, match="measured"):
        ablation.fa3_ablation(ds.drop_vars("measured"))


def test_the_barrier_is_worth_what_the_analysis_says(order: xr.Dataset) -> None:
    figure = barrier.ENTRY.draw(order)
    for axes, value in zip(figure.axes, barrier_value(order), strict=False):
        assert axes.get_title() == value.schedule
        drawn = axes.collections[0].get_array()
        one = order.slowdown.sel(schedule=value.schedule)
        worst = 100 * (one.max(["t_exp", "t_softmax", "kv_blocks"]) - 1)
        np.testing.assert_array_equal(drawn.reshape(12, 12), worst.transpose("t_gemm1", "t_gemm0"))
        assert drawn.max() == pytest.approx(100 * value.most_loss)
    assert legend(figure) == [
        "attention_pingpong: longer",
        "attention_pingpong_overlap: shorter",
    ]
    assert_legible(figure)


def test_the_shares_are_those_of_the_points(order: xr.Dataset) -> None:
    figure = barrier.ENTRY.draw(order)
    axes = figure.axes[2]
    for schedule, sign, word in (
        ("attention_pingpong", 1, "longer"),
        ("attention_pingpong_overlap", -1, "shorter"),
    ):
        drawn = line(axes, f"{schedule}: {word}")
        by, share = drawn.get_data()
        longer = 100 * sign * (order.slowdown.sel(schedule=schedule).values - 1)
        for index in (0, by.size // 2, by.size - 1):
            expected = 100 * (longer >= by[index]).mean()
            # Equal values stand side by side, the first with the share of all of them.
            first = np.searchsorted(by, by[index])
            assert share[first] == pytest.approx(expected)


def test_the_barrier_draws_what_has_no_times(order: xr.Dataset) -> None:
    part = order.isel(t_exp=0, t_softmax=0, kv_blocks=0)
    assert_legible(barrier.ordering_barrier_value(part.where(part.t_gemm0 > 200)))
    assert_legible(barrier.ordering_barrier_value(part.where(False)))
    with pytest.raises(InputError, match="t_gemm0"):
        barrier.ordering_barrier_value(part.isel(t_gemm0=0))


def test_idle_time_bars_add_up_to_the_makespan() -> None:
    ds = idle.data()
    figure = idle.ENTRY.draw(ds)
    axes = figure.axes[0]
    busy, *causes = axes.containers
    widths = np.array([[bar.get_width() for bar in bars] for bars in axes.containers])
    np.testing.assert_allclose(widths.sum(axis=0), 100)
    known = sweep.run(list(idle.SCHEDULES)).tc_utilization
    np.testing.assert_allclose([bar.get_width() for bar in busy], 100 * known)
    for bars in causes:
        cause = bars.get_label().replace(" ", "_")
        expected = 100 * ds.idle_time.sel(cause=cause) / ds.cycles
        np.testing.assert_allclose([bar.get_width() for bar in bars], expected, atol=1e-9)
    assert legend(figure) == [one.get_label() for one in axes.containers]
    assert [one.get_text() for one in axes.get_yticklabels()] == list(idle.SCHEDULES)
    colours = [bars[0].get_facecolor() for bars in axes.containers]
    assert len(set(colours)) == len(colours)
    assert_legible(figure)


def test_idle_time_draws_points_without_timing() -> None:
    ds = idle.data()
    figure = idle.idle_time_by_cause(ds.where(ds.schedule != "sync"))
    assert all(bars[0].get_width() == 0 for bars in figure.axes[0].containers)
    assert_legible(figure)
    with pytest.raises(InputError, match="cause"):
        idle.idle_time_by_cause(ds.isel(cause=0))
