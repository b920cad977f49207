"""Aligned tables as text: whole and the same everywhere, however wide a terminal is.

Whatever prints rows and columns makes a ``Table``. ``str`` of it is what files, pipes and
``repr`` show; ``sweep.cli.terminal`` lays the same table out for a terminal that is too narrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

GAP = 2
"""Spaces between two columns."""

Cells = Sequence[str]


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    title, unit : str
        What stands above it; the units of all columns make a second line.
    right : bool
        Whether its cells end in line, as numbers do.
    wraps : bool
        Whether its cells are sentences that may go over several lines.
    key : bool
        Whether it says which row this is, and so is repeated where a table is cut.
    """

    title: str = ""
    unit: str = ""
    right: bool = False
    wraps: bool = False
    key: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of text under columns, in groups that have a title each.

    Attributes
    ----------
    columns : sequence of Column
    groups : mapping of str to sequence of rows
        In order; a group without a title has the key "".
    indent : int
        Spaces before each row.
    """

    columns: Sequence[Column]
    groups: Mapping[str, Sequence[Cells]]
    indent: int = 0

    @property
    def head(self) -> list[Cells]:
        """The lines above the rows: the titles, then the units, where there are any."""
        lines = [[one.title for one in self.columns], [one.unit for one in self.columns]]
        return [line for line in lines if any(line)]

    @property
    def rows(self) -> list[Cells]:
        """The rows of all groups."""
        return [row for rows in self.groups.values() for row in rows]

    def widths(self) -> list[int]:
        """Return how many columns of text each column takes."""
        lines = [*self.head, *self.rows]
        return [max((len(line[i]) for line in lines), default=0) for i in range(len(self.columns))]

    def __str__(self) -> str:
        widths = self.widths()
        lines = [self._line(row, widths) for row in self.head]
        for title, rows in self.groups.items():
            lines += ["", title] if title else []
            lines += [self._line(row, widths) for row in rows]
        return "\n".join(lines)

    def _line(self, row: Cells, widths: Sequence[int]) -> str:
        cells = (
            cell.rjust(width) if column.right else cell.ljust(width)
            for column, cell, width in zip(self.columns, row, widths, strict=True)
            if width
        )
        return (" " * self.indent + (" " * GAP).join(cells)).rstrip()


def pairs(rows: Iterable[tuple[str, str]], indent: int = 0) -> Table:
    """Return names beside what they stand for, without a head.

    Examples
    --------
    >>> print(pairs([("cycles", "68294 cycle"), ("stages", "4")]))
    cycles  68294 cycle
    stages  4
    """
    return Table((Column(key=True), Column(wraps=True)), {"": list(rows)}, indent)


@dataclass(frozen=True)
class Prose:
    """A line of words, which a terminal breaks between two of them.

    Attributes
    ----------
    text : str
    title : bool
        Whether it stands over what follows, and a terminal sets it off.
    """

    text: str
    title: bool = False

    def __str__(self) -> str:
        return self.text


Block = Table | Prose | str
"""A piece of what a command prints: a table, words, or lines that stay as they are."""


def whole(blocks: Iterable[Block]) -> str:
    """Return blocks below each other as text."""
    return "\n".join(map(str, blocks))
