"""What the language describes and the kernels do not run yet is refused, never left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sweep.catalogue.schedules import SCHEDULES
from sweep.catalogue.validation import validate
from sweep.description import Agent, Count, Event, Loop, Ring, Schedule
from sweep.errors import InputError


def changed(**fields: Any) -> Schedule:
    """Return a schedule of one's own that is sync, but for some fields."""
    return replace(SCHEDULES["sync"], name="own", **fields)


def with_rows(**fields: Any) -> Schedule:
    """Return the same with something said of its last row per k-tile."""

    def events(release: str) -> tuple[Event, ...]:
        rows = SCHEDULES["sync"].events(release)
        last = [row for row in rows if row.place == "k_tile"][-1]
        return tuple(replace(row, **fields) if row is last else row for row in rows)

    return changed(events=events)


def test_what_it_starts_from_is_run() -> None:
    validate(changed())
    validate(with_rows())


@pytest.mark.parametrize(
    ("schedule", "named"),
    [
        (changed(loops=(Loop("k_tile", "k_tiles"), Loop("out", 4))), "second loop"),
        (changed(loops=(Loop("main", "k_tiles"),)), "'main'"),
        (changed(rings=(Ring("ab", "stages", {"transfer": ("mma",)}),)), "ring 'ab'"),
        (changed(declares=(Count("subtiles", 4),)), "name"),
        (changed(shape="gemm"), "shape"),
        (changed(flop="2 * tile_m"), "FLOP"),
        (changed(agents=(Agent("warpgroup", turns=2),)), "turns"),
        (with_rows(skips=1), "skips"),
        (with_rows(every=2), "every"),
    ],
)
def test_it_is_refused_in_one_line(schedule: Schedule, named: str) -> None:
    with pytest.raises(InputError, match="not yet run") as refused:
        validate(schedule)
    assert named in str(refused.value)
    assert "\n" not in str(refused.value)
