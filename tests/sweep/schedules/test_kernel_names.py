"""What the published kernels declare: names, formulas on real hardware, memory and registers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from sweep.description import Agent, Count, Duration, Factor, Resource, Schedule
from sweep.hardware.gpu import GPUS
from sweep.quantities.variables import GPU_FIELDS, VARIABLES
from tests.support.kernels import KERNELS

Values = Mapping[str, Any]
KIB: Final = 1024
BF16: Final = {"element_bytes": 2, "element_rate": 1}
ATTENTION: Final = {"block_n": 128, "head_dim": 128, "head_dim_v": 128, **BF16}
TMEM: Final = {"tmem_bytes_per_cycle": 128}
"""Bytes per cycle out of Tensor Memory on a B200."""


def evaluated(formula: str | Callable[..., Any], values: Values) -> float:
    """Evaluate a formula with values by name, an expression or a function."""
    if callable(formula):
        code = formula.__code__
        names = code.co_varnames[: code.co_argcount]
        return float(formula(*(values[name] for name in names)))
    return float(eval(formula, {"__builtins__": {}}, dict(values)))


def on(gpu: str, schedule: str, **given: Any) -> dict[str, Any]:
    """Return a GPU's fields, a kernel's counts and factors by default, and what is given."""
    fields = {name: GPUS[gpu].value(name) for name in GPU_FIELDS}
    own = KERNELS[schedule].declares
    defaults = {one.name: one.default for one in own if isinstance(one, Count | Factor)}
    return fields | TMEM | defaults | given


def durations(schedule: str, values: Values) -> dict[str, float]:
    own = KERNELS[schedule].declares
    return {
        one.name: round(evaluated(one.formula, values), 3)
        for one in own
        if isinstance(one, Duration) and one.formula is not None
    }


def memory(schedule: Schedule, where: str, values: Values) -> dict[str, float]:
    """Return what a slot of each ring takes in a memory."""
    return {one.name: evaluated(one.size, values) for one in schedule.rings if one.memory == where}


def slots(schedule: Schedule, values: Values) -> dict[str, int]:
    return {
        one.name: one.slots if isinstance(one.slots, int) else values[one.slots]
        for one in schedule.rings
    }


@pytest.mark.parametrize("name", KERNELS)
def test_every_parameter_is_declared_or_known(name: str) -> None:
    schedule = KERNELS[name]
    own = {one.name for one in schedule.declares}
    assert set(schedule.parameters) <= own | set(VARIABLES)
    assert not {*own} - {"cta_pair", "STORE"} - _used(schedule)
    for one in schedule.declares:
        if not isinstance(one, Resource):
            assert one.long_name, one
        if isinstance(one, Duration):
            assert one.formula is not None, one


def _used(schedule: Schedule) -> set[str]:
    """Return the names that rows, rings, loops and formulas use."""
    formulas = [one.formula for one in schedule.declares if isinstance(one, Duration)]
    formulas += [one.size for one in schedule.rings]
    used = set(schedule.parameters)
    for one in formulas:
        if callable(one):
            used |= set(one.__code__.co_varnames[: one.__code__.co_argcount])
        elif one:
            used |= set(re.findall(r"[a-z]\w*", one))
    return used


@pytest.mark.parametrize("name", KERNELS)
def test_rows_rings_and_agents_name_each_other(name: str) -> None:
    schedule = KERNELS[name]
    rows = {row.name: row for row in schedule.events("consumer")}
    assert {row.agent for row in rows.values()} - {""} == {role.name for role in schedule.roles}
    for ring in schedule.rings:
        assert {one for use, freed in ring.uses for one in (use, *freed)} <= set(rows)
    for row in rows.values():
        assert {after.event for after in row.after} <= set(rows)
        assert not row.on or row.agent
        assert row.agent or row.after
    assert all(isinstance(one, Agent) for one in schedule.agents)
    if schedule.family == "gemm":
        assert 5 <= len({row.label for row in rows.values()}) <= 9
    if name == "fa4_forward":
        assert len({row.name.removesuffix("_0").removesuffix("_1") for row in rows.values()}) == 16


def test_a_name_means_one_thing_in_all_kernels() -> None:
    meanings: dict[str, tuple[str, ...]] = {
        name: (row.units, row.long_name)
        for name, row in VARIABLES.items()
        if VARIABLES.is_built_in(name)
    }
    for schedule in KERNELS.values():
        for one in schedule.declares:
            if isinstance(one, Resource):
                continue
            units = "cycle" if isinstance(one, Duration) else one.unit
            assert meanings.setdefault(one.name, (units, one.long_name)) == (units, one.long_name)


def test_blackwell_gemm_on_a_pair_of_ctas() -> None:
    """128 x 256 x 64 on a B200: 32 KiB per k-tile and CTA, and a subtile is drained in 448."""
    values = on("b200", "blackwell_gemm", tile_m=128, tile_n=256, tile_k=64, cta_pair=2, **BF16)
    found = durations("blackwell_gemm", values)
    assert found["t_transfer"] == round(32 * KIB / 89.9, 3)
    assert found["t_drain"] == 448
    assert round(found["t_write"]) == 182
    kernel = KERNELS["blackwell_gemm"]
    shared = memory(kernel, "shared", values)
    assert shared == {"ab": 32 * KIB, "staging": 16 * KIB}
    assert values["smem_per_block_bytes"] // (shared["ab"] + 16) == 7
    assert memory(kernel, "tensor", values) == {"accumulators": 256}


@pytest.mark.parametrize("name", ["attention_kv_serial", "attention_kv_pingpong"])
def test_a_warpgroup_has_its_share_of_the_rows(name: str) -> None:
    """64 x 128 scores per warpgroup at head dimension 128 on an H100."""
    warpgroups = KERNELS[name].consumer_warpgroups
    found = durations(name, on("h100_sxm", name, block_m=64 * warpgroups, **ATTENTION))
    assert (found["t_gemm0"], found["t_gemm1"], found["t_exp"]) == (512, 512, 512)
    assert found["t_softmax"] == 256
    assert round(found["t_load_k"]) == round(found["t_load_v"]) == 964
    assert round(found["t_out"]) == round(64 * 128 * (1 / 128 + 2 / 34))


def test_fa4_forward_on_a_b200() -> None:
    """A block of 128 x 128: 1,024 cycles of MMA and, none emulated, 1,024 of exponentials."""
    values = on("b200", "fa4_forward", **ATTENTION)
    plain = durations("fa4_forward", values | {"emulated_share": 0})
    assert plain["t_qk"] + plain["t_pv_a"] + plain["t_pv_b"] == 1024
    assert (plain["t_exp_a"], plain["t_exp_b"]) == (768, 256)
    assert (plain["t_max"], plain["t_sum"], plain["t_out"], plain["t_fix"]) == (256, 128, 384, 25.6)
    assert (round(plain["t_load_q"]), round(plain["t_load_k"])) == (729, 364)
    emulated = durations("fa4_forward", values | {"emulated_share": 0.25})
    assert (emulated["t_exp_a"], emulated["t_exp_b"]) == (576, 192)
    mostly = durations("fa4_forward", values | {"emulated_share": 0.625})
    assert mostly["t_exp_a"] + mostly["t_exp_b"] == 128 * 128 * 0.625 * 8 / 128


def test_fa4_backward_on_a_b200() -> None:
    """A block of 128 x 128: five MMAs of 2,560 cycles in all, and 1,024 of exponentials."""
    found = durations("fa4_backward", on("b200", "fa4_backward", **ATTENTION))
    assert [found[f"t_gemm_{one}"] for one in ("s", "dp", "dv", "dk", "dq")] == [512] * 5
    assert (found["t_exp"], found["t_ds"], found["t_read"]) == (1024, 384, 512)
    assert (found["t_add"], found["t_out"]) == (512, 768)
    slow = on("b200", "fa4_backward", **ATTENTION, smem_bytes_per_cycle=64)
    found = durations("fa4_backward", slow)
    assert [found[f"t_gemm_{one}"] for one in ("s", "dv")] == [1024, 512]


def test_fp8_promoted_on_an_h100() -> None:
    values = {"tile_m": 128, "tile_n": 128, "tile_k": 128, "element_bytes": 1, "element_rate": 2}
    found = durations("fp8_promoted", on("h100_sxm", "fp8_promoted", **values))
    assert (found["t_mma_wg"], found["t_promote"], round(found["t_transfer"])) == (256, 64, 979)
    one = durations(
        "fp8_promoted_one", on("h100_sxm", "fp8_promoted_one", **values | {"tile_m": 64})
    )
    assert (one["t_mma_wg"], one["t_promote"]) == (256, 64)


def test_stages_of_deep_gemm() -> None:
    """Five at 128 x 128 and K = 7168: what is left beside the output and the scales of B.

    DeepGEMM, heuristics/sm90.hpp.
    """
    values = {"tile_m": 128, "tile_n": 128, "tile_k": 128, "element_bytes": 1}
    slot = memory(KERNELS["fp8_promoted"], "shared", values)["ab"]
    assert slot == 256 * 128 + 512
    left = 232_448 - 2 * 128 * 128 - 256 - 4 * math.ceil(7168 / 128)
    assert left // slot == 5


@pytest.mark.parametrize("head_dim, fit", [(128, 3), (64, 10)])
def test_key_and_value_blocks_that_fit_fa4(head_dim: int, fit: int) -> None:
    """FlashAttention-4, flash_fwd_sm100.py: of 224 KiB less Q and O."""
    values = on("b200", "fa4_forward", **ATTENTION | {"head_dim": head_dim, "head_dim_v": head_dim})
    shared = memory(KERNELS["fa4_forward"], "shared", values)
    assert (224 * KIB - shared["q"] - shared["o"]) // shared["kv"] == fit


@pytest.mark.parametrize("name", ["fa4_forward", "fa4_backward"])
def test_fa4_takes_all_of_tensor_memory_and_all_registers(name: str) -> None:
    """512 columns of Tensor Memory, and 65,536 registers of four warpgroups."""
    kernel, values = KERNELS[name], on("b200", name, **ATTENTION)
    count = slots(kernel, values)
    columns = {one: count[one] * size for one, size in memory(kernel, "tensor", values).items()}
    assert sum(columns.values()) == 512
    assert sum(32 * role.warps * role.registers for role in kernel.roles) == 65_536
    assert sum(role.warps for role in kernel.roles) == 16
    assert sum(memory(kernel, "shared", values).values()) < values["smem_per_block_bytes"]


@pytest.mark.parametrize("name", KERNELS)
def test_registers_fit_an_sm(name: str) -> None:
    """As ``setmaxnreg`` takes them: 24 to 256 in steps of 8, 65,536 in all."""
    roles = KERNELS[name].roles
    stated = [role.registers for role in roles if role.registers]
    assert all(24 <= one <= 256 and one % 8 == 0 for one in stated)
    assert len(stated) in (0, len(roles))
    assert sum(32 * role.warps * role.registers for role in roles) <= 65_536


@pytest.mark.parametrize("name", KERNELS)
def test_useful_flop_of_a_tile_are_what_its_products_take(name: str) -> None:
    """At one FLOP per cycle the Tensor Core's time of a tile is its FLOP."""
    schedule = KERNELS[name]
    counts = {"k_tiles": 3, "n_tiles": 5, "kv_blocks": 7, "q_blocks": 2}
    tile = {"tile_m": 128, "tile_n": 64, "tile_k": 32, "block_m": 128, **ATTENTION}
    values = on("b200", name, **tile, **counts) | {"tc_flop_per_cycle": 1}
    values["smem_bytes_per_cycle"] = math.inf
    takes = durations(name, values)
    takes.setdefault("t_mma", 2 * 128 * 64 * 32)
    loops = {loop.name: loop.count for loop in schedule.loops}
    total = 0.0
    for row in schedule.events("consumer"):
        if row.on == "TC":
            count = loops[schedule.place(row)]
            total += takes[row.takes] * (count if isinstance(count, int) else values[count])
    assert total == pytest.approx(evaluated(schedule.flop, values), rel=1e-12)


def test_three_consumers_are_as_easily_said() -> None:
    """FlashAttention-3 with three warpgroups: 32 registers for the producer, 160 each."""
    from sweep.schedules._kv_attention import agents, rings, rows

    kernel = Schedule("three", shape="attention", agents=agents(3), events=rows(3), rings=rings(3))
    assert sum(32 * role.warps * role.registers for role in kernel.roles) <= 65_536
    labels = [row.name for row in kernel.events("consumer") if row.label == "gemm1"]
    assert labels == [f"gemm1_{w}" for w in range(3)]
