"""One writer at a time: a lock that ends with its process, however that ends."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sweep.errors import InputError
from sweep.host.files import shown, unique_prefix

try:
    import fcntl
except ImportError:  # Windows locks no folders
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(folder: Path, path: Path) -> Iterator[None]:
    """Hold a folder against other writers; no file is made for it.

    Where the file system has no locks there is none.

    Parameters
    ----------
    folder : pathlib.Path
    path : pathlib.Path
        What to call it in the message.

    Raises
    ------
    InputError
        Where another process, or another call, holds it.
    """
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                raise InputError(
                    f"{shown(path)}: another run is writing it; wait for its end, or give another"
                    " --out"
                ) from None
        yield
    finally:
        os.close(handle)


def remove_leftovers(path: Path) -> None:
    """Remove what runs that were killed while they made this store have left beside it.

    What is being made right now is locked, and stays.
    """
    if fcntl is None:
        return
    pattern = re.compile(re.escape(unique_prefix(path.name)) + r"[0-9a-f]{12}\.tmp")
    with os.scandir(path.parent) as entries:
        found = [one for one in entries if pattern.fullmatch(one.name)]
    for one in found:
        if one.is_dir(follow_symlinks=False):
            try:
                with locked(Path(one.path), path):
                    shutil.rmtree(one.path, ignore_errors=True)
            except (InputError, OSError):
                continue
