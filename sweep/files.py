"""Files that are there whole or not at all, and what goes wrong with them in one line."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from sweep.errors import InputError


def cannot(verb: str, path: Path | str, error: OSError) -> InputError:
    """Return the error for a file that cannot be read or written.

    Examples
    --------
    >>> print(cannot("read", "space.toml", FileNotFoundError(2, "No such file or directory")))
    cannot read space.toml: no such file or directory
    """
    reason = error.strerror or str(error) or type(error).__name__
    return InputError(f"cannot {verb} {path}: {reason[:1].lower()}{reason[1:]}")


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8, as ``write_bytes`` does."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file in one step: whatever happens, the old file or the whole new one is there.

    Raises
    ------
    InputError
        Where it cannot be written.
    """
    if path.is_dir():
        raise InputError(f"cannot write {path}: it is a folder")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(name).chmod(0o666 & ~_umask())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise cannot("write", path, error) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
