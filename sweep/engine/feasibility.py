"""Shared-memory and register budgets: whether a point fits an SM, and if not, why.

Budgets flag a point and never change its timing; what the model does not know is "unknown", with
its reason, never yes or no. Every function broadcasts over NumPy arrays.
Formulas: CUTLASS's StageCountAuto for the stages that fit; NVIDIA's ``setmaxnreg`` (registers
move from the producer warpgroup to the consumers, in steps of 8, within what the kernel was
compiled for) for the registers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sweep.description import Schedule
from sweep.hardware.budgets import (
    OTHER_REGISTERS,
    accumulator_registers,
    carveout_bytes,
    register_limit,
    ring_bytes,
    staged_registers,
)
from sweep.hardware.durations import KEYS, QUERY_ROWS
from sweep.hardware.instructions import has_tcgen05
from sweep.quantities.arrays import Array
from sweep.quantities.variables import VARIABLES

ATTENTION_REGISTERS = 64 + 32 + 32
"""Scores, probabilities and the rest, per thread."""
KV_STAGES = 2
FEWEST_KEYS = 16
"""The inner dimension of one 16-bit MMA."""
SCALE_BYTES, SCALED_K = 4, 128
"""Block-scaled fp8 in DeepGEMM (github deepseek-ai/DeepGEMM): a float per row of A and 128 of K."""

_FEASIBLE = {meaning: i for i, meaning in enumerate(VARIABLES["feasible"].flag_meanings)}
_REASON = {meaning: i for i, meaning in enumerate(VARIABLES["infeasible_reason"].flag_meanings)}
_UNKNOWN = {meaning: i for i, meaning in enumerate(VARIABLES["unknown_reason"].flag_meanings)}
_FP8, _FP4 = map(VARIABLES["element_type"].choices.index, ("fp8", "fp4"))


class Budgets(NamedTuple):
    """What a point needs and what there is: bytes per block, registers per thread."""

    smem_bytes: Array
    smem_limit: Array
    registers: Array
    register_limit: Array


def budgets(schedule: Schedule, values: Mapping[str, Array]) -> Budgets:
    """Return what points of a schedule need of an SM and what there is.

    Parameters
    ----------
    schedule : Schedule
        Whose family, producer, turns and fixed stages decide the rule.
    values : mapping of str to numpy.ndarray
        ``Space.values`` of that schedule, with a known tile or head dimension.
    """
    smem_limit = values["smem_per_block_bytes"]
    carveout = carveout_bytes(values["smem_carveout_bytes"])
    file, most = values["registers_per_sm"], values["max_registers_per_thread"]
    if schedule.family == "attention":
        warpgroups, head_dim = schedule.consumer_warpgroups, values["head_dim"]
        elements = (QUERY_ROWS * warpgroups + 2 * KV_STAGES * KEYS) * head_dim
        return Budgets(
            np.asarray(elements * values["element_bytes"] + carveout),
            smem_limit,
            np.asarray(head_dim / 2 + ATTENTION_REGISTERS),
            register_limit(warpgroups, True, file, most),
        )
    groups = values["consumer_warpgroups"]
    stages = schedule.fixed_stages or values["stages"]
    accumulators = accumulator_registers(
        values["tile_m"], values["tile_n"], groups // schedule.turns
    )
    staged = staged_registers(values["stage_bytes"], groups) if _staged(schedule) else 0
    return Budgets(
        np.asarray(ring_bytes(stages, values["stage_bytes"], schedule.producer) + carveout),
        smem_limit,
        np.asarray(accumulators + OTHER_REGISTERS + staged),
        register_limit(groups, schedule.producer, file, most),
    )


def _staged(schedule: Schedule) -> bool:
    return "t_store" in schedule.durations


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
        rule = _attention if schedule.family == "attention" else _gemm
        reason, unknown = rule(schedule, values)
    reason = np.where(np.asarray(deadlocked, dtype=bool), _REASON["deadlock"], reason)
    reason = np.where(values["impossible"] != 0, values["impossible"], reason)
    unknown = np.where(reason == 0, unknown, 0)
    feasible = np.where(reason == 0, _FEASIBLE["yes"], _FEASIBLE["no"])
    feasible = np.where(unknown == 0, feasible, _FEASIBLE["unknown"])
    shape = np.broadcast_shapes(reason.shape, unknown.shape, values["known"].shape)
    return Flags(
        *(np.broadcast_to(one, shape).astype(np.int8) for one in (feasible, reason, unknown))
    )


def _gemm(schedule: Schedule, values: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return the reasons against a point, and those for which it is not known.

    Shared memory that does not suffice is certain. Registers are not: on compute capability 10.x
    and 11.x accumulators lie in Tensor Memory, which is not modelled. fp4 is scaled by blocks
    always, fp8 perhaps, and the scales' bytes are not counted: where they could matter, the
    answer is not known.
    """
    budget = budgets(schedule, values)
    capability, kind = values["compute_capability"], values["element_type"]
    short = budget.smem_bytes > budget.smem_limit
    spilled = budget.registers > budget.register_limit
    stages = schedule.fixed_stages or values["stages"]
    scales = stages * SCALE_BYTES * values["tile_m"] * -(-values["tile_k"] // SCALED_K)
    tight = (kind == _FP8) & (budget.smem_bytes + scales > budget.smem_limit)
    elsewhere = has_tcgen05(capability)
    certain = spilled & ~elsewhere & ~np.isnan(capability)
    unknown = np.where(spilled & np.isnan(capability), _UNKNOWN["compute_capability"], 0)
    unknown = np.where(elsewhere, _UNKNOWN["tensor_memory"], unknown)
    unknown = np.where((kind == _FP4) | tight, _UNKNOWN["scale_factors"], unknown)
    reason = np.where(certain, _REASON["registers"], 0)
    return np.where(short, _REASON["shared_memory"], reason), unknown


def _attention(schedule: Schedule, values: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return the reasons against a point, and those for which it is not known.

    The block is fixed; a kernel chooses a smaller one. No is certain only where shared memory
    does not hold the smallest: one buffer each of 16 keys and their values, the query in
    registers.
    """
    budget = budgets(schedule, values)
    carveout = carveout_bytes(values["smem_carveout_bytes"])
    smallest = 2 * FEWEST_KEYS * values["head_dim"] * values["element_bytes"] + carveout
    tight = (budget.smem_bytes > budget.smem_limit) | (budget.registers > budget.register_limit)
    unknown = np.where(has_tcgen05(values["compute_capability"]), _UNKNOWN["tensor_memory"], 0)
    unknown = np.where(values["element_type"] == _FP4, _UNKNOWN["scale_factors"], unknown)
    unknown = np.where(tight, _UNKNOWN["fixed_block"], unknown)
    return np.where(smallest > budget.smem_limit, _REASON["shared_memory"], 0), unknown
