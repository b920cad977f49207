"""Public names of a package that are imported when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(
    package: str, where: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and ``__dir__`` of a package whose names come from its modules.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    where : mapping of str to str
        The module below the package that each public name comes from.

    Examples
    --------
    >>> get, names = lazily("sweep", {"simulate": "results.points"})
    >>> get("simulate").__name__, "simulate" in names()
    ('simulate', True)
    """

    def get(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{where[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *where})

    return get, names
