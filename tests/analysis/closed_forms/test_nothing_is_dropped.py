"""What a formula, a bound or a cause does not know is refused, and every output has a writer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import analysis.bounds
import analysis.closed_forms.domain
import sweep
import sweep.engine.outputs
import sweep.engine.run
import sweep.inputs.space
from analysis.bound_rules import RULES
from analysis.bounds import lower_bounds, tightest
from analysis.causes.idle_time import CAUSES, idle_time
from analysis.closed_forms import CLOSED_FORMS, TILE_PERIODS
from sweep.catalogue.schedules import SCHEDULES
from sweep.description import Event, Schedule
from sweep.errors import InputError
from sweep.quantities.variables import OUTPUTS, VARIABLES, Variable
from tests.support.one_loop import ONE_LOOP

NEW = "t_fence"
LECTURE = {"t_issue": 100, "t_transfer": 768, "t_latency": 700, "t_mma": 1024, "t_epilogue": 1280}
FORMS = [*CLOSED_FORMS.values(), *TILE_PERIODS.values()]


def fenced(name: str) -> Schedule:
    """A schedule with a fence of a new duration, by its first agent, at the end of every tile."""
    plain = SCHEDULES[name]

    def events(release: str) -> tuple[Event, ...]:
        place = "tile_end" if plain.family == "gemm" else "k_tile"
        fence = Event("fence", plain.agents[0], takes=NEW, place=place)  # type: ignore[arg-type]
        return (*plain.events(release), fence)

    return replace(plain, events=events)


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry has a further duration, and every schedule takes it."""
    rows = dict(VARIABLES) | {NEW: replace(VARIABLES["t_epilogue"], name=NEW)}
    others = {name: fenced(name) for name in SCHEDULES}
    for module in (
        analysis.closed_forms.domain,
        analysis.bounds,
        analysis.checked,
        sweep.inputs.space,
    ):
        monkeypatch.setattr(module, "VARIABLES", MappingProxyType(rows), raising=False)
        monkeypatch.setattr(module, "SCHEDULES", MappingProxyType(others), raising=False)


def counted(schedule: Schedule) -> dict[str, Any]:
    """2 for every number that a schedule takes."""
    return {one: 2 for one in schedule.parameters if one not in ("release", "arbitration")}


def point_of(schedule: Schedule, **changed: Any) -> dict[str, Any]:
    """Something for every number that a schedule takes; extensions off, even those it lacks."""
    found: dict[str, Any] = counted(schedule)
    found |= {one: cycles for one, cycles in LECTURE.items() if one in found}
    return found | {"t_sync": 0, "t_mma_latency": 0, "mma_in_flight": 0} | changed


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.schedule}-{form.name}")
def test_a_form_refuses_a_duration_that_it_does_not_know(form: Any) -> None:
    p = point_of(SCHEDULES[form.schedule], stages=4, kv_blocks=4, k_tiles=4)
    inside = p if form.domain(p | {NEW: 0}) else None
    with pytest.raises(InputError, match=f"{NEW} = 300 cycle: the closed form of .* at 0 cycle"):
        form(p | {NEW: 300})
    with pytest.raises(InputError, match=f"missing {NEW}: the closed form of {form.schedule} "):
        form(p)
    assert not form.domain(p | {NEW: 300})
    assert not form.domain(p)
    if inside is not None:
        assert form(p | {NEW: 0}) == form.evaluate(p)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.schedule}-{form.name}")
def test_every_duration_of_its_schedule_is_in_a_form_or_must_be_off(form: Any) -> None:
    schedule = SCHEDULES[form.schedule]
    p = point_of(schedule, stages=4, kv_blocks=4, k_tiles=4)
    for duration in schedule.durations:
        if duration not in form.parameters:
            with pytest.raises(InputError, match=f"{duration} = 3 cycle"):
                form(p | {duration: 3})


def test_a_form_refuses_the_points_of_a_schedule_with_more_events() -> None:
    """11,648 cycles by the form, and 300 more by the schedule's store of each tile."""
    p = point_of(SCHEDULES["sync"], k_tiles=4)
    assert CLOSED_FORMS["sync"](p) == 4 * (100 + 768 + 700 + 1024) + 1280 == 11_648
    with pytest.raises(InputError, match="t_store = 300 cycle: the closed form of sync"):
        CLOSED_FORMS["sync"](p | {"t_store": 300})
    assert CLOSED_FORMS["sync"](p | {"clock_hz": 1e9, "bottleneck": 3}) == 11_648


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("name", RULES)
def test_bounds_refuse_a_duration_that_they_do_not_know(name: str) -> None:
    one = analysis.bounds.SCHEDULES[name]
    with pytest.raises(InputError, match=f"{NEW}: the bounds of {name} do not account for it"):
        lower_bounds(one, **counted(one))


@pytest.mark.parametrize("name", RULES)
def test_every_duration_of_its_schedule_moves_a_bound(name: str) -> None:
    schedule = SCHEDULES[name]
    assert set(schedule.durations) == set(RULES[name].durations)
    p = counted(schedule)
    for duration in schedule.durations:
        assert tightest(lower_bounds(schedule, **(p | {duration: 10**6}))) >= 10**6


def test_the_bounds_of_a_schedule_with_more_events_account_for_them() -> None:
    longer = replace(fenced("sync"), name="fenced_sync")
    rows = [replace(one, takes="t_store") if one.takes == NEW else one for one in longer.events("")]
    mine = replace(longer, events=lambda release: tuple(rows))
    run = sweep.run(mine, k_tiles=[4], t_store=[0, 10**6])
    found = analysis.bounds.bound_dataset(run, mine)
    assert bool((found.bound <= run.cycles).all())
    assert float(found.bound[0, 1]) > 10**6


def taking(name: str, duration: str, on: str = "") -> Schedule:
    """A schedule of another name whose epilogue takes another duration."""
    plain = SCHEDULES[name]

    def events(release: str) -> tuple[Event, ...]:
        rows = plain.events(release)
        return (*rows[:-1], replace(rows[-1], takes=duration, on=on))

    return replace(plain, name=f"{name}_{duration}", events=events)


@pytest.mark.parametrize("name", ONE_LOOP)
def test_every_duration_has_a_cause_of_idle_time_or_holds_the_tensor_core(name: str) -> None:
    schedule = SCHEDULES[name]
    events = [event for mode in ("consumer", "hardware") for event in schedule.events(mode)]
    on = {event.takes for event in events if event.on == "TC"}
    assert set(schedule.durations) - on <= set(CAUSES)


def test_a_duration_of_a_schedules_own_is_a_cause_by_its_name() -> None:
    ds = sweep.run("mixed_input", k_tiles=[4], t_convert=[0, 5000])
    found = idle_time(ds)
    assert "convert" in found.cause.values
    assert float(found.idle_time.sel(cause="convert", t_convert=5000).sum()) > 0
    idle = ds.cycles * (1 - ds.tc_utilization)
    np.testing.assert_allclose(found.idle_time.sum("cause"), idle)


def test_idle_time_of_a_schedule_whose_tensor_core_work_is_taken_elsewhere() -> None:
    mine = taking("sync", "t_store")
    rows = [replace(one, on="") if one.on == "TC" else one for one in mine.events("")]
    never = replace(mine, name="never", events=lambda release: tuple(rows))
    idle = idle_time(ds := sweep.run(never, k_tiles=[4]), never)
    assert "mma" in idle.cause.values
    assert idle.idle_time.sum() == ds.cycles.sum()
    found = idle_time(sweep.run(mine, k_tiles=[4], t_store=300), mine)
    # One MMA after another has to wait for a round trip; the epilogue's 300 cycles come once.
    fill, store = (found.idle_time.sel(cause=one).item() for one in ("fill", "store"))
    assert (fill, store) == (100 + 768 + 700 + 300, 0)


class TestEngineLimits:
    """Closed forms and bounds have the limits and the grid of the engine."""

    def test_durations_are_rounded_as_the_engine_rounds_them(self) -> None:
        p: dict[str, Any] = dict.fromkeys(LECTURE, 0.1)
        p["k_tiles"] = 10_000 - 1
        simulated = sweep.simulate("sync", **p).cycles
        assert CLOSED_FORMS["sync"](p) == simulated == (4 * 9_999 + 1) * 102 / 1024

    def test_runs_that_are_too_long_are_refused(self) -> None:
        p = dict(LECTURE) | {"stages": 4, "k_tiles": 2**35 + 1, "output_tiles": 2**30}
        calls: tuple[Any, ...] = (
            lambda: CLOSED_FORMS["persistent"](p),
            lambda: CLOSED_FORMS["persistent"].evaluate(p),
            lambda: lower_bounds("persistent", **p),
            lambda: sweep.simulate("persistent", **p),
        )
        for call in calls:
            with pytest.raises(InputError, match=r"k_tiles=34359738369: a run of .* 2\*\*43"):
                call()

    @pytest.mark.parametrize("form", CLOSED_FORMS.values(), ids=lambda form: form.name)
    def test_every_form_shares_them(self, form: Any) -> None:
        p = point_of(SCHEDULES[form.schedule], stages=4, k_tiles=4, kv_blocks=4)
        for name in (one for one in form.parameters if one.startswith("t_")):
            with pytest.raises(InputError, match=f"^{name}="):
                form(p | {name: 2.0**43})
            assert form.evaluate(p | {name: 2.1}) == form.evaluate(p | {name: 2150 / 1024})
        for name in (one for one in form.parameters if not one.startswith("t_")):
            with pytest.raises(InputError, match=f"^{name}="):
                form(p | {name: 2**44})


class TestEveryOutputHasAWriter:
    @staticmethod
    def more(monkeypatch: pytest.MonkeyPatch, row: Variable) -> None:
        rows: Mapping[str, Variable] = dict(VARIABLES) | {row.name: row}
        monkeypatch.setattr(sweep.engine.outputs, "VARIABLES", rows)
        monkeypatch.setattr(sweep.engine.outputs, "OUTPUTS", (*OUTPUTS, row.name))

    @pytest.mark.parametrize(
        "row",
        [
            Variable("energy", "output", "J", "energy of the run"),
            Variable("cause", "flag", "1", "a flag", "int8", flag_meanings=("none", "some")),
        ],
        ids=lambda row: row.kind,
    )
    def test_a_new_row_of_the_registry_is_not_zero_for_ever(
        self, monkeypatch: pytest.MonkeyPatch, row: Variable
    ) -> None:
        self.more(monkeypatch, row)
        says = f"output '{row.name}' is in the registry, and nothing writes it: 3 of 3 points"
        with pytest.raises(RuntimeError, match=says):
            sweep.run("sync", k_tiles=[1, 2, 3])
        with pytest.raises(RuntimeError, match=f"output '{row.name}'"):
            sweep.simulate("sync", k_tiles=2)

    def test_so_is_a_point_that_a_writer_leaves_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def some(schedule: Any, values: Any, out: Any, tables: Any) -> None:
            for name in OUTPUTS:
                if name not in sweep.engine.outputs.TIMING:
                    out[name][...] = 0
            out["tflops"][1] = sweep.engine.run.UNWRITTEN["f"]

        monkeypatch.setattr(sweep.engine.run, "finish_block", some)
        with pytest.raises(RuntimeError, match=r"output 'tflops' .*: 1 of 3 points"):
            sweep.run("sync", k_tiles=[1, 2, 3])

    def test_no_result_looks_unwritten(self) -> None:
        for schedule in SCHEDULES:
            ds = sweep.run(schedule, **({"t_mma": [0, 5]} if "sync" in schedule else {}))
            assert all((ds[name] != -np.inf).all() for name in OUTPUTS)
