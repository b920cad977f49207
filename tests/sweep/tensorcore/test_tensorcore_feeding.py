"""Feeding the Tensor Core from shared memory: reuse, issue interval, registers, stages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.data_path.reuse import register_a_reuse, square_tile, warp_tile_reuse, wgmma_columns
from sweep.errors import InputError
from sweep.hardware.gpu import GPUS
from sweep.tensorcore import feeding, stage_budget, sweep_feeding


@pytest.mark.parametrize(
    ("gpu", "macs", "needed"),
    [("v100_sxm2", 512, 4), ("a100_sxm", 1024, 8), ("h100_sxm", 2048, 16), ("b200", 4096, 32)],
)
def test_what_each_gpu_needs(gpu: str, macs: int, needed: int) -> None:
    assert GPUS[gpu].tc_flop_per_cycle == 2 * macs
    assert feeding(gpu, "64x64", instruction="mma").needed == needed
    side = int(square_tile(needed))
    assert feeding(gpu, (side, side), instruction="mma").feeds
    assert not feeding(gpu, (side, side - 8), instruction="mma").feeds


def test_reference_tiles() -> None:
    warp = feeding("h100_sxm", "64x64")
    assert (warp.instruction, warp.reuse, warp.accumulators_per_thread) == ("mma", 16, 128)
    assert np.isnan(warp.issue_interval)
    both = feeding("h100_sxm", "64x256")
    assert (both.instruction, both.reuse, both.accumulators_per_thread) == ("wgmma", 25.6, 128)
    assert feeding("h100_sxm", "64x256", "rs").reuse == 32


@pytest.mark.parametrize("columns", range(8, 257, 8))
def test_wgmma_issue_interval(columns: int) -> None:
    shared = feeding("h100_sxm", (64, columns), "ss", instruction="wgmma")
    assert shared.issue_interval == max(columns / 2, (2048 + 32 * columns) / 128)
    registers = feeding("h100_sxm", (64, columns), "rs")
    assert registers.issue_interval == max(columns / 2, 13)
    assert shared.accumulators_per_thread == columns / 2
    assert shared.reuse == warp_tile_reuse(64, columns)
    assert registers.reuse == register_a_reuse(64)
    assert shared.feeds == (columns >= wgmma_columns(2048, 128))
    assert shared.feeds == (shared.issue_interval == columns / 2)


def test_a_tile_of_several_wgmma_issues_each() -> None:
    one, two = (feeding("h100_sxm", tile, "rs") for tile in ("64x256", "128x256"))
    assert two.issue_interval == one.issue_interval == 128
    assert two.reuse == one.reuse


def test_8_bit_elements_double_both() -> None:
    half, byte = (feeding("h100_sxm", "64x256", element_type=one) for one in ("fp16", "fp8"))
    assert byte.reuse == 2 * half.reuse == 51.2
    assert byte.needed == 2 * half.needed == 32
    assert byte.issue_interval == half.issue_interval


def test_registers() -> None:
    assert feeding("h100_sxm", "128x256", "rs").verdict == "spills"
    assert feeding("h100_sxm", "128x256", "rs").accumulators_per_thread == 256
    assert feeding("h100_sxm", "32x32").verdict == "starved"
    assert feeding("b200", "64x128", instruction="mma").verdict == "starved and spills"
    assert feeding("h100_sxm", "64x64", max_registers_per_thread=160).verdict == "fed"
    assert feeding("h100_sxm", "64x64", max_registers_per_thread=159).verdict == "spills"


def test_which_instruction() -> None:
    tiles = ["64x64", "64x120", "64x128", "128x64"]
    assert feeding("h100_sxm", tiles).instruction.tolist() == ["mma", "mma", "wgmma", "mma"]
    assert feeding("h100_sxm", "64x64", instruction="wgmma").accumulators_per_thread == 32
    assert feeding("h100_sxm", "64x8", "rs").instruction == "wgmma"


def test_each_gpu_has_its_instruction() -> None:
    """wgmma is Hopper's alone; Blackwell's tcgen05 is not modelled."""
    assert feeding("a100_sxm", "64x256").instruction == "mma"
    assert feeding("v100_sxm2", "64x256").instruction == "mma"
    assert feeding("h200_sxm", "64x256").instruction == "wgmma"
    mine = replace(GPUS["a100_sxm"], name="mine", compute_capability=12.0)
    assert feeding(mine, "64x256").instruction == "mma"


def test_a_type_that_the_instruction_lacks() -> None:
    """PTX ISA, target ISA notes of mma: fp8 from 8.9 on, fp4 from 12.0 on."""
    rates = {"bf16": 1.0, "fp8": 2.0, "fp4": 4.0}
    for capability, kind, there in (
        (8.0, "bf16", True), (8.0, "fp8", False), (8.9, "fp8", True), (9.0, "fp8", True),
        (10.0, "fp8", True), (10.0, "fp4", False), (11.0, "fp4", False), (12.0, "fp4", True),
    ):  # fmt: skip
        mine = replace(GPUS["b200"], compute_capability=capability, element_rates=rates)
        if there:
            assert feeding(mine, "64x64", instruction="mma", element_type=kind).reuse
        else:
            with pytest.raises(InputError, match=f"element_type='{kind}': mma multiplies it from"):
                feeding(mine, "64x64", instruction="mma", element_type=kind)
    hopper = replace(GPUS["h100_sxm"], element_rates=rates)
    with pytest.raises(InputError, match="element_type='fp4': wgmma has no such type"):
        feeding(hopper, "64x64", "rs", element_type="fp4")
    both = feeding(["h100_sxm", "b200"], "64x64", instruction="mma", element_type=["int8", "fp8"])
    assert both.needed.tolist() == [32, 64]


def test_a_gpu_without_tensor_cores() -> None:
    old = replace(GPUS["v100_sxm2"], name="old", compute_capability=6.1)
    with pytest.raises(InputError, match=r"mma exists from compute capability 7.0 on, gpu='old'"):
        feeding(old, "64x64")
    unknown = replace(GPUS["h100_sxm"], compute_capability=None)
    assert feeding(unknown, "64x256").instruction == "wgmma"
    assert feeding(unknown, "64x64", instruction="mma").instruction == "mma"


def test_columns_of_an_integer_wgmma() -> None:
    tiles = [f"64x{columns}" for columns in (8, 24, 32, 48, 256)]
    found = feeding("h100_sxm", tiles, "rs", element_type="int8")
    assert found.instruction.tolist() == ["wgmma"] * 5
    with pytest.raises(InputError, match="tile=64x40: wgmma of int8 takes 8, 16, 24, 32 columns"):
        feeding("h100_sxm", [*tiles, "64x40"], "rs", element_type="int8")
    assert feeding("h100_sxm", "64x40", "rs", element_type="fp8").accumulators_per_thread == 20


def test_a_sweep_flags_what_a_gpu_lacks() -> None:
    """Each cell by the compute capability and the type that it has; the others are as they are."""
    gpus = ["v100_sxm2", "a100_sxm", "h100_sxm", "b200"]
    types = ["fp16", "int8", "fp4"]
    ds = sweep_feeding(gpus, ["64x256"], element_type=types, instruction="mma")
    assert (ds.impossible == "").values[..., 0].tolist() == [
        [True, False, False], [True, True, False], [True, True, False], [True, True, False],
    ]  # fmt: skip
    assert "not supported by gpu='v100_sxm2'" in str(ds.impossible.values[0, 1, 0])
    assert "mma multiplies it from compute capability 12.0 on" in str(ds.impossible.values[3, 2, 0])
    wide = sweep_feeding(gpus, "64x256", instruction="wgmma")
    assert (wide.impossible == "").values.tolist() == [False, False, True, False]
    assert wide.reuse.values[2] == feeding("h100_sxm", "64x256", instruction="wgmma").reuse


def test_many_tiles_at_once() -> None:
    rows, columns = np.array([[16], [64], [128]]), np.array([8, 64, 120])
    found = feeding("a100_sxm", (rows, columns))
    assert np.array_equal(found.reuse, warp_tile_reuse(rows, columns))
    assert np.array_equal(found.accumulators_per_thread, rows * columns / 32)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tile": "64x100"}, "tile=64x100: mma takes multiples of 16 rows and of 8 columns"),
        ({"tile": "64x132"}, "tile=64x132: wgmma takes multiples of 64 rows and of 8 columns"),
        ({"tile": "64x264"}, "up to 256"),
        ({"tile": "32x64", "operands": "rs"}, "tile=32x64: wgmma takes multiples of 64 rows"),
        ({"tile": "8x8"}, "multiples of 16 rows"),
        ({"tile": "64"}, "must be 2 whole numbers"),
        ({"operands": "sr"}, "operands"),
        ({"operands": "rs", "instruction": "mma"}, "only wgmma takes A from registers"),
        ({"instruction": "wgmmma"}, "did you mean 'wgmma'"),
        ({"gpu": "b200"}, "'tcgen05': not modelled yet, and gpu='b200' (of 10.0) computes"),
        ({"gpu": "b200", "instruction": "wgmma"}, "wgmma exists on compute capability 9.0 alone"),
        ({"gpu": "b200", "operands": "rs"}, "operands='rs': wgmma exists on compute capability"),
        ({"gpu": "a100_sxm", "instruction": "wgmma"}, "alone, gpu='a100_sxm' (of 8.0)"),
        ({"gpu": "b200", "instruction": "tcgen05"}, "not modelled yet"),
        ({"instruction": "tcgen05"}, "'tcgen05': exists on compute capability 10.x"),
        ({"element_type": "fp61"}, "unknown element_type"),
        ({"gpu": "h10_sxm"}, "did you mean"),
        ({"sm_count": 3}, "sm_count: has no effect on feeding"),
        ({"gpu": replace(GPUS["lecture"], smem_bytes_per_cycle=None)}, "smem_bytes_per_cycle: not"),
    ],
)
def test_refused_tiles(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refusal:
        feeding(**arguments)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_stages_of_the_reference_tiles() -> None:
    small = stage_budget("lecture", "128x128x32", "fp16", [0.5e-6, 1e-6])
    assert small.stages_needed.tolist() == [5, 9]
    assert small.stage_cycles.tolist() == [256, 256]
    assert small.stage_seconds[0] == 256 / 1.83e9
    big = stage_budget("lecture", "128x256x64", "fp16", [0.5e-6, 1e-6])
    assert big.stages_needed.tolist() == [2, 3]
    assert big.stages_fit.tolist() == [4, 4]
    assert big.bytes_per_second[0] == pytest.approx(49_152 / (1024 / 1.83e9))
    assert big.gpu_bytes_per_second[0] == pytest.approx(11.6e12, rel=0.01)
    assert 3 < big.over_dram[0] < 4


@pytest.mark.parametrize(
    ("tile", "kind", "fits"),
    [
        ("128x128x64", "bf16", 7), ("128x256x64", "bf16", 4), ("256x128x64", "bf16", 4),
        ("64x128x64", "bf16", 9), ("128x208x64", "bf16", 5), ("256x208x64", "bf16", 3),
        ("256x256x128", "bf16", 1), ("128x128x128", "fp8", 7), ("512x512x128", "bf16", 0),
    ],
)  # fmt: skip
def test_stages_that_fit(tile: str, kind: str, fits: int) -> None:
    assert stage_budget("h100_sxm", tile, kind).stages_fit == fits


def test_a_latency_of_whole_stages_needs_no_more() -> None:
    stage = 1024 / 1.83e9
    found = stage_budget("lecture", "128x256x64", "bf16", [0, stage, 2 * stage, 2.001 * stage])
    assert found.stages_needed.tolist() == [1, 2, 3, 4]
    assert found.fits.tolist() == [True] * 4
    many = stage_budget("lecture", "128x256x64", "bf16", stage * np.arange(1, 400))
    assert np.array_equal(many.stages_needed, np.arange(2, 401))
    assert stage_budget("lecture", "128x256x64", "bf16", 4 * stage).fits is False


def test_stage_arrays_broadcast() -> None:
    found = stage_budget(
        "h100_sxm", (128, np.array([[64], [128]]), 64), "fp8", [0.1e-6, 2e-6, 3e-6]
    )
    assert found.stages_needed.shape == (2, 3)
    assert found.stage_bytes[:, 0].tolist() == [12_288, 16_384]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tile": "128x256"}, "must be 3 whole numbers"),
        ({"tile": (128, 0, 64)}, "tile N=0: must be at least 1"),
        ({"latency_seconds": -1e-6}, "latency_seconds=-1e-06 s: must be at least 0 s"),
        ({"latency_seconds": 700}, "at most 1 s"),
        ({"element_type": "fp61"}, "did you mean"),
        ({"gpu": "v100_sxm2", "element_type": "fp8"}, "not supported by gpu='v100_sxm2'"),
        ({"l2_bytes": 3}, "l2_bytes: has no effect"),
        ({"tile": (np.ones(2, int), np.ones(3, int), 64)}, "do not broadcast"),
    ],
)
def test_refused_stages(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refusal:
        stage_budget(**arguments)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)
