"""Which kernels a schedule's points need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sweep.description import Schedule
from sweep.quantities.arrays import Values
from sweep.recurrence.folding import EXTENSIONS


@dataclass(frozen=True)
class Variant:
    """One kernel of a schedule, and the code of the choice (release, arbitration) it serves."""

    name: Literal["plain", "consumer", "hardware", "fifo"]
    code: int

    def load(self, schedule: Schedule) -> Any:
        """Return the kernel, compiled if need be."""
        from sweep.recurrence.fifo import FifoKernel
        from sweep.recurrence.kernels import kernel_of

        if self.name == "fifo":
            return FifoKernel(schedule)
        if self.name == "plain":
            return kernel_of(schedule, "consumer", True)
        return kernel_of(schedule, self.name, False)


def prepare(schedule: Schedule, values: Values) -> None:
    """Load, and compile if need be, the kernels that some values need."""
    for variant in variants_of(schedule, values):
        variant.load(schedule)


def variants_of(schedule: Schedule, values: Values) -> tuple[Variant, ...]:
    """Return the kernels that some values need."""
    off = not any(np.any(values[name]) for name in EXTENSIONS if name in values)
    first = Variant("plain" if off else "consumer", 0)
    choice = choice_of(schedule)
    if not choice:
        return (first,)
    second = Variant("hardware" if choice == "release" else "fifo", 1)
    return tuple((first, second)[code] for code in np.unique(values[choice]))


def choice_of(schedule: Schedule) -> str:
    """Name the choice that decides between a schedule's kernels, if there is one."""
    if schedule.release_modes:
        return "release"
    return "arbitration" if "arbitration" in schedule.parameters else ""
