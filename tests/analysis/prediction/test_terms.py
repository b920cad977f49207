"""Every term against values worked out by hand, one per branch."""

import numpy as np
import pytest

from analysis.prediction.kernels import (
    ASYNC,
    LOOKAHEAD,
    MULTISTAGE,
    NAIVE,
    OVERLAP,
    PINGPONG,
    SERIAL,
    TMA,
    WARP_SPECIALIZED,
)
from analysis.prediction.terms.dram_bytes import dram_bytes
from analysis.prediction.terms.epilogue_time import epilogue_time
from analysis.prediction.terms.grid_waves import Grid, grid_cycles, grid_of
from analysis.prediction.terms.k_tile_period import Period, k_tile_period
from analysis.prediction.terms.k_tile_work import Work, k_tile_work
from analysis.prediction.terms.l2_supply import Supply, l2_share, l2_supply
from analysis.prediction.terms.power_clock import power_clock
from analysis.prediction.terms.residency import ctas_per_sm, ctas_that_fit
from analysis.prediction.terms.smooth_maximum import smooth_maximum
from tests.analysis.prediction.points import kernel, machine


def array(value):
    return np.asarray(float(value))


def smooth(*values):
    return sum(value**12 for value in values) ** (1 / 12)


@pytest.mark.parametrize(
    ("tile", "changed", "blackwell", "expected"),
    [
        ((128, 256, 64), {}, False, (49_152, 49_152, 1024)),
        ((128, 256, 64), {"cluster_m": 2}, False, (49_152, 32_768, 1024)),
        ((128, 256, 64), {"cluster_n": 2}, False, (49_152, 40_960, 1024)),
        ((128, 256, 64), {"cta_pair": 2}, True, (32_768, 32_768, 1024)),
        ((128, 32, 64), {}, False, (20_480, 20_480, 128 * 1.5)),
        ((64, 256, 64), {}, True, (40_960, 40_960, 1024)),
        ((128, 64, 64), {}, True, (24_576, 24_576, 256 * 1.3)),
    ],
)
def test_work_of_a_k_tile(tile, changed, blackwell, expected):
    one = kernel(tile_m=tile[0], tile_n=tile[1], tile_k=tile[2], **changed)
    found = k_tile_work(one, machine(blackwell=blackwell))
    assert [float(value) for value in found] == pytest.approx(expected)


def test_l2_supply():
    one = kernel(m=4096, n=4096, k=4096)
    share = l2_share(one, machine())
    assert float(share) == pytest.approx(50 / (64 + 32))
    assert float(l2_share(kernel(m=512, n=512, k=512), machine())) == 1
    work = Work(array(49_152), array(49_152), array(1024))
    found = l2_supply(work, machine(), array(0.8), array(1.6))
    assert float(found.transfer) == pytest.approx(49_152 / (40 * 1.1 * 2.0 / 1.6))
    assert float(found.latency) == pytest.approx((800 + 300 * 0.2) * 0.8)
    shared = l2_supply(work._replace(copied=array(1024)), machine(), array(0.8), array(1.6))
    assert float(shared.transfer) == 49_152 / 64, "the port of shared memory binds"


ROUND = 10 + 800 + 900 + 1024 + 100 + 120
FETCH = 10 + 800 + 900 + 60


@pytest.mark.parametrize(
    ("changed", "blackwell", "expected"),
    [
        ({"schedule": SERIAL, "consumer_warpgroups": 1}, False, ROUND),
        ({"schedule": SERIAL}, False, ROUND + 150),
        ({"schedule": LOOKAHEAD}, False, smooth(1024 + 100 + 60 + 150, (FETCH + 150) / 3)),
        ({"schedule": MULTISTAGE}, False, smooth(1034, (ROUND + 150) / 4)),
        (
            {"schedule": MULTISTAGE, "mma_in_flight": 0},
            False,
            smooth(1034 + 160 + 150, (ROUND + 150) / 4),
        ),
        ({}, False, smooth(1024, ROUND / 4, FETCH / 3)),
        ({"mma_in_flight": 0}, False, smooth(1024 + 0.3 * 160, ROUND / 4, FETCH / 4)),
        (
            {"mma_in_flight": 0, "consumer_warpgroups": 1},
            False,
            smooth(1024 + 160, ROUND / 4, FETCH / 4),
        ),
        ({"schedule": PINGPONG, "stages": 1}, False, smooth(1024, ROUND, FETCH)),
        ({}, True, smooth(1024, ROUND / 4, FETCH / 4)),
        ({"library_barriers": 1}, False, smooth(1024, (ROUND + 300) / 4, (FETCH + 150) / 3)),
        ({"copy_issue": 100}, False, smooth(1024, (ROUND + 90) / 4, (FETCH + 90) / 3)),
    ],
)
def test_period_of_a_k_tile(changed, blackwell, expected):
    work = Work(array(1), array(1), array(1024))
    supply = Supply(array(900), array(800))
    found = k_tile_period(kernel(**changed), machine(blackwell=blackwell), work, supply)
    assert float(found.cycles) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("tile", "stages", "threads", "blackwell", "expected"),
    [
        ((128, 128, 64), 1, 128, True, 4),
        ((128, 128, 128), 1, 128, True, 3),
        ((128, 128, 256), 1, 128, True, 1),
        ((64, 64, 64), 1, 128, True, 8),
        ((64, 64, 64), 1, 128, False, 5),
        ((128, 128, 64), 1, 128, False, 2),
        ((128, 256, 64), 5, 384, False, 0),
    ],
)
def test_ctas_that_fit(tile, stages, threads, blackwell, expected):
    one = kernel(
        tile_m=tile[0], tile_n=tile[1], tile_k=tile[2], stages=stages, threads=threads
    )._replace(schedule=array(SERIAL), persistent=array(0))
    board = machine(blackwell=blackwell)
    work = k_tile_work(one, board)
    assert int(ctas_that_fit(one, board, work)) == expected
    assert int(ctas_per_sm(one, board, work)) == max(1, expected)
    assert int(ctas_per_sm(one._replace(persistent=array(1)), board, work)) == 1
    assert int(ctas_per_sm(one._replace(schedule=array(WARP_SPECIALIZED)), board, work)) == 1
    assert int(ctas_per_sm(one._replace(ctas_per_sm=array(2)), board, work)) == 2


@pytest.mark.parametrize(
    ("kind", "half", "expected"),
    [
        (NAIVE, 0, 0.28 * 32_768 + 300),
        (NAIVE, 1, 2 * (0.28 * 32_768 + 300)),
        (TMA, 0, 800 + 2048),
        (ASYNC, 0, 0.4 * 2848),
        (OVERLAP, 0, 2848),
    ],
)
def test_epilogue(kind, half, expected):
    found = epilogue_time(kernel(epilogue=kind, half_sectors=half), machine())
    assert float(found) == pytest.approx(expected)


def cycles(period=1000.0, ctas=1, work=500.0, **changed):
    one = kernel(**changed)
    grid = grid_of(one, array(ctas))
    limits = Period(array(period), array(period), array(0))
    supply, done = Supply(array(100), array(800)), Work(array(1), array(1), array(work))
    return float(grid_cycles(one, machine(), grid, done, supply, limits, array(3000))), grid


READY = 700 + 800 + 100


def test_persistent_grids():
    found, grid = cycles()
    assert [int(x) for x in (grid.rows, grid.columns, grid.tiles, grid.k_tiles)] == [
        64,
        32,
        2048,
        128,
    ]
    assert int(grid.waves) == 16
    assert found == pytest.approx(16 * (128_000 + 3000) + READY, rel=1e-4)
    found, _ = cycles(epilogue=OVERLAP)
    assert found == pytest.approx(16 * (128_120 + 500) + READY + 3000, rel=1e-4)
    found, _ = cycles(epilogue=OVERLAP, k=128)
    assert found == pytest.approx(16 * (smooth(2120, 3000) + 500) + READY + 3000, rel=1e-4)
    found, _ = cycles(schedule=PINGPONG)
    assert found == pytest.approx(16 * 128_120 + READY + 3000, rel=1e-4)
    found, _ = cycles(schedule=PINGPONG, k=128)
    assert found == pytest.approx(16 * 2500 + READY + 3000, rel=1e-4)


def test_grids_of_one_tile_per_cta():
    found, _ = cycles(persistent=0)
    assert found == pytest.approx(16 * (READY + 128_000 + 3000), rel=1e-4)
    found, grid = cycles(persistent=0, sms_used=132)
    assert int(grid.waves) == 16, "15 whole ones and 68 tiles"
    assert found == pytest.approx(16 * (READY + 128_000 + 3000), rel=1e-4)
    _, grid = cycles(persistent=0, sms_used=131, cluster_m=2)
    assert int(grid.slots) == 130


def test_ctas_that_share_an_sm():
    best, first = smooth(500, 100), READY + 128_000 + 3000
    shared = 128 * best
    tile = smooth(first / 2, shared)
    found, _ = cycles(persistent=0, ctas=2)
    assert found == pytest.approx(8 * 2 * tile), "2,048 tiles are 8 rounds of 2 on 128 SMs"
    found, _ = cycles(persistent=0, ctas=2, m=128 * 5, n=256 * 128)
    assert found == pytest.approx(2 * 2 * tile + min(2 * tile, max(first, shared)))


def test_a_period_below_what_the_l2_gives():
    found, _ = cycles(period=90.0)
    assert found == pytest.approx(16 * (128 * smooth(90, 100) + 3000) + READY)


def test_dram_bytes():
    grid = Grid(*(array(one) for one in (64, 32, 2048, 128, 128, 1)))
    found = dram_bytes(kernel(), machine(), grid)
    wave = (8 * 128 + 16 * 256) * 8192 * 2
    assert float(found) == 2048 / 128 * wave + 8192 * 8192 * 2
    small = dram_bytes(kernel(m=512, n=512), machine(), grid)
    assert float(small) == 1024 * 8192 * 2 + 512 * 512 * 2


def test_power_clock():
    assert float(power_clock(machine(), array(0.9), array(20))) == pytest.approx(2.5 / 1.38)
    assert float(power_clock(machine(), array(0.1), array(20))) == 2.0, "the highest clock"
    assert float(power_clock(machine(unit=0.8), array(0.9), array(20))) == pytest.approx(2 / 1.38)


def test_smooth_maximum():
    assert float(smooth_maximum(array(3), array(0))) == 3
    assert float(smooth_maximum(array(3), array(2))) == pytest.approx(smooth(3, 2))
    assert float(smooth_maximum(array(0), array(0))) == 0
