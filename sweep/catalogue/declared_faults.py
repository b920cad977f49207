"""What can be wrong with the names that a schedule declares."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from sweep.catalogue.names import is_name, name_rule, shown, wrong_kinds
from sweep.catalogue.own_formulas import formula_faults
from sweep.description import RESOURCES, Count, Duration, Factor, Resource, Ring, Schedule
from sweep.hardware.durations import FORMULAS, LOOKUPS
from sweep.hardware.gpu import GPUS
from sweep.quantities.variables import RESIDENCY, VARIABLES

MOST_DECLARED = 100
KINDS = (Count, Factor, Duration, Resource)
ARGUMENTS = ("schedule", "engine", "threads", "progress", "out", "outputs", "parameters")
"""Names that functions and commands take beside parameters."""
MEMORIES = ("shared", "tensor", "registers")
SERVICES = ("ordered", "fifo")
_LARGEST = 2**43
_KIND = {False: "text", True: "a number"}


def declared_faults(schedule: Schedule) -> Iterator[str]:
    """Yield what is wrong with counts, factors, durations, resources, rings and their formulas."""
    found = False
    for fault in _name_faults(schedule):
        found = True
        yield fault
    if not found:
        yield from formula_faults(schedule)
        yield from _default_faults(schedule)


def _default_faults(schedule: Schedule) -> Iterator[str]:
    for fault in wrong_kinds(schedule, ("defaults", Mapping)):
        yield fault
        return
    for name, value in schedule.defaults.items():
        row = VARIABLES.get(name)
        if row is None or row.kind not in ("physical", "choice"):
            yield f"defaults: {shown(name)} is no physical parameter and no choice"
        elif row.choices and value not in row.choices:
            yield f"defaults: {name}={shown(value)}: must be one of {', '.join(row.choices)}"
        elif name == "gpu" and value not in GPUS:
            yield f"defaults: gpu={shown(value)}: no GPU has that name"
        elif not isinstance(value, str if row.dtype in ("str", "shape") else int | float):
            yield f"defaults: {name}={shown(value)}: must be {_KIND[row.numeric]}"


def _name_faults(schedule: Schedule) -> Iterator[str]:
    for fault in wrong_kinds(schedule, ("declares", tuple), ("rings", tuple), ("loops", tuple)):
        yield fault
        return
    if len(schedule.declares) > MOST_DECLARED:
        yield f"declares {len(schedule.declares):,} names; the limit is {MOST_DECLARED}"
        return
    seen: set[str] = set()
    for one in schedule.declares:
        if not isinstance(one, KINDS):
            yield f"declares {shown(one)}: must be a Count, Factor, Duration or Resource"
            continue
        what = f"{type(one).__name__.lower()} {shown(one.name)}"
        for fault in _own_faults(one):
            yield f"{what}: {fault}"
        key = str(one.name).lower() if isinstance(one, Resource) else str(one.name)
        if key in seen:
            yield f"{what}: is declared twice"
        seen.add(key)
    for ring in schedule.rings:
        if not isinstance(ring, Ring):
            yield f"ring {shown(ring)}: must be a Ring"
        else:
            yield from (f"ring {shown(ring.name)}: {fault}" for fault in _ring_faults(ring))


def _own_faults(one: Any) -> Iterator[str]:
    if not is_name(one.name):
        yield f"the name {name_rule()}"
        return
    if isinstance(one, Resource):
        yield from _resource_faults(one)
        return
    for fault in wrong_kinds(one, ("long_name", str)):
        yield fault
        return
    yield from _reserved(one)
    if isinstance(one, Duration):
        if not one.name.startswith("t_"):
            yield "names of durations begin with 't_'"
    else:
        yield from wrong_kinds(one, ("unit", str))
        yield from _range_faults(one)


def _reserved(one: Any) -> Iterator[str]:
    name = one.name
    if name in ARGUMENTS:
        yield "commands take an argument of that name; give another"
    elif name in RESIDENCY:
        yield "every schedule has it; it cannot be declared"
    elif not VARIABLES.is_built_in(name) and (name in FORMULAS or name in LOOKUPS):
        yield "formulas are given something else by that name; give another"
    elif not isinstance(one, Duration):
        if name.startswith("t_"):
            yield "names that begin with 't_' are durations; give another"
        elif not VARIABLES.is_built_in(name) and _is_of_datasets(name):
            yield "datasets have a method of that name; give another"


def _is_of_datasets(name: str) -> bool:
    import xarray

    return hasattr(xarray.Dataset, name)


def _range_faults(one: Count | Factor) -> Iterator[str]:
    whole = isinstance(one, Count)
    most = one.most if one.most is not None else _LARGEST
    fields = {"default": one.default, "least": one.least, "most": most}
    for name, value in fields.items():
        number = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        if not number or math.isnan(value):
            yield f"{name}={shown(value)}: must be a {'whole ' if whole else ''}number"
            return
    if not 0 <= one.least <= most:
        yield f"least={one.least}, most={most}: must be from 0 on, in this order"
    elif not one.least <= one.default <= most or math.isinf(one.default):
        yield f"default={one.default}: must be from {one.least} to {most}"


def _resource_faults(one: Resource) -> Iterator[str]:
    if one.name.upper() in RESOURCES:
        yield f"{one.name.upper()} is there in every schedule; give another name"
    if one.service not in SERVICES:
        yield f"service={shown(one.service)}: must be 'ordered' or 'fifo'"


def _ring_faults(ring: Ring) -> Iterator[str]:
    if not is_name(ring.name):
        yield f"the name {name_rule()}"
    if ring.memory not in MEMORIES:
        yield f"memory={shown(ring.memory)}: must be 'shared', 'tensor' or 'registers'"
    if not (isinstance(ring.size, str) or callable(ring.size)):
        yield f"size={shown(ring.size)}: must be text or a function"
