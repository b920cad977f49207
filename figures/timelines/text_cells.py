"""One row of a text timeline: the spans of a track as characters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import ascii_uppercase, digits
from types import MappingProxyType

from figures.timelines.tracks import Span

LETTERS = {
    "issue": "I",
    "transfer": "T",
    "store": "S",
    "mma": "M",
    "epilogue": "E",
    "gemm0": "G",
    "gemm1": "H",
    "exp": "X",
    "softmax": "F",
    "wait_copy": "C",
    "wait_slot": "S",
    "wait_turn": "U",
}
WAIT_LETTERS = {
    "copy": "c",
    "full": "c",
    "empty": "s",
    "turn": "t",
    "mma": "m",
    "gemm0": "g",
    "TC": "r",
    "MEM": "r",
    "SFU": "r",
    "FMA": "r",
}
WAIT_NAMES = {
    "full": "copy",
    "empty": "slot",
    **dict.fromkeys(("TC", "MEM", "SFU", "FMA"), "resource"),
}
Letters = Mapping[tuple[str, bool], str]
IDLE, BUSY, WAITING = ".", "=", "-"


def cells(
    spans: Iterable[Span], scale: float, columns: int, letters: Letters = MappingProxyType({})
) -> str:
    """Draw one track.

    Parameters
    ----------
    spans : iterable of Span
    scale : float
        Cycles per column.
    columns : int
    letters : mapping of (str, bool) to str
        What a span of a name, waiting or not, begins with; that of `letter` unless given.
    """
    owner: list[Span | None] = [None] * columns
    short: dict[int, list[tuple[float, Span]]] = {}
    for span in sorted(spans, key=lambda span: not span.waiting):
        start, end = span.start / scale, span.end / scale
        if end - start >= 1:
            first, stop = nearest(start, columns), nearest(end, columns)
            owner[first:stop] = [span] * (stop - first)
        elif end > start:
            for column, share in _shares(start, end, columns):
                short.setdefault(column, []).append((share, span))
    for column, inside in short.items():
        owner[column] = _chosen(owner[column], inside)
    before = [None, *owner[:-1]]
    return "".join(
        _cell(span, span is not left, letters) for span, left in zip(owner, before, strict=True)
    )


def nearest(time: float, columns: int) -> int:
    """Return the column whose left edge is nearest to a time in columns."""
    return min(math.floor(time + 0.5), columns)


def _shares(start: float, end: float, columns: int) -> Iterator[tuple[int, float]]:
    """Yield the columns that show a span of less than one: where it starts, or fills a half."""
    home = min(nearest(start, columns), columns - 1)
    for column in {home, math.floor(start), min(math.floor(end), columns - 1)}:
        share = min(end, column + 1) - max(start, column)
        if column == home or share >= 0.5:
            yield column, max(share, 0.01)


def _chosen(there: Span | None, inside: Sequence[tuple[float, Span]]) -> Span | None:
    """Choose what a column shows that has spans shorter than a column.

    A longer operation goes first; else what takes most of the column, but an operation before a
    longer wait, so that single short ones are seen.
    """
    if there is not None:
        inside = [(share, span) for share, span in inside if not span.waiting]
    if not inside or (there is not None and not there.waiting):
        return there
    totals: dict[tuple[bool, str], float] = {}
    for share, span in inside:
        key = (span.waiting, span.name)
        totals[key] = totals.get(key, 0.0) + share
    most = max(totals, key=totals.__getitem__)
    return next(span for _, span in inside if (span.waiting, span.name) == most)


def _cell(span: Span | None, first: bool, letters: Letters) -> str:
    if span is None:
        return IDLE
    if first:
        return letters.get((span.name, span.waiting)) or letter(span.name, span.waiting)
    return WAITING if span.waiting else BUSY


def letter(name: str, waiting: bool) -> str:
    """Return what a span begins with: a capital for an operation, a small letter for a wait.

    Examples
    --------
    >>> letter("mma", waiting=False), letter("mma", waiting=True)
    ('M', 'm')
    """
    if waiting:
        return WAIT_LETTERS.get(name, name[:1].lower())
    return LETTERS.get(name, name[:1].upper())


def letters_of(names: Iterable[tuple[str, bool]]) -> dict[tuple[str, bool], str]:
    """Give each operation a letter of its own, and each kind of wait one; by name and waiting.

    A name that is not known takes its first letter, else the one behind its last underscore, else
    any that is free.

    Examples
    --------
    >>> letters_of([("load_k", False), ("load_q", False), ("load_k", True)])
    {('load_k', False): 'L', ('load_q', False): 'Q', ('load_k', True): 'l'}
    """
    found: dict[tuple[str, bool], str] = {}
    meant: dict[tuple[bool, str], str] = {}
    for name, waiting in sorted(names, key=lambda one: (one[1], _rank(*one))):
        word = WAIT_NAMES.get(name, name) if waiting else name
        last = name.rpartition("_")[2]
        wanted = (letter(name, waiting), *last, *name, *ascii_uppercase, *digits)
        for one in wanted:
            key = one.lower() if waiting else one.upper()
            if key != "_" and meant.setdefault((waiting, key), word) == word:
                found[name, waiting] = key
                break
    return found


def _rank(name: str, waiting: bool) -> tuple[int, str]:
    """Put names with letters of their own first."""
    known = list(WAIT_LETTERS if waiting else LETTERS)
    return known.index(name) if name in known else len(known), name
