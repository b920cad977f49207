"""The whole prediction: fixed point, limits, monotonicity, the face and the command."""

import json
import time

import numpy as np
import pytest
import xarray as xr
from click.testing import CliRunner

import analysis
import sweep
from analysis.commands import predict as command
from analysis.prediction.gemm import BINDINGS, predict_gemm
from analysis.prediction.kernels import SCHEDULES
from analysis.prediction.terms.power_clock import power_clock
from sweep.errors import InputError
from sweep.quantities.predicted import BINDINGS as BINDING_WORDS
from sweep.quantities.predicted import PREDICTED
from tests.analysis.prediction.points import KERNEL, kernel, machine

PROBLEM = {"gpu": "h100_sxm", "m": 8192, "n": 8192, "k": 8192}


def test_the_clock_is_the_fixed_point_and_the_only_one():
    board = machine()
    found = predict_gemm(kernel(), board)
    copied = 49_152 * 128 * 2048 / (found.cycles * 128)
    assert float(found.clock) == pytest.approx(
        float(power_clock(board, found.pipe, copied)), rel=1e-4
    )
    clocks = np.linspace(0.8, 2.0, 200)
    locked = predict_gemm(kernel(clock_hz=clocks * 1e9), board)
    wanted = power_clock(board, locked.pipe, 49_152 * 128 * 2048 / (locked.cycles * 128))
    signs = np.sign(wanted - clocks)
    assert (np.diff(signs) != 0).sum() == 1, "bracketed: one change of sign"
    at = int(np.argmax(np.diff(signs) != 0))
    assert clocks[at] <= float(found.clock) <= clocks[at + 1] + 1e-3


def test_without_limits_it_is_the_exact_core():
    free = machine(
        l2_rate=1e12,
        port=1e12,
        clock=1e9,
        l2_latency=0,
        miss_latency=0,
        launch=0,
        prologue=0,
        dram=1e12,
        sync=0,
        mma_latency=0,
    )
    one = kernel(copy_issue=0, stages=4, sms_used=128)
    found = predict_gemm(one, free)
    exact = sweep.simulate(
        "persistent",
        t_issue=0,
        t_transfer=0,
        t_latency=0,
        t_mma=1024,
        t_epilogue=2848,
        t_sync=0,
        stages=4,
        k_tiles=128,
        output_tiles=16,
    )
    assert float(found.waves) == 16
    assert float(found.pipe) == pytest.approx(exact.tc_utilization, rel=1e-6)


@pytest.mark.parametrize("schedule", range(len(SCHEDULES)))
@pytest.mark.parametrize("persistent", [0, 1])
def test_more_is_never_worse(schedule, persistent):
    base = {"schedule": schedule, "persistent": persistent, "mma_in_flight": 0}
    for name, values in (("l2_rate", range(20, 100, 5)), ("clock", np.linspace(1.5, 3, 20))):
        found = predict_gemm(kernel(**base), machine(**{name: np.array(values)}))
        assert (np.diff(found.tflops) >= -1e-6 * found.tflops[1:]).all(), name
    units = predict_gemm(kernel(**base), machine(unit=np.linspace(0.5, 1.3, 20)))
    assert (np.diff(units.tflops) >= -1e-6 * units.tflops[1:]).all()
    alone = {**base, "ctas_per_sm": 1, "stages": np.arange(1, 5)}
    stages = predict_gemm(kernel(**alone), machine())
    assert (np.diff(stages.tflops) >= -1e-6 * stages.tflops[1:]).all()


def test_a_locked_clock_is_kept():
    found = predict_gemm(kernel(clock_hz=1.2e9), machine())
    assert float(found.clock) == 1.2
    assert float(found.tflops) == pytest.approx(2 * 8192**3 * 1.2 / float(found.cycles) / 1000)


def test_parts_change_nothing():
    n = 20_000
    many = predict_gemm(kernel(m=np.full(n, 8192), stages=np.resize([2, 3, 4], n)), machine())
    few = predict_gemm(kernel(stages=np.array([2, 3, 4])), machine())
    assert np.array_equal(many.tflops, np.resize(few.tflops, n))


def test_a_hundred_thousand_a_second():
    draw = np.random.default_rng(0)
    n = 100_000
    fields = {name: np.full(n, float(value)) for name, value in KERNEL.items()}
    fields |= {"schedule": draw.integers(0, 5, n), "m": draw.integers(1024, 9000, n)}
    board = machine()
    best = min(_seconds(lambda: predict_gemm(kernel(**fields), board)) for _ in range(3))
    assert best < 1.0


def _seconds(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def test_a_dataset_with_dimensions():
    ds = analysis.predict(**PROBLEM | {"m": [64, 8192], "schedule": ["pingpong", "multistage"]})
    assert dict(ds.sizes) == {"m": 2, "schedule": 2}
    assert ds.tflops.attrs["units"] == "TFLOP/s"
    assert (ds.tflops_low < ds.tflops).all() and (ds.tflops < ds.tflops_high).all()
    words = ds.status.attrs["flag_meanings"].split()
    assert [words[code] for code in ds.status.values.ravel()] == ["extrapolated"] * 2 + [
        "calibrated"
    ] * 2
    points = xr.DataArray([4096, 8192], dims="point")
    zipped = analysis.predict(gpu="b200", m=points, n=points, k=points)
    assert zipped.tflops.dims == ("point",)


@pytest.mark.parametrize(
    ("changed", "status", "reason"),
    [
        ({}, "calibrated", "none"),
        ({"m": 64}, "extrapolated", "small_problem"),
        ({"k": 512}, "extrapolated", "short_k"),
        ({"gpu": "h20"}, "extrapolated", "gpu"),
        ({"element_type": "int8"}, "extrapolated", "element_type"),
        ({"stages": 9}, "not_modelled", "does_not_fit"),
        ({"split_k": 2}, "not_modelled", "split_k"),
        ({"instruction": "mma_sync"}, "not_modelled", "instruction"),
        ({"gpu": "a100_sxm"}, "not_modelled", "architecture"),
    ],
)
def test_status(changed, status, reason):
    ds = analysis.predict("gemm", **PROBLEM | changed)
    assert PREDICTED["status"].flag_meanings[int(ds.status)] == status
    assert PREDICTED["reason"].flag_meanings[int(ds.reason)] == reason
    assert np.isnan(ds.tflops.item()) == (status == "not_modelled")


def test_the_interval_doubles_outside():
    inside = analysis.predict(**PROBLEM)
    outside = analysis.predict(**PROBLEM | {"k": 512})
    known = analysis.predict(**PROBLEM, unit=1.0)
    assert float(np.log(inside.tflops_high / inside.tflops)) == pytest.approx(0.19)
    assert float(np.log(outside.tflops_high / outside.tflops)) == pytest.approx(0.38)
    assert float(np.log(known.tflops_high / known.tflops)) == pytest.approx(0.14)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"m": 0}, "m=0: must be at least 1"),
        ({"tile": "128x256"}, "tile='128x256': must be 3 whole numbers"),
        ({"gpu": "h1000"}, "unknown GPU 'h1000'"),
        ({"element_type": "fp4"}, "element_type='fp4': not supported by gpu='h100_sxm'"),
        ({"schedule": "serial", "mma_in_flight": 1}, "mma_in_flight=1: has no meaning in 'serial'"),
        ({"stage": 4}, "unknown parameter 'stage'"),
    ],
)
def test_what_a_user_gets_wrong(changed, told):
    with pytest.raises(InputError) as error:
        analysis.predict("gemm", **PROBLEM | changed)
    assert told in str(error.value) and "\n" not in str(error.value)


def test_attention():
    ds = analysis.predict(
        "attention", gpu="h100_sxm", seq_q=8448, batch=4, heads=16, head_dim=128,
        element_type="fp16",
    )  # fmt: skip
    assert float(ds.k_tile_period) == pytest.approx(
        2 * (1408 + 0.385 * 704 + 0.1 * 352 + 268), rel=1e-9
    )
    assert float(ds.tiles) == 4 * 16 * 66
    assert float(ds.waves) == 32
    assert float(ds.problem_cycles) == pytest.approx(32 * (4310 + 48 * float(ds.k_tile_period)))
    backward = analysis.predict(
        "attention", gpu="h100_sxm", seq_q=8192, heads=16, head_dim=128, direction="backward"
    )
    assert PREDICTED["reason"].flag_meanings[int(backward.reason)] == "backward"


def test_names_of_what_binds():
    assert BINDING_WORDS.split()[: len(BINDINGS)] == list(BINDINGS)


def test_the_command():
    run = CliRunner().invoke(
        command, ["gemm", "m=8192", "n=8192", "k=8192", "--gpu", "h100_sxm", "--json"]
    )
    told = json.loads(run.output)
    assert told["status"] == "calibrated"
    assert told["tflops"] == pytest.approx(float(analysis.predict(**PROBLEM).tflops))
    text = CliRunner().invoke(command, ["gemm", "m=8192", "n=8192", "k=8192", "gpu=a100_sxm"])
    assert text.output.startswith("not modelled: only Hopper and Blackwell")
