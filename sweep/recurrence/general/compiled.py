"""The loop over points, compiled when this is imported."""

from __future__ import annotations

from sweep.compiling.numba_options import general_batch
from sweep.recurrence.general.general_kernel import engine_text
from sweep.recurrence.general.point_arrays import Work
from sweep.recurrence.general.row_tables import Program
from sweep.recurrence.general.run_state import Point, State
from sweep.recurrence.general.service import kernel as _kernel

ENGINE_TEXT = engine_text()
kernel = general_batch(_kernel, Program, Point, State, Work, ENGINE_TEXT)
