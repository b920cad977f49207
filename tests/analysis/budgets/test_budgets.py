"""Budgets against cases that people met in practice."""

from __future__ import annotations

import pytest

from analysis.budgets.occupancy import occupancy, registers_per_warp
from analysis.budgets.registers import (
    SETMAXNREG,
    accumulator_budget,
    compiled_registers,
    most_consumer_registers,
    register_split,
)
from analysis.budgets.shared_memory import attention_shared_memory, gemm_shared_memory
from sweep.errors import InputError
from sweep.hardware.budgets import accumulator_registers, stages_that_fit
from sweep.hardware.gpu import GPUS

A100_BYTES, H100_BYTES, ADA_BYTES = 166_912, 232_448, 101_376


class TestSharedMemory:
    def test_a100_tile_in_four_stages(self) -> None:
        """triton-lang/triton 1561: one query gives both halves, bytes and registers."""
        four = gemm_shared_memory("128x256x64", 4, A100_BYTES, "fp16", producer=False)
        three = gemm_shared_memory("128x256x64", 3, A100_BYTES, "fp16", producer=False)
        assert (four.total, four.fits) == (196_608, False)
        assert (three.total, three.fits) == (147_456, True)
        assert accumulator_budget("128x256x64", 1).accumulators == 256
        assert accumulator_budget("128x256x64", 1).spills > 0
        assert accumulator_budget("128x256x64", 2).accumulators == 128
        assert accumulator_budget("128x256x64", 2).spills == 0

    def test_every_limit_is_printed_with_its_unit(self) -> None:
        """triton-lang/triton 8182 and 384."""
        found = gemm_shared_memory("128x128x64", 4, ADA_BYTES, "fp16", producer=False)
        assert found.total == 131_072
        assert found.margin == -29_696
        text = str(found)
        assert "29,696 byte too many" in text
        assert all(" byte" in line for line in text.splitlines())

    @pytest.mark.parametrize(
        ("tile", "element_type", "stages"),
        [
            ("128x128x64", "fp16", 7),
            ("128x256x64", "fp16", 4),
            ("256x128x64", "fp16", 4),
            ("64x128x64", "fp16", 9),
            ("128x208x64", "fp16", 5),
            ("256x208x64", "fp16", 3),
            ("256x256x128", "fp16", 1),
            ("128x128x128", "fp8", 7),
            ("512x512x64", "fp16", 1),
            ("512x512x128", "fp16", 0),
        ],
    )
    def test_cutlass_stage_counts(self, tile: str, element_type: str, stages: int) -> None:
        """CUTLASS SM90; the itemised budget and the rule agree, and zero is never one."""
        one = gemm_shared_memory(tile, 1, H100_BYTES, element_type)
        stage_bytes = one.total - 16
        assert stages_that_fit(stage_bytes, H100_BYTES) == stages
        assert gemm_shared_memory(tile, stages, H100_BYTES, element_type).fits
        assert not gemm_shared_memory(tile, stages + 1, H100_BYTES, element_type).fits

    def test_carveout_steps_at_exact_boundaries(self) -> None:
        margin = gemm_shared_memory("128x256x64", 4, H100_BYTES).margin
        granules = margin // 128 * 128
        for carveout, fits in ((granules, True), (granules + 1, False)):
            found = gemm_shared_memory("128x256x64", 4, H100_BYTES, smem_carveout_bytes=carveout)
            assert found.fits == fits
            assert (stages_that_fit(49_152, H100_BYTES, carveout) == 4) == fits

    def test_forgotten_scratch_over_subscribes(self) -> None:
        """flashinfer 4048: about 128 bytes decide; triton 8773: the operand's final size does."""
        margin = gemm_shared_memory("128x256x64", 4, H100_BYTES).margin
        scratch = (("tile scheduler", margin + 1),)
        assert not gemm_shared_memory("128x256x64", 4, H100_BYTES, others=scratch).fits
        upcast = gemm_shared_memory("128x128x128", 7, H100_BYTES, "fp16")
        assert gemm_shared_memory("128x128x128", 7, H100_BYTES, "fp8").fits
        assert not upcast.fits

    @pytest.mark.parametrize(
        ("keys", "in_registers", "kibibytes", "fits"),
        [(192, True, 224, True), (160, False, 232, False), (144, False, 212, True)],
    )
    def test_flash_attention_3(
        self, keys: int, in_registers: bool, kibibytes: int, fits: bool
    ) -> None:
        found = attention_shared_memory(
            128, keys, 128, H100_BYTES, "fp16", probabilities_in_registers=in_registers
        )
        assert (found.total, found.fits) == (kibibytes * 1024, fits)


class TestRegisters:
    @pytest.mark.parametrize(
        ("producers", "consumers", "total", "fits"),
        [(1, 2, 64_512, True), (2, 2, 67_584, False), (1, 3, 95_232, False)],
    )
    def test_tilelang_24_240(self, producers: int, consumers: int, total: int, fits: bool) -> None:
        """tilelang 2406."""
        found = register_split(24, 240, producers, consumers)
        assert (found.total, found.fits) == (total, fits)
        assert ("hangs" in str(found)) != fits

    @pytest.mark.parametrize(
        ("producers", "consumers", "most"), [(1, 2, 240), (2, 2, 232), (1, 3, 160)]
    )
    def test_the_most_that_fits(self, producers: int, consumers: int, most: int) -> None:
        assert most_consumer_registers(24, producers, consumers) == most
        assert register_split(24, most, producers, consumers).fits
        assert not register_split(24, most + 8, producers, consumers).fits

    def test_two_and_two_fill_the_file(self) -> None:
        assert register_split(24, 232, 2, 2).total == 65_536

    @pytest.mark.parametrize(
        ("producers", "consumers"), [(p, c) for p in range(4) for c in (1, 2, 3)]
    )
    @pytest.mark.parametrize("producer_registers", [24, 40, 56])
    def test_most_is_the_largest_that_fits(
        self, producers: int, consumers: int, producer_registers: int
    ) -> None:
        if producers + consumers > 8:
            return
        fitting = [
            registers
            for registers in SETMAXNREG
            if register_split(producer_registers, registers, producers, consumers).fits
        ]
        most = most_consumer_registers(producer_registers, producers, consumers)
        assert most == max(fitting, default=0)

    def test_what_profilers_show(self) -> None:
        """NVIDIA/cutlass 1676 and 2904."""
        assert register_split(40, 232).compiled == compiled_registers(384) == 168
        assert register_split(24, 160, consumers=3).compiled == compiled_registers(512) == 128

    @pytest.mark.parametrize(
        ("producer", "consumer", "consumers"),
        [(56, 256, 1), (24, 240, 2), (40, 232, 2), (32, 160, 3)],
    )
    def test_flash_attention_3_splits_fit(
        self, producer: int, consumer: int, consumers: int
    ) -> None:
        assert register_split(producer, consumer, consumers=consumers).fits

    def test_attention_accumulator(self) -> None:
        """Dao-AILab/flash-attention 361: 64 x 128 over 4 warps."""
        assert accumulator_registers(64, 128, 1) == 64

    @pytest.mark.parametrize("registers", [16, 25, 264, 0, -8])
    def test_what_setmaxnreg_does_not_take(self, registers: int) -> None:
        with pytest.raises(InputError, match="24 to 256 registers per thread in steps of 8"):
            register_split(24, registers)

    def test_too_many_warpgroups(self) -> None:
        with pytest.raises(InputError, match="1,024 threads"):
            register_split(24, 24, 4, 5)
        with pytest.raises(InputError, match="at least 0 and 1"):
            most_consumer_registers(24, 1, 0)


class TestOccupancy:
    def test_allocation_units(self) -> None:
        assert registers_per_warp(168) == 5_376
        assert registers_per_warp(33) == 1_280
        # 65,536 / (33 registers in units of 256) = 51.2 warps, in fours 48: six CTAs of 8 warps.
        assert occupancy(256, 33).by_registers == 6
        # 100 registers: 3,328 per warp, 19.7 warps, in fours 16: two CTAs of 8, not 2.46.
        assert occupancy(256, 100).by_registers == 2

    def test_reserved_shared_memory_counts(self) -> None:
        half = GPUS["h100_sxm"].smem_per_sm_bytes // 2  # type: ignore[operator]
        assert occupancy(128, 32, half, "h100_sxm").by_shared_memory == 1
        assert occupancy(128, 32, half - 1024, "h100_sxm").by_shared_memory == 2
        assert occupancy(128, 32, half, "h100_sxm", reserved_smem_bytes=0).by_shared_memory == 2

    def test_limits_by_warps_and_ctas(self) -> None:
        assert occupancy(1024, 16)[:3] == (2, 64, "warps")
        assert occupancy(32, 16)[:3] == (32, 32, "ctas")

    def test_one_cta_of_a_specialised_kernel(self) -> None:
        found = occupancy(384, 168, 4 * 49_168)
        assert (found.ctas, found.warps) == (1, 12)

    def test_does_not_fit(self) -> None:
        assert occupancy(128, 32, 300_000).ctas == 0
        assert occupancy(128, 256).limited_by == "registers"
        assert occupancy(128, 256).ctas == 0

    @pytest.mark.parametrize(
        ("threads", "registers", "smem"), [(0, 32, 0), (2048, 32, 0), (128, 0, 0), (128, 32, -1)]
    )
    def test_bad_input(self, threads: int, registers: int, smem: int) -> None:
        with pytest.raises(InputError):
            occupancy(threads, registers, smem)
