"""Period, bottleneck and steady utilisation: circuits, formulas, slopes and the table agree."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pytest

import sweep
from sweep.catalogue.schedules import SCHEDULES
from sweep.description.circuits import Circuit, circuits_of
from sweep.engine.outputs import Outputs
from sweep.hardware.budgets import stages_that_fit
from sweep.quantities.variables import VARIABLES
from tests.accounts.periods import PERIODS, bottleneck, exact
from tests.support.one_loop import ONE_LOOP
from tests.support.points import (
    COMPILED,
    GRID,
    RINGS,
    TILE_LEVEL,
    Columns,
    point,
    random_points,
    recurrence_cycles,
    run_points,
    scaled,
    size,
    variant_points,
)

SINGLE_TILE = [name for name in ONE_LOOP if name not in TILE_LEVEL]
MEANINGS = VARIABLES["bottleneck"].flag_meanings
CYCLICITY = 840
"""A multiple of every cyclicity with at most 8 stages: 1..8, S - P and P + 1 divide it."""


@cache
def single_tile(name: str) -> list[tuple[str, Columns, Outputs]]:
    return [
        (variant, p, run_points(name, p))
        for variant, p in variant_points(name, scaled(6_000), seed=31)
    ]


def ratio(circuit: Circuit, p: dict[str, Any]) -> Fraction | None:
    steps = sum(times * (p[count] if count else 1) for count, times in circuit.steps)
    time = sum((p[duration] for duration in circuit.takes), Fraction(0))
    return time / steps if steps >= 1 else None


@pytest.mark.parametrize("name", SINGLE_TILE)
def test_period_is_the_largest_circuit_ratio(name: str) -> None:
    for variant, p, found in single_tile(name):
        circuits = circuits_of(SCHEDULES[name], "hardware" if variant == "hardware" else "consumer")
        for i in range(size(p)):
            here = exact(point(p, i))
            ratios = [ratio(one, here) for one in circuits]
            largest = np.nan if None in ratios else float(max(r for r in ratios if r is not None))
            np.testing.assert_equal(found["period"][i], largest, str(here))


@pytest.mark.parametrize("name", SINGLE_TILE)
def test_period_is_the_formula(name: str) -> None:
    for _, p, found in single_tile(name):
        for i in range(size(p)):
            period = PERIODS[name](exact(point(p, i)))
            expected = np.nan if period is None else float(period)
            np.testing.assert_equal(found["period"][i], expected, str(point(p, i)))


@pytest.mark.parametrize("name", SINGLE_TILE)
def test_bottleneck_follows_the_table(name: str) -> None:
    seen: Counter[str] = Counter()
    for _, p, found in single_tile(name):
        for i in range(size(p)):
            expected = bottleneck(name, exact(point(p, i)))
            assert MEANINGS[found["bottleneck"][i]] == expected, point(p, i)
            seen[expected] += 1
    if COMPILED and name == "warp_specialized":
        rest = {"tensor_core", "copy_bandwidth", "mma_latency", "ring_depth", "copy_issue"}
        assert set(seen) == rest | {"serial_chain", "no_steady_state", "no_work", "none"}
        assert min(seen.values()) > 5


@pytest.mark.parametrize("name", SINGLE_TILE)
def test_period_is_the_slope_of_long_runs(name: str) -> None:
    """Over a whole number of bursts, exactly, near ties included.

    The runs are so long that a single point would take minutes to step through.
    """
    loop, start = SCHEDULES[name].loop, 10**10
    for _, p in variant_points(name, scaled(2_000, pure=100), seed=33):
        for duration in SCHEDULES[name].durations:
            p[duration] = np.minimum(p[duration], 30)
        early = run_points(name, p | {loop: np.full(size(p), start)})
        late = run_points(name, p | {loop: np.full(size(p), start + CYCLICITY)})
        runs = ~np.isnan(early["cycles"])
        for i in np.flatnonzero(runs):
            period = PERIODS[name](exact(point(p, i)))
            assert period is not None
            slope = late["cycles"][i] - early["cycles"][i]
            assert Fraction(slope) == CYCLICITY * period, point(p, i)


def slope(name: str, p: Columns, tiles: int, early: int) -> tuple[np.ndarray, Outputs]:
    """Cycles per output tile between two long runs, and the later one's outputs."""
    first = run_points(name, p | {"output_tiles": np.full(size(p), early)})
    last = run_points(name, p | {"output_tiles": np.full(size(p), early + tiles)})
    return (last["cycles"] - first["cycles"]) / tiles, last


@cache
def tile_level(name: str) -> list[tuple[Columns, np.ndarray, Outputs]]:
    """Return points in a coarse unit, so that 1/1024 cycle is a small perturbation."""
    most = {"stages": 8, "k_tiles": 12, "output_tiles": 9, "mma_in_flight": 7}
    found = []
    for _, p in variant_points(name, scaled(4_000, pure=200), seed=35, most=most):
        for duration in SCHEDULES[name].durations:
            p[duration] = np.round(np.minimum(p[duration], 20)) * 32
        found.append((p, *slope(name, p, *LONG_RUN)))
    return found


LONG_RUN = (5040, 5 * 10**7)
"""Output tiles between two long runs, and before them: all but a perturbed tie has settled."""


@pytest.mark.parametrize("name", TILE_LEVEL)
def test_period_per_output_tile_is_the_slope_of_long_runs(name: str) -> None:
    for p, per_tile, found in tile_level(name):
        dead = np.isnan(found["cycles"])
        np.testing.assert_array_equal(np.isnan(found["period"]), dead)
        np.testing.assert_array_equal(found["period"], per_tile, str(p))


@pytest.mark.parametrize("name", TILE_LEVEL)
def test_bottleneck_per_output_tile_follows_the_table(name: str) -> None:
    """Tile-level schedules: by the durations that the period responds to."""
    seen: set[str] = set()
    for p, per_tile, found in tile_level(name):
        verdict = np.full(size(p), "serial_chain", dtype=object)
        for cause, duration, evenzero in (
            ("copy_issue", "t_issue", False),
            ("ring_depth", "t_latency", True),
            ("mma_latency", "t_mma_latency", False),
            ("copy_bandwidth", "t_transfer", False),
            ("epilogue", "t_epilogue", False),
            ("tensor_core", "t_mma", False),
        ):
            if cause in ("copy_bandwidth", "tensor_core"):
                holds = (per_tile == p["k_tiles"] * p[duration]) & (per_tile > 0)
            else:
                longer, _ = slope(name, p | {duration: p[duration] + GRID}, *LONG_RUN)
                holds = (longer > per_tile) & (evenzero | (p[duration] > 0))
            verdict[holds] = cause
        verdict[np.isnan(per_tile)] = "none"
        verdict[per_tile == 0] = "no_work"
        named = np.array(MEANINGS, dtype=object)[found["bottleneck"]]
        wrong = np.flatnonzero(named != verdict)
        assert not wrong.size, (point(p, wrong[0]), named[wrong], verdict[wrong])
        seen |= set(verdict)
    assert len(seen) >= (7 if COMPILED else 4)


@pytest.mark.parametrize("name", TILE_LEVEL)
def test_period_does_not_depend_on_the_number_of_tiles(name: str) -> None:
    for p, _, found in tile_level(name):
        for tiles in (1, 2, 7):
            few = run_points(name, p | {"output_tiles": np.full(size(p), tiles)})
            np.testing.assert_array_equal(few["period"], found["period"])
            np.testing.assert_array_equal(few["bottleneck"], found["bottleneck"])


@pytest.mark.parametrize("name", ONE_LOOP)
def test_steady_tensor_core_utilization(name: str) -> None:
    """Tensor Core work per period over the period."""
    most = {"k_tiles": 20, "kv_blocks": 20, "stages": 8, "output_tiles": 4, "mma_in_flight": 9}
    p = random_points(SCHEDULES[name], scaled(1_000), seed=37, most=most)
    found = run_points(name, p)
    groups = 2 if name.startswith("attention_pingpong") else 1
    work = groups * (p["t_gemm0"] + p["t_gemm1"]) if "t_gemm0" in p else p["t_mma"]
    work = work * p["k_tiles"] if name in TILE_LEVEL else work
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(found["steady_tc_utilization"], work / found["period"])
    full = MEANINGS.index("tensor_core")
    np.testing.assert_array_equal(found["bottleneck"] == full, found["steady_tc_utilization"] == 1)


@pytest.mark.parametrize("name", RINGS)
def test_slope_of_the_hand_written_recurrence(name: str) -> None:
    """The same slope without any jump; some near ties have not settled by then."""
    most = {"stages": 8, "k_tiles": 12, "output_tiles": 9, "mma_in_flight": 7}
    p = random_points(SCHEDULES[name], scaled(400, pure=40), seed=39, most=most)
    found = run_points(name, p)
    count, burst = ("output_tiles", 720) if name in TILE_LEVEL else ("k_tiles", CYCLICITY)
    counts = [np.full(size(p), times * burst) for times in (2, 3)]
    early, late = (recurrence_cycles(name, p | {count: one}) for one in counts)
    runs = ~np.isnan(early)
    settled = np.isclose((late - early) / burst, found["period"], rtol=1e-12, atol=1e-9)
    assert settled[runs].mean() > 0.97


class TestPublishedRings:
    """Rings whose periods the people who wrote the kernels have published."""

    notes: ClassVar[dict[str, Any]] = {
        "t_issue": 30,
        "t_transfer": 192,
        "t_latency": 364,
        "t_mma": 256,
        "t_mma_latency": 303,
    }

    def periods(self, stages: list[int], **parameters: Any) -> list[float]:
        ds = sweep.run("warp_specialized", stages=stages, **parameters)
        periods: list[float] = ds.period.values.tolist()
        return periods

    def test_buffer_depth_notes(self) -> None:
        """facebookexperimental/triton: occupancy 256, complete 559 after issue, gap 30."""
        found = self.periods([1, 2, 3, 4, 5, 6], release="hardware", **self.notes)
        assert found == [1145, 572.5, 1145 / 3, 286.25, 256, 256]
        ds = sweep.run("warp_specialized", stages=[4, 5], release="hardware", **self.notes)
        assert [MEANINGS[one] for one in ds.bottleneck.values] == ["mma_latency", "tensor_core"]

    def test_the_largest_ring_that_fits(self) -> None:
        """128x256x128 wants 4 stages of 64 KiB; 3 fit, at 528 instead of 512 cycles."""
        assert int(stages_that_fit(65_536, 232_448)) == 3
        trip: dict[str, Any] = {"t_issue": 0, "t_transfer": 384, "t_latency": 688, "t_mma": 512}
        assert self.periods([3, 4], **trip) == [528, 512]
        one = sweep.simulate("warp_specialized", stages=4, tile="128x128x128")
        assert (one.feasible, one.infeasible_reason) == ("no", "shared_memory")
        assert sweep.simulate("warp_specialized", stages=3, tile="128x128x128").feasible == "yes"

    def test_occupancy_is_not_latency(self) -> None:
        """The same project, 1912."""
        assert self.periods([8], release="hardware", **self.notes) == [256]
        assert self.periods([8], release="consumer", **self.notes) == [559]
        rows = sweep.trace("warp_specialized", k_tiles=1, release="hardware", **self.notes)
        mma, epilogue = (
            rows.isel(event=int(np.flatnonzero(rows.operation == one)[0]))
            for one in ("mma", "epilogue")
        )
        assert float(epilogue.start - mma.start) == 559

    def test_two_loads_per_k_tile(self) -> None:
        notes = self.notes | {"release": "hardware", "t_mma_latency": 0}
        assert self.periods([8], **notes) == [256]
        assert self.periods([8], **notes | {"t_transfer": 1112}) == [1112]

    def test_efficiency_of_one_tile(self) -> None:
        """A first copy of 556 and an MMA of 256, 5 stages."""
        ring: dict[str, Any] = {
            "t_issue": 0,
            "t_transfer": 192,
            "t_latency": 364,
            "t_mma": 256,
            "t_epilogue": 0,
        }
        ds = sweep.run("warp_specialized", stages=5, k_tiles=[4, 8, 16, 32, 64], **ring)
        assert ds.cycles.values.tolist() == [812 + (k - 1) * 256 for k in (4, 8, 16, 32, 64)]
        np.testing.assert_allclose(
            ds.tc_utilization, [0.648, 0.786, 0.880, 0.932, 0.967], atol=5e-3
        )


@pytest.mark.parametrize("k_tiles", [64, 10**5, 10**7])
def test_bottleneck_of_long_tiles(k_tiles: int) -> None:
    """What binds does not depend on how far the grid is from the length of a tile."""
    found = {n: sweep.simulate(n, k_tiles=k_tiles).bottleneck for n in TILE_LEVEL}
    starved = {n: sweep.simulate(n, k_tiles=k_tiles, stages=1).bottleneck for n in TILE_LEVEL}
    one_consumer = {"persistent": "epilogue", "cooperative": "epilogue"}
    assert found == {"pingpong": "tensor_core"} | one_consumer
    assert starved["pingpong"] == "ring_depth"


def test_shared_points_of_the_tile_level_schedules() -> None:
    """Compute-bound and deep enough: T + E persistent, max(T, (T + E) / 2) in ping-pong."""
    main_loop, epilogues = 64 * 1024, [0, 1280, 64 * 1024, 4 * 64 * 1024]
    for name, periods in {
        "persistent": [main_loop + e for e in epilogues],
        "cooperative": [main_loop + e for e in epilogues],
        "pingpong": [max(main_loop, (main_loop + e) / 2) for e in epilogues],
    }.items():
        assert sweep.run(name, t_epilogue=epilogues).period.values.tolist() == periods
