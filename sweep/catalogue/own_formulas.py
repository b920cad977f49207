"""The formulas that a schedule declares, by name: read once, and whether their names are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from sweep.description import Count, Duration, Factor, Schedule
from sweep.errors import quoted
from sweep.hardware.durations import FORMULAS, LOOKUPS, formula_inputs
from sweep.quantities.expressions import Expression
from sweep.quantities.formulas import OwnFunction, read_formula
from sweep.quantities.variables import VARIABLES

OwnFormula = Expression | OwnFunction
LABELS = ("gpu", "tile", "cluster", "loader")
"""Physical parameters that are no numbers; what they set has names of its own."""


class OwnFormulas(NamedTuple):
    """What a schedule works out by formulas of its own.

    Attributes
    ----------
    durations : mapping of str to formula
    rings : mapping of str to formula
        Bytes, columns or registers of a slot, by ring.
    flop : formula or None
        Useful FLOP of an output tile.
    """

    durations: Mapping[str, OwnFormula]
    rings: Mapping[str, OwnFormula]
    flop: OwnFormula | None


@lru_cache(maxsize=256)
def own_formulas(schedule: Schedule) -> OwnFormulas:
    """Return the formulas of a schedule that has been found sound.

    Raises
    ------
    ValueError
        For a formula that is none.
    """
    durations = {
        one.name: read_formula(one.formula)
        for one in schedule.declares
        if isinstance(one, Duration) and one.formula is not None
    }
    rings = {ring.name: read_formula(ring.size) for ring in schedule.rings if ring.size != ""}
    flop = read_formula(schedule.flop) if schedule.flop != "" else None
    return OwnFormulas(MappingProxyType(durations), MappingProxyType(rings), flop)


def formula_faults(schedule: Schedule) -> Iterator[str]:
    """Yield what is wrong with the formulas of a schedule whose declared names are sound."""
    own = {one.name for one in schedule.declares if isinstance(one, Count | Duration | Factor)}
    needs: dict[str, tuple[str, ...]] = {}
    for what, name, formula in _declared(schedule):
        try:
            found = read_formula(formula)
        except ValueError as error:
            yield f"{what}: the formula {error}"
            continue
        if name:
            needs[name] = found.names
        for need in found.names:
            if not (need in own or is_number(need)):
                yield f"{what}: the formula needs {quoted(need)}, {_hint(need)}"
    yield from _circles(needs)


def _declared(schedule: Schedule) -> Iterator[tuple[str, str, object]]:
    """Yield each formula: whose it is in words, the duration that it gives, and itself."""
    for one in schedule.declares:
        if isinstance(one, Duration) and one.formula is not None:
            yield f"duration {one.name!r}", one.name, one.formula
    for ring in schedule.rings:
        if ring.size != "":
            yield f"size of ring {ring.name!r}", "", ring.size
    if schedule.flop != "":
        yield "flop", "", schedule.flop


def is_number(name: str) -> bool:
    """Whether a formula can be given a value by that name, whatever a schedule declares."""
    if name in FORMULAS or (name in LOOKUPS and name not in LABELS):
        return True
    return VARIABLES.is_built_in(name) and _numeric_parameter(name)


def _numeric_parameter(name: str) -> bool:
    row = VARIABLES[name]
    return row.numeric and row.kind in ("duration", "count", "physical", "gpu_field")


def _hint(name: str) -> str:
    if name in LABELS:
        return "which is no number"
    if name in VARIABLES and not VARIABLES.is_built_in(name):
        return "which it does not declare"
    return f"which is not known; declare it, such as Count({quoted(name)}, ...)"


def _circles(needs: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield durations that follow from themselves, by way of the registry's formulas too."""
    for first in needs:
        waiting, seen = list(needs[first]), set[str]()
        while waiting:
            name = waiting.pop()
            if name == first:
                yield f"duration {first!r}: its formula needs {first!r} itself"
                break
            if name not in seen:
                seen.add(name)
                known = formula_inputs(name) if name in FORMULAS else ()
                waiting += needs.get(name, known)
