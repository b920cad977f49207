"""Stage rules: against each other, the recurrences and what fits."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

from analysis.rings.design_space import fewest_stages, over_provisioning, stage_rules
from analysis.rings.stages import choose_stages, corrected_stages, saturated_period, textbook_stages
from sweep.errors import InputError
from tests.accounts.recurrences import RECURRENCES
from tests.support.points import scaled

LECTURE = {"t_issue": 100, "t_transfer": 768, "t_mma": 1024}
ROUNDS = scaled(2_520, 42)
"""Rounds of the ring: a multiple of every small number of MMAs in flight."""


def random_copies(points: int, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    scale = rng.choice([4, 30, 2000], points)
    names = ("t_issue", "t_transfer", "t_latency", "t_mma")
    p = {name: rng.integers(0, scale + 1) * (rng.random(points) > 0.1) for name in names}
    p["t_mma"] = np.maximum(p["t_mma"], 1)
    return p


def slope(schedule: str, p: dict[str, Any], stages: np.ndarray) -> np.ndarray:
    """Cycles of a number of k-tiles that is a multiple of the stages, deep in the steady state."""
    recurrence = RECURRENCES[schedule]
    rounds = ROUNDS

    def cycles(times: int) -> np.ndarray:
        where = {**p, "t_epilogue": np.zeros(1), "stages": stages, "k_tiles": times * stages}
        return np.asarray(recurrence.extended_batch_cycles(where))

    return cycles(2 * rounds) - cycles(rounds)


@pytest.mark.parametrize(
    ("t_latency", "textbook", "corrected"), [(300, 3, 2), (700, 3, 3), (1500, 4, 4), (3000, 5, 5)]
)
def test_lecture(t_latency: int, textbook: int, corrected: int) -> None:
    assert textbook_stages(**LECTURE, t_latency=t_latency) == textbook
    assert corrected_stages("multistage", **LECTURE, t_latency=t_latency) == corrected
    assert fewest_stages("multistage", t_latency=t_latency, k_tiles=64) == corrected


def test_textbook_never_asks_for_too_few() -> None:
    p = random_copies(100_000)
    excess = textbook_stages(**p) - corrected_stages("multistage", **p)
    assert excess.min() == 0
    compute_bound = p["t_mma"] + p["t_issue"] >= p["t_transfer"]
    assert excess[compute_bound].max() == 1
    assert excess.max() > 1


def test_corrected_rule_where_computing_binds() -> None:
    p = random_copies(100_000, seed=1)
    step = p["t_mma"] + p["t_issue"]
    bound = step >= p["t_transfer"]
    by_hand = 1 + -(-(p["t_transfer"] + p["t_latency"]) // step)
    assert np.array_equal(corrected_stages("multistage", **p)[bound], by_hand[bound])


def test_corrected_rule_with_a_producer() -> None:
    p = random_copies(100_000, seed=2)
    slowest = np.maximum(np.maximum(p["t_issue"], p["t_transfer"]), p["t_mma"])
    round_trip = p["t_issue"] + p["t_transfer"] + p["t_latency"] + p["t_mma"]
    assert np.array_equal(corrected_stages("warp_specialized", **p), -(-round_trip // slowest))


@pytest.mark.parametrize("schedule", ["multistage", "warp_specialized"])
@pytest.mark.parametrize("extended", [False, True])
def test_saturates_at_the_corrected_depth_and_not_before(schedule: str, extended: bool) -> None:
    p = random_copies(60, seed=3)
    if extended:
        rng = np.random.default_rng(4)
        p["t_sync"] = rng.integers(0, 30, 60)
        if schedule == "warp_specialized":
            p["t_mma_latency"] = rng.integers(0, 100, 60)
            p["mma_in_flight"] = rng.integers(0, 3, 60)
    needed = corrected_stages(schedule, **p).astype(np.int64)
    few = needed <= scaled(300)
    p = {name: column[few] for name, column in p.items()}
    needed = needed[few]
    steps = ROUNDS * needed
    saturated = saturated_period(schedule, **p)
    assert slope(schedule, p, needed) == pytest.approx(saturated * steps, rel=0.1 / ROUNDS)
    fewer = needed - 1
    runs = fewer > p.get("mma_in_flight", np.zeros(1, np.int64))
    below = {name: column[runs] for name, column in p.items()}
    reached = slope(schedule, below, fewer[runs]) / (ROUNDS * fewer[runs])
    assert np.all(reached > saturated[runs])


def test_no_depth_is_enough_where_nothing_else_takes_time() -> None:
    assert corrected_stages("multistage", t_issue=0, t_transfer=0, t_latency=5, t_mma=0) == np.inf
    assert textbook_stages(t_issue=0, t_transfer=3, t_latency=5, t_mma=0) == np.inf
    assert corrected_stages("multistage", t_issue=0, t_transfer=0, t_latency=0, t_mma=0) == 1


def test_gap_between_hardware_and_consumer_release() -> None:
    takes = {"t_issue": 30, "t_transfer": 192, "t_latency": 364, "t_mma": 256, "t_mma_latency": 303}
    assert corrected_stages("warp_specialized", "hardware", **takes) == 5
    assert saturated_period("warp_specialized", "hardware", **takes) == 256
    assert saturated_period("warp_specialized", **takes) == 559


def test_fractional_durations_are_exact() -> None:
    step = 1 + 1 / 1024
    takes = {"t_issue": 0, "t_transfer": 0, "t_mma": step}
    assert corrected_stages("multistage", t_latency=3 * step, **takes) == 4
    assert corrected_stages("multistage", t_latency=3 * step + 1 / 1024, **takes) == 5


class TestWhatFits:
    takes: ClassVar[dict[str, Any]] = {
        "t_issue": 30,
        "t_transfer": 384,
        "t_latency": 658,
        "t_mma": 512,
    }

    def test_largest_that_fits_with_its_cost(self) -> None:
        depth = choose_stages("warp_specialized", 64 * 1024, 227 * 1024, **self.takes)
        assert (depth.wanted, depth.fitting, depth.taken) == (4, 3, 3)
        assert (depth.period, depth.saturated) == (528, 512)
        assert depth.lost == pytest.approx(0.031, abs=5e-4)

    def test_nothing_fits(self) -> None:
        depth = choose_stages("warp_specialized", 262_144, 232_448, **self.takes)
        assert (depth.fitting, depth.taken) == (0, 0)
        assert np.isnan(depth.period)

    def test_enough_fits(self) -> None:
        depth = choose_stages("warp_specialized", 16 * 1024, 232_448, **self.takes)
        assert (depth.taken, depth.lost) == (4, 0)


class TestDesignSpace:
    def test_dataset(self) -> None:
        ds = stage_rules(t_latency=[300, 700], tile=["128x256x64", "512x512x128"])
        assert ds.sizes == {"t_latency": 2, "tile": 2}
        assert ds.extra_stages.sel(tile="128x256x64").values.tolist() == [1, 0]
        assert ds.extra_bytes.sel(tile="128x256x64").values.tolist() == [49_152, 0]
        assert ds.fitting_stages.isel(t_latency=0).values.tolist() == [4, 0]
        for variable in ds.data_vars.values():
            assert variable.attrs["units"]
            assert variable.attrs["long_name"]

    def test_over_provisioning_of_the_default_space(self) -> None:
        found = over_provisioning(stage_rules())
        assert found.points == 4_212
        assert 0 < found.refused < found.share < 1
        assert found.most_extra >= found.mean_extra >= 1

    def test_durations_alone_have_no_bytes(self) -> None:
        with pytest.raises(InputError, match="tile"):
            stage_rules(t_mma=1000, t_transfer=[100, 200])

    def test_only_depths_that_fit(self) -> None:
        asked: dict[str, Any] = {"t_latency": [700, 3000], "tile": ["128x256x64", "256x512x64"]}
        found = fewest_stages("multistage", feasible_only=True, **asked)
        assert found.sel(tile="128x256x64").values.tolist() == [3, 4]
        assert found.sel(tile="256x512x64").values.tolist() == [0, 0]


def test_wrong_domains_are_refused() -> None:
    with pytest.raises(InputError, match="no ring"):
        corrected_stages("sync", **LECTURE, t_latency=700)
    with pytest.raises(InputError, match=r"t_latency.*needs it"):
        corrected_stages("multistage", **LECTURE)
    with pytest.raises(InputError, match="t_store"):
        corrected_stages("multistage", **LECTURE, t_latency=700, t_store=3)
    with pytest.raises(InputError, match=r"t_mma=-1.* cycle"):
        textbook_stages(1, 2, 3, -1)
    with pytest.raises(InputError, match="did you mean 'hardware'"):
        corrected_stages("warp_specialized", "hardwar", **LECTURE, t_latency=700)
