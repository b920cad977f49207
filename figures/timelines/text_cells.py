"""One row of a text timeline: the spans of a track as characters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

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
IDLE, BUSY, WAITING = ".", "=", "-"


def cells(spans: Iterable[Span], scale: float, columns: int) -> str:
    """Draw one track.

    Parameters
    ----------
    spans : iterable of Span
    scale : float
        Cycles per column.
    columns : int
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
    return "".join(_cell(span, span is not left) for span, left in zip(owner, before, strict=True))


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


def _cell(span: Span | None, first: bool) -> str:
    if span is None:
        return IDLE
    if first:
        return letter(span.name, span.waiting)
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
