"""Files that are there whole or not at all, and what goes wrong with them in one line."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from sweep.errors import InputError

LONGEST_SHOWN = 200
"""Characters of a path in a message: a whole terminal line and more."""


def cannot(verb: str, path: Path | str, error: OSError) -> InputError:
    """Return the error for a file that cannot be read or written.

    Examples
    --------
    >>> print(cannot("read", "space.toml", FileNotFoundError(2, "No such file or directory")))
    cannot read space.toml: no such file or directory
    """
    reason = error.strerror or str(error) or type(error).__name__
    return InputError(f"cannot {verb} {shown(path)}: {reason[:1].lower()}{reason[1:]}")


def shown(path: Path | str) -> str:
    """Return a path as a message quotes it: the middle of an endless one is left out.

    Examples
    --------
    >>> shown("space.toml"), len(shown("x" * 5000))
    ('space.toml', 200)
    """
    text = str(path)
    if len(text) <= LONGEST_SHOWN:
        return text
    half = (LONGEST_SHOWN - 3) // 2
    return f"{text[: LONGEST_SHOWN - 3 - half]}...{text[-half:]}"


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8 in one step, see ``write_bytes``."""
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"cannot write {shown(path)}: no text in Unicode: {error}") from None
    write_bytes(path, content)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file in one step: whatever happens, the old file or the whole new one is there.

    It grows under a name of its own that nobody else can have made, so that any number of
    processes may write the same file at once; the last one's is there in the end. A link of the
    file's name is replaced, what it leads to stays.

    Raises
    ------
    InputError
        Where it cannot be written, or something other than a file is there.
    """
    try:
        _require_file(path)
        unfinished = path.with_name(unique_name(path.name))
        # fails where the name is taken, even by a link that leads nowhere
        handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise cannot("write", path, error) from None
    except ValueError as error:  # a null byte, or a lone surrogate
        raise InputError(f"cannot write {shown(path)!r}: {error}") from None


def unique_name(name: str) -> str:
    """Return a hidden name for something that is to become ``name``: ``.name.0123456789ab.tmp``.

    The name in it is cut: with what is added it could be longer than a file system's 255 bytes.

    Examples
    --------
    >>> unique_name("a.pdf") != unique_name("a.pdf"), len(unique_name("a" * 255)) < 255
    (True, True)
    """
    return f"{unique_prefix(name)}{secrets.token_hex(6)}.tmp"


def unique_prefix(name: str) -> str:
    """Return what all ``unique_name`` of a name begin with."""
    return f".{os.fsdecode(os.fsencode(name)[:200])}."


def _require_file(path: Path) -> None:
    """Check that a path names a file, or nothing yet: never put a file in a device's place."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise InputError(f"cannot write {shown(path)}: it is a folder")
    if not stat.S_ISREG(mode):
        raise InputError(f"cannot write {shown(path)}: it is no file but a device or a pipe")
