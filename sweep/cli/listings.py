"""What there is, for people and for scripts: schedules, GPUs, variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from sweep.errors import InputError
from sweep.host.tables import Block, Column, Prose, Table, pairs

if TYPE_CHECKING:
    from sweep.description import Schedule
    from sweep.hardware.gpu import GPU
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
OF_A_SCHEDULE = (
    "name",
    "family",
    "summary",
    "reference",
    "parameters",
    "agents",
    "resources",
    "loader",
    "producer",
    "consumer_warpgroups",
    "turns",
    "fixed_stages",
    "tile_level",
)
"""What JSON says of a schedule."""


def schedules_text() -> Iterator[Block]:
    """Yield every schedule with what it does, its own parameters and where it is described."""
    from sweep.catalogue.schedules import SCHEDULES

    for one in SCHEDULES.values():
        yield Prose(one.name, title=True)
        yield pairs(
            [
                ("what", one.summary),
                ("parameters", " ".join(one.parameters)),
                ("source", one.reference),
            ],
            indent=4,
        )


def schedules_json() -> list[dict[str, Any]]:
    """Return what each schedule is, as plain objects."""
    from sweep.catalogue.schedules import SCHEDULES

    return [_plain(one) for one in SCHEDULES.values()]


def _plain(schedule: Schedule) -> dict[str, Any]:
    found = {name: getattr(schedule, name) for name in OF_A_SCHEDULE}
    return found | {"agents": list(schedule.agent_names)}


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
    from sweep.catalogue.validation import beyond_generated
    from sweep.inputs.space import read_schedules
    from sweep.recurrence.general.general_kernel import tables_of
    from sweep.recurrence.kernels import source_of
    from sweep.recurrence.unrolled.kernel_text import KernelText

    (schedule,), _ = read_schedules(name)
    if not beyond_generated(schedule, schedule.events("consumer")):
        return source_of(schedule).rstrip("\n")
    text = KernelText(tables_of(schedule, "consumer"))
    if not text.possible:
        raise InputError(
            f"{schedule.name}: its rows go through tables; no kernel is written for it"
        )
    return text.written().rstrip("\n")


def gpus_text(names: Sequence[str] = ()) -> Iterator[Block]:
    """Yield the GPUs side by side, then every number of each with its unit and source.

    Parameters
    ----------
    names : sequence of str
        Only these, without the overview; all where empty. A file is a card of one's own.
    """
    from sweep.hardware.gpu import GPUS

    if not names:
        yield GPUS.table()
    for number, gpu in enumerate(_chosen(names)):
        if number or not names:
            yield ""
        yield from gpu.blocks()


def gpus_json(names: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return every number and source of GPUs, of all where none is named."""
    return [{row.name: getattr(gpu, row.name) for row in fields(gpu)} for gpu in _chosen(names)]


def _chosen(names: Sequence[str]) -> list[GPU]:
    from sweep.hardware.gpu import GPUS
    from sweep.hardware.lookup import find_gpu

    return [find_gpu(name) for name in names or GPUS]


def variables_text() -> Iterator[Block]:
    """Yield every quantity by kind, with its unit, default, limits and meaning."""
    from sweep.catalogue.schedules import SCHEDULES
    from sweep.quantities.variables import VARIABLES

    assert SCHEDULES  # what they declare joins the registry as they are found

    for number, (kind, title) in enumerate(KINDS.items()):
        if number:
            yield ""
        yield Prose(title, title=True)
        yield _variables({name: row for name, row in VARIABLES.items() if row.kind == kind})


def variables_json() -> list[dict[str, Any]]:
    """Return the rows of the registry that ``variables_text`` shows; null is no limit."""
    from sweep.catalogue.schedules import SCHEDULES
    from sweep.quantities.variables import VARIABLES

    assert SCHEDULES  # what they declare joins the registry as they are found

    return [asdict(row) for kind in KINDS for row in VARIABLES.values() if row.kind == kind]


def _variables(rows: Mapping[str, Variable]) -> Table:
    columns = (Column(key=True), Column(), Column(wraps=True), Column(wraps=True))
    cells = [
        (name, "" if row.units == "1" else row.units, _limits(row), _meaning(row))
        for name, row in rows.items()
    ]
    return Table(columns, {"": cells}, indent=2)


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
