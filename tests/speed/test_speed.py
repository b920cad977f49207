"""Speed, as ratios within one run: ``pytest --benchmark-only tests/speed/test_speed.py``.

Each test times the kernel and what it is compared with in turn, pair by pair, and asserts the
median ratio; the ratios are in the benchmark's extra info (``--benchmark-json``), from which
``tests/speed/speed_table.py`` prints the README's table.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep
from sweep.engine.run import run_space
from sweep.inputs.space import resolve
from sweep.recurrence.kernels import kernel_of
from tests.accounts.recurrences import RECURRENCES

POINTS = 1 << 20
TILE_POINTS = 1 << 16
DURATIONS = (
    "t_issue t_transfer t_latency t_mma t_store t_epilogue t_gemm0 t_gemm1 t_exp t_softmax".split()
)
Run = Callable[[], Any]
POOL = ThreadPoolExecutor(2)


def random_points(schedule: str, points: int, **counts: Any) -> dict[str, Any]:
    """Random whole cycles below 2,000 for every duration of a schedule."""
    rng = np.random.default_rng(20260101)
    known = sweep.SCHEDULES[schedule]
    draws = {name: rng.integers(0, 2000, points).astype(float) for name in DURATIONS}
    found: dict[str, Any] = {name: draws[name] for name in known.durations if name in draws}
    defaults = {"stages": 4, "k_tiles": 64, "output_tiles": 16, "kv_blocks": known.kv_blocks}
    found |= {name: value for name, value in defaults.items() if name in known.parameters}
    return found | counts


def kernel_run(schedule: str, parameters: Mapping[str, Any]) -> Run:
    """Run the batch kernel over points that share a dimension, on two threads."""
    axes = {
        name: xr.DataArray(value, dims="point") if np.ndim(value) else value
        for name, value in parameters.items()
    }
    space = resolve(schedule, axes)
    (points,) = space.grid
    out = (np.empty(points), np.empty(points), np.empty(points, np.int8))
    return lambda: run_kernel(space, out)


def run_kernel(space: Any, out: tuple[Any, Any, Any]) -> None:
    """Run the kernel alone: cycles, period and bottleneck of every point, into given arrays."""
    schedule, values = space.schedules[0], space.values[0]
    (points,) = space.grid
    kernel = kernel_of(schedule, "consumer", True)
    names = kernel.names.parameters
    arrays = {name: np.broadcast_to(values[name], points) for name in names}
    size = points // 16

    def block(start: int) -> None:
        part = slice(start, start + size)
        kernel.run({n: a[part] for n, a in arrays.items()}, *(one[part] for one in out))

    list(POOL.map(block, range(0, points, size)))


def seconds(run: Run) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def compare(benchmark: Any, ours: Run, theirs: Run, pairs: int = 7) -> float:
    """Return the median of theirs / ours over pairs timed in turn."""
    ours()
    theirs()
    timed = [(seconds(ours), seconds(theirs)) for _ in range(pairs)]
    ratio = median(other / mine for mine, other in timed)
    benchmark.extra_info["ratio"] = ratio
    benchmark.pedantic(ours, rounds=3, iterations=1)
    return ratio


def test_warp_specialized_against_scalar_recurrence(benchmark: Any) -> None:
    p = random_points("warp_specialized", POINTS)
    baseline = RECURRENCES["warp_specialized"]
    ours, theirs = kernel_run("warp_specialized", p), lambda: baseline.batch_cycles(p)
    benchmark.extra_info["points"] = POINTS
    assert compare(benchmark, ours, theirs) >= 1.7


@pytest.mark.parametrize("schedule", [name for name in RECURRENCES if name != "warp_specialized"])
def test_against_own_scalar_recurrence(benchmark: Any, schedule: str) -> None:
    points = TILE_POINTS if sweep.SCHEDULES[schedule].tile_level else POINTS
    p = random_points(schedule, points)
    ours, theirs = kernel_run(schedule, p), lambda: RECURRENCES[schedule].batch_cycles(p)
    benchmark.extra_info["points"] = points
    assert compare(benchmark, ours, theirs) >= 1.0


def test_warp_specialized_against_simpy(benchmark: Any) -> None:
    simpy_model = pytest.importorskip("simpy_model")
    p = random_points("warp_specialized", POINTS)
    ours = kernel_run("warp_specialized", p)
    few = 20
    one = [{name: (v[i] if np.ndim(v) else v) for name, v in p.items()} for i in range(few)]

    def theirs() -> None:
        for point in one:
            simpy_model.warp_specialized_cycles(point)

    ratio = compare(benchmark, ours, theirs, pairs=5) * POINTS / few
    benchmark.extra_info |= {"ratio": ratio, "points": POINTS}
    assert ratio >= 30_000


@pytest.mark.parametrize("schedule", list(RECURRENCES))
def test_long_loops_cost_little_more(benchmark: Any, schedule: str) -> None:
    known = sweep.SCHEDULES[schedule]
    points = TILE_POINTS if known.tile_level else POINTS
    short = kernel_run(schedule, random_points(schedule, points, **{known.loop: 64}))
    long = kernel_run(schedule, random_points(schedule, points, **{known.loop: 65_536}))
    benchmark.extra_info["points"] = points
    assert compare(benchmark, long, short) >= 1 / 1.5


@pytest.mark.parametrize("schedule", ["persistent", "cooperative", "pingpong"])
def test_many_tiles_cost_little_more(benchmark: Any, schedule: str) -> None:
    few = kernel_run(schedule, random_points(schedule, TILE_POINTS, output_tiles=16))
    many = kernel_run(schedule, random_points(schedule, TILE_POINTS, output_tiles=4096))
    benchmark.extra_info["points"] = TILE_POINTS
    assert compare(benchmark, many, few) >= 1 / 1.5


@pytest.mark.parametrize("where", ["through the tie", "beside the tie"])
def test_axis_at_a_near_tie(benchmark: Any, where: str) -> None:
    """A linear axis on which t_mma passes t_transfer in steps of 1/1024 cycle."""
    points = 1 << 14
    t_mma = 768 + (np.arange(points) - points // 2) / 1024
    p = random_points("warp_specialized", points, k_tiles=65_536)
    tie = p | {
        "t_issue": np.full(points, 10.0),
        "t_transfer": np.full(points, 768.0),
        "t_latency": np.full(points, 700.0),
        "t_mma": t_mma,
    }
    if where == "beside the tie":
        tie["t_mma"] = np.full(points, 768 + 1 / 1024)
    benchmark.extra_info["points"] = points
    random = kernel_run("warp_specialized", p)
    assert compare(benchmark, kernel_run("warp_specialized", tie), random) >= 1 / 30


@pytest.mark.parametrize("schedule", ["warp_specialized", "persistent"])
def test_points_that_differ_in_all_counts(benchmark: Any, schedule: str) -> None:
    points = 100_000
    rng = np.random.default_rng(7)
    counts = {
        "stages": rng.integers(1, 9, points),
        "k_tiles": rng.integers(1, 1025, points),
        "output_tiles": rng.integers(1, 65, points),
    }
    used = {n: v for n, v in counts.items() if n in sweep.SCHEDULES[schedule].parameters}
    p = random_points(schedule, points, **used)
    ours, theirs = kernel_run(schedule, p), lambda: RECURRENCES[schedule].batch_cycles(p)
    benchmark.extra_info["points"] = points
    assert compare(benchmark, ours, theirs, pairs=3) >= 4


def test_run_against_its_kernel(benchmark: Any) -> None:
    """sweep.run with all its outputs and labels, over the time of the kernel alone."""
    points = 1_000_000
    p = random_points("warp_specialized", points)
    axes = {n: xr.DataArray(v, dims="point") if np.ndim(v) else v for n, v in p.items()}
    whole = lambda: sweep.run("warp_specialized", threads=2, **axes)  # noqa: E731
    ratio = compare(benchmark, kernel_run("warp_specialized", p), whole)
    benchmark.extra_info["points"] = points
    assert ratio <= 3


PEAK = """
import numpy as np, xarray as xr, sweep
def peak():  # of this process alone; ru_maxrss would include the parent's
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(status["VmHWM"].split()[0]) * 1024
rng = np.random.default_rng(0)
def run(points):
    draw = lambda: xr.DataArray(rng.integers(0, 2000, points).astype(float), dims="point")
    names = "t_issue t_transfer t_latency t_mma t_epilogue".split()
    return sweep.run("warp_specialized", threads=2, **{name: draw() for name in names})
run(1000)
before = peak()
size = run(1_000_000).nbytes
print((peak() - before) / size)
"""


def test_peak_memory_of_run(benchmark: Any) -> None:
    """Peak resident size that a run of 10^6 points adds, over the size of its result."""
    if not Path("/proc/self/status").exists():
        pytest.skip("peak resident size is read from /proc")
    found: list[float] = []

    def measure() -> None:
        done = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.append(float(done.stdout))

    benchmark.pedantic(measure, rounds=1, iterations=1)
    benchmark.extra_info |= {"ratio": found[-1], "points": 1_000_000}
    assert found[-1] <= 4


def test_import_against_its_dependencies(benchmark: Any) -> None:
    """``import sweep`` in a new process, over ``import xarray, numba``."""

    def python(code: str) -> Run:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    everything = "import sweep; sweep.run; sweep.simulate; sweep.trace; sweep.GPUS; sweep.SCHEDULES"
    ratio = compare(benchmark, python(everything), python("import xarray, numba"), pairs=5)
    assert 1 / ratio <= 1.5


def test_space_costs_little(benchmark: Any) -> None:
    """Resolving a million zipped points, over running them."""
    p = random_points("warp_specialized", 1_000_000)
    axes = {n: xr.DataArray(v, dims="point") if np.ndim(v) else v for n, v in p.items()}
    space = resolve("warp_specialized", axes)
    ratio = compare(
        benchmark, lambda: resolve("warp_specialized", axes), lambda: run_space(space, 2), pairs=5
    )
    benchmark.extra_info["points"] = 1_000_000
    assert ratio >= 0.5
