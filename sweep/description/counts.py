"""Counts as linear forms: "stages - 1" as a constant and whole multiples of parameters."""

from __future__ import annotations

import re
from collections import Counter

from sweep.description.declared import Steps

Linear = tuple[tuple[str, int], ...]
"""A number of steps as (parameter, coefficient) pairs; the constant has the name ""."""

LOWEST = {"stages": 1, "mma_in_flight": 0}
"""The counts that a schedule can refer to, and the least value of each."""


def linear(count: Steps) -> Linear:
    """Read a count such as 1, "stages" or "stages - 1" as a linear form.

    Examples
    --------
    >>> linear("stages - 1")
    (('', -1), ('stages', 1))
    """
    if isinstance(count, int):
        return _tidy({"": count})
    match = re.fullmatch(r"(?:(\d{1,9}) \* )?([a-z]\w*)(?: ([-+]) (\d{1,9}))?", count, re.ASCII)
    if match is None:
        raise ValueError(f"count {count!r}: write an integer, 'NAME', 'NAME - 1' or '2 * NAME + 1'")
    factor, name, sign, number = match.groups()
    return _tidy({name: int(factor or 1), "": int(f"{sign}{number}") if number else 0})


def add(*terms: Linear, minus: Linear = ()) -> Linear:
    """Return the sum of linear forms, less ``minus``."""
    total: Counter[str] = Counter()
    for term in terms:
        total.update(dict(term))
    total.subtract(dict(minus))
    return _tidy(total)


def least(form: Linear) -> float:
    """Return the least value that a form can take; minus infinity where there is none.

    Examples
    --------
    >>> least(linear("stages - 1"))
    0
    """
    if any(name and coefficient < 0 for name, coefficient in form):
        return float("-inf")
    return sum(coefficient * LOWEST.get(name, 1) for name, coefficient in form)


def linear_text(form: Linear) -> str:
    """Write a linear form as an expression of its parameters.

    Examples
    --------
    >>> linear_text((('', 1), ('mma_in_flight', 1)))
    'mma_in_flight + 1'
    """
    text = ""
    for name, coefficient in sorted(form, key=lambda pair: (pair[0] == "", pair[1] < 0)):
        size = abs(coefficient)
        factor = str(size) if name == "" else name if size == 1 else f"{size} * {name}"
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {factor}" if text else factor if coefficient > 0 else f"-{factor}"
    return text or "0"


def _tidy(form: dict[str, int]) -> Linear:
    return tuple(sorted((name, value) for name, value in form.items() if value))
