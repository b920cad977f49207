"""Presets: every number has a source, and they print."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import pytest

from sweep.catalogue.discovery import discover
from sweep.errors import InputError
from sweep.hardware.capabilities import CAPABILITY_FIELDS
from sweep.hardware.gpu import GPU, GPUS
from sweep.inputs.rules import OCCUPANCY, uses
from sweep.inputs.space import resolve
from sweep.quantities.variables import GPU_FIELDS, VARIABLES

CARDS = list(GPUS.values())


@pytest.fixture(params=CARDS, ids=lambda gpu: gpu.name)
def gpu(request: pytest.FixtureRequest) -> GPU:
    card: GPU = request.param
    return card


def test_fields_are_the_registry() -> None:
    own = {"name", "summary", "element_rates", "sources"}
    assert [f.name for f in dataclasses.fields(GPU) if f.name not in own] == list(GPU_FIELDS)


def test_every_number_has_a_source(gpu: GPU) -> None:
    known = {name for name in GPU_FIELDS if gpu.value(name) is not None}
    rates = {f"element_rates.{name}" for name in gpu.element_rates}
    assert set(gpu.sources) == known | rates
    assert all(len(source) > 5 for source in gpu.sources.values())


def test_numbers_are_within_limits(gpu: GPU) -> None:
    for name in GPU_FIELDS:
        value = gpu.value(name)
        if value is not None:
            assert VARIABLES[name].lower <= value <= VARIABLES[name].upper
    assert (gpu.smem_per_block_bytes or 0) <= (gpu.smem_per_sm_bytes or 0)
    assert set(gpu.element_rates) <= set(VARIABLES["element_type"].choices)


def test_prints_fields_units_and_sources(gpu: GPU) -> None:
    text = repr(gpu)
    assert gpu.name in text
    for name in GPU_FIELDS:
        assert name in text
    for source in gpu.sources.values():
        assert source in text
    assert "FLOP/cycle" in text


def test_pickles(gpu: GPU) -> None:
    assert pickle.loads(pickle.dumps(gpu)) == gpu
    assert hash(gpu) == hash(dataclasses.replace(gpu))


def test_table_prints_every_gpu() -> None:
    text = repr(GPUS)
    assert all(name in text for name in GPUS)
    assert "not known" in text


def test_table_is_read_only() -> None:
    with pytest.raises(TypeError):
        GPUS["mine"] = CARDS[0]  # type: ignore[index]


def test_unknown_gpu_names_the_nearest() -> None:
    with pytest.raises(InputError, match="h100_sxm"):
        GPUS.find("h100")


def test_the_lecture() -> None:
    gpu = GPUS["lecture"]
    assert (gpu.tc_flop_per_cycle, gpu.mem_bytes_per_cycle, gpu.latency_cycles) == (4096, 64, 700)
    assert (gpu.clock_hz, gpu.sm_count, gpu.fma_lanes, gpu.exp_per_cycle) == (1.83e9, 132, 128, 16)
    assert (gpu.staging_bytes_per_cycle, gpu.smem_per_block_bytes) == (256, 232_448)
    assert gpu.registers_per_sm == 65_536


def test_h100_has_half_the_bandwidth_of_the_lecture() -> None:
    assert GPUS["h100_sxm"].mem_bytes_per_cycle == 34
    assert "32-36" in GPUS["h100_sxm"].sources["mem_bytes_per_cycle"]


@pytest.mark.parametrize(
    ("name", "peak"),
    [("v100_sxm2", 125), ("a100_sxm", 312), ("h100_sxm", 989.4), ("b200", 2250)],
)
def test_published_peaks(name: str, peak: float) -> None:
    gpu: Any = GPUS[name]
    assert gpu.sm_count * gpu.clock_hz * gpu.tc_flop_per_cycle / 1e12 == pytest.approx(peak, 3e-3)


@pytest.mark.parametrize(
    ("element_type", "rates"),
    [
        ("bf16", (None, 1, 1, 1)),
        ("fp16", (1, 1, 1, 1)),
        ("tf32", (None, 0.5, 0.5, 0.5)),
        ("fp8", (None, None, 2, 2)),
        ("int8", (None, 2, 2, 2)),
        ("fp4", (None, None, None, 4)),
    ],
)
def test_element_rates(element_type: str, rates: tuple[float | None, ...]) -> None:
    names = ("v100_sxm2", "a100_sxm", "h100_sxm", "b200")
    assert tuple(GPUS[name].element_rates.get(element_type) for name in names) == rates


def test_recalled_numbers_say_so() -> None:
    assert "recalled, not checked" in GPUS["v100_sxm2"].sources["tc_flop_per_cycle"]


def test_unsupported_element_type_says_what_works() -> None:
    with pytest.raises(InputError, match=r"'bf16'.*'v100_sxm2'.*give element_type='fp16'"):
        resolve("sync", {"gpu": "v100_sxm2"})


def test_unknown_field_says_how_to_supply_it() -> None:
    given = {"gpu": "v100_sxm2", "element_type": "fp16"}
    with pytest.raises(InputError, match=r"mem_bytes_per_cycle: .*give mem_bytes_per_cycle=\.\.\."):
        resolve("sync", given)
    assert resolve("sync", {**given, "mem_bytes_per_cycle": 24}).values[0]["t_transfer"] == 2048


@pytest.mark.parametrize("name", GPU_FIELDS)
def test_any_field_can_be_unknown(name: str) -> None:
    """Nothing but the field itself is then refused, and only where it is needed.

    A capability that is not known makes answers unknown instead.
    """
    unknown: dict[str, Any] = {name: None}
    card = dataclasses.replace(GPUS["lecture"], name="mine", **unknown)
    for schedule in ("register_staged", "attention_serial"):
        try:
            resolve(schedule, {"gpu": card})
        except InputError as error:
            assert str(error).startswith(f"{name}: not known for gpu='mine'")
            resolve(schedule, {"gpu": card, name: 64})
        else:
            alone = {"compute_capability", *OCCUPANCY}  # needed where several CTAs share an SM
            followed = name in CAPABILITY_FIELDS and card.value(name) is not None
            unused = name not in uses(discover()[schedule])
            assert name in alone or followed or unused
