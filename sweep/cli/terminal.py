"""Tables and words laid out for a terminal by rich: nothing is wider than it, nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from sweep.cli.layout import Part, parts
from sweep.host.tables import GAP, Block, Cells, Prose, Table

FEWEST_COLUMNS = 20
"""What is taken for narrower terminals."""
BELOW = 4
"""Spaces before what stands below its row."""
HEAD, NOTE = "bold", "dim"
PADDING = re.compile(r"(?: |\x1b\[[0-9;]*m)+$", re.MULTILINE)
"""Spaces at the end of a line, and the codes of styles between them."""


def fitted(blocks: Iterable[Block], width: int) -> str:
    """Return blocks below each other as text for a terminal of that many columns.

    Lines that are given as they are (a command to copy, a picture) are left to the terminal.
    """
    console = Console(
        file=StringIO(),
        width=max(width, FEWEST_COLUMNS),
        height=1000,  # else a dumb terminal is taken for one of 80 columns
        force_terminal=True,
        highlight=False,
        legacy_windows=False,
    )
    with console.capture() as captured:
        for block in blocks:
            if isinstance(block, str):
                console.print(Text(block), soft_wrap=True)
            elif isinstance(block, Prose):
                style = HEAD if block.title else ""
                console.print(Text(block.text, style=style, overflow="fold"))
            else:
                for piece in _pieces(block, console.width):
                    console.print(piece)
    return PADDING.sub(lambda found: found[0].replace(" ", ""), captured.get().removesuffix("\n"))


def _pieces(table: Table, width: int) -> Iterator[RenderableType]:
    for number, part in enumerate(parts(table, width)):
        if number:
            yield ""
        yield from _rows(table, part, table.head, width, HEAD)
        for title, rows in table.groups.items():
            if title:
                yield ""
                yield Text(title, style=HEAD, overflow="fold")
            yield from _rows(table, part, rows, width)


def _rows(
    table: Table, part: Part, rows: Sequence[Cells], width: int, style: str = ""
) -> Iterator[RenderableType]:
    """Yield rows as one grid, or as one each where something stands below them."""
    if not part.below:
        if rows:
            yield _grid(table, part, rows, style)
        return
    for row in rows:
        yield _grid(table, part, [row], style)
        notes = [row[i] for i in part.below if row[i]]
        before = table.indent + BELOW
        if before + len((" " * GAP).join(notes)) <= width:
            notes = [(" " * GAP).join(notes)]
        for note in filter(None, notes):
            yield Padding(Text(note, style=style or NOTE, overflow="fold"), (0, 0, 0, before))


def _grid(table: Table, part: Part, rows: Sequence[Cells], style: str) -> Grid:
    grid = Grid.grid()
    for number, (i, width) in enumerate(zip(part.columns, part.widths, strict=True)):
        before = GAP if number else table.indent
        if before:
            grid.add_column(width=before)
        right = table.columns[i].right
        grid.add_column(width=width, justify="right" if right else "left", overflow="fold")
    for row in rows:
        cells: list[RenderableType] = []
        for number, i in enumerate(part.columns):
            cells += [""] if number or table.indent else []
            cells.append(Text(row[i]))
        grid.add_row(*cells, style=style)
    return grid
