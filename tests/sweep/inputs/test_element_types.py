"""Element types of operands, accumulators and outputs, and scale factors, in bytes and cycles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sweep
from sweep.engine.feasibility import budgets, feasibility
from sweep.errors import InputError
from sweep.hardware.element_types import (
    ACCUMULATOR_TYPES,
    ELEMENT_BYTES,
    OPERAND_BYTES,
    OUTPUT_TYPES,
    SCALES,
    multiplied_as,
)
from sweep.inputs.space import resolve
from sweep.quantities.variables import OPERANDS, VARIABLES

REASONS = VARIABLES["infeasible_reason"].flag_meanings
UNKNOWN = VARIABLES["unknown_reason"].flag_meanings
PLAIN = "warp_specialized"


def values(schedule: str = PLAIN, **given: Any) -> dict[str, Any]:
    found = resolve(schedule, given).values[0]
    return {name: array.item() for name, array in found.items()}


def verdict(**given: Any) -> tuple[str, str]:
    space = resolve(PLAIN, given)
    flags = feasibility(space.schedules[0], space.values[0])
    return REASONS[flags.infeasible_reason], UNKNOWN[flags.unknown_reason]


def test_the_registry_and_the_tables_name_the_same() -> None:
    assert VARIABLES["element_type"].choices == tuple(ELEMENT_BYTES)
    assert VARIABLES["element_type_a"].choices == tuple(OPERAND_BYTES)
    assert VARIABLES["element_type_b"].choices == tuple(OPERAND_BYTES)
    assert VARIABLES["element_type_acc"].choices == tuple(ACCUMULATOR_TYPES)
    assert VARIABLES["element_type_c"].choices == tuple(OUTPUT_TYPES)
    assert VARIABLES["scale_factors"].choices == tuple(SCALES)


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("bf16", "bf16", "bf16"),
        ("bf16", "fp8", "bf16"),
        ("int4", "fp16", "fp16"),
        ("int4", "fp8", "fp8"),
        ("fp8", "fp4", "fp8"),
        ("tf32", "bf16", "tf32"),
        ("fp8", "int8", ""),
        ("bf16", "fp16", ""),
        ("int4", "fp4", ""),
    ],
)
def test_what_operands_are_multiplied_as(a: str, b: str, kind: str) -> None:
    assert multiplied_as(a, b) == multiplied_as(b, a) == kind


class TestOperands:
    def test_bytes_are_those_of_each(self) -> None:
        """w4a16: 4-bit weights beside 16-bit activations, multiplied at the 16-bit rate."""
        found = values(element_type_b="int4", tile="128x256x64")
        assert found["stage_bytes"] == 128 * 64 * 2 + 256 * 64 / 2
        assert found["t_transfer"] == (128 * 64 * 2 + 256 * 64 / 2) / 64
        assert found["t_mma"] == 1024

    def test_the_rate_is_that_of_the_wider(self) -> None:
        assert values(element_type_a="bf16", element_type_b="fp8")["t_mma"] == 1024
        assert values(element_type_a="fp8", element_type_b="fp8")["t_mma"] == 512
        on_b200 = {"gpu": "b200", "element_type_a": "fp8", "element_type_b": "fp4"}
        assert values(**on_b200)["t_mma"] == 256

    def test_one_type_says_what_two_say(self) -> None:
        for kind in ("bf16", "tf32", "fp8"):
            one = values(element_type=kind)
            two = values(element_type=kind, element_type_a=kind, element_type_b=kind)
            assert one == two

    def test_they_are_axes_and_coordinates_only_where_given(self) -> None:
        ds = sweep.run(PLAIN, element_type_a=["bf16", "fp8"], element_type_b=["bf16", "int4"])
        assert ds.sizes == {"element_type_a": 2, "element_type_b": 2}
        assert ds.t_mma.values.tolist() == [[1024, 1024], [1024, 512]]
        assert not set(OPERANDS) & set(sweep.run(PLAIN).coords)

    def test_multicast_shares_each_operand(self) -> None:
        found = values(element_type_b="fp8", cluster="2x1", tile="128x256x64", gpu="lecture")
        assert found["t_transfer"] == (128 * 64 * 2 + 256 * 64 / 2) / 64

    @pytest.mark.parametrize(
        ("given", "says"),
        [
            (
                {"element_type_a": "fp8", "element_type_b": "int8"},
                "element_type_a='fp8', element_type_b='int8': no MMA multiplies them",
            ),
            ({"element_type_b": "fp16"}, "element_type_a='bf16', element_type_b='fp16': no MMA"),
            (
                {"gpu": "a100_sxm", "element_type_a": "fp8", "element_type_b": "fp8"},
                "element_type='fp8': not supported by gpu='a100_sxm'",
            ),
            ({"element_type_a": "fp6"}, "unknown element_type_a 'fp6'"),
            (
                {"scale_factors": "mxfp8"},
                "scale_factors='mxfp8': goes with fp8, not with element_type_a='bf16' and",
            ),
            (
                {"gpu": "b200", "element_type": "fp8", "scale_factors": "nvfp4"},
                "scale_factors='nvfp4': goes with fp4, not with element_type_a='fp8'",
            ),
        ],
    )
    def test_what_cannot_be_is_refused(self, given: dict[str, Any], says: str) -> None:
        with pytest.raises(InputError, match=says):
            resolve(PLAIN, given)

    def test_or_flagged_where_it_is_a_cell(self) -> None:
        ds = sweep.run(PLAIN, element_type_a=["fp8", "int8"], element_type_b=["int8", "fp8"])
        reasons = [REASONS[one] for one in ds.infeasible_reason.values.ravel()]
        wrong = "unsupported_element_type"
        assert [one == wrong for one in reasons] == [True, False, False, True]
        assert np.isnan(ds.cycles.values[0, 0])
        scales = sweep.run(PLAIN, element_type="fp8", scale_factors=["none", "mxfp8", "nvfp4"])
        assert (scales.infeasible_reason == REASONS.index(wrong)).values.tolist() == [
            False,
            False,
            True,
        ]

    def test_schedules_that_do_not_know_them_refuse_them(self) -> None:
        with pytest.raises(InputError, match="element_type_a: has no effect on attention_serial"):
            resolve("attention_serial", {"element_type_a": "fp8"})


class TestScaleFactors:
    def test_nvfp4(self) -> None:
        """128x256x128: 24,576 + 3,072 byte per stage; 2 fit in 99 KiB less 19 of epilogue."""
        part = {"smem_per_block_bytes": 101_376, "smem_carveout_bytes": 19_456}
        where: dict[str, Any] = {"gpu": "b200", "element_type": "fp4", "tile": "128x256x128"} | part
        scaled = where | {"scale_factors": "nvfp4"}
        assert values(**scaled)["stage_bytes"] == 24_576 + 3_072
        assert values(**scaled)["t_transfer"] == pytest.approx(27_648 / 89.9, rel=0.01)
        assert verdict(**scaled, stages=2) == ("none", "none")
        assert verdict(**scaled, stages=3) == ("shared_memory", "none")
        assert verdict(**where, stages=3) == ("none", "scale_factors")
        assert values(**scaled)["t_mma"] == values(**where)["t_mma"]

    def test_mx(self) -> None:
        where = {"gpu": "b200", "tile": "128x256x128"}
        found = values(**where, element_type="fp8", scale_factors="mxfp8")
        assert found["stage_bytes"] == 384 * 128 + 384 * 4
        found = values(**where, element_type="fp4", scale_factors="mxfp4")
        assert found["stage_bytes"] == 384 * 64 + 384 * 4

    def test_deepgemm(self) -> None:
        """128x128x128: 512 byte of scales per stage, 5 stages beside the output, not 6."""
        where = {"element_type": "fp8", "tile": "128x128x128", "scale_factors": "fp8_block"}
        found = values(**where)
        assert found["stage_bytes"] == 32_768 + 512
        assert found["t_transfer"] == (32_768 + 512) / 64
        with_epilogue = {**where, "smem_carveout_bytes": 128 * 128 * 2}
        assert verdict(**with_epilogue, stages=5) == ("none", "none")
        assert verdict(**with_epilogue, stages=6) == ("shared_memory", "none")

    def test_they_lie_on_128_bytes_and_are_copied_as_they_are(self) -> None:
        where = {"element_type": "fp8", "tile": "16x32x128", "scale_factors": "fp8_block"}
        found = values(**where)
        assert found["stage_bytes"] == 48 * 128 + 128
        assert found["t_transfer"] == (48 * 128 + 64) / 64

    def test_none_is_certain(self) -> None:
        tight = {"element_type": "fp8", "tile": "128x128x128", "stages": 7}
        assert verdict(**tight) == ("none", "scale_factors")
        assert verdict(**tight, scale_factors="none") == ("none", "none")

    def test_multicast_shares_them(self) -> None:
        where: dict[str, Any] = {"gpu": "b200", "element_type": "fp8", "tile": "128x256x128"}
        bandwidth = sweep.GPUS["b200"].mem_bytes_per_cycle
        assert bandwidth is not None
        of_a, of_b = 128 * (128 + 4), 256 * (128 + 4)
        found = values(**where, scale_factors="mxfp8", cluster="1x2")
        assert found["t_transfer"] == round(1024 * (of_a / 2 + of_b) / bandwidth) / 1024


class TestAccumulatorsAndOutputs:
    def test_outputs_of_four_bytes(self) -> None:
        """(BM BN / lanes + 4 BM BN / bandwidth)."""
        assert values(element_type_c="fp32")["t_epilogue"] == 256 + 2048
        assert values(element_type_c="fp8")["t_epilogue"] == 256 + 512
        assert values()["t_epilogue"] == 256 + 1024

    def test_sixteen_bit_accumulators_take_half_the_registers(self) -> None:
        for kind, registers in (("fp32", 128 + 32), ("fp16", 64 + 32)):
            space = resolve(PLAIN, {"element_type_acc": kind})
            assert budgets(space.schedules[0], space.values[0]).registers == registers

    def test_defaults_follow_from_the_inputs(self) -> None:
        space = resolve(
            PLAIN, {"element_type": ["bf16", "fp16", "int8"], "element_type_acc": "fp32"}
        )
        assert space.coords["element_type_acc"] == ((), np.array("fp32"))
        assert values(element_type="int8")["accumulator_bytes"] == 4
