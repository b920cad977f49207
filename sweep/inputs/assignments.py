"""``NAME=VALUE`` as typed on the command line to parameters."""

from __future__ import annotations

from collections.abc import Iterable

from sweep.errors import InputError, unknown_name

LIST_MARKS = ",[]:"


def read_assignments(items: Iterable[str], known: Iterable[str]) -> dict[str, float | str]:
    """Read parameters of one point; numbers become numbers, anything else stays text.

    Parameters
    ----------
    items : iterable of str
        ``NAME=VALUE`` each.
    known : iterable of str
        The names that exist.

    Raises
    ------
    InputError
        For an item of another form, an unknown name, one given twice, or a list.

    Examples
    --------
    >>> read_assignments(["stages=4", "t_mma=1e3", "gpu=b200"], ["stages", "t_mma", "gpu"])
    {'stages': 4, 't_mma': 1000.0, 'gpu': 'b200'}
    """
    names = tuple(known)
    found: dict[str, float | str] = {}
    for item in items:
        name, equals, text = item.partition("=")
        if not equals or not text or not name:
            raise InputError(f"{item!r}: must be NAME=VALUE, such as stages=4")
        if name not in names:
            raise unknown_name("parameter", name, names)
        if name in found:
            raise InputError(f"{name}={text}: {name} is given twice; give it once")
        found[name] = _value(name, text)
    return found


def _value(name: str, text: str) -> float | str:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    if any(mark in text for mark in LIST_MARKS):
        raise InputError(
            f"{name}={text}: one value is needed, not a list; 'warpsweep sweep' takes lists and"
            " ranges in a space file"
        )
    return text
