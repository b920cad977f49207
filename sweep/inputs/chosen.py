"""What is worked out by more than a formula or a look-up, and the defaults that a schedule sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sweep.description import Schedule
from sweep.hardware.attention_durations import QUERY_ROWS
from sweep.hardware.capabilities import lacks
from sweep.hardware.element_types import multiplied_as
from sweep.inputs.quantity import Quantity, constant
from sweep.inputs.tile_counts import tiles_of_tables
from sweep.quantities.variables import SERVICES, VARIABLES

if TYPE_CHECKING:
    from sweep.inputs.derivation import Derivation


def _loader(one: Derivation) -> Quantity:
    """Return the schedule's loader, or what a GPU too old for it has instead."""
    found = one.default("loader")
    capability = one.get("compute_capability")
    tma, cp_async, ld_global = map(found.labels.index, ("tma", "cp_async", "ld_global"))
    codes = found.array
    codes = np.where((codes == tma) & lacks("TMA", capability.array), cp_async, codes)
    if loads_through_registers(one.schedule):
        older = lacks("cp.async", capability.array)
        codes = np.where((codes == cp_async) & older, ld_global, codes)
    if np.all(codes == codes.flat[0]):
        return constant("loader", found.labels[codes.flat[0]], (1,) * one.ndim)
    return Quantity(capability.dims, codes, found.labels)


def loads_through_registers(schedule: Schedule) -> bool:
    """Whether its copies may pass through registers: they are stored from there, or waited for."""
    return "t_store" in schedule.durations or schedule.fixed_stages == 1


def _rows(one: Derivation) -> Quantity:
    """Return the rows of queries of each warpgroup."""
    block = one.get("block_m")
    return Quantity(block.dims, block.array / one.schedule.consumer_warpgroups)


def _output_tiles(one: Derivation) -> Quantity:
    """Return as many output tiles as tables have values; else the schedule's default."""
    default = one.default("output_tiles")
    if not one.tables:
        return default
    return Quantity(*tiles_of_tables(one.tables, default.array.item(), one.ndim))


def _service(one: Derivation) -> Quantity:
    """Return the order of service: that of the program where one CTA has an SM to itself."""
    ctas = one.get("ctas_per_sm")
    fifo, ordered = map(SERVICES.index, ("fifo", "ordered"))
    return Quantity(ctas.dims, np.where(ctas.array > 1, fifo, ordered), SERVICES)


def _as_inputs(one: Derivation) -> Quantity:
    """Return the type of an operand that has none of its own."""
    return one.get("element_type")


def _multiplied_as(one: Derivation) -> Quantity:
    """Return the type that operands are multiplied in, "" where none takes both."""
    a, b = one.get("element_type_a"), one.get("element_type_b")
    if a is b:
        return a
    table = [[multiplied_as(str(x), str(y)) for y in b.labels] for x in a.labels]
    labels = tuple(dict.fromkeys(name for row in table for name in row))
    codes = np.array([[labels.index(name) for name in row] for row in table])
    return Quantity(a.dims | b.dims, codes[a.array, b.array], labels)


def _by_type(one: Derivation, name: str, chosen: Mapping[str, str]) -> Quantity:
    """Return a choice that follows from the element type: as ``chosen`` says, else the first."""
    kinds, labels = one.get("element_type"), VARIABLES[name].choices
    table = np.array([labels.index(chosen.get(str(kind), labels[0])) for kind in kinds.labels])
    return Quantity(kinds.dims, table[kinds.array], labels)


def _accumulators(one: Derivation) -> Quantity:
    return _by_type(one, "element_type_acc", {"int8": "int32"})


def _outputs(one: Derivation) -> Quantity:
    return _by_type(one, "element_type_c", {"fp16": "fp16"})


SPECIAL: Mapping[str, Callable[[Derivation], Quantity]] = {
    "loader": _loader,
    "warpgroup_rows": _rows,
    "output_tiles": _output_tiles,
    "arbitration": _service,
    "element_type_a": _as_inputs,
    "element_type_b": _as_inputs,
    "element_type_acc": _accumulators,
    "element_type_c": _outputs,
    "multiplied_as": _multiplied_as,
}
"""What is worked out by more than a formula or a look-up."""
DEFAULTS: Mapping[str, Any] = {
    "loader": lambda one: one.loader or ("tma" if one.producer else "cp_async"),
    "kv_blocks": lambda one: one.kv_blocks or 32 // one.consumer_warpgroups,
    "consumer_warpgroups": lambda one: one.consumer_warpgroups,
    "block_m": lambda one: QUERY_ROWS * one.consumer_warpgroups,
    "output_tiles": lambda one: None if one.tile_level else 1,
    "tile_scheduler": lambda one: "static_persistent" if one.tile_level else "single",
}
"""Defaults that a schedule sets; None where the registry's stands."""
