"""Little's law at every level, rings against it, and thread-level parallelism."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis.budgets.thread_parallelism import thread_parallelism, warps_needed
from analysis.memory.littles_law import bytes_in_flight, in_flight, ring_bandwidth, stages_in_flight
from analysis.memory.memory_path import LEVELS, known, memory_path
from sweep.errors import InputError
from sweep.hardware.gpu import GPUS
from tests.accounts.recurrences import RECURRENCES
from tests.accounts.test_recurrences import random_points
from tests.support.points import scaled

POINTS = scaled(2_000)


def test_lecture_figures() -> None:
    assert bytes_in_flight(64, 700) == 44_800
    assert stages_in_flight(44_800, 49_152) == pytest.approx(0.91, abs=0.005)
    rows = {row.level: row for row in in_flight("lecture")}
    assert rows["dram"].gpu_bytes == pytest.approx(1.28e6, abs=5e3)
    assert rows["dram"].sm_bytes == pytest.approx(9.7e3, abs=50)
    assert rows["l2"].sm_bytes == pytest.approx(44_800)
    assert all(row.covered for row in rows.values())
    assert tuple(rows) == LEVELS


def test_products_are_independent_of_units() -> None:
    cycles = bytes_in_flight(64 * 132, 700)
    seconds = bytes_in_flight(64 * 132 * 1.83e9, 700 / 1.83e9)
    assert seconds == pytest.approx(float(cycles), rel=1e-15)


@pytest.mark.parametrize("gpu", list(GPUS))
def test_every_known_level_is_reported(gpu: str) -> None:
    path = memory_path(gpu)
    assert tuple(level.name for level in path) == LEVELS
    answerable = {level.name for level in path if level.latency_seconds and level.bytes_per_second}
    assert {row.level for row in in_flight(gpu)} == answerable
    for level in path:
        if level.bytes_per_second is not None:
            assert level.bandwidth_source
        if level.latency_seconds is not None:
            assert level.latency_source


def test_the_path_of_every_gpu_is_its_own_numbers() -> None:
    """Each level tells the source that the GPU's own file gives; any host's latency will do."""
    for gpu in GPUS.values():
        host, dram, l2, shared = memory_path(gpu)
        assert host.bandwidth_source == gpu.sources.get("host_link_bytes_per_second", "")
        assert dram.latency_source == gpu.sources.get("latency_cycles", "")
        assert l2.latency_source == gpu.sources.get("l2_latency_cycles", "")
        assert shared.latency_source == gpu.sources.get("shared_memory_latency_cycles", "")
        assert host.latency_source


def test_bandwidth_rises_and_latency_falls_towards_the_sm() -> None:
    path = memory_path("h100_sxm")
    bandwidths = [known(level, "bytes_per_second") for level in path]
    latencies = [known(level, "latency_seconds") for level in path]
    assert bandwidths == sorted(bandwidths)
    assert latencies == sorted(latencies, reverse=True)


def test_given_numbers_replace_known_ones() -> None:
    (host,) = (row for row in in_flight(host_link_latency_seconds=2e-6) if row.level == "host_link")
    assert host.gpu_bytes == pytest.approx(63e9 * 2e-6)
    doubled = {row.level: row for row in in_flight(latency_cycles=1400)}
    assert doubled["dram"].gpu_bytes == pytest.approx(2 * 1.2814e6, rel=1e-3)


def test_what_is_not_known_is_named_with_the_way_out() -> None:
    volta = memory_path("v100_sxm2")
    l2 = next(level for level in volta if level.name == "l2")
    with pytest.raises(InputError, match=r"bytes_per_second of l2.*mem_bytes_per_cycle"):
        known(l2, "bytes_per_second")
    with pytest.raises(InputError, match="did you mean 'l2_latency_cycles'"):
        memory_path(l2_latency_cycle=300)
    with pytest.raises(InputError, match="sm_count"):
        in_flight(replace(GPUS["lecture"], sm_count=None))


@pytest.mark.parametrize("schedule", ["multistage", "warp_specialized", "persistent", "pingpong"])
def test_no_ring_exceeds_its_bandwidth(schedule: str) -> None:
    recurrence = RECURRENCES[schedule]
    p = random_points(recurrence.parameters, POINTS, seed=11)
    cycles = recurrence.batch_cycles(p)
    round_trip = p["t_issue"] + p["t_transfer"] + p["t_latency"] + p["t_mma"]
    some = round_trip > 0
    copied = 49_152 * p["k_tiles"] * p.get("output_tiles", 1)
    most = ring_bandwidth(p["stages"][some], 49_152, round_trip[some])
    assert np.all(copied[some] <= most * cycles[some] * (1 + 1e-12))


def test_shallow_ring_reaches_its_bandwidth() -> None:
    recurrence = RECURRENCES["warp_specialized"]
    takes = {"t_issue": 10, "t_transfer": 768, "t_latency": 700, "t_mma": 1024, "t_epilogue": 0}
    cycles = recurrence.cycles({**takes, "stages": 2, "k_tiles": 10_000})
    assert 10_000 * 49_152 / cycles == pytest.approx(
        float(ring_bandwidth(2, 49_152, 2502)), rel=1e-3
    )


def test_warps_alone_do_not_do() -> None:
    assert warps_needed(44_800) == 88
    assert warps_needed(44_800) > 64
    assert warps_needed([512, 513], 16).tolist() == [1, 2]


def test_big_tiles_let_in_one_cta() -> None:
    big = thread_parallelism("128x256x64")
    assert (big.needed, big.fitting, big.occupancy.limited_by) == (3, 1, "registers")
    assert big.tc_utilization == pytest.approx(1024 / 2592)


def test_small_tiles_are_bound_by_bandwidth() -> None:
    small = thread_parallelism("64x64x64", warpgroups=1)
    assert small.fitting >= small.needed
    assert small.tc_utilization == 0.5


def test_thread_parallelism_needs_a_bandwidth() -> None:
    with pytest.raises(InputError, match="t_transfer"):
        thread_parallelism(gpu="v100_sxm2", element_type="fp16")
