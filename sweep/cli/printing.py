"""How commands print: whole into files and pipes, laid out for the terminal on one."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from typing import Any

import click

from sweep.host.tables import Block, Prose, Table, whole
from sweep.results.as_json import to_json

COLUMNS = 80
"""Of a picture in text, and of a terminal that does not say."""


def show(blocks: Iterable[Block]) -> None:
    """Print tables, words and lines below each other.

    Into a file or a pipe they are plain text, each row of a table in one line, whatever the
    environment says. On a terminal nothing is wider than that.
    """
    shown = list(blocks)
    width = terminal_columns()
    if width is None or all(_stands_as_it_is(one, width) for one in shown):
        click.echo(whole(shown))
        return
    from sweep.cli.terminal import fitted  # rich takes 0.1 s to import

    click.echo(fitted(shown, width))


def show_json(value: Any) -> None:
    """Print one JSON document."""
    click.echo(to_json(value))


def terminal_columns() -> int | None:
    """Return the width of the terminal that standard output is, None where it is none."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size((COLUMNS, 24)).columns


def _stands_as_it_is(block: Block, width: int) -> bool:
    """Whether a block has nothing to be laid out: nothing to set off, no line that is too long."""
    if (isinstance(block, Table) and block.head) or (isinstance(block, Prose) and block.title):
        return False
    return all(len(line) <= width for line in str(block).splitlines())
