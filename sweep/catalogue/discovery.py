"""Schedules are found: the built-in ones, those of other packages, and a user's own file."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import pkgutil
import sys
import warnings
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from sweep import schedules
from sweep.description import Schedule
from sweep.errors import InputError
from sweep.host.streams import Notice, describe

ENTRY_POINTS = "warpsweep.schedules"
"""The entry-point group under which other packages register their schedules."""


def discover() -> dict[str, Schedule]:
    """Return every schedule by name: own ones, GEMM before attention, then registered ones."""
    modules = (
        importlib.import_module(f"{schedules.__name__}.{info.name}")
        for info in pkgutil.iter_modules(schedules.__path__)
        if not info.name.startswith("_")
    )
    own = sorted((module.SCHEDULE for module in modules), key=lambda one: one.name)
    found = {one.name: one for one in sorted(own, key=lambda one: one.family != "gemm")}
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        try:
            one = _schedule_of(entry.load(), f"entry point {entry.value!r}")
            if one.name in found:
                raise InputError(f"schedule {one.name!r} exists already")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # one broken package must not take the others down
            said = describe(error)
            warnings.warn(f"schedule {entry.name!r} ({entry.value}): {said}", Notice, stacklevel=2)
            continue
        found[one.name] = one
    return found


def load_schedule(path: str | os.PathLike[str]) -> Schedule:
    """Return the schedule that a Python file defines as ``SCHEDULE``.

    A file is run once, and again when it has changed.

    Raises
    ------
    InputError
        If the file cannot be read or run, or defines no sound schedule.
    """
    file = Path(path)
    try:
        if not file.is_file():
            raise InputError(f"schedule {str(path)!r}: there is no such file")
        stamp = file.stat()
        return _run_file(str(file.resolve()), str(path), stamp.st_mtime_ns, stamp.st_size)
    except (OSError, ValueError) as error:  # a name too long, or no name at all
        if isinstance(error, InputError):
            raise
        raise InputError(f"schedule {str(path)!r}: {describe(error)}") from error


@cache
def _run_file(file: str, path: str, changed: int, size: int) -> Schedule:
    digest = hashlib.sha256(f"{file} {changed} {size}".encode()).hexdigest()[:12]
    name = f"warpsweep_schedule_{digest}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError(f"schedule {path!r}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses of the file look themselves up
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a user's file raises becomes one line
        raise InputError(f"schedule {path!r}: {describe(error)}") from error
    return _schedule_of(module, repr(path))


@cache
def accept_schedule(schedule: Schedule) -> Schedule:
    """Return a schedule given as an object, once it has been found sound.

    Raises
    ------
    InputError
        If its description is not.
    """
    return _schedule_of(schedule, f"schedule {schedule.name!r}")


def _schedule_of(found: Any, where: str) -> Schedule:
    from sweep.catalogue.validation import validate

    schedule = getattr(found, "SCHEDULE", found)
    if not isinstance(schedule, Schedule):
        raise InputError(f"{where}: defines no SCHEDULE, a sweep.description.Schedule")
    try:
        fixed = replace(schedule, events=cache(schedule.events))  # asked once, here
        validate(fixed)
        return fixed
    except (InputError, KeyboardInterrupt):
        raise
    except BaseException as error:  # what a description can hold instead of events has no end
        raise InputError(f"{where}: {describe(error)}") from error
