"""How a table goes into a terminal that is too narrow for it: what wraps, moves, or is cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sweep.host.tables import GAP, Table

FEWEST_COLUMNS = 16
"""Least width of a sentence beside other columns."""
LONGEST_WORD = 32
"""Words up to this length are broken only where there is no other way."""


@dataclass(frozen=True)
class Part:
    """Columns of a table that stand side by side.

    Attributes
    ----------
    columns, widths : tuple of int
        Which, and how wide.
    below : tuple of int
        Columns whose cells stand under their row, over the whole width.
    """

    columns: tuple[int, ...]
    widths: tuple[int, ...]
    below: tuple[int, ...] = ()


def parts(table: Table, width: int) -> list[Part]:
    """Lay a table out for so many columns of text.

    As it is, where it fits. Else sentences wrap, and the titles of the other columns; then
    sentences move below their rows, the last ones first; then the table is cut into parts that
    each begin with what names a row.
    """
    room = width - table.indent
    natural = table.widths()
    beside, below = [i for i, columns in enumerate(natural) if columns], list[int]()
    while True:
        for titles_wrap in (False, True):
            least = {i: _least(table, i, titles_wrap) for i in beside}
            free = room - GAP * (len(beside) - 1) - sum(least.values())
            if free >= 0:
                widths = _spread(least, natural, free)
                return [Part(tuple(beside), widths, tuple(below))]
        sentences = [i for i in beside[1:] if table.columns[i].wraps]
        if not sentences:
            return _cut(table, beside, room, tuple(below))
        below.insert(0, sentences[-1])
        beside.remove(sentences[-1])


def _least(table: Table, index: int, titles_wrap: bool) -> int:
    """Return the least width of a column in which it reads well."""
    column, natural = table.columns[index], table.widths()[index]
    if column.wraps:
        words = (word for row in table.rows for word in row[index].split())
        longest = max((len(word) for word in words if len(word) <= LONGEST_WORD), default=0)
        return min(natural, max(FEWEST_COLUMNS, longest))
    if not titles_wrap:
        return natural
    heads = (word for line in table.head for word in line[index].split())
    return max((len(one) for one in (*heads, *(row[index] for row in table.rows))), default=0)


def _spread(least: Mapping[int, int], wanted: Sequence[int], free: int) -> tuple[int, ...]:
    """Share out free columns of text, the narrowest first, up to what each wants."""
    widths = dict(least)
    for _ in range(free):
        short = [i for i in widths if widths[i] < wanted[i]]
        if not short:
            break
        widths[min(short, key=lambda i: widths[i])] += 1
    return tuple(widths.values())


def _cut(table: Table, columns: Sequence[int], room: int, below: tuple[int, ...]) -> list[Part]:
    """Cut a table into parts that fit; what stands below its rows comes with the first."""
    least = {i: _least(table, i, titles_wrap=True) for i in columns}
    keys = [i for i in columns if table.columns[i].key] or [columns[0]]
    if sum(least[i] + GAP for i in keys) > room // 2:  # names that fill the line: one, and folded
        keys = keys[:1]
        least[keys[0]] = max(1, min(least[keys[0]], room // 2 - GAP))
    taken = sum(least[i] + GAP for i in keys)
    found, rest = list[list[int]](), [i for i in columns if i not in keys]
    for i in rest:
        least[i] = max(1, min(least[i], room - taken))
        used = sum(least[j] + GAP for j in found[-1]) if found else room
        if taken + used + least[i] <= room:
            found[-1].append(i)
        else:
            found.append([i])
    cuts = [(*keys, *one) for one in found] or [tuple(keys)]
    natural = table.widths()
    return [
        Part(
            cut,
            _spread(
                {i: least[i] for i in cut},
                natural,
                room - sum(least[i] for i in cut) - GAP * (len(cut) - 1),
            ),
            below if number == 0 else (),
        )
        for number, cut in enumerate(cuts)
    ]
