"""How a command ends: its exit code, and one line on stderr for what a user can get wrong."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from typing import Any

import click

from sweep.cli.completion import COMPLETE, answer_the_shell
from sweep.errors import InputError
from sweep.host.interrupts import Interrupts
from sweep.host.streams import Notice, describe, stand_in_for_missing_streams, tell

USER_ERROR = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
"""What a shell reports for a program that SIGPIPE ended."""


class Exit(click.exceptions.Exit):
    """Ends a command with an exit code, saying nothing."""


def run_program(command: click.Command) -> int:
    """Run a command on what was typed, as a process of its own: its streams and signals are ours.

    Streams that the caller closed are stood in for; Ctrl-C ends the process even while compiled
    code runs.
    """
    stand_in_for_missing_streams()
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells of a home it cannot write
    with Interrupts(INTERRUPTED), _warnings_as_lines():
        return run_command(command, sys.argv[1:], os.environ.get(COMPLETE, ""))


def run_command(command: click.Command, arguments: list[str], asked: str = "") -> int:
    """Run a command, or answer what a shell that completes words has asked; return its exit code.

    What a user can get wrong ends with one line on stderr and 2, Ctrl-C with one line and 130; a
    reader that went away (``| head``) with nothing.
    """
    os.environ["MPLBACKEND"] = "agg"  # commands write files, and open no window
    code, told = 0, ""
    try:
        if asked:
            code = answer_the_shell(command, asked)
        else:
            with command.make_context("warpsweep", arguments) as context:
                command.invoke(context)
    except click.exceptions.Exit as end:
        code = end.exit_code
    except BrokenPipeError:
        code = BROKEN_PIPE
    except (KeyboardInterrupt, click.Abort) as stop:
        exec("")  # CPython would end by the signal if it came in some library's exec
        code, told = INTERRUPTED, f"interrupted: {stop}".removesuffix(": ")
    except (click.ClickException, InputError, OSError, MemoryError) as error:
        code, told = USER_ERROR, f"error: {_message(error)}"
    except (SystemExit, GeneratorExit) as end:  # from a file of the user's own
        code, told = USER_ERROR, f"error: {describe(end)}"
    return _finish(code, told)


def _message(error: Exception) -> str:
    if isinstance(error, click.ClickException):
        message = error.format_message().rstrip(".")
        context = getattr(error, "ctx", None)
        return f"{message}; see '{context.command_path} --help'" if context else message
    if isinstance(error, OSError) and _is_from_printing(error):
        return _unwritable(error)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    if isinstance(error, MemoryError):
        return "out of memory: give fewer values"
    return str(error)


@contextlib.contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Keep warnings from stderr, but for those meant for users: they are one line each.

    Python's own options (``-W``, ``PYTHONWARNINGS``) come first.
    """
    if sys.warnoptions:
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", Notice)
        warnings.showwarning = _show_warning
        yield


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    tell(f"warning: {message}")


def _finish(code: int, told: str) -> int:
    """Flush what was printed, then say what there is to say, and return the exit code.

    Where standard output cannot be written, Python is kept from saying so again at its exit.
    """
    writable = code != BROKEN_PIPE
    try:
        if writable and sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        code, told, writable = BROKEN_PIPE, "", False
    except OSError as error:
        writable = False
        if code != INTERRUPTED:
            code, told = USER_ERROR, f"error: {_unwritable(error)}"
    if not writable:
        with contextlib.suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, sys.stdout.fileno())
            os.close(null)
    if told:
        tell(told)
    return code


def _unwritable(error: OSError) -> str:
    return f"cannot write to standard output: {(error.strerror or str(error)).lower()}"


def _is_from_printing(error: OSError) -> bool:
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_code is click.echo.__code__ for frame, _ in frames)
