"""Budgets from rings and agents: shared memory, Tensor Memory, registers per role, threads."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from sweep.description import Agent, Count, Event, Ring, Schedule
from sweep.engine.feasibility import budgets, feasibility
from sweep.hardware.sm_limits import allocated_columns
from sweep.inputs.space import resolve
from sweep.quantities.variables import VARIABLES
from sweep.results.verdict import verdict as told
from tests.support.own_schedules import DRAINED

REASONS = VARIABLES["infeasible_reason"].flag_meanings
UNKNOWN = VARIABLES["unknown_reason"].flag_meanings
FA4_AGENTS = (
    Agent("load", 2, registers=48),
    Agent("mma", 2, registers=48),
    Agent("softmax_0", 4, registers=192),
    Agent("softmax_1", 4, registers=192),
    Agent("correction", 4, registers=80),
)
FA4_RINGS = (
    Ring("q", 1, {"copy": ("mma",)}, "shared", "2 * 128 * head_dim * element_bytes"),
    Ring("kv", "slots", {"copy": ("mma",)}, "shared", "block_n * head_dim * element_bytes"),
    Ring("o", 1, (), "shared", "2 * 128 * head_dim_v * 2"),
    Ring("scores", 2, (), "tensor", "block_n"),
    Ring("output", 2, (), "tensor", "head_dim_v"),
)


def own(name: str, shape: str, agents: tuple[Agent, ...], rings: tuple[Ring, ...]) -> Schedule:
    """Return a schedule of one row that has these agents and rings."""
    return Schedule(
        name=name,
        shape=shape,  # type: ignore[arg-type]
        summary="a test",
        reference="a test",
        agents=agents,
        events=(
            Event("copy", agents[0].name, "MEM", "t_latency", asynchronous=True),
            Event("mma", agents[1].name, "TC", "t_mma_latency", after=("copy",)),
        ),
        rings=rings,
        kv_blocks=4,
        tile_level=True,
        declares=(Count("slots", 3),),
    )


FA4 = own("like_fa4", "attention", FA4_AGENTS, FA4_RINGS)


def needs(schedule: Schedule, **parameters: Any) -> dict[str, float]:
    space = resolve(schedule, parameters)
    found = budgets(space.schedules[0], space.values[0])
    return {name: np.asarray(value).item() for name, value in found._asdict().items()}


def found(schedule: Schedule, **parameters: Any) -> tuple[str, str, str]:
    space = resolve(schedule, parameters)
    flags = feasibility(space.schedules[0], space.values[0])
    reason, unknown = REASONS[flags.infeasible_reason], UNKNOWN[flags.unknown_reason]
    return reason, unknown, told(space, {}, reason, unknown)


def test_columns_are_allocated_in_powers_of_two() -> None:
    assert allocated_columns([1, 32, 33, 512, 513]).tolist() == [32, 32, 64, 512, 1024]


class TestFlashAttention4:
    """Its own figures: 512 columns, registers 192, 80, 48 of 128 threads each, 3 slots at 128."""

    def test_fits_exactly(self) -> None:
        budget = needs(FA4, gpu="b200")
        assert (budget["columns"], budget["column_limit"]) == (512, 512)
        assert (budget["file_registers"], budget["file_limit"]) == (65_536, 65_536)
        assert (budget["threads"], budget["thread_limit"]) == (512, 1024)
        q, o, kv = 65_536, 65_536, 32_768
        assert budget["smem_bytes"] == q + 16 + 3 * (kv + 16) + o
        assert found(FA4, gpu="b200") == ("none", "none", "")

    def test_a_fourth_slot_does_not(self) -> None:
        assert found(FA4, gpu="b200", slots=4)[0] == "shared_memory"
        assert found(FA4, gpu="b200", slots=10, head_dim=64)[0] == "none"
        assert found(FA4, gpu="b200", slots=11, head_dim=64)[0] == "shared_memory"

    def test_wider_values_do_not(self) -> None:
        said = "infeasible: tensor_memory, 1,024 columns needed, 512 there"
        assert found(FA4, gpu="b200", head_dim_v=192, slots=1) == ("tensor_memory", "none", said)

    def test_nor_any_where_there_is_no_tensor_memory(self) -> None:
        said = "infeasible: tensor_memory, 512 columns needed, 0 there"
        assert found(FA4, gpu="h100_sxm") == ("tensor_memory", "none", said)

    def test_another_capability_may_have_it(self) -> None:
        reason, unknown, said = found(FA4, gpu="h100_sxm", compute_capability=10.0)
        assert (reason, unknown, said) == ("none", "none", "")

    def test_a_ctas_worth_fills_the_sm(self) -> None:
        said = "infeasible: ctas_per_sm, 2 asked for, 1 fit"
        assert found(FA4, gpu="b200", ctas_per_sm=2) == ("ctas_per_sm", "none", said)


def test_more_registers_than_there_are() -> None:
    agents = (*FA4_AGENTS[:4], Agent("correction", 4, registers=88))
    said = "infeasible: registers, 66,560 in all threads needed, 65,536 there"
    assert found(own("greedy", "attention", agents, FA4_RINGS), gpu="b200") == (
        "registers",
        "none",
        said,
    )


def test_turns_count_for_the_budgets() -> None:
    agents = (Agent("load"), Agent("consumer", 4, turns=9))
    budget = needs(own("many", "attention", agents, FA4_RINGS), gpu="b200")
    assert budget["threads"] == 128 * 10
    said = "infeasible: threads, 1,280 in a block needed, 1,024 there"
    small = {"slots": 1, "head_dim": 64, "head_dim_v": 64}
    many = own("many", "attention", agents, FA4_RINGS)
    assert found(many, gpu="b200", **small) == ("threads", "none", said)


class TestAccumulatorsInRegisters:
    """What no ring holds is charged to the threads that compute: O, S and P, or the tile's."""

    def attention(self, registers: int, warpgroups: int) -> Schedule:
        consumers = tuple(Agent(f"w{w}", 4, registers=registers) for w in range(warpgroups))
        rings = (Ring("kv", "slots", (), "shared", "2 * block_n * head_dim * element_bytes"),)
        made = own("hopper", "attention", (Agent("producer", 4, 24), *consumers), rings)
        given = {one.name: getattr(made, one.name) for one in fields(made)}
        events = made.events("consumer")
        return Schedule(**(given | {"consumer_warpgroups": warpgroups, "events": events}))

    def test_attention(self) -> None:
        schedule = self.attention(240, 2)
        assert needs(schedule, gpu="h100_sxm")["registers"] == 64 + 64 + 32 + 32
        assert found(schedule, gpu="h100_sxm")[0] == "none"
        wide = {"block_m": 192, "head_dim": 64, "head_dim_v": 192}
        said = "infeasible: registers, 320 per thread needed, 240 there"
        assert found(schedule, gpu="h100_sxm", **wide) == ("registers", "none", said)

    def test_on_a_card_with_tensor_memory_it_is_not_known(self) -> None:
        assert found(self.attention(240, 2), gpu="b200")[1] == "tensor_memory"

    def test_gemm_with_a_ring_of_registers(self) -> None:
        rings = (
            Ring("ab", "slots", {"copy": ("mma",)}, "shared", "(tile_m + tile_n) * tile_k * 2"),
            Ring("kept", 2, {"copy": ("mma",)}, "registers", "tile_n / 8"),
        )
        agents = (Agent("producer", 4, 24), Agent("consumer", 4, 240))
        schedule = own("kept", "gemm", agents, rings)
        tile = {"tile": "128x128x64", "gpu": "h100_sxm"}
        budget = needs(schedule, **tile)
        assert budget["registers"] == 128 + 2 * 16 + 32
        assert budget["smem_bytes"] == 3 * (256 * 64 * 2 + 16)
        assert budget["file_registers"] == 128 * (24 + 240)
        assert found(schedule, **tile)[0] == "none"


def test_without_registers_stated_threads_share_the_file() -> None:
    budget = needs(DRAINED, gpu="b200", t_report=3, tile="128x64x64")
    threads = 32 * (1 + 1 + 2 * 4)
    assert budget["threads"] == threads
    assert budget["columns"] == allocated_columns(3 * 64)
    assert needs(DRAINED, gpu="b200", t_report=3, held=3)["columns"] == 2048
    assert budget["registers"] == 2 * (64 / 8 + 1) + 32


def test_three_accumulators_of_256_columns_are_refused() -> None:
    rings = (Ring("sums", "slots", {"copy": ("mma",)}, "tensor", "tile_n"),)
    schedule = own("three", "gemm", (Agent("load", 1), Agent("mma", 1)), rings)
    said = "infeasible: tensor_memory, 1,024 columns needed, 512 there"
    assert found(schedule, gpu="b200", tile="128x256x64") == ("tensor_memory", "none", said)
    assert found(schedule, gpu="b200", tile="128x256x64", slots=2)[0] == "none"
    assert found(schedule, gpu="b200", tile="128x128x64", slots=4)[0] == "none"


def test_shapes_broadcast() -> None:
    axes = {"gpu": ["b200", "h100_sxm"], "slots": [1, 4], "ctas_per_sm": [1, 2]}
    space = resolve(FA4, axes)
    flags = feasibility(space.schedules[0], space.values[0])
    assert flags.feasible.shape == space.grid
    assert [REASONS[one] for one in flags.infeasible_reason[0].ravel()] == [
        "none",
        "ctas_per_sm",
        "shared_memory",
        "shared_memory",
    ]
