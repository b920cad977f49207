"""What a shell may complete: commands, options, schedules, GPUs and names of parameters."""

from __future__ import annotations

import os

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
    shell_complete,
)

COMPLETE = "_WARPSWEEP_COMPLETE"
"""The environment variable by which a shell asks."""
PROGRAM = "warpsweep"
SHELLS = ("bash", "zsh", "fish")


def answer_the_shell(command: click.Command, instruction: str) -> int:
    """Print the script for a shell (``bash_source``), or what completes a word, and return 0.

    Raises
    ------
    click.ClickException
        For an instruction that is none, and words that no shell has set.
    """
    add_completion_class(Bash)
    shell, _, asked = instruction.partition("_")
    if get_completion_class(shell) is None or asked not in ("source", "complete"):
        known = ", ".join(f"{one}_source" for one in SHELLS)
        raise click.ClickException(f"{COMPLETE}={instruction!r}: must be one of {known}")
    try:
        return shell_complete(command, {}, PROGRAM, COMPLETE, instruction)
    except (KeyError, ValueError):
        told = f"{COMPLETE}={instruction}: COMP_WORDS and COMP_CWORD must say what was typed"
        raise click.ClickException(told) from None


class Bash(BashComplete):
    """Completes ``NAME=VALUE``: three words to bash, of which it wants the last."""

    name = "bash"
    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)",
        "COMPREPLY+=($value)\n            [[ $value == *= ]] && compopt -o nospace",
    )
    _before = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one that is typed, and what there is of that one."""
        before, typed = super().get_completion_args()
        words: list[str] = []
        for word in (*before, typed):
            if words and (word == "=" or words[-1].endswith("=")):
                words[-1] += word
            else:
                words.append(word)
        name, equals, _ = words[-1].partition("=")
        self._before = name + equals if words[-1] != typed else ""
        return words[:-1], words[-1]

    def format_completion(self, item: CompletionItem) -> str:
        """Write an item without what bash keeps."""
        return f"{item.type},{str(item.value).removeprefix(self._before)}"


def schedule_names(
    context: click.Context, parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Return the schedules that begin so, and files for what looks like a path."""
    if os.sep in begun or begun.startswith("."):
        return [CompletionItem(begun, type="file")]
    from sweep.catalogue.schedules import SCHEDULES

    before, comma, last = begun.rpartition(",")  # timeline takes several
    found = [CompletionItem(before + comma + one) for one in SCHEDULES if one.startswith(last)]
    return found or [CompletionItem(begun, type="file")]


def gpu_names(
    context: click.Context, parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Return the GPUs that begin so, and files where there is none."""
    from sweep.hardware.gpu import GPUS

    found = [CompletionItem(name) for name in GPUS if name.startswith(begun)]
    return found or [CompletionItem(begun, type="file")]


def assignments(
    context: click.Context, parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Return ``NAME=`` for the parameters that begin so, and the values of a choice."""
    from sweep.quantities.variables import PARAMETERS, VARIABLES

    name, equals, value = begun.partition("=")
    if equals:
        choices = VARIABLES[name].choices if name in PARAMETERS else ()
        known = gpu_names(context, parameter, value) if name == "gpu" else choices
        values = (one.value if isinstance(one, CompletionItem) else one for one in known)
        return [CompletionItem(f"{name}={one}") for one in values if one.startswith(value)]
    return [CompletionItem(f"{one}=") for one in PARAMETERS if one.startswith(begun)]
