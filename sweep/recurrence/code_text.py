"""Pieces of source code that the generated kernels are written from."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import indent


def function_code(
    name: str, arguments: str, summary: str, body: Iterable[str], decorator: str = "inlined"
) -> str:
    """Write a compiled helper function."""
    text = indent("\n".join(body), "    ")
    return f'@{decorator}\ndef {name}({arguments}):\n    """{summary}"""\n{text}\n'


def latest_of(times: Iterable[str]) -> str:
    """Write the latest of some times.

    Examples
    --------
    >>> latest_of(["producer", "MEM", "slot"])
    'latest(latest(producer, MEM), slot)'
    """
    first, *others = times
    for other in others:
        first = f"latest({first}, {other})"
    return first


def line_name(line: str, agents: bool) -> str:
    """Name the variable that holds the free time of an agent or a resource."""
    return f"agent_{line}" if agents else f"free_{line}"


def end_name(event: str) -> str:
    """Name the variable that holds the latest end of an event."""
    return f"end_{event}"
