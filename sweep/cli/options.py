"""Arguments and options that several commands have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from sweep.cli.completion import assignments, gpu_names

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)


def json_option(what: str = "text") -> Callable[[Command], Command]:
    """Return the option ``--json`` of a command that prints ``what`` without it."""
    return click.option(
        "--json", "as_json", is_flag=True, help=f"Print one JSON document instead of {what}."
    )


def parameters_of_a_point(command: Command) -> Command:
    """Give a command ``[NAME=VALUE]...`` and ``--gpu``; ``read_parameters`` reads both."""
    named = click.argument(
        "parameters", nargs=-1, metavar="[NAME=VALUE]...", shell_complete=assignments
    )
    gpu = click.option(
        "--gpu",
        metavar="NAME|FILE.toml",
        shell_complete=gpu_names,
        help="The same as gpu=...: a preset, or a card of one's own.",
    )
    return named(gpu(command))


def read_parameters(
    parameters: Sequence[str], gpu: str | None, known: Iterable[str]
) -> dict[str, Any]:
    """Return the parameters that were typed, the GPU among them.

    Parameters
    ----------
    parameters : sequence of str
        NAME=VALUE each.
    gpu : str or None
    known : iterable of str
        The names there are.

    Raises
    ------
    InputError
        For an unknown name, or one that is given twice.
    """
    from sweep.inputs.assignments import read_assignments

    given = [*parameters, *([f"gpu={gpu}"] if gpu is not None else [])]
    return read_assignments(given, known)
