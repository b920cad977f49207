"""Which delays happen in every iteration: those that always have something to come after.

A delay that nothing brings about does not happen, and is nothing to wait for either.
"""

from __future__ import annotations

from sweep.description.counts import add, least, linear
from sweep.description.rows import After, Event
from sweep.description.schedule import Schedule


def absent_delays(schedule: Schedule, release: str = "consumer") -> tuple[str, ...]:
    """Name the delays that may have an iteration, or a tile, with nothing to come after.

    Parameters
    ----------
    schedule : Schedule
    release : str
        "consumer" or "hardware".

    Returns
    -------
    tuple of str
        In list order; loops are taken to run at least once.
    """
    rows = schedule.events(release)
    by_name = {row.name: row for row in rows}
    always = {row.name for row in rows if row.agent}
    while True:
        more = {
            row.name
            for row in rows
            if row.name not in always
            and any(
                after.event in always and _meets(schedule, row, after, by_name[after.event])
                for after in row.after
            )
        }
        if not more:
            return tuple(row.name for row in rows if row.name not in always)
        always |= more


def _meets(schedule: Schedule, row: Event, after: After, written: Event) -> bool:
    """Whether an instance of ``written`` stands at the other end for every instance of a row."""
    if schedule.place(row) == schedule.place(written):
        same = (written.skips, written.every) == (row.skips, row.every) and after.lag == 0
        kept = same or (written.skips == 0 and written.every == 1)
        room = add(linear(row.starts_at), minus=add(linear(after.lag), linear(written.starts_at)))
        return kept and least(room) >= 0
    reached = after.lag == 0 and written.starts_at == 0
    kept = written.skips == 0 and (written.every == 1 or after.at == "last")
    return reached and kept
