"""The exceptions for what a user can get wrong, told in one line, and how they quote a value."""

from __future__ import annotations

import difflib
import re
import reprlib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

QUOTED = 40
"""Characters of a user's value that a message repeats."""
LONGEST_MESSAGE = 2000
_REPR = reprlib.Repr()
_REPR.maxlist = _REPR.maxtuple = _REPR.maxset = _REPR.maxdict = 4
_REPR.maxstring = _REPR.maxother = QUOTED

_CLOSE, _CLOSE_CARD, _VERY_CLOSE = 0.6, 0.7, 0.8
_SHORTEST_PART = 3
_MOST_LISTED = 20
OTHER_CARDS = frozenset(
    [
        "a800",
        "a10",
        "a30",
        "a40",
        "b100",
        "gh200",
        "l20",
        "l40",
    ]
)
"""GPUs that are not known, and whose names are near to those of other ones."""
OTHER_GPU = (
    "enter another card in a file, gpu=my.toml, as sweep.GPU(name, sm_count=..., ...),"
    " or its fields as parameters"
)


class InputError(ValueError):
    """A mistake in what the user asked for, told in one line.

    The message names the parameter, the value, the limit and the unit; the command
    line prints it on stderr and exits with 2. Control characters are escaped and a message
    without end is cut, wherever it came from.
    """

    def __init__(self, message: object = "") -> None:
        super().__init__(_cut(one_line(str(message)), LONGEST_MESSAGE))


class InputTypeError(InputError, TypeError):
    """A wrong kind of object: as ``InputError``, and a TypeError too."""


class Impossible(InputError):
    """What cannot exist on this hardware: refused where it is all that was asked for.

    One cell of a grid is flagged instead, with this as its reason.
    """


OTHER_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "num_warps": (
            "num_warps = 4 x consumer_warpgroups, at least 4; give consumer_warpgroups=..."
        ),
        "num_stages": (
            "give stages=...: Triton's num_stages slots with wgmma, num_stages - 1 with cp.async"
        ),
        "num_consumer_groups": "give consumer_warpgroups=...",
        "num_ctas": "give cluster=..., CTAs along M x N",
        "block_m": "give tile=..., M x N x K, such as tile=128x256x64",
        "block_n": "give tile=..., M x N x K, such as tile=128x256x64",
        "block_k": "give tile=..., M x N x K, such as tile=128x256x64",
        "m": "a point is one CTA's work; tile=... sets its shape and k=... its depth",
        "n": "a point is one CTA's work; tile=... sets its shape and k=... its depth",
        "keys": "give block_n=..., the keys of a block of attention",
        "kv_stages": "attention without a ring of its own holds 2 buffers of keys and of values",
        "dtype": "give element_type=...",
    }
)
"""What to enter instead of names that kernels elsewhere use, by the name in lower case."""


def one_line(text: str) -> str:
    r"""Escape what would break a line or drive a terminal.

    Examples
    --------
    >>> print(one_line("a\n\x1b[31mb"))
    a\n\x1b[31mb
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _escaped(one) for one in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 4]}..."


def shorten(value: object, most: int = QUOTED) -> str:
    """Return a value as a message quotes it: in one line, and no longer than that.

    Text is taken as it is; give ``quoted`` what should stand in quotation marks.

    Examples
    --------
    >>> shorten("x" * 100), shorten(10**5000)
    ('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...', 'about 10**5000')
    """
    if isinstance(value, int) and value.bit_length() > 10_000:  # Python refuses to write these
        sign = "-" if value < 0 else ""
        return f"about {sign}10**{round((value.bit_length() - 1) * 0.30103)}"
    try:
        text = str(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return _cut(one_line(text[: most + 1]), most)


def quoted(value: object, most: int = QUOTED) -> str:
    """Return a value's ``repr`` as a message quotes it: in one line, and no longer than that.

    Examples
    --------
    >>> quoted("h100"), quoted([1] * 50)
    ("'h100'", '[1, 1, 1, 1, ...]')
    """
    if isinstance(value, str):
        return repr(_cut(value, most))
    if isinstance(value, int) and not isinstance(value, bool):
        return shorten(value, most)
    if hasattr(type(value), "__array_function__") or _prints_lines(value):
        return f"<{type(value).__name__}>"
    try:
        return shorten(_REPR.repr(value), most)
    except Exception:
        return f"<{type(value).__name__}>"


def _prints_lines(value: Any) -> bool:
    """Whether it is a table or an array that prints over many lines, xarray's and pandas' too."""
    return hasattr(type(value), "__array__") and bool(getattr(value, "ndim", 1))


def unknown_name(kind: str, name: object, known: Iterable[str]) -> InputError:
    """Return the error for a name that does not exist, with the nearest one that does.

    Parameters
    ----------
    kind : str
        What the name should have been ("schedule", "parameter", "GPU").
    name : object
        What was given.
    known : iterable of str
        The names that exist.

    Examples
    --------
    >>> print(unknown_name("schedule", "multistge", ["sync", "multistage"]))
    unknown schedule 'multistge': did you mean 'multistage'?
    >>> print(unknown_name("parameter", "num_ctas", ["cluster"]))
    unknown parameter 'num_ctas': give cluster=..., CTAs along M x N
    """
    names = list(known)
    error = InputError if isinstance(name, str) else InputTypeError
    text = name[:100] if isinstance(name, str) else ""
    key = text.lower().replace("block_size_", "block_")
    if kind == "parameter" and key in OTHER_NAMES:
        return error(f"unknown parameter {quoted(name)}: {OTHER_NAMES[key]}")
    near = (_nearest_card if kind in ("GPU", "base") else _nearest)(text.lower(), names)
    hint = f"did you mean {near!r}?" if near else _where_to_look(kind, names)
    other = "" if kind != "GPU" else f" Else {OTHER_GPU}" if near else f"; {OTHER_GPU}"
    return error(f"unknown {kind} {quoted(name)}: {hint}{other}")


def _where_to_look(kind: str, names: list[str]) -> str:
    if kind == "parameter" and len(names) > _MOST_LISTED:
        return "'warpsweep variables' lists the parameters"
    return f"known: {', '.join(names)}"


def _nearest(small: str, names: list[str]) -> str:
    """Return the name that was likely meant, "" where none is near enough.

    It begins with what was given, or is a slip of typing away. A number that goes on or differs
    makes another name.
    """
    begins = [one for one in names if len(small) > 1 and one.startswith(small)]
    begins = [one for one in begins if not re.match(r".*\d \d", f"{small} {one[len(small) :]}")]
    close = difflib.get_close_matches(small, names, n=3, cutoff=_CLOSE)
    slips = [one for one in close if _digits(one) == _digits(small)]
    slips += difflib.get_close_matches(small, names, n=1, cutoff=_VERY_CLOSE)
    return next(iter([*begins, *slips]), "")


def _nearest_card(small: str, names: list[str]) -> str:
    """Return the GPU that was likely meant, "" where none is near enough.

    One of the same model ("h20_sxm" is an "h20"), or a slip of typing away. Another number of as
    many digits is another card ("3090", "4090"), and so are the models of ``OTHER_CARDS``.
    """
    model = _model(small)
    if model in OTHER_CARDS:
        return ""
    digits = _digits(small)
    near = [one for one in names if _digits(one) == digits or len(_digits(one)) != len(digits)]
    alike = [one for one in near if _model(one) == model]
    inside = [one for one in near if len(small) > _SHORTEST_PART and small in one]
    found = difflib.get_close_matches(small, alike or inside, n=1, cutoff=0)
    return next(iter(found or difflib.get_close_matches(small, near, n=1, cutoff=_CLOSE_CARD)), "")


def _model(card: str) -> str:
    return re.split("[-_ ]", card)[0]


def _digits(text: str) -> list[str]:
    return sorted(re.findall(r"\d", text))
