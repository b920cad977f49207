"""Timelines as files; the suffix says which kind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from figures.drawing.saving import FORMATS, save
from figures.timelines.perfetto import perfetto
from figures.timelines.picture import timeline
from sweep.errors import InputError
from sweep.host.files import write_text

if TYPE_CHECKING:
    import xarray as xr

TRACE = ".json"
SUFFIXES = (*(f".{kind}" for kind in FORMATS), TRACE)


def check_timeline_file(path: Path) -> None:
    """Refuse a file of a kind that there is not, before anything is computed.

    Raises
    ------
    InputError
        Naming the kinds that there are.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"{path}: a timeline is written as {', '.join(SUFFIXES)}, not as"
            f" {path.suffix or 'a file without suffix'!r}"
        )
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}")


def write_timeline(traces: Sequence[xr.Dataset], path: Path) -> None:
    """Write traces to a file, whole or not at all: a picture, or a trace for ui.perfetto.dev.

    Raises
    ------
    InputError
        For several traces, which the latter does not hold, and where it cannot be written.
    """
    if path.suffix.lower() != TRACE:
        save(timeline(traces), path)
        return
    if len(traces) != 1:
        raise InputError(f"{path}: holds one schedule, not {len(traces)}")
    write_text(path, json.dumps(perfetto(traces[0]), allow_nan=False) + "\n")
