"""A trace's rows and parameters, as the description of its schedule takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sweep.description import Schedule
from sweep.description.trace_rows import TraceRow
from sweep.quantities.tile_table import read_table
from sweep.quantities.variables import RESIDENCY

if TYPE_CHECKING:
    import xarray as xr

COLUMNS = ("agent", "resource", "operation", "output_tile", "", "since", "start", "end")


def step_of(trace: xr.Dataset) -> str:
    """Name the column that counts iterations: "block" of attention, else "k_tile"."""
    return "block" if "block" in trace else "k_tile"


def parameters_of(trace: xr.Dataset, schedule: Schedule) -> dict[str, Any]:
    """Return what a schedule's trace was run with; a table over output tiles is a tuple."""
    names = dict.fromkeys((*schedule.parameters, *RESIDENCY))
    found = {name: trace[name].item() for name in names if name in trace.coords}
    for name, value in found.items():
        table = read_table(value) if isinstance(value, str) else None
        if table is not None:
            found[name] = table.entries
    return found


def rows_of(trace: xr.Dataset) -> list[TraceRow]:
    """Return a trace's rows."""
    names = (*(name or step_of(trace) for name in COLUMNS), "waits_for")
    columns = [trace[name].values.tolist() for name in names]
    return [TraceRow(*row) for row in zip(*columns, strict=True)]
