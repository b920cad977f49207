"""Budgets against published cases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest

from sweep.catalogue.discovery import discover
from sweep.engine.feasibility import (
    budgets,
    feasibility,
)
from sweep.errors import InputError
from sweep.hardware.budgets import (
    accumulator_registers,
    register_limit,
    staged_registers,
    stages_that_fit,
)
from sweep.hardware.gpu import GPUS
from sweep.inputs.space import resolve
from sweep.quantities.variables import VARIABLES

REASONS = VARIABLES["infeasible_reason"].flag_meanings
FEASIBLE = VARIABLES["feasible"].flag_meanings
UNKNOWN = VARIABLES["unknown_reason"].flag_meanings


def verdict(schedule: str, deadlocked: bool = False, **parameters: Any) -> tuple[str, str]:
    space = resolve(schedule, parameters)
    found = feasibility(space.schedules[0], space.values[0], deadlocked)
    assert all(flags.dtype == np.int8 for flags in found)
    unknown = FEASIBLE[found.feasible.item()] == "unknown"
    assert (UNKNOWN[found.unknown_reason.item()] != "none") == unknown
    assert (FEASIBLE[found.feasible.item()] == "no") == (found.infeasible_reason.item() != 0)
    reason = UNKNOWN[found.unknown_reason.item()] if unknown else REASONS[found.infeasible_reason]
    return FEASIBLE[found.feasible.item()], reason


def budget(schedule: str, **parameters: Any) -> dict[str, float]:
    space = resolve(schedule, parameters)
    found = budgets(space.schedules[0], space.values[0])
    return {name: np.asarray(value).item() for name, value in found._asdict().items()}


class TestA100Tile:
    """triton-lang/triton 1561: 128x256x64 fp16 in 4 stages over 4 warps on an A100."""

    where: ClassVar[dict[str, Any]] = {
        "gpu": "a100_sxm",
        "element_type": "fp16",
        "consumer_warpgroups": 1,
    }

    def test_four_stages_do_not_fit(self) -> None:
        found = budget("multistage", stages=4, **self.where)
        assert (found["smem_bytes"], found["smem_limit"]) == (196_608, 166_912)
        assert verdict("multistage", stages=4, **self.where) == ("no", "shared_memory")

    def test_three_fit_and_spill(self) -> None:
        found = budget("multistage", stages=3, **self.where)
        assert (found["smem_bytes"], found["register_limit"]) == (147_456, 255)
        assert verdict("multistage", stages=3, **self.where) == ("no", "registers")
        assert accumulator_registers(128, 256, 1) == 256

    def test_eight_warps_do_not_spill(self) -> None:
        where: dict[str, Any] = {**self.where, "consumer_warpgroups": 2}
        assert verdict("multistage", stages=3, **where) == ("yes", "none")
        assert accumulator_registers(128, 256, 2) == 128


def test_triton_holds_one_slot_less_with_cp_async() -> None:
    """Its A100 32x256x64 with num_stages=5 takes 147,456 byte and runs: 4 slots."""
    where: dict[str, Any] = {
        "gpu": "a100_sxm",
        "element_type": "fp16",
        "tile": "32x256x64",
        "consumer_warpgroups": 1,
    }
    assert budget("multistage", stages=4, **where)["smem_bytes"] == 147_456
    assert verdict("multistage", stages=4, **where) == ("yes", "none")


def test_99_kib_part() -> None:
    """triton-lang/triton 8182."""
    where: dict[str, Any] = {"tile": "128x128x64", "stages": 4, "smem_per_block_bytes": 101_376}
    found = budget("multistage", **where)
    assert found["smem_bytes"] - found["smem_limit"] == 29_696
    assert verdict("multistage", **where) == ("no", "shared_memory")


@pytest.mark.parametrize(
    ("tile", "element_type", "stages"),
    [
        ("128x128x64", "bf16", 7),
        ("128x256x64", "bf16", 4),
        ("256x128x64", "bf16", 4),
        ("64x128x64", "bf16", 9),
        ("128x208x64", "bf16", 5),
        ("256x208x64", "bf16", 3),
        ("256x256x128", "bf16", 1),
        ("128x128x128", "fp8", 7),
        ("128x128x128", "bf16", 3),
        ("512x512x128", "bf16", 0),
        ("512x512x64", "bf16", 1),
    ],
)
def test_stages_that_fit_a_hopper_block(tile: str, element_type: str, stages: int) -> None:
    values = resolve("warp_specialized", {"tile": tile, "element_type": element_type}).values[0]
    assert stages_that_fit(values["stage_bytes"], 232_448) == stages


def test_carveout_steps_down_at_exact_bytes() -> None:
    spare = 232_448 - 4 * (49_152 + 16)
    edge = spare // 128 * 128
    assert stages_that_fit(49_152, 232_448, [0, edge, edge + 1]).tolist() == [4, 4, 3]
    stages, carveouts = 4, [edge, edge + 1]
    space = resolve("warp_specialized", {"stages": stages, "smem_carveout_bytes": carveouts})
    reasons = feasibility(space.schedules[0], space.values[0])[1]
    assert [REASONS[one] for one in reasons] == ["none", "shared_memory"]


def test_stages_that_fit_is_where_the_flag_turns() -> None:
    space = resolve("warp_specialized", {"stages": range(1, 12), "tile": "128x128x64"})
    feasible = feasibility(space.schedules[0], space.values[0])[0]
    assert (feasible == 1).sum() == 7


def test_the_largest_tile_is_infeasible_never_clamped() -> None:
    assert verdict("warp_specialized", tile="512x512x128", stages=1) == ("no", "shared_memory")
    assert verdict("warp_specialized", tile="512x512x64", stages=1) == ("no", "registers")


def test_five_stages_take_240_kib() -> None:
    assert budget("multistage", stages=5)["smem_bytes"] == 240 * 1024
    assert verdict("multistage", stages=5) == ("no", "shared_memory")


def test_barriers_are_counted_with_a_producer_only() -> None:
    with_producer = budget("warp_specialized", stages=4)["smem_bytes"]
    assert with_producer - budget("multistage", stages=4)["smem_bytes"] == 4 * 16


def test_fixed_stages() -> None:
    assert budget("sync")["smem_bytes"] == 49_152
    assert budget("register_staged")["smem_bytes"] == 2 * 49_152


@pytest.mark.parametrize(("consumers", "limit"), [(1, 240), (2, 240), (3, 160)])
def test_registers_with_a_producer(consumers: int, limit: int) -> None:
    assert register_limit(consumers, producer=True) == limit


@pytest.mark.parametrize(("warpgroups", "limit"), [(1, 255), (2, 255), (3, 168), (4, 128)])
def test_registers_without_a_producer(warpgroups: int, limit: int) -> None:
    assert register_limit(warpgroups, producer=False) == limit


def test_more_threads_than_registers() -> None:
    assert register_limit(600, producer=True) == 0


def test_staged_registers() -> None:
    assert staged_registers(49_152, 1) == 96
    assert budget("register_staged", consumer_warpgroups=1)["registers"] == 256 + 32 + 96


def test_accumulator_of_64x128_over_four_warps() -> None:
    """Dao-AILab/flash-attention 361."""
    assert accumulator_registers(64, 128, 1) == 64


@pytest.mark.parametrize(
    ("schedule", "accumulators", "found"),
    [
        ("cooperative", 128, ("yes", "none")),
        ("warp_specialized", 128, ("yes", "none")),
        ("persistent", 256, ("no", "registers")),
        ("pingpong", 256, ("no", "registers")),
    ],
)
def test_default_tile(schedule: str, accumulators: int, found: tuple[str, str]) -> None:
    assert budget(schedule)["registers"] == accumulators + 32
    assert verdict(schedule) == found


def test_pingpong_fits_with_half_the_tile_or_twice_the_warpgroups() -> None:
    assert verdict("pingpong", tile="64x256x64") == ("yes", "none")
    assert budget("pingpong", consumer_warpgroups=4)["registers"] == 128 + 32


@pytest.mark.parametrize(
    ("schedule", "head_dim", "smem", "registers"),
    [
        ("attention_serial", 128, (64 + 512) * 128 * 2, 192),
        ("attention_pingpong", 128, (128 + 512) * 128 * 2, 192),
        ("attention_pingpong", 64, (128 + 512) * 64 * 2, 160),
    ],
)
def test_attention(schedule: str, head_dim: int, smem: int, registers: int) -> None:
    found = budget(schedule, head_dim=head_dim)
    assert (found["smem_bytes"], found["registers"]) == (smem, registers)
    assert verdict(schedule, head_dim=head_dim) == ("yes", "none")


@pytest.mark.parametrize(
    "where",
    [
        {"head_dim": 256},
        {"head_dim": 192},
        {"head_dim": 256, "gpu": "h100_sxm"},
        {"head_dim": 256, "gpu": "a100_sxm"},
    ],
)
def test_a_larger_head_needs_another_block(where: dict[str, Any]) -> None:
    """FlashAttention-3 ships 128 x 80 at 256, 128 x 112 at 192, 128 x 128 of fp8 at 256."""
    assert verdict("attention_pingpong", **where) == ("unknown", "fixed_block")


@pytest.mark.parametrize(
    ("where", "smem", "registers", "found"),
    [
        ({"head_dim": 256, "block_n": 80}, 224 * 1024, 128 + 40 + 20 + 32, ("yes", "none")),
        ({"head_dim": 192, "block_n": 112}, 216 * 1024, 96 + 56 + 28 + 32, ("yes", "none")),
        (
            {"head_dim": 256, "element_type": "fp8"},
            160 * 1024,
            128 + 64 + 16 + 32,
            ("yes", "none"),
        ),
        ({"head_dim": 256, "block_n": 96}, 256 * 1024, 128 + 48 + 24 + 32, ("no", "shared_memory")),
        ({"block_n": 176, "head_dim": 64}, 104 * 1024, 32 + 88 + 44 + 32, ("yes", "none")),
        ({"block_n": 256, "head_dim": 64}, 144 * 1024, 32 + 128 + 64 + 32, ("no", "registers")),
        ({"head_dim": 256, "head_dim_v": 64, "block_n": 128}, None, 32 + 96 + 32, ("yes", "none")),
    ],
)
def test_a_block_that_is_given_fits_or_not(
    where: dict[str, Any], smem: int | None, registers: int, found: tuple[str, str]
) -> None:
    """FlashAttention-3 ships the first three (``hopper/tile_size.h``), two warpgroups each."""
    needs = budget("attention_pingpong", gpu="h100_sxm", **where)
    assert needs["registers"] == registers
    assert smem is None or needs["smem_bytes"] == smem
    assert verdict("attention_pingpong", gpu="h100_sxm", **where) == found


def test_no_block_of_attention_fits() -> None:
    assert verdict("attention_serial", head_dim=4096) == ("no", "shared_memory")
    assert verdict("attention_serial", smem_carveout_bytes=232_448) == ("no", "shared_memory")
    assert verdict("attention_serial", head_dim=2048)[0] == "unknown"


@pytest.mark.parametrize(
    ("schedule", "parameters", "known"),
    [
        ("sync", {"t_mma": 100}, False),
        ("sync", {"t_transfer": 100}, False),
        ("sync", {"t_epilogue": 100}, False),
        ("register_staged", {"t_store": 100}, False),
        ("sync", {"t_latency": 100, "t_issue": 5, "t_sync": 1}, True),
        ("sync", {"t_mma": 100, "tile": "64x64x64"}, True),
        ("attention_serial", {"t_gemm": 256}, False),
        ("attention_serial", {"t_gemm0": 256}, False),
        ("attention_serial", {"t_exp": 256, "t_softmax": 9}, True),
        ("attention_serial", {"t_gemm": 256, "head_dim": 64}, True),
    ],
)
def test_unknown_without_a_tile(schedule: str, parameters: dict[str, Any], known: bool) -> None:
    assert verdict(schedule, **parameters) == (("yes", "none") if known else ("unknown", "no_tile"))


@pytest.mark.parametrize("parameters", [{}, {"t_mma": 100}, {"stages": 99}])
def test_deadlock_comes_first(parameters: dict[str, Any]) -> None:
    assert verdict("warp_specialized", True, **parameters) == ("no", "deadlock")


@pytest.mark.parametrize("schedule", discover())
def test_shapes_broadcast(schedule: str) -> None:
    cards = ["b200", "gb200"] if "gpu" in discover()[schedule].defaults else ["lecture", "h100_sxm"]
    space = resolve(schedule, {"smem_carveout_bytes": [0, 10**6], "gpu": cards})
    dead = np.array([[False, True]])
    feasible, reason, _ = feasibility(space.schedules[0], space.values[0], dead)
    assert feasible.shape == reason.shape == space.grid
    assert [REASONS[one] for one in reason[1]] == ["shared_memory", "deadlock"]
    assert ((feasible == 1) == (reason == 0)).all()


@pytest.mark.parametrize("limit", ["smem_per_block_bytes", "max_registers_per_thread"])
def test_a_budget_may_be_used_up(limit: str) -> None:
    needed: dict[str, Any] = {
        "smem_per_block_bytes": 4 * (49_152 + 16),
        "max_registers_per_thread": 128 + 32,
    }
    assert verdict("warp_specialized", **{limit: needed[limit]}) == ("yes", "none")
    assert verdict("warp_specialized", **{limit: needed[limit] - 1})[0] == "no"


def test_attention_has_the_registers_that_its_producer_leaves() -> None:
    assert verdict("attention_serial", head_dim=256, element_type="fp8") == ("yes", "none")
    wider = verdict("attention_serial", head_dim=264, element_type="fp8")
    assert wider == ("unknown", "fixed_block")


def test_accumulators_of_blackwell_are_in_tensor_memory() -> None:
    """128x256x64 of one warpgroup takes 256 of 512 columns; 256x256x64 ships and takes 512."""
    where: dict[str, Any] = {"gpu": "b200", "tile": "128x256x64", "consumer_warpgroups": 1}
    assert verdict("warp_specialized", **where) == ("yes", "none")
    assert budget("warp_specialized", **where)["columns"] == 256
    assert verdict("warp_specialized", **{**where, "tile": "256x256x64"}, stages=3)[0] == "yes"
    assert budget("warp_specialized", **{**where, "tile": "256x256x64"})["columns"] == 512
    assert verdict("warp_specialized", **{**where, "tile": "384x256x16"}) == ("no", "tensor_memory")
    assert verdict("pingpong", gpu="b200") == ("yes", "none")
    assert verdict("pingpong", gpu="b200", tile="256x256x16") == ("no", "tensor_memory")
    assert verdict("warp_specialized", **where, stages=9) == ("no", "shared_memory")
    assert verdict("warp_specialized", **where, compute_capability=12.0) == ("no", "registers")
    assert verdict("attention_serial", gpu="b200") == ("unknown", "tensor_memory")


def test_a_card_without_a_capability_may_have_tensor_memory() -> None:
    mine = replace(GPUS["lecture"], name="mine", compute_capability=None)
    spilled = verdict("warp_specialized", gpu=mine, consumer_warpgroups=1)
    assert spilled == ("unknown", "compute_capability")
    assert verdict("warp_specialized", gpu=mine) == ("yes", "none")
    assert verdict("warp_specialized", gpu=mine, stages=5) == ("no", "shared_memory")


def test_scale_factors_are_not_counted() -> None:
    """3 stages of block-scaled fp4 do not fit 99 KiB less this epilogue: 3,072 byte each more."""
    part: dict[str, Any] = {"smem_per_block_bytes": 101_376, "smem_carveout_bytes": 19_456}
    where = {"gpu": "b200", "element_type": "fp4", "tile": "128x256x128", **part}
    assert verdict("warp_specialized", **where, stages=3) == ("unknown", "scale_factors")
    assert verdict("warp_specialized", **where, stages=4) == ("no", "shared_memory")


def test_fp8_is_certain_where_scales_by_blocks_would_fit_too() -> None:
    """DeepGEMM, 128x128x128: 512 byte of scales per stage."""
    where: dict[str, Any] = {"element_type": "fp8", "tile": "128x128x128"}
    assert verdict("warp_specialized", **where, stages=6) == ("yes", "none")
    assert verdict("warp_specialized", **where, stages=7) == ("unknown", "scale_factors")
    with_epilogue = {**where, "smem_carveout_bytes": 128 * 128 * 2}
    assert verdict("warp_specialized", **with_epilogue, stages=5) == ("yes", "none")
    assert verdict("warp_specialized", **with_epilogue, stages=6) == ("unknown", "scale_factors")


@pytest.mark.parametrize(
    ("tile", "fits"), [("128x128x64", 4), ("128x128x128", 3), ("128x128x256", 1)]
)
def test_ctas_that_fit(tile: str, fits: int) -> None:
    """One stage, 128 threads, 128 columns on a B200: columns, then shared memory, set them."""
    where: dict[str, Any] = {"gpu": "b200", "tile": tile, "consumer_warpgroups": 1}
    found = budget("sync", ctas_per_sm=5, **where)
    assert (found["ctas"], found["ctas_that_fit"], found["columns"]) == (5, fits, 128)
    assert verdict("sync", ctas_per_sm=fits, **where) == ("yes", "none")
    assert verdict("sync", ctas_per_sm=fits + 1, **where) == ("no", "ctas_per_sm")


def test_registers_set_ctas_that_fit_too() -> None:
    """128 accumulators and 32 more are 160 registers: 20,480 of a CTA's 4 warps."""
    where: dict[str, Any] = {"gpu": "h100_sxm", "tile": "128x128x16", "consumer_warpgroups": 1}
    assert budget("sync", ctas_per_sm=4, **where)["ctas_that_fit"] == 65_536 // (4 * 32 * 160)
    assert verdict("sync", ctas_per_sm=4, **where) == ("no", "ctas_per_sm")


def test_ctas_never_change_timing_and_one_needs_no_figure_of_the_sm() -> None:
    card = replace(GPUS["lecture"], name="mine", smem_per_sm_bytes=None)
    assert verdict("sync", gpu=card) == ("yes", "none")
    with pytest.raises(InputError, match="smem_per_sm_bytes: not known for gpu='mine'"):
        resolve("sync", {"gpu": card, "ctas_per_sm": 2})
    one, two = (resolve("sync", {"ctas_per_sm": ctas}).values[0] for ctas in (1, 2))
    assert all(np.array_equal(one[name], two[name]) for name in ("t_mma", "t_transfer"))
