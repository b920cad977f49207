"""Claims that a closed form is the makespan, one for every form of the registry."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from analysis.closed_forms import CLOSED_FORMS, ClosedForm
from analysis.verification.claim import Claim, Outcome, Points, distance
from analysis.verification.draws import Where
from sweep.catalogue.schedules import SCHEDULES
from sweep.description import Schedule


def built_in(schedule: Schedule) -> bool:
    """Whether the formulas written down for a schedule of this name are about this one."""
    return SCHEDULES.get(schedule.name) is schedule and schedule.name in CLOSED_FORMS


def forms_of(schedule: Schedule) -> Iterator[ClosedForm]:
    """Yield the closed forms of a schedule's makespan."""
    if built_in(schedule):
        yield from (form for form in CLOSED_FORMS.values() if form.schedule == schedule.name)


def makespan_claims(schedule: Schedule) -> Iterator[Claim]:
    """Yield a claim for every closed form."""
    for form in forms_of(schedule):
        yield makespan_claim(schedule, form)


def makespan_claim(schedule: Schedule, form: ClosedForm) -> Claim:
    """Return the claim that a closed form is the simulated makespan on its domain."""
    return Claim(
        schedule,
        f"makespan ({form.name})",
        form.kind,
        "cycles = the formula",
        Where(conditions=form.conditions),
        partial(_check, form),
        formula=lambda: form.latex,
    )


def _check(form: ClosedForm, points: Points) -> Outcome:
    return Outcome(distance(form.evaluate(points.p), points.timing.cycles))
