"""Claims about the steady state: circuits, slopes, and the formulas written down for it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from analysis.closed_forms import TILE_PERIODS, ClosedForm, Condition
from analysis.closed_forms.kernel_registry import KERNEL_TILE_PERIODS, STEP_PERIODS
from analysis.periods.period import period_formula
from analysis.verification.claim import Claim, Outcome, Points, distance, excess, with_residency
from analysis.verification.draws import Columns, Where, hardware, numbers, size
from analysis.verification.makespans import built_in, forms_of
from sweep.catalogue.schedules import SCHEDULES
from sweep.catalogue.validation import beyond_generated
from sweep.description import Schedule
from sweep.description.circuits import circuits_of
from sweep.engine.held_work import Work, period_is_per_tile
from sweep.quantities.arrays import Array
from sweep.recurrence.folding import EXTENSIONS

EVERYWHERE = Where(EXTENSIONS, release="")
IN_FLIGHT = Condition(
    "mma_in_flight + 1 <= stages",
    lambda p, use: p["mma_in_flight"] + 1,
    lambda p, use: p["stages"],
    units="",
)
FAR_CYCLES = 2.0**41
"""Where slopes are taken: as far out as all sums are exact, with some room."""
MOST_OWN_STEPS = 1 << 12
"""Steps of a schedule of a user's own: nothing says that it settles, so each may cost its time."""
STEPS_OF_RINGS = 840
"""Iterations that any ring of up to 8 slots divides."""
TILES_OF_CIRCUITS = 2520
"""Output tiles that circuits run over divide this: with up to 8 stages there are 10 at most."""


def period_claims(schedule: Schedule) -> Iterator[Claim]:
    """Yield the claims about a schedule's steady state."""
    one_loop = not beyond_generated(schedule, schedule.events("consumer"))
    running = Where(EXTENSIONS, "", conditions=(IN_FLIGHT,) if schedule.release_modes else ())
    if one_loop and not schedule.tile_level:
        yield Claim(
            schedule,
            "period (circuits)",
            "asymptotic",
            "period = the largest circuit ratio",
            EVERYWHERE,
            _circuits,
            formula=lambda: period_formula(schedule).without(*EXTENSIONS).latex,
        )
    own = not built_in(schedule)
    if one_loop and not (own and schedule.tile_level):  # others may settle after many tiles
        yield _slope_claim(schedule, running, own)
    yield Claim(
        schedule,
        "Tensor Core work",
        "bound",
        "period >= the Tensor Core's work per period: no order of service beats it",
        running,
        _tensor_core,
    )
    for form in forms_of(schedule):
        if not schedule.tile_level:
            yield Claim(
                schedule,
                f"steady term ({form.name})",
                "asymptotic",
                "far out, the formula of the makespan grows by the simulated period",
                Where(conditions=form.conditions),
                partial(_steady_term, form),
            )
    yield from _tile_periods(schedule)
    yield from _kernel_periods(schedule)
    if built_in(schedule) and schedule.release_modes and not schedule.tile_level:
        yield from _asynchronous(schedule)


def _slope_claim(schedule: Schedule, running: Where, own: bool) -> Claim:
    late = "; tested after some thousand steps, which near ties outlast" if own else ""
    says = f"far out, cycles grow by the period with every {_step(schedule)}{late}"
    return Claim(schedule, "slope", "rule" if own else "asymptotic", says, running, _slope)


def _step(schedule: Schedule) -> str:
    if schedule.tile_level:
        return "output tile"
    return "k-tile" if schedule.loop == "k_tiles" else "block of every warpgroup"


def _tile_periods(schedule: Schedule) -> Iterator[Claim]:
    forms = TILE_PERIODS.values() if built_in(schedule) else ()
    for form in forms:
        if form.schedule != schedule.name:
            continue
        claim = partial(
            Claim,
            schedule,
            check=partial(_tile_period, form),
            formula=partial(getattr, form, "latex"),
        )
        yield claim(
            name=f"period ({form.name})",
            kind="asymptotic",
            statement="period per output tile = the formula",
            where=Where(conditions=form.conditions),
        )
        if form.name == "compute_bound":
            yield claim(
                name="period (compute_bound, used everywhere)",
                kind="rule",
                statement="period per output tile = the formula, whatever binds",
                where=Where(),
            )


def _kernel_periods(schedule: Schedule) -> Iterator[Claim]:
    """Yield the claims about a published kernel's steady period."""
    forms = (*STEP_PERIODS.values(), *KERNEL_TILE_PERIODS.values())
    for form in forms if SCHEDULES.get(schedule.name) is schedule else ():
        if form.schedule != schedule.name:
            continue
        extensions = tuple(one for one in EXTENSIONS if one in form.parameters)
        per = "output tile" if period_is_per_tile(schedule) else "iteration"
        yield Claim(
            schedule,
            f"period ({form.name})",
            form.kind,
            f"period per {per} {'>=' if form.kind == 'bound' else '='} the formula",
            Where(extensions, conditions=form.conditions),
            partial(_kernel_period, form),
            formula=partial(getattr, form, "latex"),
        )


def _asynchronous(schedule: Schedule) -> Iterator[Claim]:
    latency = ("t_mma_latency", "mma_in_flight")
    statement = "far out, cycles grow with every k-tile by "
    for release, terms, where in (
        (
            "consumer",
            "max(t_issue, t_transfer, t_mma, (t_mma + t_mma_latency) / (mma_in_flight + 1),"
            " (round trip + t_mma_latency) / stages,"
            " (t_issue + t_transfer + t_latency) / (stages - mma_in_flight))",
            Where(latency, "consumer", conditions=(IN_FLIGHT,)),
        ),
        (
            "hardware",
            "max(t_issue, t_transfer, t_mma, (round trip + t_mma_latency) / stages)",
            Where(latency[:1], "hardware"),
        ),
    ):
        yield Claim(
            schedule,
            f"asynchronous MMAs (release = {release})",
            "asymptotic",
            statement + terms,
            where,
            _main_loop,
        )


def _circuits(points: Points) -> Outcome:
    p = numbers(points.p)
    claimed = period_formula(points.schedule).evaluate(p)
    if points.schedule.release_modes:
        late = period_formula(points.schedule, "hardware").evaluate(p)
        claimed = np.where(hardware(points.p), late, claimed)
    return Outcome(distance(claimed, points.timing.period))


def _slope(points: Points) -> Outcome:
    loop = "output_tiles" if points.schedule.tile_level else points.schedule.loop
    apart = _cyclicity(points.schedule, points.p)
    if points.schedule.tile_level:
        apart = np.lcm(apart, TILES_OF_CIRCUITS)
    return _slope_over(points, loop, apart, points.timing.period)


def _slope_over(points: Points, loop: str, apart: Array, claimed: Array) -> Outcome:
    first = far_steps(points.schedule, points.p, loop)
    if not built_in(points.schedule):
        first = np.minimum(first, MOST_OWN_STEPS)
    runs = ({loop: first}, {loop: first + apart})
    early, late = (points.run(changes).cycles for changes in runs)
    return Outcome(distance(claimed, (late - early) / apart), runs)


def far_steps(schedule: Schedule, p: Columns, loop: str) -> Array:
    """Return a number of steps that is far out: each duration occurs four times in one at most.

    Or as often as there are events that take it.
    """
    takes = [event.takes for event in schedule.events("consumer")]
    often = {name: max(4, takes.count(name)) for name in schedule.durations}
    step = sum((often[name] * p[name] for name in often), start=np.zeros(size(p)))
    if loop == "output_tiles":
        step = step * p[schedule.loop]
    return np.asarray(FAR_CYCLES / np.maximum(step, 1), np.int64)


def _cyclicity(schedule: Schedule, p: Columns) -> Array:
    """Return a number of steps that every circuit's own divide (Baccelli et al., section 3.7)."""
    found = np.ones(size(p), np.int64)
    for release in schedule.release_modes or ("consumer",):
        for circuit in circuits_of(schedule, release):
            steps = sum(times * (p[name] if name else 1) for name, times in circuit.steps)
            found = np.lcm(found, np.maximum(steps, 1))
    return found


def _tensor_core(points: Points) -> Outcome:
    p = with_residency(points.schedule, points.p)
    work = Work(points.schedule, p, {}).held_per_period("TC")
    return Outcome(excess(np.broadcast_to(work, size(p)), points.timing.period))


def _steady_term(form: ClosedForm, points: Points) -> Outcome:
    loop, apart = points.schedule.loop, _cyclicity(points.schedule, points.p)
    first = far_steps(points.schedule, points.p, loop)
    p = numbers(points.p)
    early, late = (form.evaluate(p | {loop: steps}) for steps in (first, first + apart))
    return Outcome(distance((late - early) / apart, points.timing.period))


def _tile_period(form: ClosedForm, points: Points) -> Outcome:
    return Outcome(distance(form.evaluate(points.p), points.timing.period))


def _kernel_period(form: ClosedForm, points: Points) -> Outcome:
    """Test where a regime was found; a step of a schedule over tiles far out in one tile."""
    schedule, claimed = points.schedule, form.evaluate(points.p)
    if form.quantity == "step_period" and period_is_per_tile(schedule):
        first = far_steps(schedule, points.p, schedule.loop)
        alone = {"output_tiles": 1}
        steps = [{schedule.loop: one} for one in (first, first + STEPS_OF_RINGS)]
        early, late = (points.run(alone | one).cycles for one in steps)
        return Outcome(
            distance(claimed, (late - early) / STEPS_OF_RINGS), tuple(alone | one for one in steps)
        )
    period = points.timing.period
    apart = excess if form.kind == "bound" else distance
    gap = apart(np.broadcast_to(claimed, period.shape), period)
    return Outcome(np.where(np.isnan(period), np.nan, gap))


def _main_loop(points: Points) -> Outcome:
    p = points.p
    apart = np.lcm(p["stages"], np.lcm(p["mma_in_flight"] + 1, p["stages"] - p["mma_in_flight"]))
    return _slope_over(points, points.schedule.loop, apart, _asynchronous_period(p))


def _asynchronous_period(p: Columns) -> Array:
    """Evaluate the formulas in the claims, written down apart from the circuits."""
    copy = p["t_issue"] + p["t_transfer"] + p["t_latency"]
    complete = p["t_mma"] + p["t_mma_latency"]
    beat = np.maximum(np.maximum(p["t_issue"], p["t_transfer"]), p["t_mma"])
    by_hardware = np.maximum(beat, (copy + complete) / p["stages"])
    by_consumer = np.maximum(
        complete / (p["mma_in_flight"] + 1), copy / (p["stages"] - p["mma_in_flight"])
    )
    period = np.where(hardware(p), by_hardware, np.maximum(by_hardware, by_consumer))
    return np.asarray(period)
