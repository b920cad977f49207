"""Templates: real Python files whose marked holes are filled with a schedule's own code.

A template (``round_jumps``, ``tile_jumps``, ``policies``) runs as it stands, on the schedule of
``example``. Its functions become another schedule's by filling two kinds of holes:

*Names.* A name that begins with ``all_`` stands for all the variables of its kind, see
``variables``: where ``all_rings`` is, there are then ``slots_empty, slots_full``, or nothing where
the schedule has no ring. ``all_loop[0]`` is the first of them.

*Lines.* A line that ends in ``# hole: NAME`` gives way to the statements of that name, as deep as
it was. If it opens a block they open the same block; where there are none, the block goes too.

What a template imports is not taken over: of ``example`` the schedule has its own, and
``generator`` imports the rest. Nor are annotations, which would be those of the example.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from sweep.recurrence.state import Names

Lines = Mapping[str, Sequence[str]]

_NAME = re.compile(r"\ball_\w+")
_LINE = re.compile(r"^( *)(\S.*)  # hole: (\w+)$")
_HEADER = re.compile(r"^(def \w+\()([^()]*)\)(?: -> [^\n]+)?:$", re.MULTILINE)
_ANNOTATION = re.compile(r"(\w+): \w+")


def variables(names: Names) -> dict[str, list[str]]:
    """Return what the names that begin with ``all_`` stand for."""
    loop = [*names.times, *names.loop_integers]
    times, rings = [*names.times, *names.outer_times], names.ring_names
    durations = counted(names.durations)
    return {
        "all_loop": loop,
        "all_state": [*times, *names.integers],
        "all_scratch": names.scratch,
        "all_rings": rings,
        "all_parameters": names.parameters,
        "all_given": [*rings, *names.parameters],
        "all_weights": [f"weight_{name}" for name in names.durations],
        "all_state_counted": [*counted(times), *names.integers],
        "all_scratch_counted": counted(names.scratch),
        "all_rings_counted": counted(rings),
        "all_given_counted": [*counted(rings), *durations, *names.counts],
    }


def counted(names: Sequence[str]) -> list[str]:
    """Name the variables that carry counts, see ``policies``."""
    return [f"{name}_counted" for name in names]


@cache
def text_of(template: str) -> str:
    """Return the functions of a template in this folder.

    They are read, not imported: a description is checked without Numba.
    """
    text = Path(__file__).with_name(f"{template}.py").read_text(encoding="utf-8")
    return text[text.index("\n@") + 1 :]


def fill(text: str, names: Mapping[str, Sequence[str]], lines: Lines) -> str:
    """Fill the holes of a template.

    Parameters
    ----------
    text : str
        Its functions, see ``text_of``.
    names : mapping of str to sequence of str
        What its names that begin with ``all_`` stand for; not all need occur.
    lines : mapping of str to sequence of str
        The statements of each hole in its lines.

    Raises
    ------
    ValueError
        If a hole is not filled, or a filling has no hole.

    Examples
    --------
    >>> text = "all_ends = step(all_ends)  # hole: step"
    >>> print(fill(text, {"all_ends": ["a", "b"]}, {"step": ["a += 1.0", "b += 1.0"]}))
    a += 1.0
    b += 1.0
    >>> fill("return all_ends", {}, {"step": []})
    Traceback (most recent call last):
    ...
    ValueError: holes that are not filled: all_ends; fillings without a hole: step
    """
    _check(text, names, lines)
    text = _HEADER.sub(_without_annotations, text)
    for name in set(_NAME.findall(text)):
        text = _written_out(text, name, names[name])
    return "\n".join(_filled(text.split("\n"), lines))


def _check(text: str, names: Mapping[str, Sequence[str]], lines: Lines) -> None:
    holes = {hole[3] for line in text.split("\n") if (hole := _LINE.match(line))}
    open_names = set(_NAME.findall(text)) - set(names)
    faults = {
        "holes that are not filled": [*sorted(open_names), *sorted(holes - set(lines))],
        "fillings without a hole": sorted(set(lines) - holes),
        "lines whose hole is not marked as it should be": [
            line.strip() for line in text.split("\n") if "# hole" in line and not _LINE.match(line)
        ],
    }
    found = [f"{what}: {', '.join(which)}" for what, which in faults.items() if which]
    if found:
        raise ValueError("; ".join(found))


def _without_annotations(header: re.Match[str]) -> str:
    return header[1] + _ANNOTATION.sub(r"\1", header[2]) + "):"


def _written_out(text: str, name: str, variables: Sequence[str]) -> str:
    """Write the variables where the name is; without any, its comma goes too."""
    if variables:
        text = re.sub(rf"\b{name}\[0\]", variables[0], text)
        return re.sub(rf"\b{name}\b", ", ".join(variables), text)
    text = re.sub(rf"^ *{name},\n", "", text, flags=re.MULTILINE)
    return re.sub(rf"\b{name}, |, {name}\b", "", text)


def _filled(template: list[str], lines: Lines) -> list[str]:
    filled: list[str] = []
    dropped: int | None = None  # the depth of a line whose block goes
    for line in template:
        depth = len(line) - len(line.lstrip())
        if dropped is not None and (not line or depth > dropped):
            continue
        dropped = None
        hole = _LINE.match(line)
        if hole is None:
            filled.append(line)
            continue
        statements = lines[hole[3]]
        filled += [f"{hole[1]}{one}" for one in statements]
        if not statements and hole[2].endswith(":"):
            dropped = depth
    return filled
