"""A user's own schedule: simulated, traced and swept like the built-in ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import sweep
from sweep.description import After, Event, Schedule
from sweep.description.interpreter import interpret
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import Arrive, AsyncUse, Busy, Program, Use, Wait
from sweep.simulator.simulation import Simulation, run_events
from tests.support.points import GRID, Columns, point, run_points, scaled, size


def events(release: str) -> tuple[Event, ...]:
    """Two warps: one copies into a ring and does nothing else, one multiplies and stores."""
    return (
        Event("wait_slot", "copier", after=(After("store", lag="stages"),), starts_at="stages"),
        Event("transfer", "copier", on="MEM", takes="t_transfer", asynchronous=True),
        Event("arrive", takes="t_latency", after=(After("transfer"),), signals="full"),
        Event("wait_copy", "worker", after=(After("arrive"),)),
        Event("mma", "worker", on="TC", takes="t_mma"),
        Event("store", "worker", on="MEM", takes="t_store", signals="empty"),
        Event("epilogue", "worker", takes="t_epilogue", place="tile_end"),
    )


def program(simulation: Simulation, p: Mapping[str, Any]) -> None:
    """The same from the agents' side; the copy path serves copy k, then the store of tile k."""
    order = ("copier", "worker") * p["k_tiles"]
    memory, tensor_core = simulation.resource("MEM", order), simulation.resource("TC")
    full, empty = Barrier("full"), Barrier("empty")

    def copier() -> Program:
        for k in range(p["k_tiles"]):
            if k >= p["stages"]:
                yield Wait(empty, k - p["stages"] + 1)
                yield Busy("wait_slot", 0.0, 0, k)
            yield AsyncUse(memory, "transfer", p["t_transfer"], p["t_latency"], (full,), 0, k)

    def worker() -> Program:
        for k in range(p["k_tiles"]):
            yield Wait(full, k + 1)
            yield Busy("wait_copy", 0.0, 0, k)
            yield Use(tensor_core, "mma", p["t_mma"], 0, k)
            yield Use(memory, "store", p["t_store"], 0, k)
            yield Arrive(empty)
        yield Busy("epilogue", p["t_epilogue"])

    simulation.start("copier", copier())
    simulation.start("worker", worker())


STREAM = Schedule(
    name="stream",
    family="gemm",
    summary="copies and stores of a k-tile share the copy path, in turns",
    reference="a test",
    agents=("copier", "worker"),
    events=events,
    program=program,
    loader="tma",
    producer=True,
)


@pytest.fixture(scope="module")
def stream_points() -> Columns:
    rng = np.random.default_rng(61)
    n = scaled(400)
    durations = ("t_transfer", "t_latency", "t_mma", "t_store", "t_epilogue")
    p: Columns = {one: rng.integers(0, 9, n) * rng.choice([1, GRID], n) for one in durations}
    return p | {"stages": rng.integers(1, 6, n), "k_tiles": rng.integers(1, 60, n)}


def test_its_parameters_are_read_off_its_rows() -> None:
    durations = ("t_transfer", "t_latency", "t_mma", "t_store", "t_epilogue")
    assert STREAM.parameters == (*durations, "stages", "k_tiles")
    assert STREAM.resources == ("TC", "MEM")
    assert STREAM.release_modes == ()


def test_both_engines_agree(stream_points: Columns) -> None:
    found = run_points(STREAM, stream_points)["cycles"]
    for i in range(size(stream_points)):
        here = point(stream_points, i)
        listed, simulated = interpret(STREAM, here), run_events(STREAM, here)
        assert listed.rows == simulated.rows
        assert found[i] == simulated.cycles == listed.cycles


def test_simulate_trace_and_run() -> None:
    one = sweep.simulate(STREAM, k_tiles=8, stages=2)
    assert one.schedule == "stream"
    assert one.cycles == sweep.simulate(STREAM, k_tiles=8, stages=2, engine="events").cycles
    # Turns on the copy path: copy k + 1 waits for the store of k-tile k.
    assert one.period == 768 + 700 + 1024 + 192
    rows = sweep.trace(STREAM, k_tiles=8, stages=2)
    assert rows.attrs["cycles"] == one.cycles
    assert int((rows.operation == "store").sum()) == 8
    ds = sweep.run([STREAM, "warp_specialized"], stages=[1, 2, 3], k_tiles=8)
    assert ds.schedule.values.tolist() == ["stream", "warp_specialized"]
    assert float(ds.cycles.sel(schedule="stream", stages=2)) == one.cycles
    assert ds.t_store == 192
    assert ds.t_issue == 10


def test_what_it_does_not_use_is_refused() -> None:
    with pytest.raises(sweep.InputError, match="t_issue: has no effect on stream"):
        sweep.simulate(STREAM, t_issue=3)
