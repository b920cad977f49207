"""A progress bar on stderr, only where stderr is a terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from sweep.host.live_line import LiveLine

BAR_COLUMNS, FEWEST_BAR_COLUMNS = 24, 6
COLUMNS = 80
REDRAW_SECONDS = 0.1


class ProgressBar:
    """Draws points done, points/s and the time left; a callable that ``sweep.run`` takes.

    Use it as a context manager: the line is cleared at the end, so that what comes next stands on
    a clean one. What is written to stderr meanwhile stands above it.

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
        self._line: LiveLine | None = None

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._line is not None:
            with self._while_there_is_a_terminal():
                self._line.stop()

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
        with self._while_there_is_a_terminal():
            self._draw(done, total, done - before, now - since)

    def _draw(self, done: int, total: int, new: int, seconds: float) -> None:
        if self._line is None:
            from sweep.host.live_line import LiveLine  # rich: only where a line is drawn

            self._line = LiveLine(self._stream)
        self._line.show(lambda columns: progress_line(done, total, new, seconds, columns))

    @contextlib.contextmanager
    def _while_there_is_a_terminal(self) -> Iterator[None]:
        try:
            yield
        except OSError:  # the terminal is gone: nobody looks at the bar
            self._shown = False
            if self._line is not None:
                with contextlib.suppress(OSError):
                    self._line.stop()


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
