"""What points need of an SM and what there is: by what a schedule declares, or by its shape.

Formulas: CUTLASS's StageCountAuto for the stages that fit; NVIDIA's ``setmaxnreg`` (registers move
from the producer warpgroup to the consumers, in steps of 8, within what the kernel was compiled
for) for the registers. Every function broadcasts over NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from sweep.description import Ring, Schedule
from sweep.description.counts import linear
from sweep.hardware.budgets import (
    BARRIER_BYTES,
    OTHER_REGISTERS,
    PRODUCER_REGISTERS,
    WARPGROUP_THREADS,
    accumulator_registers,
    carveout_bytes,
    register_limit,
    ring_bytes,
    staged_registers,
)
from sweep.hardware.instructions import has_tcgen05
from sweep.hardware.sm_limits import (
    LIMITS,
    WARP_THREADS,
    accumulator_columns,
    allocated_columns,
    ctas_that_fit,
    warp_registers,
)
from sweep.inputs.values import RING
from sweep.quantities.arrays import Array

KV_STAGES = 2
"""Buffers of keys, and of values, where a schedule declares none."""
REGISTER_BYTES = 4


class Budgets(NamedTuple):
    """What a point needs and what there is.

    Attributes
    ----------
    smem_bytes, smem_limit : numpy.ndarray
        Shared memory of a block.
    registers, register_limit : numpy.ndarray
        Per thread that computes.
    columns, column_limit : numpy.ndarray
        Of Tensor Memory, as allocated; 0 without it.
    threads, thread_limit : numpy.ndarray
        Of a block.
    file_registers, file_limit : numpy.ndarray
        Of all threads of a block, as ``setmaxnreg`` or the launch gives them.
    ctas, ctas_that_fit : numpy.ndarray
        That share the SM; 1 fits where its shared memory is not known.
    """

    smem_bytes: Array
    smem_limit: Array
    registers: Array
    register_limit: Array
    columns: Array
    column_limit: Array
    threads: Array
    thread_limit: Array
    file_registers: Array
    file_limit: Array
    ctas: Array
    ctas_that_fit: Array


class _Needs(NamedTuple):
    """Of one CTA: bytes, registers of a thread and what it can get, columns, threads, file."""

    smem_bytes: Any
    registers: Any
    register_limit: Any
    columns: Any
    threads: Any
    file_registers: Any


def budgets(schedule: Schedule, values: Mapping[str, Array]) -> Budgets:
    """Return what points of a schedule need of an SM and what there is.

    Parameters
    ----------
    schedule : Schedule
        Its rings and agents where they say what they take; else its shape, producer, turns and
        fixed stages decide the rule.
    values : mapping of str to numpy.ndarray
        ``Space.values`` of that schedule, with a known tile or head dimension.
    """
    if declares_memory(schedule):
        needs = _declared(schedule, values)
    elif schedule.family == "attention":
        needs = _attention(schedule, values)
    else:
        needs = _gemm(schedule, values)
    needs = _Needs(*map(np.asarray, needs))
    smem = np.asarray(needs.smem_bytes + carveout_bytes(values["smem_carveout_bytes"]))
    columns = allocated_columns(needs.columns)
    file, ctas = values["registers_per_sm"], values["ctas_per_sm"]
    limits = _limits(values)
    fit: Array = np.asarray(1)
    if "smem_per_sm_bytes" in values:
        known = ~np.isnan(values["compute_capability"])
        fit = ctas_that_fit(
            smem,
            values["smem_per_sm_bytes"],
            needs.threads,
            np.where(known, needs.file_registers, 0),
            file,
            np.where(columns <= limits["tmem_columns"], columns, 0),
            limits,
        )
    return Budgets(
        smem,
        values["smem_per_block_bytes"],
        needs.registers,
        needs.register_limit,
        columns,
        limits["tmem_columns"],
        needs.threads,
        limits["max_threads_per_cta"],
        needs.file_registers,
        file,
        ctas,
        fit,
    )


def _limits(values: Mapping[str, Array]) -> dict[str, Array]:
    """Return what an SM holds at most: the GPU's, else what is common to compute capabilities."""
    columns = has_tcgen05(values["compute_capability"])
    unknown = values.get("max_ctas_per_sm", np.asarray(0)) == 0
    holds = {"tmem_columns": columns, "reserved_smem_bytes": unknown}
    found = {}
    for name, limit in LIMITS.items():
        number = values.get(name, np.asarray(0))
        found[name] = np.where(number == 0, np.where(holds.get(name, True), limit, 0), number)
    return found


def declares_memory(schedule: Schedule) -> bool:
    """Whether a schedule's rings say what their slots take."""
    return any(ring.size != "" for ring in schedule.rings)


def in_tensor_memory(schedule: Schedule) -> bool:
    """Whether a schedule declares what lies in Tensor Memory."""
    return any(ring.memory == "tensor" for ring in schedule.rings)


def _gemm(schedule: Schedule, values: Mapping[str, Array]) -> _Needs:
    """Return the needs of a GEMM by its tile: accumulators of one tile per consumer in turn."""
    groups, tile_m, tile_n = (values[one] for one in ("consumer_warpgroups", "tile_m", "tile_n"))
    stages = schedule.fixed_stages or values["stages"]
    tensor = has_tcgen05(values["compute_capability"])
    elements = accumulator_registers(tile_m, tile_n, groups // schedule.turns)
    accumulators = elements * values["accumulator_bytes"] / REGISTER_BYTES
    staged: Any = 0
    if "t_store" in schedule.durations:
        staged = staged_registers(values["stage_bytes"], groups)
    registers = np.where(tensor, 0, accumulators) + OTHER_REGISTERS + staged
    file, most = values["registers_per_sm"], values["max_registers_per_thread"]
    return _Needs(
        ring_bytes(stages, values["stage_bytes"], schedule.producer),
        registers,
        register_limit(groups, schedule.producer, file, most),
        np.where(tensor, accumulator_columns(tile_m, tile_n) * schedule.turns, 0),
        WARPGROUP_THREADS * (groups + schedule.producer),
        _file_registers(registers, groups, schedule.producer),
    )


def _attention(schedule: Schedule, values: Mapping[str, Array]) -> _Needs:
    """Return the needs of attention by its block: queries, and two buffers of keys and values."""
    groups = schedule.consumer_warpgroups
    rows, keys = values["block_m"], values["block_n"]
    width, values_width = values["head_dim"], values["head_dim_v"]
    elements = rows * width + KV_STAGES * keys * (width + values_width)
    registers = _attention_registers(schedule, values)
    file, most = values["registers_per_sm"], values["max_registers_per_thread"]
    return _Needs(
        elements * values["element_bytes"],
        registers,
        register_limit(groups, True, file, most),
        0,
        WARPGROUP_THREADS * (groups + 1),
        _file_registers(registers, groups, True),
    )


def _attention_registers(schedule: Schedule, values: Mapping[str, Array]) -> Array:
    """Return registers per thread: output, scores, probabilities, and the rest."""
    rows = values["warpgroup_rows"] / WARPGROUP_THREADS
    scores = rows * values["block_n"]
    probabilities = scores * values["element_bytes"] / REGISTER_BYTES
    return np.asarray(rows * values["head_dim_v"] + scores + probabilities + OTHER_REGISTERS)


def _file_registers(registers: Any, groups: Any, producer: bool) -> Array:
    """Return the registers of a CTA's warps: what threads need, in steps of 8."""
    threads = WARPGROUP_THREADS * (groups + producer)
    needed = WARPGROUP_THREADS * (groups * registers + producer * PRODUCER_REGISTERS)
    each = np.ceil(needed / threads / 8) * 8
    return np.asarray(threads // WARP_THREADS * warp_registers(each))


def _declared(schedule: Schedule, values: Mapping[str, Array]) -> _Needs:
    """Return what rings and agents declare."""
    needed: dict[str, Any] = {"shared": 0, "tensor": 0, "registers": 0}
    for ring in schedule.rings:
        if ring.size != "":
            size = values[RING + ring.name]
            if ring.memory == "shared" and ring.uses:
                size = size + BARRIER_BYTES
            elif ring.memory == "tensor":
                size = np.ceil(size)
            needed[ring.memory] = needed[ring.memory] + _slots(ring, values) * size
    warps = sum(role.warps * role.turns for role in schedule.roles)
    threads = WARP_THREADS * warps
    registers = needed["registers"] + _accumulators(schedule, values) + OTHER_REGISTERS
    file, most = values["registers_per_sm"], values["max_registers_per_thread"]
    stated = max(role.registers for role in schedule.roles)
    if stated:
        limit: Any = stated
        all_registers: Any = WARP_THREADS * sum(
            role.warps * role.turns * (role.registers or PRODUCER_REGISTERS)
            for role in schedule.roles
        )
    else:
        limit = np.minimum(file // threads // 8 * 8, most)
        all_registers = warps * warp_registers(np.ceil(registers / 8) * 8)
    return _Needs(needed["shared"], registers, limit, needed["tensor"], threads, all_registers)


def _accumulators(schedule: Schedule, values: Mapping[str, Array]) -> Any:
    """Return registers per thread of what no ring holds: a tile's accumulators or a block's."""
    if in_tensor_memory(schedule):
        return 0
    if schedule.family == "attention":
        return _attention_registers(schedule, values) - OTHER_REGISTERS
    elements = accumulator_registers(
        values["tile_m"], values["tile_n"], schedule.consumer_warpgroups
    )
    return elements * values["accumulator_bytes"] / REGISTER_BYTES


def _slots(ring: Ring, values: Mapping[str, Array]) -> Any:
    return sum(factor * (values[name] if name else 1) for name, factor in linear(ring.slots))


def smallest_block_bytes(values: Mapping[str, Array], keys: int) -> Array:
    """Return the shared memory of the smallest block of attention: so many keys and values."""
    width = values["head_dim"] + values["head_dim_v"]
    carveout = carveout_bytes(values["smem_carveout_bytes"])
    return np.asarray(keys * width * values["element_bytes"] + carveout)
