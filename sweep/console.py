"""How a command ends: its exit code, and one line on stderr for what a user can get wrong."""

from __future__ import annotations

import os
import sys

import click

from sweep.errors import InputError

USER_ERROR = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
"""What a shell reports for a program that SIGPIPE ended."""


class Exit(click.exceptions.Exit):
    """Ends a command with an exit code, saying nothing."""


def run_command(command: click.Command, arguments: list[str]) -> int:
    """Run a command and return its exit code.

    What a user can get wrong ends with one line on stderr and 2, Ctrl-C with one line and 130; a
    reader that went away (``| head``) with nothing.
    """
    code, told = 0, ""
    try:
        with command.make_context("warpsweep", arguments) as context:
            command.invoke(context)
    except click.exceptions.Exit as end:
        code = end.exit_code
    except BrokenPipeError:
        code = BROKEN_PIPE
    except (KeyboardInterrupt, click.Abort) as stop:
        code, told = INTERRUPTED, f"interrupted: {stop}".removesuffix(": ")
    except (click.ClickException, InputError, OSError, MemoryError) as error:
        code, told = USER_ERROR, f"error: {_message(error)}"
    if told:
        print(f"warpsweep: {' '.join(told.split())}", file=sys.stderr)
    return _flush(code)


def _message(error: Exception) -> str:
    if isinstance(error, click.ClickException):
        message = error.format_message().rstrip(".")
        context = getattr(error, "ctx", None)
        return f"{message}; see '{context.command_path} --help'" if context else message
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    if isinstance(error, MemoryError):
        return "out of memory: give fewer values"
    return str(error)


def _flush(code: int) -> int:
    """Flush what was printed; where nobody reads it, keep Python from saying so at its exit."""
    try:
        if code != BROKEN_PIPE:
            sys.stdout.flush()
            return code
    except BrokenPipeError:
        pass
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE
