"""Lines for a reader at a terminal: one each, printable, of bounded length."""

from __future__ import annotations

import io
import os
import re
import sys

from sweep import errors

LONGEST_WORD, LONGEST_LINE = 300, 1500


class Notice(UserWarning):
    """A warning that is meant for users; the command line shows no other."""


def one_line(text: str) -> str:
    """Return text as one line that a terminal shows as it is.

    Control characters and bytes that are no text are escaped, and what has no end is shortened.

    Examples
    --------
    >>> one_line("unknown schedule \\x1b[31m\\n")
    'unknown schedule \\\\x1b[31m'
    >>> len(one_line("a" * 5000))
    213
    """
    words = " ".join(text.split())
    shown = re.sub(rf"\S{{{LONGEST_WORD + 1},}}", _shortened, errors.one_line(words))
    return shown if len(shown) <= LONGEST_LINE else f"{shown[: LONGEST_LINE - 3]}..."


def _shortened(word: re.Match[str]) -> str:
    return f"{word[0][:150]}...{word[0][-60:]}"


def tell(text: str) -> None:
    """Write one line to standard error; where nobody can read it, say nothing."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(f"warpsweep: {one_line(text)}\n")
            sys.stderr.flush()
    except (OSError, ValueError):  # full, gone, or closed
        pass


def describe(error: BaseException) -> str:
    """Name an error of somebody else's code and what it says, even where that fails in turn.

    Examples
    --------
    >>> describe(ValueError("no such tile"))
    'ValueError: no such tile'
    >>> describe(SystemExit())
    'SystemExit'
    """
    kind = type(error).__name__
    try:
        said = str(error)
    except Exception:  # its own __str__ is broken
        said = ""
    return one_line(f"{kind}: {said}") if said else kind


def stand_in_for_missing_streams() -> None:
    """Give a process whose caller closed a standard stream something in its place.

    No file that is opened later then gets the number of a stream. What is written to standard
    output ends in an error, as on any output that cannot be written; standard error is dropped.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY if number < 2 else os.O_WRONLY)  # the lowest free one
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
