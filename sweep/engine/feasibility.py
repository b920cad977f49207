"""Whether a point fits an SM, and if not, why; or why that is not known.

Budgets (``sweep.engine.needs``) flag a point and never change its timing; what the model does not
know is "unknown", with its reason, never yes or no. Every function broadcasts over NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sweep.description import Schedule
from sweep.engine.needs import (
    Budgets,
    budgets,
    declares_memory,
    in_tensor_memory,
    smallest_block_bytes,
)
from sweep.hardware.instructions import has_tcgen05
from sweep.quantities.arrays import Array
from sweep.quantities.variables import VARIABLES

__all__ = ["Budgets", "Flags", "budgets", "feasibility"]

FEWEST_KEYS = 16
"""The inner dimension of one 16-bit MMA."""
SCALE_BYTES, SCALED_K = 4, 128
"""Block-scaled fp8 in DeepGEMM (github deepseek-ai/DeepGEMM): a float per row of A and 128 of K."""

_FEASIBLE = {meaning: i for i, meaning in enumerate(VARIABLES["feasible"].flag_meanings)}
_REASON = {meaning: i for i, meaning in enumerate(VARIABLES["infeasible_reason"].flag_meanings)}
_UNKNOWN = {meaning: i for i, meaning in enumerate(VARIABLES["unknown_reason"].flag_meanings)}
_FP8, _FP4 = map(VARIABLES["element_type"].choices.index, ("fp8", "fp4"))


class Flags(NamedTuple):
    """Codes of ``sweep.quantities.variables``, as int8 arrays of one shape."""

    feasible: NDArray[np.int8]
    infeasible_reason: NDArray[np.int8]
    unknown_reason: NDArray[np.int8]


def feasibility(
    schedule: Schedule, values: Mapping[str, Array], deadlocked: ArrayLike = False
) -> Flags:
    """Return whether points of a schedule fit, and why not, or why that is not known.

    Parameters
    ----------
    schedule : Schedule
    values : mapping of str to numpy.ndarray
        ``Space.values`` of that schedule; ``values["known"]`` says whether its tile is.
    deadlocked : array_like of bool
        Which points deadlock; that reason comes first, whether or not the tile is known, after
        what cannot exist at all.

    Returns
    -------
    Flags
        Of the shape that the inputs broadcast to. ``infeasible_reason`` is none where ``feasible``
        is not no, ``unknown_reason`` none where it is not unknown.
    """
    reason, unknown = np.asarray(0), np.asarray(_UNKNOWN["no_tile"])
    if bool(np.all(values["known"])):
        reason, unknown = _fits(schedule, values)
    reason = np.where(np.asarray(deadlocked, dtype=bool), _REASON["deadlock"], reason)
    reason = np.where(values["impossible"] != 0, values["impossible"], reason)
    unknown = np.where(reason == 0, unknown, 0)
    feasible = np.where(reason == 0, _FEASIBLE["yes"], _FEASIBLE["no"])
    feasible = np.where(unknown == 0, feasible, _FEASIBLE["unknown"])
    shape = np.broadcast_shapes(reason.shape, unknown.shape, values["known"].shape)
    return Flags(
        *(np.broadcast_to(one, shape).astype(np.int8) for one in (feasible, reason, unknown))
    )


def _fits(schedule: Schedule, values: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return the reasons against a point, and those for which it is not known."""
    budget = budgets(schedule, values)
    short = {
        "shared_memory": budget.smem_bytes > budget.smem_limit,
        "registers": (budget.registers > budget.register_limit)
        | (budget.file_registers * declares_memory(schedule) > budget.file_limit),
        "tensor_memory": budget.columns > budget.column_limit,
        "threads": budget.threads > budget.thread_limit,
        "ctas_per_sm": (budget.ctas > 1) & (budget.ctas > budget.ctas_that_fit),
    }
    if schedule.family == "attention" and not declares_memory(schedule):
        return _attention(values, budget, short)
    unknown = _unknown_memory(schedule, values, short)
    if schedule.family == "gemm" and not declares_memory(schedule):
        unknown = _unknown_scales(schedule, values, budget, unknown)
    return _first(short), unknown


def _first(short: Mapping[str, Any]) -> Array:
    """Return the first of some reasons that applies, 0 where none does."""
    reason: Array = np.asarray(0)
    for name, where in reversed(list(short.items())):
        reason = np.where(where, _REASON[name], reason)
    return reason


def _unknown_memory(
    schedule: Schedule, values: Mapping[str, Array], short: dict[str, Any]
) -> Array:
    """Return why it is not known where accumulators lie, and take back what follows from that.

    On compute capability 10.x and 11.x they lie in Tensor Memory; where the capability is not
    known they may, and so they may where a schedule's own rings do not say what lies there.
    """
    capability = values["compute_capability"]
    nameless = np.isnan(capability)
    moved = has_tcgen05(capability) & (declares_memory(schedule) and not in_tensor_memory(schedule))
    unknown = np.where(
        nameless & (short["registers"] | short["tensor_memory"]), _UNKNOWN["compute_capability"], 0
    )
    unknown = np.where(moved, _UNKNOWN["tensor_memory"], unknown)
    for name in ("registers", "tensor_memory"):
        short[name] = short[name] & ~nameless & ~moved
    return unknown


def _unknown_scales(
    schedule: Schedule, values: Mapping[str, Array], budget: Budgets, unknown: Array
) -> Array:
    """Return where the bytes of scale factors could matter that nobody has said anything of.

    fp4 is scaled by blocks always, fp8 perhaps.
    """
    a, b = values["element_type_a"], values["element_type_b"]
    stages = schedule.fixed_stages or values["stages"]
    scales = stages * SCALE_BYTES * values["tile_m"] * -(-values["tile_k"] // SCALED_K)
    tight = ((a == _FP8) | (b == _FP8)) & (budget.smem_bytes + scales > budget.smem_limit)
    open_to = ((a == _FP4) | (b == _FP4) | tight) & values["default_scales"]
    return np.where(open_to, _UNKNOWN["scale_factors"], unknown)


def _attention(
    values: Mapping[str, Array], budget: Budgets, short: dict[str, Any]
) -> tuple[Array, Array]:
    """Return the reasons against a point, and those for which it is not known.

    A block that is not given may be a smaller one: no is certain then only where shared memory does
    not hold the smallest, one buffer each of 16 keys and their values, the query in registers.
    """
    elsewhere = has_tcgen05(values["compute_capability"])
    unknown = np.where(elsewhere, _UNKNOWN["tensor_memory"], 0)
    unknown = np.where(values["element_type"] == _FP4, _UNKNOWN["scale_factors"], unknown)
    if not values["default_block"].all():
        short["registers"] = short["registers"] & ~elsewhere
        return _first(short), unknown
    tight = short["shared_memory"] | short["registers"] | short["ctas_per_sm"]
    unknown = np.where(tight, _UNKNOWN["fixed_block"], unknown)
    smallest = smallest_block_bytes(values, FEWEST_KEYS)
    return np.where(smallest > budget.smem_limit, _REASON["shared_memory"], 0), unknown
