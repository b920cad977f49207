"""Exact timelines of Tensor Core schedules, millions of design points at a time.

``simulate`` runs one point, ``trace`` gives every event of it, ``run`` sweeps a whole space into
an xarray Dataset; ``table`` gives each output tile a count or duration of its own; ``SCHEDULES``
and ``GPUS`` say what there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sweep.errors import InputError
from sweep.lazy import lazily
from sweep.version import __version__

if TYPE_CHECKING:
    from sweep.catalogue.schedules import SCHEDULES
    from sweep.hardware.gpu import GPU, GPUS
    from sweep.quantities.tile_table import table
    from sweep.results.datasets import where_feasible
    from sweep.results.points import simulate
    from sweep.results.runs import run
    from sweep.results.traces import trace

_WHERE = {
    "simulate": "results.points",
    "trace": "results.traces",
    "run": "results.runs",
    "where_feasible": "results.datasets",
    "SCHEDULES": "catalogue.schedules",
    "GPU": "hardware.gpu",
    "GPUS": "hardware.gpu",
    "table": "quantities.tile_table",
}

__all__ = [
    "GPU",
    "GPUS",
    "SCHEDULES",
    "InputError",
    "__version__",
    "run",
    "simulate",
    "table",
    "trace",
    "where_feasible",
]

__getattr__, __dir__ = lazily(__name__, _WHERE)
