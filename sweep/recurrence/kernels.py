"""From a schedule to its compiled batch kernel."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.abc import ExecutionLoader
from typing import Any

import numpy as np

from sweep.compiling.kept import once
from sweep.description import Schedule
from sweep.quantities.arrays import Array
from sweep.recurrence.generator import generate
from sweep.recurrence.plan import plan
from sweep.recurrence.state import Names


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


@once
def kernel_of(schedule: Schedule, release: str, plain: bool) -> Kernel:
    """Return the compiled kernel of a schedule's variant.

    It is compiled once, whatever the number of threads, and kept in
    ``sweep.compiling.kept.cache_folder()``.
    """
    how = plan(schedule, release, plain)
    variant = "plain" if plain else release
    module = load(f"{schedule.name}_{variant}", generate(how))
    return Kernel(module.kernel, Names(how))


def load(name: str, source: str) -> Any:
    """Run generated source as a module.

    The module's name carries a digest of the source: another source is another module. Tracebacks
    show its lines.
    """
    digest = hashlib.sha256(source.encode()).hexdigest()[:16]
    loader = _Generated(f"warpsweep_kernel_{name}_{digest}", source)
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    vars(module)["KERNEL_NAME"] = name
    sys.modules[loader.name] = module  # a kept function looks its module up
    loader.exec_module(module)
    return module


class _Generated(ExecutionLoader):
    """Gives Python a module that is in no file."""

    def __init__(self, name: str, source: str) -> None:
        self.name, self._source = name, source

    def get_filename(self, fullname: str) -> str:
        return f"{fullname}.py"

    def get_source(self, fullname: str) -> str:
        return self._source
