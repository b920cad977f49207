"""Whether every account of a drawn description agrees, event by event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sweep.description import Schedule
from sweep.description.interpreter import NeverHappens, ends_of
from sweep.description.program_order import Key
from tests.accounts.plain_kernels import PlainKernel
from tests.accounts.single_loop_descriptions import points
from tests.accounts.translated_programs import Translation

Ends = dict[Key, float]
EXTENSIONS = ("t_sync", "t_mma_latency", "mma_in_flight")
Make = Callable[[Schedule, str, bool], PlainKernel]


def listed(schedule: Schedule, p: Mapping[str, Any]) -> tuple[float, Ends] | None:
    """Return makespan and ends by the interpreter; None where it deadlocks."""
    try:
        return ends_of(schedule, p)
    except NeverHappens:
        return None


def simulated(schedule: Schedule, p: Mapping[str, Any]) -> Ends | None:
    """Return the ends by the translated program; None where it deadlocks."""
    performed = Translation(schedule, p).perform()
    return None if performed.deadlock else {key: end for key, (_, end) in performed.spans.items()}


def difference(schedule: Schedule, seed: int, make: Make = PlainKernel) -> str:
    """Say where two accounts of a description differ first, or nothing.

    Short runs are compared at every event, longer ones by their makespan with and without jumps.
    """
    kernels = {plain: make(schedule, "consumer", plain) for plain in (True, False)}
    for p in points(seed, schedule, 4):
        expected = listed(schedule, p)
        if simulated(schedule, p) != (expected and expected[1]):
            return f"list and program differ at {p}"
        for plain in {_plain(p), False}:
            found = _against_list(schedule, kernels[plain], plain, p, expected)
            if found:
                return f"{found} (plain={plain}) at {p}"
    for p in points(seed + 10**6, schedule, 2, long=True):
        kernel = kernels[_plain(p)]
        stepped, jumped = kernel.step(p)[0], kernel.run(p)[0]
        if not np.array_equal(stepped, jumped, equal_nan=True):
            return f"{stepped} stepped, {jumped} with jumps at {p}"
    return ""


def _plain(p: Mapping[str, Any]) -> bool:
    return not any(p.get(name, 0) for name in EXTENSIONS)


def _against_list(
    schedule: Schedule,
    kernel: PlainKernel,
    plain: bool,
    p: Mapping[str, Any],
    expected: tuple[float, Ends] | None,
) -> str:
    cycles, recorded = kernel.step(p)
    jumped = kernel.run(p)[0]
    if expected is None:
        return "" if np.isnan(cycles) and np.isnan(jumped) else "the kernel runs a deadlock"
    makespan, ends = expected
    if not cycles == jumped == makespan:
        return f"makespan {makespan} by the list, {cycles} stepped, {jumped} with jumps"
    for name, found in recorded.items():
        wanted = [end for (event, *_), end in sorted(ends.items()) if event == name]
        late = next(row.starts_at for row in schedule.events("consumer") if row.name == name)
        # A wait of no length may exist from the start where the extensions are folded away.
        compared = found[len(found) - len(wanted) :] if plain and late != 0 else found
        if compared != wanted:
            return f"{name!r}: {wanted[:6]} by the list, {found[:6]} by the kernel"
    return ""
