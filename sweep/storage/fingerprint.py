"""What decides the bytes of a sweep on disk, as digests by name."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from typing import Any

import numpy as np

from sweep.description import Schedule
from sweep.engine.variants import variants_of
from sweep.errors import InputError
from sweep.inputs.space import Space
from sweep.quantities.arrays import Values
from sweep.recurrence.kernels import source_of
from sweep.version import __version__

FINGERPRINT = "space_fingerprint"
LAYOUT = "2"
"""Counts the ways in which stores have been laid out: chunks of 1 carried no checksum."""
_CALLED = ("events", "program")
"""Functions of a schedule: its rows stand for the first, no kernel runs the second."""


_NOTHING = np.empty(0)


def fingerprint(space: Space) -> dict[str, str]:
    """Return a digest of everything that decides a store's bytes, by what it is.

    Of a schedule these are all its fields, its rows for both ways of release, and the source of
    the kernels that the space needs.
    """
    found = {"warpsweep": __version__, "layout": LAYOUT, "dimensions": json.dumps(space.dims)}
    found["schedule"] = " ".join(one.name for one in space.schedules)
    for name, (dims, values) in space.coords.items():
        found.setdefault(name, _digest(json.dumps(dims), np.asarray(values)))
    for schedule, own in zip(space.schedules, space.values, strict=True):
        parts = (_digest(name, own[name]) for name in sorted(own))
        found[f"values of {schedule.name}"] = _digest(" ".join(parts))
        for name, text in _described(schedule, own).items():
            found[f"{name} of {schedule.name}"] = _digest(text)
    return found


def _described(schedule: Schedule, values: Values) -> dict[str, str]:
    named = {one.name: getattr(schedule, one.name) for one in fields(schedule)}
    kernels = [
        source_of(schedule, "consumer" if one.name == "plain" else one.name, one.name == "plain")
        for one in variants_of(schedule, values)
        if one.name != "fifo"  # one loop for all schedules, which reads the rows
    ]
    return {
        "events": repr([schedule.events(release) for release in ("consumer", "hardware")]),
        "fields": repr({name: one for name, one in named.items() if name not in _CALLED}),
        "kernels": "\n".join(kernels),
    }


def _digest(head: str, array: Any = _NOTHING) -> str:
    if array.dtype.kind in "OUT":  # objects by what they say: their bytes are addresses
        kind, content = "text", json.dumps([str(one) for one in array.flat]).encode()
    else:
        kind, content = array.dtype.str, np.ascontiguousarray(array).tobytes()
    return hashlib.sha256(f"{head}{kind}{array.shape}".encode() + content).hexdigest()[:16]


def check_fingerprint(space: Space, there: Any) -> None:
    """Check what a store says of itself against a space.

    Raises
    ------
    InputError
        Naming the first thing that differs.
    """
    here = fingerprint(space)
    for name in [*here, *there]:
        if here.get(name) == there.get(name):
            continue
        if name == "warpsweep":
            raise InputError(
                f"was written by warpsweep {there.get(name)}, this is {__version__}: go on with"
                " that version, or give another --out"
            )
        raise InputError(f"holds another sweep ({name} differs); give another --out")
