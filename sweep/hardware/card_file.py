"""A card of one's own as a TOML file.

::

    base = "h100_sxm"              # what is not said here is as there; without it, not known
    name = "our_h100"              # the file's name unless given
    summary = "an H100 with a power limit"
    clock_hz = 1.41e9              # any field of a GPU: 'warpsweep variables' lists them
    sm_count = 132

    [element_rates]                # relative to 16-bit; added to those of the base
    fp8 = 2

    [sources]                      # where a number is from; the file unless said
    clock_hz = "nvidia-smi under load"

What follows from the compute capability (``sweep.hardware.capabilities``) follows from the card's
own, whatever the base's is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sweep.errors import InputError, quoted, unknown_name
from sweep.hardware.capabilities import BY_CAPABILITY
from sweep.hardware.gpu import GPU
from sweep.host.files import shown
from sweep.host.toml_file import read_toml
from sweep.quantities.numbers import check_numbers, is_real
from sweep.quantities.variables import GPU_FIELDS, VARIABLES

KEYS = ("base", "name", "summary", "element_rates", "sources", *GPU_FIELDS)
LONGEST_NAME = 60


def read_card(path: Path, bases: Mapping[str, GPU]) -> GPU:
    """Read a card's file.

    Parameters
    ----------
    path : pathlib.Path
    bases : mapping of str to GPU
        Those that it can build on, and whose names it cannot have.

    Returns
    -------
    GPU

    Raises
    ------
    InputError
        For a file that cannot be read or is no TOML, an unknown key, and a number that no GPU can
        have; it names the file and the key.
    """
    document = read_toml(path)
    try:
        return _card(document, path, bases)
    except InputError as error:
        raise type(error)(f"{shown(path)}: {error}") from None


def _card(document: Mapping[str, Any], path: Path, bases: Mapping[str, GPU]) -> GPU:
    for key in document:
        if key not in KEYS:
            raise unknown_name("key", key, KEYS)
    name = _text(document, "name", path.stem)
    _check_name(name, bases, "name" in document)
    base = _base(document, bases)
    numbers: dict[str, Any] = {
        key: _number(key, document[key]) for key in GPU_FIELDS if key in document
    }
    rates = {key: _rate(key, rate) for key, rate in _table(document, "element_rates").items()}
    given = [*numbers, *(f"element_rates.{key}" for key in rates)]
    sources = dict.fromkeys(given, f"given in {shown(path.name)}")
    sources |= _sources(document, given)
    if base is not None:
        numbers = _inherited(base) | numbers
        rates = {**base.element_rates, **rates}
        kept = {key: f"as {base.name}: {source}" for key, source in base.sources.items()}
        sources = {key: kept[key] for key in kept if _stays(key, numbers)} | sources
    summary = _text(document, "summary", f"{path.name}" + (f", from {base.name}" if base else ""))
    own: dict[str, Any] = {"element_rates": rates} if rates else {}
    card = GPU(name, summary, **numbers, **own, sources=sources)
    _check_shared_memory(card)
    return card


def _check_name(name: str, bases: Mapping[str, GPU], given: bool) -> None:
    if not name.isprintable() or not 0 < len(name) <= LONGEST_NAME:
        raise InputError(f"name={quoted(name)}: must be 1 to {LONGEST_NAME} printable characters")
    if name in bases:
        hint = "another name" if given else "name = ... in the file, or rename it"
        raise InputError(f"name={quoted(name)}: a preset has that name; give {hint}")


def _base(document: Mapping[str, Any], bases: Mapping[str, GPU]) -> GPU | None:
    if "base" not in document:
        return None
    name = _text(document, "base", "")
    if name not in bases:
        raise unknown_name("base", name, bases)
    return bases[name]


def _inherited(base: GPU) -> dict[str, Any]:
    """Return a base's numbers, without what follows from its compute capability."""
    row = BY_CAPABILITY.get(base.compute_capability or 0, {})
    found = {name: base.value(name) for name in GPU_FIELDS}
    return {
        name: value
        for name, value in found.items()
        if value is not None and not (name in row and row[name][0] == value)
    }


def _stays(key: str, numbers: Mapping[str, Any]) -> bool:
    return key.startswith("element_rates.") or key in numbers


def _number(name: str, value: Any) -> float | int:
    row = VARIABLES[name]
    if not is_real(value):
        unit = "" if row.units == "1" else f" (in {row.units})"
        raise InputError(f"{name}={quoted(value)}: must be a number{unit}")
    number: float | int = check_numbers(row, value).item()
    return number


def _rate(name: str, value: Any) -> float:
    kinds = VARIABLES["element_type"].choices
    if name not in kinds:
        raise unknown_name("element type", name, kinds)
    if not is_real(value) or not 0 < value < math.inf:
        raise InputError(
            f"element_rates.{name}={quoted(value)}: must be a finite number above 0, as a multiple"
            " of the 16-bit rate"
        )
    return float(value)


def _sources(document: Mapping[str, Any], given: Iterable[str]) -> dict[str, str]:
    """Return where numbers are from; ``element_rates.fp8`` may be a table's or a dotted key."""
    table = dict(_table(document, "sources"))
    nested = table.pop("element_rates", {})
    if isinstance(nested, dict):
        table |= {f"element_rates.{key}": text for key, text in nested.items()}
    known = tuple(given)
    for key, text in table.items():
        if key not in known:
            raise InputError(f"sources.{quoted(key)[1:-1]}: the file gives no such number")
        if not isinstance(text, str):
            raise InputError(f"sources.{key}={quoted(text)}: must be a text")
    return table


def _table(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = document.get(name, {})
    if not isinstance(value, dict):
        raise InputError(f"{name}={quoted(value)}: must be a table, [{name}]")
    return value


def _text(document: Mapping[str, Any], name: str, default: str) -> str:
    value = document.get(name, default)
    if not isinstance(value, str):
        raise InputError(f"{name}={quoted(value)}: must be a text")
    return value


def _check_shared_memory(card: GPU) -> None:
    block, whole = card.smem_per_block_bytes, card.smem_per_sm_bytes
    if block is not None and whole is not None and block > whole:
        raise InputError(
            f"smem_per_block_bytes={block:,} byte: must be at most smem_per_sm_bytes={whole:,} byte"
        )
