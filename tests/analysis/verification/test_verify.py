"""Claims hold, wrong ones are caught and can be reproduced, and findings are reproducible."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import analysis.verification.runner
import sweep
from analysis.bounds import lower_bounds
from analysis.closed_forms import CLOSED_FORMS, TILE_PERIODS
from analysis.closed_forms.arithmetic import Arithmetic, Values
from analysis.closed_forms.kernel_registry import KERNEL_TILE_PERIODS, STEP_PERIODS
from analysis.verification import claim as claims_module
from analysis.verification import depths, limits, periods
from analysis.verification.accounts import ACCOUNTS, ACCOUNTS_FIFO, TESTED
from analysis.verification.claim import Claim, Points, Timing
from analysis.verification.claim_registry import claims_of
from analysis.verification.draws import GRID
from analysis.verification.finding import Finding
from analysis.verification.makespans import makespan_claim
from analysis.verification.report import json_text, summary, text_table
from analysis.verification.runner import verify, verify_claims
from sweep.catalogue.schedules import SCHEDULES
from sweep.cli.commands import main
from sweep.description import Schedule
from sweep.errors import InputError
from tests.support.one_loop import BEYOND, ONE_LOOP
from tests.support.points import scaled

ROOT = Path(__file__).parents[3]
POINTS = scaled(4_000, pure=20)
BEYOND_POINTS = scaled(100, pure=33)
"""Of schedules that run in the general engine, a hundred times slower where not compiled."""
KEYS = ["schedule", "claim", "kind", "points", "violations", "worst", "counterexample"]

Capture = pytest.CaptureFixture[str]


def mutated() -> Claim:
    """The makespan of warp_specialized, one cycle too long at three stages."""
    form = CLOSED_FORMS["warp_specialized"]

    def wrong(p: Values, use: Arithmetic) -> Any:
        return form.function(p, use) + use.where(p["stages"] == 3, 1, 0)

    return makespan_claim(SCHEDULES["warp_specialized"], replace(form, function=wrong))


def named(schedule: str, name: str) -> Claim:
    return next(claim for claim in claims_of(SCHEDULES[schedule]) if claim.name == name)


def simulated(capsys: Capture, line: str) -> dict[str, Any]:
    """Run one command of a counterexample."""
    words = line.split()
    assert words[0] == "warpsweep"
    capsys.readouterr()
    assert main([*words[1:], "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("name", ONE_LOOP)
def test_claims_hold(name: str) -> None:
    for one in verify(name, points=POINTS, seed=1):
        few = one.claim in (ACCOUNTS, ACCOUNTS_FIFO)  # these run in plain Python
        assert one.points > (min(POINTS, TESTED) if few else POINTS) / 2, one
        assert not one.error, one
        assert one.violations == 0 or one.kind == "rule", one


@pytest.mark.parametrize("name", BEYOND)
def test_claims_about_more_than_one_loop_hold(name: str) -> None:
    for one in verify(name, points=BEYOND_POINTS, seed=1):
        assert one.points > 0, one
        assert not one.error, one
        assert one.violations == 0, one


@pytest.mark.parametrize("name", BEYOND)
def test_claims_about_more_than_one_loop_need_no_circuits(name: str) -> None:
    schedule = SCHEDULES[name]
    names = [claim.name for claim in claims_of(schedule)]
    assert names[0] == ACCOUNTS
    assert (ACCOUNTS_FIFO in names) == (schedule.family == "attention")
    assert len(set(names)) == len(names)
    forms = (*STEP_PERIODS.values(), *KERNEL_TILE_PERIODS.values())
    expected = {f"period ({form.name})" for form in forms if form.schedule == name}
    expected |= {f"monotone in {duration}" for duration in schedule.durations}
    expected |= {"Tensor Core work", "bound_agent", "bound_tensor_core"}
    assert expected <= set(names)
    assert not {"slope", "period (circuits)", "bound_circuits"} & set(names)


def test_claims_are_generated_from_what_there_is() -> None:
    for name in ONE_LOOP:
        schedule = SCHEDULES[name]
        claims = claims_of(schedule)
        names = [claim.name for claim in claims]
        assert names[0] == ACCOUNTS
        assert (ACCOUNTS_FIFO in names) == (schedule.family == "attention")
        assert len(set(names)) == len(names)
        expected = {f"makespan ({f.name})" for f in CLOSED_FORMS.values() if f.schedule == name}
        expected |= {f"period ({f.name})" for f in TILE_PERIODS.values() if f.schedule == name}
        numbers: Any = {one: 1 for one in schedule.parameters if not one.startswith("a")}
        numbers.pop("release", None)
        expected |= set(lower_bounds(schedule, **numbers))
        expected |= {f"monotone in {duration}" for duration in schedule.durations}
        expected |= {"slope", "Tensor Core work"}
        expected |= {"antitone in stages", "ring bandwidth"} if schedule.ring else set()
        expected |= {"deadlock rule"} if schedule.release_modes else set()
        expected |= set() if schedule.tile_level else {"period (circuits)", "steady term (general)"}
        assert expected <= set(names)


def test_a_wrong_form_is_caught_and_named(capsys: Capture) -> None:
    claim = mutated()
    (found,) = verify_claims([claim], POINTS, seed=2)
    assert (found.kind, found.failed, found.points, found.worst) == ("exact", True, POINTS, 1)
    assert 0.05 < found.violations / found.points < 0.3
    assert found.counterexample is not None and " stages=3 " in found.counterexample
    point = simulated(capsys, found.counterexample)
    right, wrong = CLOSED_FORMS["warp_specialized"](point), found.worst
    assert point["cycles"] == right
    assert mutated().check(one_point(claim.schedule, point)).gap == [wrong]


def one_point(schedule: Schedule, point: dict[str, Any]) -> Points:
    """Take a simulated point back: numbers as columns, the choice "consumer" by its code."""
    given = {name: point[name] for name in schedule.parameters if name != "release"}
    return Points(
        schedule, {n: np.array([v]) for n, v in given.items()} | {"release": np.zeros(1, np.int8)}
    )


def less_one(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: np.maximum(function(*args, **kwargs) - 1, 1)


def more_one(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: function(*args, **kwargs) + 1


def halved(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: function(*args, **kwargs) / 2


def raised(function: Callable[..., Any]) -> Callable[..., Any]:
    def bounds(*args: Any, **kwargs: Any) -> dict[str, Any]:
        return {name: one + GRID for name, one in function(*args, **kwargs).items()}

    return bounds


def backwards(function: Callable[..., Timing]) -> Callable[..., Timing]:
    def run(*args: Any) -> Timing:
        cycles, period = function(*args)
        return Timing(-cycles, period)

    return run


def slower(function: Callable[..., Timing]) -> Callable[..., Timing]:
    def run(*args: Any) -> Timing:
        cycles, period = function(*args)
        return Timing(cycles, period + GRID)

    return run


class Twice:
    """A schedule's work, each resource held for twice as long."""

    def __init__(self, work: Any) -> None:
        self.work = work

    def held_per_period(self, resource: str) -> Any:
        return 2 * self.work.held_per_period(resource)


@pytest.mark.parametrize(
    ("schedule", "name", "module", "attribute", "mutation"),
    [
        ("multistage", "bound_copy_issue", limits, "lower_bounds", raised),
        ("sync", "bound_latency", limits, "lower_bounds", raised),
        ("attention_pingpong", "bound_exp, fifo", limits, "lower_bounds", raised),
        ("attention_serial", "tc_utilization", limits, "utilization_bounds", None),
        ("multistage", "ring bandwidth", limits, "ring_bandwidth", halved),
        ("multistage", "corrected stage rule suffices", depths, "corrected_stages", less_one),
        ("multistage", "corrected stage rule is necessary", depths, "corrected_stages", more_one),
        ("warp_specialized", "saturating depth", depths, "corrected_stages", more_one),
        ("multistage", "textbook stage rule suffices", depths, "textbook_stages", less_one),
        ("pingpong", "deadlock rule", depths, "_all_held", None),
        ("warp_specialized", "no steady state", depths, "_all_held", None),
        ("persistent", "monotone in t_issue", claims_module, "simulate", backwards),
        ("cooperative", "antitone in stages", claims_module, "simulate", backwards),
        ("register_staged", "slope", claims_module, "simulate", slower),
        ("pingpong", "slope", claims_module, "simulate", slower),
        ("cooperative", "period (deep_ring)", claims_module, "simulate", slower),
        ("pingpong", "Tensor Core work", periods, "Work", None),
        ("warp_specialized", "period (circuits)", periods, "hardware", None),
        (
            "warp_specialized",
            "asynchronous MMAs (release = consumer)",
            periods,
            "_asynchronous_period",
            halved,
        ),
        ("attention_overlap", "steady term (general)", claims_module, "simulate", slower),
    ],
)
def test_mutations_are_caught(
    monkeypatch: pytest.MonkeyPatch,
    schedule: str,
    name: str,
    module: Any,
    attribute: str,
    mutation: Callable[..., Any] | None,
) -> None:
    others: dict[str, Callable[..., Any]] = {
        "utilization_bounds": lambda f: lambda *a, **k: {n: v * 0.9 for n, v in f(*a, **k).items()},
        "_all_held": lambda f: lambda p: f(p) & (p["stages"] != 2),
        "Work": lambda f: lambda *a: Twice(f(*a)),
        "hardware": lambda f: lambda p: ~f(p),
    }
    wrong = (mutation or others[attribute])(getattr(module, attribute))
    claim = named(schedule, name)
    monkeypatch.setattr(module, attribute, wrong)
    (found,) = verify_claims([claim], scaled(2_000, pure=4), seed=3)
    assert found.violations > 0
    assert found.worst > 0
    assert found.counterexample is not None


def test_counterexample_of_two_runs_are_two_commands(capsys: Capture) -> None:
    (found,) = verify_claims([named("multistage", "textbook stage rule")], POINTS, seed=4)
    assert (found.kind, found.failed) == ("rule", False)
    assert 0.2 < found.violations / found.points < 0.8
    assert found.mean <= found.worst
    assert "KiB of shared memory" in found.remark
    first, second = (found.counterexample or "").split(" && ")
    asked, fewer = simulated(capsys, first), simulated(capsys, second)
    assert asked["stages"] == fewer["stages"] + 1
    assert asked["period"] == fewer["period"]


def test_rules_of_thumb_fail_outside_their_domain(capsys: Capture) -> None:
    (found,) = verify_claims([named("pingpong", "period (compute_bound, used everywhere)")], POINTS)
    assert found.violations > POINTS / 10
    point = simulated(capsys, found.counterexample or "")
    assert point["period"] != TILE_PERIODS["pingpong.compute_bound"].evaluate(point)


def test_same_findings_for_any_threads_selection_and_chunks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(analysis.verification.runner, "CHUNK_POINTS", 64)
    points = scaled(1_000, pure=6)
    names = ["sync", "multistage", "attention_pingpong"]
    one = verify(names, points, seed=5, threads=1)
    assert one == verify(names, points, seed=5, threads=3)
    assert [found for found in one if found.schedule == "sync"] == verify("sync", points, seed=5)
    assert one != verify(names, points, seed=6)


def test_more_points_keep_the_first_counterexample() -> None:
    few, many = (verify_claims([mutated()], n, seed=7)[0] for n in (POINTS // 2, POINTS))
    assert few.counterexample == many.counterexample
    assert few.violations < many.violations


def test_progress_counts_every_point() -> None:
    seen: list[tuple[int, int]] = []
    verify("sync", 100, progress=lambda *counts: seen.append(counts))
    assert seen[-1][0] == seen[-1][1] > 0


class TestCommand:
    def test_table(self, capsys: Capture) -> None:
        assert main(["verify", "sync", "--points", "50"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].split() == ["claim", "kind", "points", "violations", "worst"]
        assert lines[2] == "sync"
        assert lines[3].split() == ["accounts", "agree", "exact", "50", "0", "0"]
        assert lines[4].split() == ["makespan", "(general)", "exact", "50", "0", "0"]
        assert lines[-1].endswith("claims: nothing that must hold is violated")

    def test_json(self, capsys: Capture) -> None:
        assert main(["verify", "multistage", "--points", "60", "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert [row["claim"] for row in rows] == [
            c.name for c in claims_of(SCHEDULES["multistage"])
        ]
        assert all(list(row) == KEYS for row in rows)
        assert {row["kind"] for row in rows} == {"exact", "bound", "asymptotic", "rule"}
        rule = next(row for row in rows if row["kind"] == "rule")
        assert rule["violations"] > 0 and rule["counterexample"].startswith("warpsweep simulate")
        assert all(row["counterexample"] is None for row in rows if row["kind"] != "rule")

    @pytest.mark.parametrize("output", [[], ["--json"]])
    def test_violation_is_exit_code_1(
        self, capsys: Capture, monkeypatch: pytest.MonkeyPatch, output: list[str]
    ) -> None:
        monkeypatch.setattr(
            analysis.verification.runner, "claims_of", lambda schedule: (mutated(),)
        )
        assert main(["verify", "warp_specialized", "--points", "100", *output]) == 1
        out = capsys.readouterr().out
        assert "warpsweep simulate warp_specialized" in out
        if output:
            (row,) = json.loads(out)
            assert row["violations"] > 0 and row["worst"] == 1
        else:
            assert "1 claim, 1 of them wrong: warp_specialized: makespan (general)" in out

    @pytest.mark.parametrize(("kind", "code"), [("asymptotic", 1), ("bound", 1), ("rule", 0)])
    def test_only_rules_of_thumb_may_be_wrong(
        self, monkeypatch: pytest.MonkeyPatch, kind: Any, code: int
    ) -> None:
        """Steady states are tested exactly, so a violated one is an error."""
        claim = replace(mutated(), kind=kind)
        monkeypatch.setattr(analysis.verification.runner, "claims_of", lambda schedule: (claim,))
        assert main(["verify", "warp_specialized", "--points", "100"]) == code

    @pytest.mark.parametrize(
        ("arguments", "part"),
        [
            (["snyc"], "unknown schedule 'snyc': did you mean 'sync'?"),
            (["sync", "--points", "0"], "0 is not in the range x>=1"),
            (["sync", "--points", "many"], "'many' is not a valid integer"),
            (
                ["sync", "--points", "1000000000000"],
                "points=1000000000000: must be at most",
            ),
            (["sync", "--seed", "-1"], "-1 is not in the range x>=0"),
        ],
    )
    def test_mistakes(self, capsys: Capture, arguments: list[str], part: str) -> None:
        assert main(["verify", *arguments]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert part in err
        assert len(err.splitlines()) == 1


def test_limits_of_the_function() -> None:
    with pytest.raises(InputError, match="points=0: must be at least 1"):
        verify("sync", 0)
    with pytest.raises(InputError, match="seed=-1: must be at least 0"):
        verify("sync", 1, seed=-1)
    with pytest.raises(InputError, match="unknown schedule 'pingpon': did you mean 'pingpong'"):
        verify(["sync", "pingpon"], 1)


def test_a_schedule_of_ones_own(tmp_path: Path) -> None:
    source = Path(sweep.__file__).with_name("schedules") / "multistage.py"
    file = tmp_path / "my pipeline.py"
    file.write_text(source.read_text().replace('name="multistage"', 'name="my_pipeline"'))
    found = verify(str(file), points=scaled(500, pure=5), seed=8)
    names = {one.claim for one in found}
    assert {ACCOUNTS, "slope", "period (circuits)", "bound_agent", "bound_circuits"} <= names
    # Bounds are keyed by schedule, and stages that set the order of work are not mere tokens.
    assert not names & {"bound_latency", "ring bandwidth", "antitone in stages"}
    assert not any("makespan" in name or "textbook" in name for name in names)
    assert not any(one.violations or one.error for one in found)


def test_counterexample_names_the_file_of_a_schedule() -> None:
    claim = replace(mutated(), typed_as="my pipeline.py")
    (found,) = verify_claims([claim], POINTS)
    assert (found.counterexample or "").startswith("warpsweep simulate 'my pipeline.py' t_sync=0 ")


def test_report_of_a_deadlock_is_no_number() -> None:
    found = Finding("pingpong", "rule", "exact", 10, 1, np.inf, np.inf, "cycle", "warpsweep x")
    (row,) = json.loads(json_text([found]))
    assert row["worst"] is None
    assert "off at 10.0% of the points, by inf cycle on average" in text_table([found])
    assert summary([found]) == "1 claim, 1 of them wrong: pingpong: rule"
