"""A progress bar on stderr, only where stderr is a terminal."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TextIO

BAR_COLUMNS, FEWEST_BAR_COLUMNS = 24, 6
COLUMNS = 80
"""Where the terminal does not say."""
REDRAW_SECONDS = 0.1


class ProgressBar:
    """Draws points done, points/s and the time left; a callable that ``sweep.run`` takes.

    Use it as a context manager: the line is cleared at the end, so that what comes next stands on
    a clean one.

    Parameters
    ----------
    stream : text stream, optional
        Standard error by default. Nothing is written unless it is a terminal.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shown = self._stream is not None and self._stream.isatty()
        self._first: tuple[float, int] | None = None
        self._drawn = 0.0
        self._columns = 0

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._columns:
            self._write("\r" + " " * self._columns + "\r")

    def __call__(self, done: int, total: int) -> None:
        """Draw that many points of all as done."""
        if not self._shown:
            return
        now = time.monotonic()
        if self._first is None:
            self._first = (now, done)
        elif now - self._drawn < REDRAW_SECONDS and done < total:
            return
        self._drawn = now
        since, before = self._first
        line = progress_line(done, total, done - before, now - since, self._width())
        self._write("\r" + line.ljust(self._columns))
        self._columns = len(line)

    def _width(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or COLUMNS
        except (AttributeError, OSError, ValueError):  # a terminal that is none of the system's
            return COLUMNS

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:  # the terminal is gone: nobody looks at the bar
            self._shown, self._columns = False, 0


def progress_line(done: int, total: int, new: int, seconds: float, columns: int = COLUMNS) -> str:
    """Return one line of progress that a terminal does not break.

    Parameters
    ----------
    done, total : int
        Points that are there, and points in all.
    new : int
        Points of ``done`` that were computed in the last ``seconds`` seconds.
    columns : int
        Width of the terminal; the bar takes what the numbers leave.

    Examples
    --------
    >>> progress_line(500_000, 2_000_000, 400_000, 0.1, columns=100)
    '[######..................]  25 %  500,000 of 2,000,000 points  4.0 M points/s  0:00 left'
    """
    share = done / total if total else 1.0
    line = f" {100 * share:3.0f} %  {done:,} of {total:,} points"
    if new > 0 and seconds > 0:
        rate = new / seconds
        line += f"  {rate_text(rate)}  {_clock((total - done) / rate)} left"
    length = min(BAR_COLUMNS, columns - len(line) - 3)
    if length >= FEWEST_BAR_COLUMNS:
        filled = int(share * length)
        line = f"[{'#' * filled}{'.' * (length - filled)}]{line}"
    return line[: columns - 1]


def rate_text(rate: float) -> str:
    """Write a rate of points with a decimal prefix.

    Examples
    --------
    >>> rate_text(25_300_000)
    '25.3 M points/s'
    """
    for limit, prefix in ((1e9, "G "), (1e6, "M "), (1e3, "k ")):
        if rate >= limit:
            return f"{rate / limit:.1f} {prefix}points/s"
    return f"{rate:.0f} points/s"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
