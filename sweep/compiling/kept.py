"""Compiled functions that are kept on disk between processes, each with its checksum.

A file holds one function as machine code. Its name carries a digest of everything that the code
follows from: a change in any of it is another file. Its first bytes are the checksum of the rest:
what was damaged is compiled anew and never run. Without a folder that can be written nothing is
kept, and all else is the same.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from sweep.compiling.jit import caching, numba, serialize
from sweep.errors import InputError
from sweep.host.files import write_bytes
from sweep.host.streams import tell

P = ParamSpec("P")
T = TypeVar("T")

_DUMPS: Any = serialize.dumps
_RESULTS: Any = caching.CompileResultCacheImpl
DIGEST_BYTES = hashlib.sha256().digest_size
HELPERS = (
    "jump_settings",
    "numba_options",
    "policy_runtime",
    "runtime",
    "unrolled_runtime",
)
"""The modules beside this one whose text is part of every kept function's name."""
_LOADING = threading.RLock()

if hasattr(os, "register_at_fork"):
    # A fork waits until nothing is being compiled: the child would find Numba's locks taken for
    # ever by threads that it does not have.
    os.register_at_fork(
        before=_LOADING.acquire,
        after_in_parent=_LOADING.release,
        after_in_child=_LOADING.release,
    )


def once(function: Callable[P, T]) -> Callable[P, T]:
    """Cache a function's results; threads that ask together wait for the first."""
    cached = cache(function)

    @wraps(function)
    def locked(*arguments: P.args, **named: P.kwargs) -> T:
        with _LOADING:
            return cached(*arguments, **named)  # type: ignore[arg-type]

    return locked


@cache
def cache_folder() -> Path | None:
    """Return the folder that keeps compiled functions, or None where it cannot be written.

    ``WARPSWEEP_CACHE_DIR`` if set, else ``warpsweep`` in the user's cache folder (Linux:
    ``XDG_CACHE_HOME`` or ``~/.cache``; macOS: ``~/Library/Caches``; Windows: ``LOCALAPPDATA``).
    """
    named = os.environ.get("WARPSWEEP_CACHE_DIR")
    try:
        folder = Path(named) if named else _users_folder()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder.absolute()
    except (OSError, RuntimeError, ValueError):  # not writable, no home, or no path at all
        return None


def _users_folder() -> Path:
    from platformdirs import user_cache_path  # not imported where the folder is named

    folder = user_cache_path("warpsweep", appauthor=False, opinion=False)
    if not folder.is_absolute():  # "~/.cache" of a user without a home
        raise OSError(f"no folder of the user's own: {folder}")
    return folder


def compile_kept(dispatcher: Any, signature: Any, text: bytes = b"") -> Any:
    """Compile a function for one signature, or take it from ``cache_folder()``.

    Parameters
    ----------
    dispatcher : callable
        What ``numba.njit`` returns without a signature.
    signature : Numba signature or its text
    text : bytes
        The source of helpers in other files, whose changes would go unnoticed otherwise.

    Returns
    -------
    callable
        The dispatcher, which compiles no other signature.
    """
    if not hasattr(dispatcher, "py_func"):  # NUMBA_DISABLE_JIT: a plain function
        return dispatcher
    with _LOADING:
        dispatcher._cache = _Kept(dispatcher.py_func, text)
        dispatcher.compile(signature)
        dispatcher.disable_compile()
    return dispatcher


class _Kept(caching.NullCache):
    """What a Numba dispatcher asks for a compiled function, and gives it to keep."""

    def __init__(self, function: Any, text: bytes = b"") -> None:
        scope = function.__globals__
        self._name = scope.get("KERNEL_NAME") or f"{function.__module__}.{function.__name__}"
        source = scope["__loader__"].get_source(scope["__name__"]) or ""
        self._origin = (self._name, function.__qualname__, source, _helpers(), text)

    @property
    def cache_path(self) -> str | None:
        folder = cache_folder()
        return str(folder) if folder else None

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the function from its file; None where there is none that is whole."""
        target.refresh()
        path = self._path(signature, target.codegen())
        found = _read(path) if path else None
        if found is not None:
            try:
                return _RESULTS.rebuild(None, target, pickle.loads(found))
            except Exception:  # whole, yet of no use here: compiled anew and written over
                pass
        tell(f"compiling {self._name}" + (" (kept for the next run)" if path else ""))
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write the function to its file; where that fails it is compiled again next time."""
        path = self._path(signature, result.codegen)
        if path is None or result.library.has_dynamic_globals:
            return
        content = _DUMPS(_RESULTS.reduce(None, result))
        try:
            if path.is_dir():
                path.rmdir()
            write_bytes(path, hashlib.sha256(content).digest() + content)
        except (OSError, InputError):  # a full disk, say
            pass

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        folder = cache_folder()
        if folder is None:
            return None
        machine = (sys.version_info[:2], numba.__version__)
        key = repr((*self._origin, str(signature), machine, codegen.magic_tuple()))
        digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:24]
        return folder / f"{re.sub(r'[^A-Za-z0-9_.]', '_', self._name)[:60]}_{digest}.kernel"


@cache
def _helpers() -> bytes:
    """Return what every kernel calls: Numba sees changes of helpers in no other file."""
    return b"".join(Path(__file__).with_name(f"{name}.py").read_bytes() for name in HELPERS)


def _read(path: Path) -> bytes | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    kept = content[DIGEST_BYTES:]
    return kept if hashlib.sha256(kept).digest() == content[:DIGEST_BYTES] else None
