"""What a schedule declares by name, as rows of the registry."""

from __future__ import annotations

from collections.abc import Iterator

from sweep.description import Count, Duration, Factor, Resource, Schedule, count_names
from sweep.quantities.result_rows import utilization_row
from sweep.quantities.variable import EXACT_CYCLES, MOST_SLOTS, Variable
from sweep.quantities.variables import VARIABLES


def enter_names(schedule: Schedule) -> None:
    """Enter what a schedule declares, so that its names are parameters and outputs like any other.

    Raises
    ------
    InputError
        For a name that has another meaning or unit, naming both.
    """
    if schedule.declares:
        VARIABLES.enter(schedule.name, own_rows(schedule))


def own_rows(schedule: Schedule) -> Iterator[Variable]:
    """Yield a row for each name that a schedule declares."""
    slots = _sizing(schedule)
    for one in schedule.declares:
        if isinstance(one, Resource):
            yield utilization_row(one.name, one.name)
        elif isinstance(one, Duration):
            yield Variable(one.name, "duration", "cycle", one.long_name, upper=EXACT_CYCLES)
        elif isinstance(one, Count):
            upper = MOST_SLOTS if one.name in slots else EXACT_CYCLES
            upper = upper if one.most is None else min(upper, one.most)
            yield Variable(
                one.name,
                "count",
                one.unit,
                one.long_name,
                "int64",
                one.default,
                lower=one.least,
                upper=upper,
            )
        elif isinstance(one, Factor):
            yield Variable(
                one.name,
                "physical",
                one.unit,
                one.long_name,
                default=one.default,
                lower=one.least,
                upper=one.most,
            )


def _sizing(schedule: Schedule) -> frozenset[str]:
    """Return the counts that say how far back a schedule looks: an engine keeps as many times."""
    found = {name for ring in schedule.rings for name in count_names(ring.slots)}
    for release in ("consumer", "hardware"):
        for event in schedule.events(release):
            counts = (event.behind, event.starts_at, event.skips, event.every)
            lags = (after.lag for after in event.after)
            found |= {name for count in (*counts, *lags) for name in count_names(count)}
    return frozenset(found)
