"""DRAM traffic: strips per wave counted tile by tile, in closed form, and vectorised."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from numba import config

from analysis.data_path.wave_traffic import fewest_wave_elements, floor_sum, row_major_strips
from sweep.errors import InputError
from sweep.tensorcore import dram_traffic
from sweep.tensorcore.traffic.orders import tile_order

PURE = bool(config.DISABLE_JIT)
RNG = np.random.default_rng(11)


def tile_by_tile(
    m: int, n: int, tile: tuple[int, int], group: int, slots: int, cluster: tuple[int, int] = (1, 1)
) -> tuple[int, int]:
    """Sum the elements that waves touch, and the most of a wave, from the order itself."""
    high, wide = tile[0] * cluster[0], tile[1] * cluster[1]
    order = tile_order(-(-m // high), -(-n // wide), group).tolist()
    waves = []
    for first in range(0, len(order), slots):
        part = order[first : first + slots]
        rows = {i for row, _ in part for i in range(row * high, min(m, (row + 1) * high))}
        columns = {
            i for _, column in part for i in range(column * wide, min(n, (column + 1) * wide))
        }
        waves.append(len(rows) + len(columns))
    return sum(waves), max(waves)


def test_random_points_tile_by_tile() -> None:
    for _ in range(300):
        m, n, k = (int(size) for size in RNG.integers(1, 120, 3))
        tile = tuple(int(size) for size in RNG.integers(1, 24, 2))
        group, slots = int(RNG.integers(1, 12)), int(RNG.integers(1, 40))
        cluster = tuple(int(size) for size in RNG.integers(1, 3, 2))
        if slots < cluster[0] * cluster[1]:
            continue
        found = dram_traffic(
            m, n, k, tile, order="grouped", group=group, cluster=cluster, sm_count=slots
        )
        clusters = slots // (cluster[0] * cluster[1])
        total, most = tile_by_tile(m, n, tile, group, clusters, cluster)  # type: ignore[arg-type]
        assert found.bytes == 2 * total * k + 2 * m * n
        assert found.wave_bytes == 2 * most * k


def test_row_major_in_closed_form() -> None:
    for _ in range(300):
        grid_m, grid_n, slots = (int(size) for size in RNG.integers(1, 60, 3))
        rows, columns = row_major_strips(grid_m, grid_n, slots)
        found = dram_traffic(8 * grid_m, 32 * grid_n, 1, (8, 32), sm_count=slots)
        assert found.bytes == 2 * (8 * rows + 32 * columns) + 2 * 256 * grid_m * grid_n


def test_floor_sum() -> None:
    for _ in range(200):
        count, divisor, step, start = (int(one) for one in RNG.integers([0, 1, 0, 0], 50))
        assert floor_sum(count, divisor, step, start) == sum(
            (step * i + start) // divisor for i in range(count)
        )


@pytest.mark.parametrize(
    ("tile", "microseconds", "tolerance"),
    [("64x64", 340, 10), ("128x128", 100, 5), ("128x256", 60, 3)],
)
def test_reference_product(tile: str, microseconds: float, tolerance: float) -> None:
    found = dram_traffic(4096, 4096, 4096, tile)
    assert found.seconds * 1e6 == pytest.approx(microseconds, abs=tolerance)
    assert found.seconds == found.bytes / 3.35e12
    assert found.compute_seconds * 1e6 == pytest.approx(139, abs=1)
    assert found.floor_bytes == 3 * 2 * 4096**2
    assert found.l2_needed_bytes == 2 * 2 * 4096**2
    assert found.l2_read_bytes == 2 * 4096**3 * (1 / found_tile(tile)[0] + 1 / found_tile(tile)[1])


def found_tile(text: str) -> list[int]:
    return [int(size) for size in text.split("x")]


def test_an_l2_that_holds_both_operands_gives_the_floor() -> None:
    need = 2 * 2 * 4096**2
    small, enough = (
        dram_traffic(4096, 4096, 4096, "128x128", l2_bytes=one) for one in (need - 1, need)
    )
    assert (small.fits_l2, enough.fits_l2) == (False, True)
    assert small.bytes_with_l2 == small.bytes == enough.bytes
    assert enough.bytes_with_l2 == enough.floor_bytes < enough.bytes
    assert dram_traffic(4096, 4096, 4096, gpu="b200").fits_l2


def test_one_wave_reads_everything_once() -> None:
    found = dram_traffic(1000, 1100, 300, "128x128")
    assert found.waves == 1
    assert found.bytes == found.floor_bytes == 2 * (1000 * 300 + 1100 * 300 + 1000 * 1100)


def test_groups_make_waves_square() -> None:
    size, tile = 16_384, (128, 128)
    row, grouped = (
        dram_traffic(size, size, size, tile, order="grouped", group=group, sm_count=128)
        for group in (1, 8)
    )
    assert row.bytes == dram_traffic(size, size, size, tile, sm_count=128).bytes
    assert row.wave_bytes == 2 * size * 128 * (1 + 128)
    assert grouped.wave_bytes == 2 * size * 128 * (8 + 16)
    assert grouped.bytes == grouped.waves * grouped.wave_bytes + 2 * size**2
    bound = 2 * size * fewest_wave_elements(128, *tile)
    assert bound <= grouped.wave_bytes < 1.07 * bound < row.wave_bytes


def test_multicast_reads_l2_once_per_cluster() -> None:
    alone = dram_traffic(4096, 4096, 4096, "128x256")
    pair = dram_traffic(4096, 4096, 4096, "128x256", cluster="2x1")
    assert alone.l2_read_bytes == 2 * 4096 * (4096 * 16 + 4096 * 32)
    assert pair.l2_read_bytes == 2 * 4096 * (4096 * 16 + 4096 * 16)
    assert dram_traffic(4096, 4096, 4096, "128x256", cluster=(1, 2)).l2_read_bytes == 2 * 4096 * (
        4096 * 8 + 4096 * 32
    )


def test_multicast_of_a_wide_product() -> None:
    found = dram_traffic(1000, 5000, 3, "128x256", cluster=(2, 3))
    assert found.l2_read_bytes == 2 * 3 * (1000 * 7 + 5000 * 4)


def test_stream_k_fills_waves_of_whole_clusters() -> None:
    found = dram_traffic(131 * 128, 128, 4096, "128x128", cluster=(5, 1))
    assert found.stream_k_tiles == 130
    assert dram_traffic(131 * 128, 128, 4096, "128x128").stream_k_tiles == 0


def test_clusters_leave_sms_idle() -> None:
    found = dram_traffic(4096, 4096, 64, "128x128", cluster=(5, 1))
    assert found.waves == -(-(7 * 32) // (132 // 5))
    assert found.wave_efficiency == 1024 / (found.waves * 132)
    assert found.waves_filled == 1024 / 132


def test_waves_of_170_sms() -> None:
    found = dram_traffic(512, [5120, 17_408], 4096, "128x128", sm_count=170)
    assert found.tiles.tolist() == [160, 544]
    assert found.waves.tolist() == [1, 4]
    assert found.waves_filled.round(2).tolist() == [0.94, 3.2]
    assert found.wave_efficiency.tolist() == [160 / 170, 0.8]
    assert found.stream_k_tiles.tolist() == [0, 204]
    assert found.stream_k_tiles_forced.tolist() == [160, 204]
    assert dram_traffic(512, 17_408, 512, "128x128x64", sm_count=170).stream_k_tiles == 0


def test_element_types() -> None:
    half, byte, nibble = (
        dram_traffic(256, 256, 256, "64x64", "b200", element_type=one)
        for one in ("bf16", "fp8", "fp4")
    )
    assert half.l2_needed_bytes == 2 * byte.l2_needed_bytes == 4 * nibble.l2_needed_bytes
    assert half.compute_seconds == 4 * nibble.compute_seconds
    assert dram_traffic(1, 1, 1, "1x1", "b200", element_type="fp4").floor_bytes == 1 + 2


def test_tiles_as_text_tuples_lists_and_arrays() -> None:
    texts = dram_traffic(4096, 4096, 4096, ["64x64", "128x256"]).bytes
    assert np.array_equal(texts, dram_traffic(4096, 4096, 4096, [(64, 64), (128, 256)]).bytes)
    arrays = (np.array([64, 128]), np.array([64, 256]))
    assert np.array_equal(texts, dram_traffic(4096, 4096, 4096, arrays).bytes)
    assert np.array_equal(texts, dram_traffic(4096, 4096, 4096, np.stack(arrays, axis=-1)).bytes)
    assert type(dram_traffic(4096, 4096, 4096, "64x64").bytes) is int


def test_a_million_points_in_seconds() -> None:
    points = 300 if PURE else 1_000_000
    m, n, k = 256 * RNG.integers(1, 65, (3, points))
    tile = tuple(RNG.choice([64, 128, 256], (2, points)))
    group = 2 ** RNG.integers(0, 5, points)
    dram_traffic(m[:1], n[:1], k[:1])
    began = time.perf_counter()
    found = dram_traffic(m, n, k, tile, "h100_sxm", "grouped", group)
    assert time.perf_counter() - began < 30
    assert (found.bytes >= found.floor_bytes).all()
    for i in range(0, points, points // 5):
        one = dram_traffic(
            m[i], n[i], k[i], (tile[0][i], tile[1][i]), "h100_sxm", "grouped", group[i]
        )
        assert one.bytes == found.bytes[i]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"m": 0}, "m=0: must be at least 1"),
        ({"n": -3}, "n=-3: must be at least 1"),
        ({"k": 1.5}, "k=1.5: must be a whole number"),
        ({"m": np.nan}, "m=nan: must be finite"),
        ({"m": "many"}, "m='many': must be a whole number"),
        ({"tile": "128"}, "tile='128': must be 2 or 3 whole numbers"),
        ({"tile": ["128x128", "128x128x64"]}, "must be 2 or 3 whole numbers"),
        ({"tile": []}, "tile: is empty"),
        ({"tile": (128, 0)}, "tile N=0: must be at least 1"),
        ({"order": "column"}, "order"),
        ({"group": 8}, "group=8: has no effect on order='row'; give order='grouped'"),
        ({"group": 0, "order": "grouped"}, "group=0: must be at least 1"),
        ({"cluster": (17, 1)}, "cluster M=17: must be at most 16"),
        ({"cluster": (8, 4)}, "cluster=32 CTAs: no GPU has clusters of more than 16"),
        ({"cluster": (4, 4)}, "cluster=16 CTAs: must be at most max_cluster_ctas=8"),
        ({"cluster": "2x1", "gpu": "a100_sxm"}, "gpu='a100_sxm' has 8.0; give cluster='1x1'"),
        (
            {"cluster": (4, 4), "sm_count": 15, "max_cluster_ctas": 16},
            "cluster=16 CTAs: more than the GPU has SMs",
        ),
        ({"max_cluster_ctas": 17}, "max_cluster_ctas=17: must be at most 16"),
        ({"cluster": "2"}, "must be 2 whole numbers"),
        ({"element_type": "fp61"}, "unknown element_type"),
        ({"gpu": "h100"}, "did you mean"),
        ({"clock": 1}, "clock: has no effect on DRAM traffic"),
        (
            {"m": 2**31 - 1, "n": 2**31 - 1, "tile": "64x64"},
            "CTAs, a grid has at most 2,147,483,647",
        ),
        ({"m": 2**31 - 1, "n": 2**31 - 1, "k": 2**31 - 1, "tile": "1048576x1048576"}, "exactly"),
        ({"m": [1, 2], "n": [1, 2, 3]}, "do not broadcast"),
    ],
)
def test_refusals(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refusal:
        dram_traffic(**({"m": 4096, "n": 4096, "k": 4096} | change))
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_closed_form_refuses_nothing_to_count() -> None:
    with pytest.raises(InputError, match="slots=0: must be at least 1"):
        row_major_strips(4, 4, 0)
