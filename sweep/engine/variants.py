"""Which kernels a schedule's points need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sweep.description import Schedule
from sweep.engine.expressible import needs_general_engine
from sweep.quantities.arrays import Array, Values
from sweep.quantities.variables import SERVICES, VARIABLES
from sweep.recurrence.folding import EXTENSIONS


@dataclass(frozen=True)
class Variant:
    """One kernel of a schedule, and the codes of the choices that it serves.

    Attributes
    ----------
    name : str
        A generated kernel, the loop of ``fifo``, or "general".
    choices : tuple of (str, int)
    """

    name: Literal["plain", "consumer", "hardware", "fifo", "general"]
    choices: tuple[tuple[str, int], ...] = ()

    def load(self, schedule: Schedule) -> Any:
        """Return the kernel, compiled if need be."""
        from sweep.engine.general import GeneralPoints
        from sweep.recurrence.fifo import FifoKernel
        from sweep.recurrence.kernels import kernel_of

        if self.name == "general":
            codes = dict(self.choices)
            release = VARIABLES["release"].choices[codes.get("release", 0)]
            return GeneralPoints(schedule, release, SERVICES[codes["arbitration"]] == "fifo")
        if self.name == "fifo":
            return FifoKernel(schedule)
        if self.name == "plain":
            return kernel_of(schedule, "consumer", True)
        return kernel_of(schedule, self.name, False)

    def serves(self, points: Mapping[str, Array]) -> Array:
        """Return the indices of the points that it runs."""
        of = np.ones(next(iter(points.values())).shape, dtype=bool)
        for name, code in self.choices:
            of &= points[name] == code
        return np.flatnonzero(of)


def prepare(schedule: Schedule, values: Values) -> None:
    """Load, and compile if need be, the kernels that some values need."""
    for variant in variants_of(schedule, values):
        variant.load(schedule)


def variants_of(schedule: Schedule, values: Values) -> tuple[Variant, ...]:
    """Return the kernels that some values need."""
    if needs_general_engine(schedule, values):
        return tuple(_general(schedule, values))
    off = not any(np.any(values[name]) for name in EXTENSIONS if name in values)
    first: Literal["plain", "consumer"] = "plain" if off else "consumer"
    choice = choice_of(schedule)
    if not choice:
        return (Variant(first),)
    second: Literal["hardware", "fifo"] = "hardware" if choice == "release" else "fifo"
    names = (first, second, first)  # a single CTA alternates in program order
    return tuple(Variant(names[code], ((choice, int(code)),)) for code in np.unique(values[choice]))


def _general(schedule: Schedule, values: Values) -> list[Variant]:
    releases = np.unique(values["release"]).tolist() if schedule.release_modes else [0]
    of_release = [(("release", one),) if schedule.release_modes else () for one in releases]
    services = np.unique(values["arbitration"]).tolist()
    return [
        Variant("general", (*release, ("arbitration", service)))
        for release in of_release
        for service in services
    ]


def choice_of(schedule: Schedule) -> str:
    """Name the choice that decides between a schedule's kernels, if there is one."""
    if schedule.release_modes:
        return "release"
    return "arbitration" if "arbitration" in schedule.parameters else ""
