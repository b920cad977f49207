"""Numbers that follow from a name or a shape: bytes of an element type, a field of a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sweep.hardware.durations import ISSUE_CYCLES
from sweep.hardware.element_types import (
    ACCUMULATOR_TYPES,
    ELEMENT_BYTES,
    OPERAND_BYTES,
    OUTPUT_TYPES,
    SCALES,
)
from sweep.hardware.gpu import GPU
from sweep.inputs.labels import label_text
from sweep.quantities.arrays import Array
from sweep.quantities.numbers import check_numbers
from sweep.quantities.variables import GPU_FIELDS, VARIABLES

if TYPE_CHECKING:
    from sweep.inputs.quantity import Quantity


SIZES: Mapping[str, Mapping[str, float]] = {
    "element_bytes": ELEMENT_BYTES,
    "element_bytes_a": OPERAND_BYTES,
    "element_bytes_b": OPERAND_BYTES,
    "accumulator_bytes": ACCUMULATOR_TYPES,
    "output_bytes": OUTPUT_TYPES,
}
"""Bytes of an element by its type."""
SCALE_FIELDS: Mapping[str, str] = {
    "scale_elements": "elements",
    "scale_size_a": "size_a",
    "scale_size_b": "size_b",
    "scale_unit": "unit",
}
"""Fields of ``Scale``, by what formulas call them."""


def look_up(name: str, inputs: list[Quantity]) -> Array:
    """Return what is looked up by the labels of other values."""
    first = inputs[0]
    if name == "t_issue":
        return _take(first, [ISSUE_CYCLES[str(label)] for label in first.labels])
    if name in ("element_rate", "operand_rate"):
        return _element_rates(*inputs)
    if name in SIZES:
        return _take(first, [SIZES[name][str(label)] for label in first.labels])
    if name in SCALE_FIELDS:
        scales = (SCALES[str(label)] for label in first.labels)
        return _take(first, [getattr(one, SCALE_FIELDS[name]) for one in scales])
    if name in GPU_FIELDS:
        return _gpu_field(name, first)
    axis = "mnk".index(name[-1])
    return _take(first, [label[axis] for label in first.labels if isinstance(label, tuple)])


def _take(codes: Quantity, table: Any) -> Array:
    return np.asarray(np.asarray(table)[codes.array])


def _gpu_field(name: str, gpus: Quantity) -> Array:
    """Return a field of each GPU, NaN (0 where it is an integer) where it is not known."""
    variable = VARIABLES[name]
    unknown = 0 if variable.dtype == "int64" else np.nan
    figures = (label.value(name) for label in gpus.labels if isinstance(label, GPU))
    values = [unknown if one is None else check_numbers(variable, one) for one in figures]
    return _take(gpus, np.array(values, dtype=variable.dtype))


def _element_rates(elements: Quantity, gpus: Quantity) -> Array:
    """Return the rate of each element type on each GPU it meets, NaN where it has none."""
    cards = [label for label in gpus.labels if isinstance(label, GPU)]
    names = [label_text(label) for label in elements.labels]
    table = np.array([[card.element_rates.get(name, np.nan) for card in cards] for name in names])
    return np.asarray(table[elements.array, gpus.array])
