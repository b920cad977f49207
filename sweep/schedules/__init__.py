"""One file per schedule; a file here that defines ``SCHEDULE`` is found without any list."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from sweep.description import Schedule
from sweep.errors import InputError

ENTRY_POINTS = "warpsweep.schedules"
"""The entry-point group under which other packages register their schedules."""


def discover() -> dict[str, Schedule]:
    """Return every schedule by name: this folder's, GEMM before attention, then registered ones."""
    modules = (
        importlib.import_module(f"{__name__}.{info.name}")
        for info in pkgutil.iter_modules(__path__)
        if not info.name.startswith("_")
    )
    own = sorted((module.SCHEDULE for module in modules), key=lambda one: one.name)
    found = {one.name: one for one in sorted(own, key=lambda one: one.family != "gemm")}
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        one = _schedule_of(entry.load(), f"entry point {entry.value!r}")
        if one.name in found:
            raise InputError(f"schedule {one.name!r} of entry point {entry.value!r} exists already")
        found[one.name] = one
    return found


def load_schedule(path: str) -> Schedule:
    """Return the schedule that a Python file defines as ``SCHEDULE``.

    Raises
    ------
    InputError
        If the file cannot be read or run, or defines no sound schedule.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"schedule {path!r}: there is no such file")
    spec = importlib.util.spec_from_file_location(f"warpsweep_schedule_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise InputError(f"schedule {path!r}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever a user's file raises becomes one line
        raise InputError(f"schedule {path!r}: {type(error).__name__}: {error}") from error
    return _schedule_of(module, repr(path))


def _schedule_of(found: Any, where: str) -> Schedule:
    from sweep.validation import validate

    schedule = getattr(found, "SCHEDULE", found)
    if not isinstance(schedule, Schedule):
        raise InputError(f"{where}: defines no SCHEDULE, a sweep.description.Schedule")
    validate(schedule)
    return schedule
