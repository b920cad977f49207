"""A schedule of one's own, by file or description, in every function that takes a schedule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep
from analysis.bounds import bound_dataset, lower_bounds, tightest, utilization_bounds
from analysis.causes.critical_path import attribute, critical_path
from analysis.causes.happenings import linked
from analysis.causes.idle_time import idle_time
from analysis.periods.period import period_formula
from analysis.verification import accounts
from analysis.verification import claim_registry as registry
from analysis.verification.accounts import ACCOUNTS, TESTED
from analysis.verification.draws import Where, draw
from analysis.verification.finding import Finding
from analysis.verification.runner import verify
from sweep.catalogue.discovery import load_schedule
from sweep.cli.commands import main
from sweep.description import Schedule
from sweep.description.interpreter import interpret
from sweep.description.trace_rows import EventResult
from sweep.errors import InputError
from sweep.quantities.variables import VARIABLES
from sweep.recurrence.folding import EXTENSIONS
from tests.support.own_files import (
    TWO_RINGS_OF_WORK,
    WAITING_PAIR,
    documented,
    readme_schedule,
    written,
)
from tests.support.points import Columns, point, run_points, scaled

Capture = pytest.CaptureFixture[str]
TEXTS = {"eager_copy": readme_schedule(), "stored": TWO_RINGS_OF_WORK, "waiting_pair": WAITING_PAIR}
COUNTS = {"stored": {"k_tiles": 3, "output_tiles": 3, "stages": 2}, "eager_copy": {"k_tiles": 5}}


@pytest.fixture(params=TEXTS)
def own(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return written(tmp_path, request.param, TEXTS[request.param])


@pytest.fixture
def eager(tmp_path: Path) -> str:
    return written(tmp_path, "eager_copy", TEXTS["eager_copy"])


def drawn(schedule: Schedule, points: int, seed: int) -> Columns:
    p = draw(schedule, Where(EXTENSIONS, ""), points, (seed,))
    return {
        name: np.array(VARIABLES[name].choices)[one] if VARIABLES[name].choices else one
        for name, one in p.items()
    }


def few(own: str) -> dict[str, int]:
    return COUNTS.get(Path(own).stem, {"kv_blocks": 5})


@pytest.mark.parametrize("name", documented())
def test_every_schedule_in_the_documentation_passes_verify(name: str, tmp_path: Path) -> None:
    for one in verify(written(tmp_path, name, documented()[name]), points=scaled(2_000, 20)):
        assert not one.failed, one


def test_claims_that_cannot_be_stated_are_findings(
    monkeypatch: pytest.MonkeyPatch, eager: str
) -> None:
    def limit_claims(schedule: Schedule) -> Any:
        raise KeyError("t_mma")

    monkeypatch.setattr(registry, "SOURCES", (limit_claims, *registry.SOURCES))
    first, *others = verify(eager, points=10)
    assert (first.claim, first.error, first.failed) == ("limit claims", "KeyError: 't_mma'", True)
    assert len(others) > 10 and not any(one.failed for one in others)


def test_every_one_passes_verify(own: str, capsys: Capture) -> None:
    assert main(["verify", own, "--points", str(scaled(2_000, 20))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3].split()[:3] == ["accounts", "agree", "exact"]
    assert lines[-1].endswith("nothing that must hold is violated")


def test_periods_are_those_of_the_kernel(own: str) -> None:
    schedule = load_schedule(own)
    if schedule.tile_level:
        with pytest.raises(InputError, match=r"stored runs over output tiles.* output 'period'"):
            period_formula(own)
        return
    p = drawn(schedule, scaled(400), seed=1)
    np.testing.assert_array_equal(
        run_points(schedule, p)["period"], period_formula(own).evaluate(p)
    )
    assert period_formula(own) == period_formula(schedule)


def test_critical_paths_are_whole(own: str) -> None:
    trace = sweep.trace(own, **few(own))
    path = critical_path(trace, own)
    assert path.start[0] == 0
    np.testing.assert_array_equal(path.end[:-1], path.start[1:])
    assert float(path.duration.sum()) == float(path.end[-1]) == trace.attrs["cycles"]
    assert attribute(path).schedule == Path(own).stem
    xr.testing.assert_identical(path, critical_path(trace, load_schedule(own)))


def test_every_event_starts_with_the_last_that_it_waits_for(own: str) -> None:
    schedule = load_schedule(own)
    p = drawn(schedule, 10, seed=2)
    for i in range(10):
        here = point(p, i)
        happenings = linked(schedule, here, interpret(schedule, here).rows)
        assert all(
            one.start == max((before.end for before in one.after), default=0) for one in happenings
        )


def test_idle_time_sums_to_what_the_trace_shows(own: str) -> None:
    run = sweep.run(own, **{name: [count] for name, count in few(own).items()})
    found = idle_time(run, own)
    rows = sweep.trace(own, **few(own))
    held = float((rows.end - rows.start).where(rows.resource == "TC", 0).sum())
    assert found.idle_time.sum().item() == rows.attrs["cycles"] - held


def bounds_hold(schedule: Schedule, p: Columns) -> float:
    out = run_points(schedule, p)
    numbers = {name: one for name, one in p.items() if name not in ("release", "arbitration")}
    bound = tightest(lower_bounds(schedule, **numbers))
    assert (bound <= out["cycles"]).all()
    for share, most in utilization_bounds(schedule, **numbers).items():
        assert (np.nan_to_num(out[share]) <= most * (1 + 1e-12)).all()  # NaN where nothing runs
    some = out["cycles"] > 0
    return float((bound[some] / out["cycles"][some]).mean())


def test_bounds_are_never_too_high(own: str) -> None:
    schedule = load_schedule(own)
    assert bounds_hold(schedule, drawn(schedule, scaled(4_000), seed=3)) > 0.5


def test_circuits_bound_long_runs_closely(own: str) -> None:
    schedule = load_schedule(own)
    p = drawn(schedule, scaled(400, 20), seed=4)
    p[schedule.loop] = p[schedule.loop] * 0 + 2_000
    if "output_tiles" in p:
        p["output_tiles"] = p["output_tiles"] * 0 + 1
    assert bounds_hold(schedule, p) > 0.95


def test_the_schedule_of_the_readme_is_not_bound_by_rules_of_others(eager: str) -> None:
    """It overlaps the latency of the next copy, which sync with the same parameters does not."""
    run = sweep.run(eager, k_tiles=[64], t_latency=1500)
    found = bound_dataset(run, eager)
    assert bool((found.bound <= run.cycles).all())
    assert set(found.data_vars) == {
        "bound_tensor_core",
        "bound_copy_bandwidth",
        "bound_agent",
        "bound_circuits",
        "bound",
    }


def test_mixed_datasets(eager: str, tmp_path: Path) -> None:
    stored = written(tmp_path, "stored", TEXTS["stored"])
    run = sweep.run([eager, "sync", stored], k_tiles=[2, 8])
    mine = [eager, load_schedule(stored)]
    bounds, idle = bound_dataset(run, mine), idle_time(run, mine)
    assert bool((bounds.bound <= run.cycles).all())
    for one in (eager, "sync", stored):
        alone = run.sel(schedule=Path(one).stem)
        given = None if one == "sync" else one
        np.testing.assert_array_equal(
            bound_dataset(alone, given).bound, bounds.bound.sel(schedule=Path(one).stem)
        )
        total = idle.tc_idle_time.sel(schedule=Path(one).stem)
        np.testing.assert_array_equal(idle_time(alone, given).tc_idle_time, total)


@pytest.mark.parametrize("function", [bound_dataset, idle_time])
def test_what_is_not_given_or_not_there_is_said(function: Any, eager: str) -> None:
    run = sweep.run([eager, "sync"], k_tiles=[2])
    for wrong, says in (
        (
            None,
            r"schedule 'eager_copy' is not built in, and ds holds its name only: give schedule=",
        ),
        ("multistage", "schedule='multistage': ds is of eager_copy, sync"),
        ("snyc", "unknown schedule 'snyc': did you mean 'sync'"),
    ):
        with pytest.raises(InputError, match=says):
            function(run, wrong)
    for wrong in (None, 3, "sync", run.cycles):
        with pytest.raises(InputError, match=r"^ds: must be a Dataset of sweep, not of type"):
            function(wrong)
    with pytest.raises(InputError, match="ds: does not say which schedule it is of"):
        function(xr.Dataset())
    with pytest.raises(InputError, match="ds: has no coordinate 't_issue', which sync uses"):
        function(run.sel(schedule="sync").drop_vars("t_issue"))


def test_kernel_of_a_file(eager: str, capsys: Capture) -> None:
    assert main(["schedules", "--kernel", eager]) == 0
    source = capsys.readouterr().out
    assert "The recurrence of eager_copy" in source
    compile(source, "eager_copy", "exec")
    assert main(["schedules", "--kernel", "nowhere.py"]) == 2
    assert "there is no such file" in capsys.readouterr().err


class TestTheFirstClaim:
    """Kernel == list == program, and a run that ends whatever one claim meets."""

    @staticmethod
    def first(found: list[Finding]) -> Finding:
        assert found[0].claim == ACCOUNTS
        return found[0]

    def test_it_is_about_so_many_points(self, eager: str) -> None:
        found = self.first(verify(eager, points=TESTED + 9))
        assert (found.points, found.violations, found.kind) == (TESTED, 0, "exact")
        assert self.first(verify(eager, points=1)).points == 1

    @pytest.mark.parametrize("schedule", ["eager", "pingpong", "attention_overlap"])
    @pytest.mark.parametrize("account", ["interpret", "run_events", "simulate"])
    def test_an_account_that_differs_is_found(
        self, monkeypatch: pytest.MonkeyPatch, eager: str, schedule: str, account: str
    ) -> None:
        right = getattr(accounts, account)

        def wrong(schedule: Schedule, p: Any) -> Any:
            found = right(schedule, p)
            if isinstance(found, EventResult):
                return EventResult(found.cycles + (p[schedule.loop] == 3), found.rows, found.held)
            return found._replace(cycles=found.cycles + (p[schedule.loop] == 3))

        monkeypatch.setattr(accounts, account, wrong)
        found = self.first(verify(eager if schedule == "eager" else schedule, points=100))
        if schedule == "eager" and account == "run_events":  # it has no program
            assert not found.violations
            return
        assert found.failed and found.worst == 1
        assert found.counterexample is not None and "=3" in found.counterexample

    def test_an_operation_that_differs_is_found(self, monkeypatch: pytest.MonkeyPatch) -> None:
        right = accounts.run_events

        def wrong(schedule: Schedule, p: Any) -> EventResult:
            found = right(schedule, p)
            rows = [row._replace(start=row.start - 1) for row in found.rows]
            return EventResult(found.cycles, rows, found.held)

        monkeypatch.setattr(accounts, "run_events", wrong)
        found = self.first(verify("sync", points=40))
        assert found.failed and found.worst >= 1

    def test_an_own_attention_schedule_without_a_free_order_is_verified(
        self, tmp_path: Path
    ) -> None:
        found = verify(written(tmp_path, "waiting_pair", WAITING_PAIR), points=20)
        assert not any(one.failed for one in found)
        assert not any("fifo" in one.claim for one in found)

    def test_what_one_claim_meets_ends_no_other(
        self, monkeypatch: pytest.MonkeyPatch, eager: str, capsys: Capture
    ) -> None:
        def broken(schedule: Schedule, p: Any) -> EventResult:
            raise ZeroDivisionError("of\nall things")

        monkeypatch.setattr(accounts, "interpret", broken)
        assert main(["verify", eager, "sync", "--points", "20"]) == 1
        out = capsys.readouterr().out
        assert (
            f"eager_copy: {ACCOUNTS} (exact) could not be tested: ZeroDivisionError: of all things"
        ) in out
        assert "2 of them wrong: eager_copy: accounts agree, sync: accounts agree" in out
        assert main(["verify", eager, "--points", "20", "--json"]) == 1
        rows = json.loads(capsys.readouterr().out)
        assert rows[0]["error"] == "ZeroDivisionError: of all things"
        assert all("error" not in row and row["points"] == 20 for row in rows[1:])

    @pytest.mark.parametrize("raised", ["SystemExit(3)", "GeneratorExit", "KeyError('x')"])
    def test_a_program_that_fails_is_a_finding(
        self, tmp_path: Path, eager: str, raised: str
    ) -> None:
        text = TEXTS["eager_copy"].replace(
            "    events=events,", "    events=events, program=fails,"
        )
        text = text.replace(
            "SCHEDULE =", f"def fails(simulation, p):\n    raise {raised}\n\n\nSCHEDULE ="
        )
        found = verify(written(tmp_path, "failing", text), points=20)
        assert self.first(found).failed
        kind = raised.split("(", maxsplit=1)[0]
        assert self.first(found).error.startswith(f"program of 'eager_copy': {kind}")
        assert not any(one.failed for one in found[1:])
