"""One line at the bottom of a terminal that is drawn again and again, and gone at the end."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.text import Text


class LiveLine:
    """A line that fits its terminal, however that is resized, below what is written to stderr.

    Parameters
    ----------
    stream : text stream
        The terminal.

    Raises
    ------
    OSError
        From any method, where the terminal is gone.
    """

    def __init__(self, stream: TextIO) -> None:
        self._live = Live(
            console=_Terminal(file=stream, force_terminal=True, highlight=False),
            auto_refresh=False,  # no thread of its own
            transient=True,
            redirect_stdout=False,  # may be a file
        )

    def show(self, text: Callable[[int], str]) -> None:
        """Draw the line.

        Parameters
        ----------
        text : callable
            Returns the line for a terminal of that many columns.
        """
        self._live.start()
        self._live.update(_Line(text), refresh=True)

    def stop(self) -> None:
        """Take the line away."""
        self._live.stop()


class _Line:
    def __init__(self, text: Callable[[int], str]) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self._text(options.max_width), no_wrap=True, overflow="crop")


class _Terminal(Console):
    def show_cursor(self, show: bool = True) -> bool:
        """Leave the cursor: a process that is killed could not bring it back."""
        return False

    def on_broken_pipe(self) -> None:
        """Say that the terminal is gone instead of ending the process."""
        raise OSError(errno.EPIPE, os.strerror(errno.EPIPE))
