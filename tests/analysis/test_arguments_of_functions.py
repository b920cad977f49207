"""What functions take and answer: every form of an argument, units of old cards, right values."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import sweep
import sweep.tensorcore as tc
from analysis.budgets.occupancy import occupancy
from analysis.budgets.registers import accumulator_budget, most_consumer_registers
from analysis.budgets.shared_memory import attention_shared_memory, gemm_shared_memory
from analysis.budgets.thread_parallelism import thread_parallelism
from analysis.data_path.bank_conflicts import ldmatrix_ways, least_padding, strided_ways
from analysis.memory.littles_law import bytes_in_flight, in_flight
from analysis.memory.memory_path import memory_path
from analysis.rings.stages import choose_stages, corrected_stages
from sweep.description.chains import chain_counts
from sweep.errors import InputError
from sweep.tensorcore.shared_memory.ldmatrix import x4_addresses
from sweep.tensorcore.shared_memory.swizzle import Swizzle

SIZES = [4096, 8192]
TIMES: dict[str, Any] = {"t_issue": 30, "t_transfer": 384, "t_latency": 658, "t_mma": 512}


@pytest.mark.parametrize(
    "m",
    [
        SIZES,
        tuple(SIZES),
        range(4096, 8193, 4096),
        np.array(SIZES),
        np.array(SIZES, dtype=float),
        pd.Series(SIZES),
        pd.Index(SIZES),
        xr.DataArray(SIZES, dims="size"),
        xr.DataArray(SIZES, dims="size", coords={"size": ["small", "large"]}),
    ],
    ids=lambda one: type(one).__name__,
)
def test_every_form_of_numbers(m: Any) -> None:
    expected = [tc.dram_traffic(size, 4096, 4096).bytes for size in SIZES]
    assert tc.dram_traffic(m, 4096, 4096).bytes.tolist() == expected
    ds = tc.sweep_traffic(m, 4096, 4096)
    assert ds.bytes.values.tolist() == expected
    assert bytes_in_flight(m, 2).tolist() == [8192, 16384]


TILES = ["128x128x64", "128x256x64"]


@pytest.mark.parametrize(
    "tile",
    [
        TILES,
        tuple(TILES),
        ((128, 128, 64), (128, 256, 64)),
        [(128, 128, 64), "128x256x64"],
        np.array(TILES),
        np.array([[128, 128, 64], [128, 256, 64]]),
        pd.Series(TILES),
        pd.Index(TILES),
        xr.DataArray(TILES, dims="tile"),
        (128, [128, 256], 64),
    ],
    ids=lambda one: type(one).__name__,
)
def test_every_form_of_tiles(tile: Any) -> None:
    expected = [tc.dram_traffic(4096, 4096, 4096, one).bytes for one in TILES]
    assert tc.dram_traffic(4096, 4096, 4096, tile).bytes.tolist() == expected
    assert tc.stage_budget(tile=tile).stage_bytes.tolist() == [32_768, 49_152]
    assert accumulator_budget(tile, 2).accumulators.tolist() == [64, 128]


def test_lists_of_element_types_and_gpus_go_along() -> None:
    found = tc.dram_traffic(4096, 4096, 4096, element_type=["fp16", "fp8"])
    single = [tc.dram_traffic(4096, 4096, 4096, element_type=one) for one in ("fp16", "fp8")]
    for name in ("bytes", "compute_seconds", "l2_needed_bytes"):
        assert found[name].tolist() == [one[name] for one in single]
    gpus = ["a100_sxm", "h100_sxm"]
    both = tc.feeding(gpus, "64x64").needed
    assert both.tolist() == [tc.feeding(one, "64x64").needed for one in gpus]
    # fp8 on the A100 does not exist, but is not asked for here.
    assert tc.stage_budget(gpus, element_type=["bf16", "fp8"]).stage_bytes.tolist() == [
        49_152, 24_576,
    ]  # fmt: skip


def test_named_dimensions_are_crossed_and_columns_of_one_table_zipped() -> None:
    m, n = xr.DataArray(SIZES, dims="m"), xr.DataArray([1024, 2048, 4096], dims="n")
    crossed = tc.dram_traffic(m, n, 4096).bytes
    assert crossed.shape == (2, 3)
    assert crossed[1, 2] == tc.dram_traffic(8192, 4096, 4096).bytes
    table = pd.DataFrame({"m": SIZES, "n": [1024, 4096]})
    expected = [tc.dram_traffic(*row, 4096).bytes for row in table.itertuples(index=False)]
    assert tc.dram_traffic(table.m, table.n, 4096).bytes.tolist() == expected
    assert tc.sweep_traffic(table.m, table.n, 4096).bytes.values.tolist() == expected
    shifted = table.n.set_axis([5, 6])
    with pytest.raises(InputError, match="n: "):
        tc.dram_traffic(table.m, shifted, 4096)
    with pytest.raises(InputError, match="n: "):
        tc.sweep_traffic(table.m, shifted, 4096)


def test_an_impossible_cell_is_flagged_and_leaves_the_others() -> None:
    ds = tc.sweep_feeding("h100_sxm", ["64x256", "32x32"], ["ss", "rs"])
    assert ds.reuse.sel(operands="rs", tile="64x256") == 32
    assert np.isnan(ds.reuse.sel(operands="rs", tile="32x32"))
    assert "wgmma takes multiples" in str(ds.impossible.sel(operands="rs", tile="32x32").item())
    assert (ds.impossible.sel(operands="ss") == "").all()
    types = tc.sweep_stages(["a100_sxm", "h100_sxm"], element_type=["bf16", "fp8"])
    assert np.isnan(types.stages_needed.values).tolist() == [[False, True], [False, False]]
    assert types.fits.values.tolist()[0][1] == 0


def test_tile_order_is_a_function_whatever_ran_before() -> None:
    tc.dram_traffic(4096, 4096, 4096)
    assert tc.tile_order(9, 7, 8).shape == (63, 2)


REFUSED: list[tuple[Any, str]] = [
    (lambda: strided_ways(1.5), "stride_words=1.5 word: must be a whole number"),
    (lambda: least_padding(24), "row_bytes=24 byte: must be a positive multiple"),
    (lambda: ldmatrix_ways(24), "pitch_bytes=24 byte: must be a positive multiple"),
    (lambda: gemm_shared_memory("128x256x64", 4, "h100_sxm"), "limit='h100_sxm': must be"),  # type: ignore[arg-type]
    (lambda: gemm_shared_memory("128x256x64", 2.5, 9), "stages=2.5: must be a whole"),  # type: ignore[arg-type]
    (
        lambda: gemm_shared_memory("128x256x64", 4, 9, others=[("scheduler", -1)]),
        "others=-1 byte: must be at least 0",
    ),
    (
        lambda: gemm_shared_memory("128x256x64", 4, 9, "fp32"),
        "unknown element_type 'fp32'",
    ),
    (lambda: attention_shared_memory(128, -5, 128, 9), "keys=-5: must be at least 1"),
    (
        lambda: choose_stages("multistage", -5, 232_448, **TIMES),
        "stage_bytes=-5 byte: must be at least 1",
    ),
    (lambda: accumulator_budget("128x256x64", 0), "warpgroups=0: must be at least 1"),
    (lambda: occupancy(384, 168, registers_per_sm=-5), "registers_per_sm=-5: must be at least 1"),
    (lambda: in_flight(stages=-1), "stages=-1: must be at least 1"),
    (lambda: in_flight(element_type="fp32"), "unknown element_type 'fp32'"),
    (lambda: in_flight(sm_count=0), "sm_count=0: must be at least 1"),
    (lambda: memory_path(clock_hz=0), "clock_hz=0 Hz: must be"),
    (lambda: most_consumer_registers(24, 1, 2.5), "consumers=2.5: must be a whole"),  # type: ignore[arg-type]
    (lambda: thread_parallelism(smem_byte=1), "unknown parameter 'smem_byte'"),
    (lambda: tc.ldmatrix_wavefronts([32, 64]), "row_elements: must be one number"),  # type: ignore[arg-type]
    (lambda: tc.Swizzle(30, 30, 30), "must be at most 52"),
    (lambda: tc.tile_order(2**31 - 1, 2**31 - 1), "of memory"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        call()
    assert message in str(refusal.value)
    assert str(refusal.value).isprintable()


def test_a_stage_time_that_is_no_multiple_of_the_grid_is_not_rounded() -> None:
    """1 cycle of latency, stages of 1/3 cycle: 1 + 3, where the grid's 0.3330 cycle gives 5."""
    found = tc.stage_budget("lecture", (8, 8, 8), "bf16", 1 / 1.83e9, tc_flop_per_cycle=3072)
    assert found.stages_needed == 4
    assert found.stage_cycles == pytest.approx(1 / 3, rel=1e-15)


def test_occupancy_in_the_units_of_volta() -> None:
    """Compute capability 7.0: 96 KiB in units of 256 bytes, nothing reserved per CTA."""
    assert occupancy(128, 32, 16_384, "v100_sxm2").by_shared_memory == 6
    assert occupancy(128, 32, 48 * 1024, "v100_sxm2").by_shared_memory == 2
    assert occupancy(128, 32, 12 * 1024 + 1, "v100_sxm2").by_shared_memory == 7  # 12,544 byte
    assert occupancy(128, 32, 12 * 1024 + 1, "v100_sxm2", smem_per_sm_bytes=12_544 * 5 - 1)[
        4
    ] == 4  # fmt: skip
    # From 8.0 on: 16,384 + 1,024 byte of 164 KiB.
    assert occupancy(128, 32, 16_384, "a100_sxm").by_shared_memory == 9
    assert occupancy(128, 32, 0, "v100_sxm2").by_shared_memory == 32


def test_occupancy_of_many() -> None:
    found = occupancy([128, 256], [[32], [255]], 16_384, "h100_sxm")
    for i, j in itertools.product(range(2), range(2)):
        one = occupancy((128, 256)[j], (32, 255)[i], 16_384, "h100_sxm")
        assert tuple(column[i, j] for column in found) == tuple(one)


def test_ldmatrix_tells_the_worst_load_of_a_tile() -> None:
    """Many swizzles that don't fit the row conflict more further down than in the first load."""
    worse = 0
    for bits, shift in itertools.product((1, 2, 3), (3, 4, 5)):
        for row in (24, 32, 40, 48, 64, 72):
            layout = Swizzle(bits, 3, shift) if shift >= bits else None
            size = 2 * row
            loads = [
                x4_addresses(size, size, layout, 2, first, chunk)
                for first in range(0, 256, 16)
                for chunk in range(0, size // 16 - 1, 2)
            ]
            counts = [tc.wavefronts(load, 16) for load in loads]
            assert tc.ldmatrix_wavefronts(row, 2, layout) == (max(counts), 4)
            worse += max(counts) > counts[0]
    assert worse


def test_the_limit_of_a_long_run_counts_side_by_side_epilogues_once() -> None:
    where: dict[str, Any] = {"k_tiles": 1, "output_tiles": 2, "t_mma": 1, "t_epilogue": 3 * 2**40}
    where |= {"t_issue": 1, "t_transfer": 1, "t_latency": 1}
    one = sweep.simulate("persistent", **where).cycles
    assert sweep.simulate("cooperative", **where).cycles == one
    counts = chain_counts(sweep.SCHEDULES["cooperative"].events("consumer"))
    assert counts["t_epilogue"] == (0, 1)
    where["t_epilogue"] = 2**42
    for name in ("persistent", "cooperative"):
        with pytest.raises(InputError, match="t_epilogue"):
            sweep.simulate(name, **where)


def test_corrected_stages_of_the_longest_durations() -> None:
    """Products beyond int64: exact all the same."""
    long = 2.0**43
    found = corrected_stages(
        "warp_specialized", t_issue=1, t_transfer=1, t_latency=long, t_mma=long, mma_in_flight=9
    )
    assert np.isfinite(found)
    assert found >= 1


def test_the_accumulator_has_one_map() -> None:
    assert np.array_equal(tc.fragment("m16n8k16", "d"), tc.fragment("m16n8k16", "c"))
    assert callable(tc.Swizzle(3, 3, 3))
