"""The loop over points, compiled when this is imported."""

from __future__ import annotations

from sweep.compiling.numba_options import general_batch
from sweep.recurrence.general.kernels import engine_text
from sweep.recurrence.general.machine import Point, State
from sweep.recurrence.general.service import kernel as _kernel
from sweep.recurrence.general.space import Work
from sweep.recurrence.general.tables import Program

ENGINE_TEXT = engine_text()
kernel = general_batch(_kernel, Program, Point, State, Work, ENGINE_TEXT)
