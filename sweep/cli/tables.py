"""What there is, as tables that a person reads: schedules, GPUs, variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sweep.description import Schedule
    from sweep.quantities.variables import Variable

KINDS = {
    "duration": "Cycle parameters",
    "count": "Counts",
    "choice": "Choices",
    "physical": "Physical parameters",
    "gpu_field": "Fields of a GPU",
    "output": "Outputs",
    "flag": "Outputs that are flags",
    "trace": "Columns of a trace",
}
COLUMNS = 80


def schedules_table() -> str:
    """Return every schedule with what it does, its own parameters and where it is described."""
    from sweep.catalogue.schedules import SCHEDULES

    return "\n".join(_schedule(one) for one in SCHEDULES.values())


def kernel_source(name: str) -> str:
    """Return the generated source of a schedule's batch kernel.

    Parameters
    ----------
    name : str
        Of a built-in schedule, or the file of a user's own.

    Raises
    ------
    InputError
        For a name or file that does not exist, or holds no sound schedule.
    """
    from sweep.inputs.space import read_schedules
    from sweep.recurrence.kernels import source_of

    (schedule,), _ = read_schedules(name)
    return source_of(schedule).rstrip("\n")


def gpus_table(names: Sequence[str] = ()) -> str:
    """Return the GPUs side by side, then every number of each with its unit and source.

    Parameters
    ----------
    names : sequence of str
        Only these, without the overview; all where empty.
    """
    from sweep.hardware.gpu import GPUS

    if names:
        return "\n\n".join(repr(GPUS.find(name)) for name in names)
    return "\n\n".join([repr(GPUS), *map(repr, GPUS.values())])


def variables_table() -> str:
    """Return every quantity by kind, with its unit, default, limits and meaning."""
    from sweep.quantities.variables import VARIABLES

    return "\n\n".join(
        f"{title}\n" + _variables({k: v for k, v in VARIABLES.items() if v.kind == kind})
        for kind, title in KINDS.items()
    )


def _schedule(schedule: Schedule) -> str:
    parameters = "parameters: " + " ".join(schedule.parameters)
    lines = [schedule.summary, parameters, f"source: {schedule.reference}"]
    wrapped = (
        fill(line, COLUMNS, initial_indent="    ", subsequent_indent="        ") for line in lines
    )
    return "\n".join([schedule.name, *wrapped])


def _variables(rows: Mapping[str, Variable]) -> str:
    cells = [
        (name, "" if row.units == "1" else row.units, _limits(row), _meaning(row))
        for name, row in rows.items()
    ]
    widths = [max(len(row[i]) for row in cells) for i in range(4)]
    return "\n".join(
        "  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )


def _meaning(row: Variable) -> str:
    codes = ", ".join(f"{code} {word}" for code, word in enumerate(row.flag_meanings))
    return f"{row.long_name}: {codes}" if codes else row.long_name


def _limits(row: Variable) -> str:
    """Say what a value can be and what it is unless given."""
    if row.kind in ("output", "flag", "trace"):
        return ""
    default = "" if row.default is None else f"default {row.default}"
    if row.choices:
        return ", ".join(filter(None, (" | ".join(row.choices), default)))
    if not row.numeric:
        return default
    lower = f"> {row.lower:g}" if row.above_lower else f">= {row.lower:g}"
    return ", ".join(filter(None, (lower, default)))
