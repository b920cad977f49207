"""Points that cannot exist on their GPU: refused where all alike, flagged where they are cells.

A combination that cannot exist is refused in one line if none of the parameters that make it
varies. Where one of them does (a list, even of one value, or the schedule), the points that have it
are flagged: their outputs are NaN, ``feasible`` is no and ``infeasible_reason`` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sweep.errors import Impossible
from sweep.hardware.capabilities import INSTRUCTIONS, lacks
from sweep.hardware.durations import element_rate
from sweep.hardware.element_types import SCALES
from sweep.hardware.gpu import GPU
from sweep.hardware.instructions import (
    MOST_CLUSTER_CTAS,
    more_than_the_gpu_has,
    smallest_mma,
    too_many_ctas,
)
from sweep.inputs.chosen import loads_through_registers
from sweep.inputs.derivation import Derivation
from sweep.inputs.labels import label_text
from sweep.inputs.quantity import Quantity
from sweep.quantities.arrays import Array
from sweep.quantities.variables import GPU_FIELDS, VARIABLES

REASONS = VARIABLES["infeasible_reason"].flag_meanings
_WORDS = {"cluster": "a cluster"}


class Finding(NamedTuple):
    """Points that cannot exist for one reason.

    ``varies`` says whether a parameter that makes them does; ``error`` gives the refusal.
    """

    reason: str
    where: Array
    varies: bool
    error: Callable[[], Impossible]


def impossible_points(derivation: Derivation, many_schedules: bool) -> Array:
    """Return the code of ``infeasible_reason`` of points that cannot exist, 0 elsewhere.

    Parameters
    ----------
    derivation : Derivation
        After its values have been worked out.
    many_schedules : bool
        Whether the schedule is one of several, so that what it sets by itself varies.

    Raises
    ------
    Impossible
        If none of the parameters that make an impossible combination varies.
    """
    codes = np.zeros((1,) * derivation.ndim, dtype=np.int8)
    for finding in _findings(derivation, many_schedules):
        if not finding.where.any():
            continue
        if not finding.varies:
            raise finding.error()
        codes = np.where((codes == 0) & finding.where, REASONS.index(finding.reason), codes)
    return codes.astype(np.int8)


def _findings(derivation: Derivation, many: bool) -> Iterator[Finding]:
    used = derivation.used
    if "element_bytes" in used or "element_rate" in used:
        yield _element_types(derivation, "element_type", "element_rate")
    if "element_bytes_a" in used or "operand_rate" in used:
        if {"element_type_a", "element_type_b"} & derivation.given.keys():
            yield _operand_types(derivation)
        yield _element_types(derivation, "multiplied_as", "operand_rate")
    if "scale_factors" in derivation.given:
        yield _scales(derivation)
    yield from (
        _unknown_field(name, used[name], derivation)
        for name in GPU_FIELDS
        if name in used and name not in derivation.given and name != "compute_capability"
    )
    if derivation.schedule.family == "gemm":
        yield from _loads(derivation, many)
        if derivation.known:
            yield _tile_shape(derivation)


def _operand_types(derivation: Derivation) -> Finding:
    """Find operands of two types of one size, which no MMA takes and nothing converts."""
    a, b, kinds = map(derivation.get, ("element_type_a", "element_type_b", "multiplied_as"))
    none = [label == "" for label in kinds.labels]
    return Finding(
        "unsupported_element_type",
        np.array(none)[kinds.array],
        _varies(a, b),
        lambda: Impossible(
            f"element_type_a={str(_first(a))!r}, element_type_b={str(_first(b))!r}: no MMA"
            " multiplies them; give one type, or one of more bytes that the other is converted to"
        ),
    )


def _scales(derivation: Derivation) -> Finding:
    """Find scale factors that go with elements of another type."""
    a, b, scales = map(derivation.get, ("element_type_a", "element_type_b", "scale_factors"))
    fits = np.array(
        [
            [[_scaled(one, x, y) for y in b.labels] for x in a.labels]
            for one in map(str, scales.labels)
        ]
    )

    def error() -> Impossible:
        name = str(_first(scales))
        kinds = " or ".join(SCALES[name].types)
        return Impossible(
            f"scale_factors={name!r}: goes with {kinds}, not with element_type_a="
            f"{str(_first(a))!r} and element_type_b={str(_first(b))!r}"
        )

    where = ~fits[scales.array, a.array, b.array]
    return Finding("unsupported_element_type", where, _varies(a, b, scales), error)


def _scaled(scales: str, *kinds: object) -> bool:
    return scales == "none" or all(kind in SCALES[scales].types for kind in kinds)


def _element_types(derivation: Derivation, kind: str, rate: str) -> Finding:
    kinds, gpus = derivation.get(kind), derivation.get("gpu")
    where = np.isnan(derivation.get(rate).array)

    def error() -> Impossible:
        try:
            element_rate(_card(gpus), str(_first(kinds)))
        except Impossible as refusal:
            return refusal
        raise AssertionError

    return Finding("unsupported_element_type", where, _varies(kinds, gpus), error)


def _unknown_field(name: str, field: Quantity, derivation: Derivation) -> Finding:
    gpus = derivation.get("gpu")
    unknown = [isinstance(one, GPU) and one.value(name) is None for one in gpus.labels]

    def error() -> Impossible:
        unit = VARIABLES[name].units
        unit = "" if unit == "1" else f" (in {unit})"
        return Impossible(f"{name}: not known for gpu={_card(gpus).name!r}; give {name}=...{unit}")

    where = np.array(unknown)[gpus.array]
    return Finding("unknown_gpu_field", where, _varies(field), error)


def _loads(derivation: Derivation, many: bool) -> Iterator[Finding]:
    """Find loaders and clusters that the GPU or the schedule does not have, or that do not go."""
    capability = derivation.get("compute_capability")
    chosen = many and "loader" not in derivation.given
    if "loader" in derivation.used:
        loader, name = derivation.get("loader"), derivation.schedule.name
        staged = loads_through_registers(derivation.schedule)
        for choice, instruction, other in (
            ("tma", "TMA", "give loader='cp_async'"),
            (
                "cp_async",
                "cp.async",
                "give loader='ld_global'" if staged else f"{name} copies while it computes",
            ),
        ):
            yield Finding(
                "loader",
                lacks(instruction, capability.array) & _is(loader, choice),
                _varies(loader, capability) or chosen,
                _refusal(f"loader={choice!r}", instruction, capability, other),
            )
        yield Finding(
            "loader",
            _is(loader, "ld_global") & ~np.asarray(staged),
            _varies(loader) or chosen,
            lambda: Impossible(
                f"loader='ld_global': {name} copies while it computes, and a load through registers"
                " does not; give loader='cp_async' or 'tma'"
            ),
        )
    if "cluster" in derivation.used or "cluster" in derivation.given:
        yield from _clusters(derivation, capability, chosen)


def _refusal(
    shown: str, instruction: str, capability: Quantity, other: str
) -> Callable[[], Impossible]:
    """Return what says which compute capability an instruction needs."""
    what, first = _WORDS.get(instruction, instruction), INSTRUCTIONS[instruction][0]
    return lambda: Impossible(
        f"{shown}: {what} needs compute_capability {first:.1f}, here it is {_number(capability)};"
        f" {other}"
    )


def _clusters(derivation: Derivation, capability: Quantity, chosen: bool) -> Iterator[Finding]:
    """Find clusters that a GPU does not have, clusters without TMA, and too large ones."""
    cluster = derivation.get("cluster")
    ctas = derivation.get("cluster_m").array * derivation.get("cluster_n").array
    if not (ctas > 1).any():
        return
    shown = f"cluster={label_text(_first(cluster))}"
    loader, most = derivation.get("loader"), derivation.get("max_cluster_ctas")
    held = derivation.get("largest_cluster_ctas")
    yield Finding(
        "cluster",
        (ctas > 1) & lacks("cluster", capability.array),
        _varies(cluster, capability),
        _refusal(shown, "cluster", capability, "give cluster='1x1'"),
    )
    yield Finding(
        "cluster",
        (ctas > 1) & ~_is(loader, "tma"),
        _varies(cluster, loader) or chosen,
        lambda: Impossible(
            f"{shown}: multicast needs TMA, and {derivation.schedule.name} loads with"
            f" {_first(loader)}; give cluster='1x1' or loader='tma'"
        ),
    )
    yield Finding(
        "cluster",
        (held.array > 0) & (ctas > held.array) & (ctas <= MOST_CLUSTER_CTAS),
        _varies(cluster, held),
        lambda: Impossible(
            more_than_the_gpu_has(shown, _card(derivation.get("gpu")).name, int(held.array.max()))
        ),
    )
    yield Finding(
        "cluster",
        ctas > most.array,
        _varies(cluster, most),
        lambda: Impossible(too_many_ctas(shown, int(ctas.max()), int(most.array.max()))),
    )


def _tile_shape(derivation: Derivation) -> Finding:
    tile, kinds = derivation.get("tile"), derivation.get("multiplied_as")
    capability = derivation.get("compute_capability")
    where: Array = np.zeros((1,) * derivation.ndim, dtype=bool)
    for code in np.unique(kinds.array):
        if not kinds.labels[code]:
            continue  # no MMA at all
        sizes = smallest_mma(str(kinds.labels[code]), capability.array)
        extents = (derivation.get(f"tile_{axis}").array for axis in "mnk")
        uneven = [extent % size != 0 for extent, size in zip(extents, sizes, strict=True)]
        where = where | ((kinds.array == code) & (uneven[0] | uneven[1] | uneven[2]))

    def error() -> Impossible:
        kind = str(_first(kinds))
        m, n, k = (int(np.ravel(size)[0]) for size in smallest_mma(kind, capability.array))
        return Impossible(
            f"tile={label_text(_first(tile))}: no MMA instruction for {kind} divides it at compute"
            f" capability {_number(capability)}; give M a multiple of {m}, N of {n}, K of {k}"
        )

    return Finding("tile_shape", where, _varies(tile, kinds, capability), error)


def _varies(*quantities: Quantity) -> bool:
    return any(one.dims for one in quantities)


def _is(choice: Quantity, name: str) -> Array:
    return np.asarray(choice.array == choice.labels.index(name))


def _first(quantity: Quantity) -> Any:
    """Return the label of a quantity that does not vary."""
    return quantity.labels[int(np.ravel(quantity.array)[0])]


def _card(gpus: Quantity) -> GPU:
    card = _first(gpus)
    assert isinstance(card, GPU)
    return card


def _number(capability: Quantity) -> str:
    value = float(np.ravel(capability.array)[0])
    return "not known" if np.isnan(value) else f"{value:.1f}"
