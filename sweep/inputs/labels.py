"""Values as a user gives them to checked arrays: numbers within limits, names to codes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from sweep.errors import InputError, InputTypeError, quoted, unknown_name
from sweep.hardware.gpu import GPU
from sweep.hardware.gpu_checks import check_gpu
from sweep.hardware.lookup import find_gpu
from sweep.hardware.shapes import parse_shape
from sweep.quantities.arrays import Array
from sweep.quantities.numbers import kind_of
from sweep.quantities.tile_table import TileTable
from sweep.quantities.variables import Variable

Label = str | tuple[int, ...] | GPU | TileTable


def check_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return one of the names that there are.

    Raises
    ------
    InputError
        With the nearest one where it is none of them.
    InputTypeError
        Where it is no text.
    """
    known = tuple(choices)
    if not isinstance(value, str):
        raise InputTypeError(
            f"{name}={quoted(value)}: must be a name, one of {', '.join(known)},"
            f" not {type(value).__name__}"
        )
    if value not in known:
        raise unknown_name(name, value, known)
    return str(value)


def check_labels(variable: Variable, items: Iterable[Any]) -> tuple[Array, tuple[Label, ...]]:
    """Return names, shapes or GPUs as int64 codes and the labels that the codes index.

    A choice keeps the order of the registry; shapes and GPUs come in order of appearance.

    Raises
    ------
    InputError
        For a name that does not exist, with the nearest one that does.
    """
    items = list(items)
    for gpu in (item for item in items if isinstance(item, GPU)):
        check_gpu(gpu)
    try:
        distinct = dict.fromkeys(items)
    except TypeError:
        raise _not_a_label(variable, next(one for one in items if not _hashable(one))) from None
    found: dict[Label, int] = {choice: code for code, choice in enumerate(variable.choices)}
    codes = {item: found.setdefault(_label(variable, item), len(found)) for item in distinct}
    return np.array([codes[item] for item in items], dtype=np.int64), tuple(found)


def _hashable(item: object) -> bool:
    try:
        hash(item)
    except TypeError:
        return False
    return True


def _label(variable: Variable, item: Any) -> Label:
    if isinstance(item, bytes | bool | type(None)):
        raise _not_a_label(variable, item)
    if variable.dtype == "shape" and isinstance(item, str | tuple):
        return parse_shape(variable.name, item)
    if variable.name == "gpu" and isinstance(item, GPU | str | os.PathLike):
        return find_gpu(item)
    if not isinstance(item, str):
        raise _not_a_label(variable, item)
    if item not in variable.choices:
        raise unknown_name(variable.name, str(item), variable.choices)
    return str(item)


def _not_a_label(variable: Variable, value: object) -> InputError:
    kind = "name"
    if variable.dtype == "shape":
        kind = f"shape such as {variable.default!r}"
    elif variable.choices:
        kind = f"name, one of {', '.join(variable.choices)}"
    return InputTypeError(
        f"{variable.name}={quoted(value)}: must be a {kind}; it is of type {kind_of(value)}"
    )


def label_text(label: Label) -> str:
    """Return a label as it stands in a dataset: a name, or "128x256x64", or a table's "4+1+9"."""
    if isinstance(label, GPU):
        return label.name
    if isinstance(label, TileTable):
        return str(label)
    return label if isinstance(label, str) else "x".join(map(str, label))
