"""The exceptions for what a user can get wrong, told in one line, and how they quote a value."""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable
from typing import Any

QUOTED = 40
"""Characters of a user's value that a message repeats."""
LONGEST_MESSAGE = 2000
_REPR = reprlib.Repr()
_REPR.maxlist = _REPR.maxtuple = _REPR.maxset = _REPR.maxdict = 4
_REPR.maxstring = _REPR.maxother = QUOTED


class InputError(ValueError):
    """A mistake in what the user asked for, told in one line.

    The message names the parameter, the value, the limit and the unit; the command
    line prints it on stderr and exits with 2. Control characters are escaped and a message
    without end is cut, wherever it came from.
    """

    def __init__(self, message: object = "") -> None:
        super().__init__(_cut(one_line(str(message)), LONGEST_MESSAGE))


class InputTypeError(InputError, TypeError):
    """A wrong kind of object: as ``InputError``, and a TypeError too."""


def one_line(text: str) -> str:
    r"""Escape what would break a line or drive a terminal.

    Examples
    --------
    >>> print(one_line("a\n\x1b[31mb"))
    a\n\x1b[31mb
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _escaped(one) for one in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 4]}..."


def shorten(value: object, most: int = QUOTED) -> str:
    """Return a value as a message quotes it: in one line, and no longer than that.

    Text is taken as it is; give ``quoted`` what should stand in quotation marks.

    Examples
    --------
    >>> shorten("x" * 100), shorten(10**5000)
    ('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...', 'about 10**5000')
    """
    if isinstance(value, int) and value.bit_length() > 10_000:  # Python refuses to write these
        sign = "-" if value < 0 else ""
        return f"about {sign}10**{round((value.bit_length() - 1) * 0.30103)}"
    try:
        text = str(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return _cut(one_line(text[: most + 1]), most)


def quoted(value: object, most: int = QUOTED) -> str:
    """Return a value's ``repr`` as a message quotes it: in one line, and no longer than that.

    Examples
    --------
    >>> quoted("h100"), quoted([1] * 50)
    ("'h100'", '[1, 1, 1, 1, ...]')
    """
    if isinstance(value, str):
        return repr(_cut(value, most))
    if isinstance(value, int) and not isinstance(value, bool):
        return shorten(value, most)
    if hasattr(type(value), "__array_function__") or _prints_lines(value):
        return f"<{type(value).__name__}>"
    try:
        return shorten(_REPR.repr(value), most)
    except Exception:
        return f"<{type(value).__name__}>"


def _prints_lines(value: Any) -> bool:
    """Whether it is a table or an array that prints over many lines, xarray's and pandas' too."""
    return hasattr(type(value), "__array__") and bool(getattr(value, "ndim", 1))


def unknown_name(kind: str, name: object, known: Iterable[str]) -> InputError:
    """Return the error for a name that does not exist, with the nearest one that does.

    Parameters
    ----------
    kind : str
        What the name should have been ("schedule", "parameter", "GPU").
    name : object
        What was given.
    known : iterable of str
        The names that exist.

    Examples
    --------
    >>> print(unknown_name("schedule", "multistge", ["sync", "multistage"]))
    unknown schedule 'multistge': did you mean 'multistage'?
    """
    names = list(known)
    text = name[:100] if isinstance(name, str) else ""
    begins = [one for one in names if text and one.startswith(text)]
    near = begins or difflib.get_close_matches(text, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
    error = InputError if isinstance(name, str) else InputTypeError
    return error(f"unknown {kind} {quoted(name)}: {hint}")
