"""From a schedule to its compiled batch kernel, kept on disk between processes."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

from sweep.description import Schedule
from sweep.files import write_text
from sweep.generator import generate
from sweep.names import Names
from sweep.plan import plan

Array = NDArray[Any]

P = ParamSpec("P")
T = TypeVar("T")
_LOADING = threading.RLock()
_PYTHON = f"py{sys.version_info.major}{sys.version_info.minor}"


def source_of(schedule: Schedule, release: str = "consumer", plain: bool = True) -> str:
    """Return the source of a schedule's kernel.

    Parameters
    ----------
    schedule : Schedule
    release : {"consumer", "hardware"}
    plain : bool
        The variant for points whose extensions (``t_sync``, ``t_mma_latency``,
        ``mma_in_flight``) are all zero.
    """
    return generate(plan(schedule, release, plain))


@dataclass(frozen=True)
class Kernel:
    """A compiled batch kernel.

    Attributes
    ----------
    function : callable
        Takes one array per parameter, scratch rows, then the three outputs.
    names : Names
        Its parameters in order, and how much scratch it needs.
    """

    function: Callable[..., None]
    names: Names

    def run(self, points: Mapping[str, Array], cycles: Array, period: Array, flags: Array) -> None:
        """Run 1-D arrays of points into ``cycles``, ``period`` and bottleneck ``flags``."""
        sizes = [name for name, _ in self.names.ring_entries if name]
        largest = {name: int(points[name].max()) for name in sizes}
        columns = self.names.scratch_columns(largest)
        scratch = [np.empty((self.names.scratch_rows, columns))]
        if self.names.counted_rows:
            scratch.append(np.empty((self.names.counted_rows, columns), np.complex128))
        arrays = (points[name] for name in self.names.parameters)
        self.function(*arrays, *scratch, cycles, period, flags)


def once(function: Callable[P, T]) -> Callable[P, T]:
    """Cache a function's results; threads that ask together wait for the first."""
    cached = cache(function)

    @wraps(function)
    def locked(*arguments: P.args, **named: P.kwargs) -> T:
        with _LOADING:
            return cached(*arguments, **named)  # type: ignore[arg-type]

    return locked


@once
def kernel_of(schedule: Schedule, release: str, plain: bool) -> Kernel:
    """Return the compiled kernel of a schedule's variant.

    It is compiled once, whatever the number of threads, and kept in ``cache_folder()``.
    """
    how = plan(schedule, release, plain)
    variant = "plain" if plain else release
    module = load(f"{schedule.name}_{variant}", generate(how))
    return Kernel(module.kernel, Names(how))


def cache_folder() -> Path:
    """Return the folder that keeps generated and compiled kernels.

    ``WARPSWEEP_CACHE_DIR`` if set, else ``warpsweep`` in the user's cache folder; a temporary
    folder where that cannot be written.
    """
    named = os.environ.get("WARPSWEEP_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        folder = Path(named) if named else Path(base or Path.home() / ".cache") / "warpsweep"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError):  # not writable, or no home
        return Path(tempfile.mkdtemp(prefix="warpsweep-"))


def load(name: str, source: str) -> Any:
    """Import generated source as a module from a real file, so that Numba's cache works on it.

    The file's name carries a digest of the source and of the compiled helpers it calls: a change
    in either is a new file, never an old cached kernel.
    """
    helpers = Path(__file__).with_name("compiled.py").read_bytes()
    digest = hashlib.sha256(source.encode() + helpers).hexdigest()[:16]
    path = _folder() / f"{name}_{digest}.py"
    if not path.exists() or path.read_text(encoding="utf-8") != source:
        write_text(path, source)
    try:
        return _import(name, path)
    except Exception:  # a damaged cache, say from a full disk: once more, from nothing
        for file in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            file.unlink(missing_ok=True)
        return _import(name, path)


def _import(name: str, path: Path) -> Any:
    kept = (path.parent / "__pycache__").glob(f"{path.stem}.kernel-*.{_PYTHON}*.nbi")
    if not getattr(numba.config, "DISABLE_JIT", 0) and not any(kept):
        print(f"warpsweep: compiling {name} (kept for the next run)", file=sys.stderr)
    spec = importlib.util.spec_from_file_location(f"warpsweep_kernel_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # Numba's cache looks the module up while it loads
    spec.loader.exec_module(module)
    return module


@cache
def _folder() -> Path:
    return cache_folder()
