"""Exact timelines of Tensor Core schedules, millions of design points at a time.

``simulate`` runs one point, ``trace`` gives every event of it, ``run`` sweeps a whole space into
an xarray Dataset; ``SCHEDULES`` and ``GPUS`` say what there is.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sweep.errors import InputError
from sweep.version import __version__

if TYPE_CHECKING:
    from sweep.catalogue.schedules import SCHEDULES
    from sweep.hardware.gpu import GPUS
    from sweep.results.datasets import where_feasible
    from sweep.results.points import simulate
    from sweep.results.runs import run
    from sweep.results.traces import trace

_WHERE = {
    "simulate": "sweep.results.points",
    "trace": "sweep.results.traces",
    "run": "sweep.results.runs",
    "where_feasible": "sweep.results.datasets",
    "SCHEDULES": "sweep.catalogue.schedules",
    "GPUS": "sweep.hardware.gpu",
}

__all__ = [
    "GPUS",
    "SCHEDULES",
    "InputError",
    "__version__",
    "run",
    "simulate",
    "trace",
    "where_feasible",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: the command line needs few of them."""
    if name not in _WHERE:
        raise AttributeError(f"module 'sweep' has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
