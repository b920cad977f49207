"""TOML files that may hold anything: what is no TOML or out of range is told in one line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from sweep.errors import InputError
from sweep.host.files import cannot, shown

MOST_BYTES = 1 << 25
"""Of a file: 32 MiB are more than a million numbers with all their digits."""
MOST_LETTERS = 4096
"""Of a text or key, as of a path."""
MOST_DIGITS = 4300
"""Of a decimal whole number: Python reads no longer ones (``sys.set_int_max_str_digits``)."""
MOST_LEVELS = 16
"""Of tables and lists inside one another."""


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file, which may be a pipe, too.

    Parameters
    ----------
    path : pathlib.Path

    Returns
    -------
    dict
        Whole numbers in it have at most 64 bits, as TOML's do.

    Raises
    ------
    InputError
        For a file that cannot be read, is larger than ``MOST_BYTES``, no text in UTF-8, no TOML,
        or has a number, text or depth out of range; it names the file and the key.
    """
    text = _text(path)
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise InputError(f"{shown(path)}: lists or tables nested too deeply") from None
    except ValueError as error:
        raise InputError(f"{shown(path)}: not valid TOML: {_reason(text, error)}") from None
    try:
        _check(document)
    except InputError as error:
        raise InputError(f"{shown(path)}: {error}") from None
    return document


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise cannot("read", path, error) from None
    except ValueError as error:  # a null byte in the path
        raise InputError(f"cannot read {shown(path)!r}: {error}") from None
    if len(content) > MOST_BYTES:
        raise InputError(f"{shown(path)}: has more than {MOST_BYTES >> 20} MiB; give ranges")
    if content.startswith(b"\xef\xbb\xbf"):
        raise InputError(f"{shown(path)}: begins with a byte order mark; save it without")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        where = content[: error.start].count(b"\n") + 1
        raise InputError(f"{shown(path)}: not a text file in UTF-8 (line {where})") from None


def _reason(text: str, error: ValueError) -> str:
    if not isinstance(error, tomllib.TOMLDecodeError):
        number = re.search(rf"(\d_?){{{MOST_DIGITS + 1}}}", text)
        if number:
            line = text.count("\n", 0, number.start()) + 1
            return f"a number of more than {MOST_DIGITS:,} digits (at line {line})"
    return short(" ".join(str(error).split()), 200)


def _check(document: dict[str, Any]) -> None:
    """Check every key and value, without recursion: dotted keys nest without end."""
    todo: list[tuple[str, int, Any]] = [("", 0, document)]
    while todo:
        where, level, value = todo.pop()
        if level > MOST_LEVELS:
            raise InputError(f"{short(where, 60)}: nested more than {MOST_LEVELS} levels deep")
        if isinstance(value, dict):
            for key, one in value.items():
                _check_text(f"a key of {where}" if where else "a key", key)
                name = f"{where}.{_quoted(key)}" if where else _quoted(key)
                todo.append((name, level + 1, one))
        elif isinstance(value, list):
            todo.extend((where, level + 1, one) for one in value)
        elif isinstance(value, str):
            _check_text(where, value)
        elif type(value) is int and not -(2**63) <= value < 2**63:
            raise InputError(f"{where}: a whole number of more than 64 bits; TOML has none")


def _check_text(where: str, text: str) -> None:
    if len(text) > MOST_LETTERS:
        raise InputError(
            f"{where}: {len(text):,} characters ({text[:20]!r}...); at most {MOST_LETTERS:,}"
        )


def _quoted(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]{1,60}", key) else short(repr(key), 60)


def short(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters, its end left out.

    Examples
    --------
    >>> short("endless", 6)
    'end...'
    """
    return text if len(text) <= most else f"{text[: most - 3]}..."
