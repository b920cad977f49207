"""Every preset, by property: a GPU that is added is covered before anyone writes a test for it."""

from __future__ import annotations

import dataclasses
import math
import re
from pathlib import Path
from typing import Any

import pytest

import sweep
from analysis.budgets.occupancy import occupancy
from analysis.memory.littles_law import in_flight
from analysis.memory.memory_path import LEVELS, memory_path
from sweep.errors import InputError
from sweep.hardware import presets
from sweep.hardware.capabilities import BY_CAPABILITY, CAPABILITY_FIELDS, INSTRUCTIONS, has, lacks
from sweep.hardware.gpu import GPU, GPUS
from sweep.hardware.gpu_checks import check_gpu
from sweep.hardware.presets._preset import digits
from sweep.tensorcore.budgets.reuse import feeding
from sweep.tensorcore.budgets.stages import stage_budget

FILES = sorted(Path(presets.__path__[0]).glob("[!_]*.py"))


@pytest.fixture(params=GPUS.values(), ids=lambda gpu: gpu.name)
def gpu(request: pytest.FixtureRequest) -> GPU:
    card: GPU = request.param
    return card


def some_type(gpu: GPU) -> str:
    return "bf16" if "bf16" in gpu.element_rates else next(iter(gpu.element_rates))


def test_a_file_is_a_gpu() -> None:
    assert sorted(path.stem for path in FILES) == sorted(GPUS)
    assert all(gpu.name == name for name, gpu in GPUS.items())
    assert next(iter(GPUS)) == "lecture"


def test_a_preset_passes_the_checks_of_a_card_of_ones_own(gpu: GPU) -> None:
    check_gpu(gpu)
    assert gpu.summary
    assert (gpu.smem_per_block_bytes or 0) <= (gpu.smem_per_sm_bytes or math.inf)
    assert gpu.compute_capability in BY_CAPABILITY


def test_what_follows_from_the_capability_is_in_one_place(gpu: GPU) -> None:
    row = BY_CAPABILITY[gpu.compute_capability or 0]
    for name in CAPABILITY_FIELDS:
        own = gpu.sources[name] != row[name][1]
        assert own or gpu.value(name) == row[name][0]
    assert gpu.max_threads_per_sm == 32 * (gpu.max_warps_per_sm or 0)
    assert (gpu.tmem_columns == 512) == ("tcgen05" in gpu.instructions)
    assert (gpu.largest_cluster_ctas or 0) > 1 or "cluster" not in gpu.instructions


def test_the_tensor_rate_times_the_clock_is_the_peak_that_the_sources_tell(gpu: GPU) -> None:
    """Where a source tells "N TFLOP/s ... over S SMs", the numbers multiply to it."""
    told = gpu.sources["clock_hz"] + gpu.sources["tc_flop_per_cycle"]
    found = re.search(r"derived: ([\d,.]+) TFLOP/s", told)
    assert gpu.sm_count
    assert gpu.clock_hz
    assert gpu.tc_flop_per_cycle
    peak = gpu.sm_count * gpu.clock_hz * gpu.tc_flop_per_cycle / 1e12
    if found:
        assert peak == pytest.approx(float(found[1].replace(",", "")), rel=1e-3)
    assert 10 < peak < 100_000


@pytest.mark.parametrize(
    ("name", "peak"),
    [
        ("h100_pcie", 756),
        ("h20", 148),
        ("h800_sxm", 989.4),
        ("gb200", 2500),
        ("b300", 2250),
        ("gb300", 2500),
        ("a100_sxm_40gb", 312),
        ("l40s", 362),
        ("rtx_4090", 165.2),
        ("rtx_5090", 209.5),
    ],
)
def test_published_peaks(name: str, peak: float) -> None:
    gpu: Any = GPUS[name]
    assert gpu.sm_count * gpu.clock_hz * gpu.tc_flop_per_cycle / 1e12 == pytest.approx(peak, 3e-3)


@pytest.mark.parametrize(
    ("name", "half"), [("rtx_4090", True), ("rtx_5090", True), ("l40s", False)]
)
def test_cards_for_games_halve_the_rate_with_fp32_accumulation(name: str, half: bool) -> None:
    gpu = GPUS[name]
    assert gpu.tc_flop_per_cycle == (512 if half else 1024)
    assert gpu.element_rates["int8"] == (4 if half else 2)  # integers are not slowed down
    assert gpu.element_rates["fp8"] == 2


def test_derived_bytes_per_cycle_multiply_back() -> None:
    """Independent of the presets' own arithmetic: bytes per second over clock over SMs."""
    for name, per_second, hz, sms in (
        ("a100_sxm", 5.4e12, 1.41e9, 108),
        ("h100_pcie", 7.0e12, 1.755e9, 114),
        ("l40s", 5.2e12, 2.49e9, 142),
        ("rtx_5090", 8.7e12, 2.6e9, 188),
    ):
        assert GPUS[name].mem_bytes_per_cycle == pytest.approx(per_second / hz / sms, rel=5e-3)
    for name, sms in (("b200", 148), ("gb200", 152), ("b300", 148), ("gb300", 152)):
        assert GPUS[name].mem_bytes_per_cycle == pytest.approx(13_300 / sms, rel=5e-3)
    assert GPUS["rtx_4090"].mem_bytes_per_cycle == pytest.approx(1945.6 / 128, rel=5e-3)
    assert digits(0.0123456, 2) == 0.012


def test_a_preset_is_taken_everywhere(gpu: GPU) -> None:
    kind = some_type(gpu)
    given = {} if gpu.mem_bytes_per_cycle else {"mem_bytes_per_cycle": 24}
    one = sweep.simulate("sync", gpu=gpu.name, element_type=kind, k_tiles=2, **given)
    assert one.cycles > 0
    assert one.gpu == gpu.name
    assert occupancy(128, 64, 16_384, gpu.name).ctas >= 1
    assert tuple(level.name for level in memory_path(gpu.name)) == LEVELS
    assert {"host_link", "dram"} <= {row.level for row in in_flight(gpu.name)}
    assert feeding(gpu.name, "64x64", instruction="mma", element_type=kind).needed > 0
    assert stage_budget(gpu.name, "128x128x32", kind, 1e-6).stages_fit >= 1


def test_every_number_is_within_reach_of_its_kind(gpu: GPU) -> None:
    """Magnitudes: a slip of a unit or of a thousand does not pass."""
    bounds = {
        "sm_count": (8, 1000),
        "clock_hz": (0.5e9, 5e9),
        "mem_bytes_per_cycle": (4, 512),
        "latency_cycles": (200, 3000),
        "exp_per_cycle": (4, 128),
        "fma_lanes": (32, 512),
        "smem_per_sm_bytes": (32 * 1024, 1024 * 1024),
        "l2_bytes": (2**20, 2**30),
        "dram_bytes_per_second": (0.1e12, 50e12),
        "l2_latency_cycles": (100, 1000),
        "shared_memory_latency_cycles": (10, 100),
        "host_link_bytes_per_second": (5e9, 5e12),
    }
    for name, (low, high) in bounds.items():
        value = gpu.value(name)
        assert value is None or low <= value <= high, name


def test_a_gpu_is_looked_up_in_one_place() -> None:
    root = Path(sweep.__file__).parents[1]
    paths = (
        path for room in ("sweep", "analysis", "figures") for path in (root / room).rglob("*.py")
    )
    found = [path.stem for path in paths if re.search(r"GPUS\.find\(", path.read_text())]
    assert found == ["lookup"]


def test_capability_rows_agree_with_the_instructions() -> None:
    for capability, row in BY_CAPABILITY.items():
        for instruction in INSTRUCTIONS:
            assert bool(has(instruction, capability)) != bool(lacks(instruction, capability))
        assert (row["tmem_columns"][0] > 0) == bool(has("tcgen05", capability))
        assert (row["largest_cluster_ctas"][0] > 1) == bool(has("cluster", capability))
        assert row["portable_cluster_ctas"][0] <= row["largest_cluster_ctas"][0]
    assert not has("mma.sync", None)
    assert not lacks("mma.sync", None)


def test_a_card_of_ones_own_follows_its_capability() -> None:
    mine = sweep.GPU("mine", compute_capability=8.6)
    assert (mine.max_warps_per_sm, mine.max_ctas_per_sm, mine.tmem_columns) == (48, 16, 0)
    assert mine.instructions == ("mma.sync", "cp.async")
    moved = dataclasses.replace(GPUS["h100_sxm"], name="moved", compute_capability=8.9)
    assert (moved.max_ctas_per_sm, moved.largest_cluster_ctas) == (24, 1)
    kept = dataclasses.replace(GPUS["h100_sxm"], name="kept", max_ctas_per_sm=7)
    assert dataclasses.replace(kept, compute_capability=8.9).max_ctas_per_sm == 7
    unheard = sweep.GPU("unheard", compute_capability=99.0)
    assert unheard.max_warps_per_sm is None
    with pytest.raises(InputError, match=r"registers_per_sm: not known for gpu='unheard'; give"):
        occupancy(128, 64, 0, unheard)
    assert sweep.GPU("bare").instructions == ()
    assert "not known" in repr(sweep.GPU("bare"))


def test_occupancy_counts_tensor_memory() -> None:
    """Columns: a power of two, at least 32, of 512; a GPU without has none to give."""
    fit = occupancy(128, 32, 0, "b200", tensor_columns=[0, 1, 32, 33, 128, 129, 256, 512, 513])
    assert fit.by_tensor_memory.tolist() == [32, 16, 16, 8, 4, 2, 2, 1, 0]
    none = occupancy(128, 32, 0, "h100_sxm", tensor_columns=32)
    assert (none.ctas, none.limited_by) == (0, "tensor_memory")
    known = {"registers_per_sm": 65_536, "max_registers_per_thread": 255}
    known |= dict.fromkeys(("smem_per_sm_bytes", "smem_per_block_bytes"), 100_000)
    mine = sweep.GPU("mine", compute_capability=9.0)
    assert occupancy(128, 32, 0, mine, **known).ctas >= 1
    known |= {name: BY_CAPABILITY[9.0][name][0] for name in CAPABILITY_FIELDS if "clus" not in name}
    del known["tmem_columns"]
    with pytest.raises(InputError, match="tmem_columns: not known for gpu='bare'"):
        occupancy(128, 32, 0, sweep.GPU("bare"), tensor_columns=32, **known)
    assert occupancy(128, 32, 0, sweep.GPU("bare"), **known).ctas >= 1
    with pytest.raises(InputError, match="sm_count: has no effect on occupancy"):
        occupancy(128, 32, sm_count=3)


@pytest.mark.parametrize(("tile_k", "ctas"), [(64, 4), (128, 3), (256, 1)])
def test_ctas_of_a_serial_kernel_on_b200(tile_k: int, ctas: int) -> None:
    """One stage of 128 x 128: 4 by Tensor Memory, then 3 and 1 by shared memory."""
    stage = 2 * (128 + 128) * tile_k
    found = occupancy(192, 64, stage, "b200", tensor_columns=128)
    assert found.ctas == ctas
    assert found.limited_by == ("tensor_memory" if ctas == 4 else "shared_memory")
