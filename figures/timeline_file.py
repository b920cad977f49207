"""Timelines as files; the suffix says which kind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from figures.perfetto import perfetto
from sweep.errors import InputError
from sweep.files import write_text

if TYPE_CHECKING:
    import xarray as xr

SUFFIXES = (".json",)


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
    """Write a trace to a file, whole or not at all.

    Raises
    ------
    InputError
        For several traces, which this kind of file does not hold, and where it cannot be written.
    """
    if len(traces) != 1:
        raise InputError(f"{path}: holds one schedule, not {len(traces)}")
    write_text(path, json.dumps(perfetto(traces[0]), allow_nan=False) + "\n")
