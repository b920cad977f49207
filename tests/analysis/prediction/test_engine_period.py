"""The closed period of a k-tile against the engine's, on kernels that were published."""

import numpy as np
import pytest

import analysis
from analysis.prediction.calibration import evidence_of, unit_factors
from analysis.prediction.engine_period import engine_period
from analysis.prediction.gemm import predict_gemm
from analysis.prediction.kernels import LOOKAHEAD, SERIAL
from analysis.prediction.terms.k_tile_period import k_tile_period
from analysis.prediction.terms.k_tile_work import Work
from analysis.prediction.terms.l2_supply import Supply
from sweep.errors import InputError
from tests.analysis.prediction.points import kernel, machine


def array(value):
    return np.asarray(float(value))


WORK, SUPPLY = Work(array(1), array(1), array(1024)), Supply(array(900), array(800))


@pytest.mark.parametrize("blackwell", [False, True])
def test_a_serial_kernel_takes_a_round_trip(blackwell):
    one = kernel(schedule=SERIAL, consumer_warpgroups=1, stages=1)
    found = engine_period(one, machine(blackwell=blackwell), WORK, SUPPLY)
    closed = k_tile_period(one, machine(blackwell=blackwell), WORK, SUPPLY)
    assert float(found.cycles) == float(closed.cycles)


def test_a_deep_ring_is_bound_by_the_tensor_core():
    one = kernel(stages=8, consumer_warpgroups=1, mma_in_flight=0)
    found = engine_period(one, machine(blackwell=True), WORK, SUPPLY)
    assert float(found.cycles) == 1024


def test_a_kernel_that_looks_ahead_keeps_the_closed_expression():
    one = kernel(schedule=LOOKAHEAD)
    closed = k_tile_period(one, machine(), WORK, SUPPLY)
    assert float(engine_period(one, machine(), WORK, SUPPLY).cycles) == float(closed.cycles)


@pytest.mark.parametrize("family", ["hopper", "blackwell"])
def test_published_kernels_are_predicted_as_well_by_either(family):
    evidence = evidence_of(family)
    tiles, factors = evidence.tiles, unit_factors(evidence.libraries)
    units = np.array([factors.get(unit, 1.0) for unit in tiles.units])
    board = tiles.machine._replace(unit=tiles.machine.unit * units)
    means = []
    for period in (k_tile_period, engine_period):
        rates = predict_gemm(tiles.kernel, board, period).tflops
        means.append(100 * np.abs(rates / tiles.measured - 1)[tiles.large].mean())
    assert abs(means[0] - means[1]) < 0.3


def test_either_can_be_asked_for():
    problem = {"gpu": "b200", "m": 8192, "n": 8192, "k": 8192, "stages": 4}
    closed, engine = (
        analysis.predict(**problem, period_from=one).tflops.item() for one in ("closed", "engine")
    )
    assert engine == pytest.approx(closed, rel=0.1)
    with pytest.raises(InputError, match="one for all points"):
        analysis.predict(**problem, period_from=["closed", "engine"])
