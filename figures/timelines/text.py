"""A timeline as text: who does what when, and what it waits for, in any terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from figures.timelines.text_cells import (
    LETTERS,
    WAIT_NAMES,
    Letters,
    cells,
    letters_of,
    nearest,
)
from figures.timelines.tracks import Track, tracks
from sweep.catalogue.schedules import SCHEDULES
from sweep.errors import InputError

if TYPE_CHECKING:
    import xarray as xr

MIN_WIDTH = 40
TICK_COLUMNS = 10
"""Least distance of two ticks."""
SHARE_COLUMNS = 7


def timeline_text(traces: xr.Dataset | Sequence[xr.Dataset], width: int = 80) -> str:
    """Draw one trace, or several on one time axis.

    A row per resource and per agent. An operation begins with its capital letter and goes on as
    ``=``; a wait begins with the small letter of what it is for and goes on as ``-``; ``.`` is
    idle. What is shorter than a column shows where nothing longer is. Behind each resource stands
    the share of the makespan that holds it.

    Parameters
    ----------
    traces : xarray.Dataset or sequence of them
        From ``sweep.trace``.
    width : int
        Columns in all, at least 40.

    Returns
    -------
    str
        Lines without a trailing newline, none longer than ``width``.

    Raises
    ------
    InputError
        For a width that is too small.

    Examples
    --------
    >>> import sweep
    >>> print(timeline_text(sweep.trace("sync", k_tiles=2), width=68))
    cycle 0                2,000            4,000            6,000
          |----------------|----------------|----------------|---
    <BLANKLINE>
    sync  k_tiles=2  6,464 cycles
    TC    .............M========.............M========...........   32 %
    MEM   .T=====................T=====..........................   24 %
    warp  Ic-----------M========Ic-----------M========E==========
    <BLANKLINE>
    I issue  T transfer  M mma  E epilogue
    waits for:  c copy
    """
    if width < MIN_WIDTH:
        raise InputError(f"width={width}: must be at least {MIN_WIDTH} columns")
    runs = list(traces) if isinstance(traces, Sequence) else [traces]
    drawn = [tracks(run) for run in runs]
    label = 2 + max((len(one.name) for found in drawn for one in found), default=0)
    columns = width - label - SHARE_COLUMNS
    span = max(float(run.attrs["cycles"]) for run in runs)
    scale = span / columns if span > 0 else 1.0
    lines = _axis(span, columns, scale, label)
    spans = (span for found in drawn for track in found for span in track.spans)
    letters = letters_of({(one.name, one.waiting) for one in spans if one.end > one.start})
    for run, found in zip(runs, drawn, strict=True):
        cycles = float(run.attrs["cycles"])
        lines += ["", *_title(run, width)]
        for track in found:
            line = track.name.ljust(label) + cells(track.spans, scale, columns, letters)
            lines.append(line + _share(track, cycles))
    lines += ["", *_legend(letters, width)]
    return "\n".join(line.rstrip() for line in lines)


def _title(run: xr.Dataset, width: int) -> list[str]:
    usual = ("stages", "k_tiles", "kv_blocks", "output_tiles")
    schedule = SCHEDULES.get(run.attrs["schedules"])
    loops = () if schedule is None else (loop.count for loop in schedule.loops)
    counts = dict.fromkeys((*usual, *map(str, loops)))
    shown = [f"{name}={run.coords[name].item()}" for name in counts if name in run.coords]
    cycles = f"{run.attrs['cycles']:,.10g} cycles"
    return wrap([run.attrs["schedules"], *shown, cycles], width)


def _share(track: Track, cycles: float) -> str:
    if not track.resource:
        return ""
    share = 100 * track.busy / cycles if cycles > 0 else 0.0
    return f" {share:4.0f} %"


def _axis(span: float, columns: int, scale: float, label: int) -> list[str]:
    """Return the ticks' cycles above the ticks."""
    step = tick_step(max(scale, 1e-9) * max(TICK_COLUMNS, len(f"{span:,.0f}") + 2))
    numbers, ticks = [" "] * (columns + SHARE_COLUMNS), ["-"] * columns
    for index in range(math.floor(span / step) + 1):
        at = nearest(index * step / scale, columns)
        text = f"{index * step:,.10g}"
        if at < columns and at + len(text) <= len(numbers):
            ticks[at] = "|"
            numbers[at : at + len(text)] = text
    return ["cycle".ljust(label) + "".join(numbers), " " * label + "".join(ticks)]


def tick_step(least: float) -> float:
    """Return the smallest of 1, 2, 5, 10, 20, 50, ... that is at least ``least``.

    Examples
    --------
    >>> tick_step(130.0)
    200.0
    """
    power = 10.0 ** math.floor(math.log10(least))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= least)


def _legend(letters: Letters, width: int) -> list[str]:
    doing = sorted((name for name, waiting in letters if not waiting), key=_rank)
    lines = wrap([f"{letters[name, False]} {name}" for name in doing], width)
    waits = {
        letter: WAIT_NAMES.get(name, name) for (name, waiting), letter in letters.items() if waiting
    }
    if waits:
        words = (f"{key} {name}" for key, name in sorted(waits.items()))
        lines += wrap(["waits for:", *words], width)
    return lines


def _rank(name: str) -> tuple[int, str]:
    known = list(LETTERS)
    return known.index(name) if name in known else len(known), name


def wrap(words: Iterable[str], width: int) -> list[str]:
    """Join words by two spaces into lines of at most ``width`` columns."""
    lines = [""]
    for word in words:
        longer = f"{lines[-1]}  {word}" if lines[-1] else word
        if len(longer) > width and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
