"""The event-driven simulator itself: barriers, ties, service orders, deadlocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sweep.catalogue.discovery import discover
from sweep.description import Count
from sweep.description.trace_rows import EventResult, TraceRow
from sweep.simulator.barriers import Barrier
from sweep.simulator.operations import (
    Arrive,
    AsyncUse,
    Busy,
    Operation,
    Program,
    Use,
    Wait,
    WaitParity,
)
from sweep.simulator.simulation import Deadlock, Simulation, run_events

SCHEDULES = discover()
GEMM: dict[str, Any] = {
    "t_issue": 10,
    "t_transfer": 768,
    "t_latency": 700,
    "t_mma": 1024,
    "t_mma_latency": 0,
    "t_epilogue": 1280,
    "t_sync": 0,
    "stages": 4,
    "k_tiles": 64,
    "output_tiles": 8,
    "mma_in_flight": 0,
    "release": "consumer",
}


def program(*operations: Operation) -> Program:
    yield from operations


def spans(result: EventResult, operation: str) -> list[tuple[str, float, float]]:
    return [(r.agent, r.start, r.end) for r in result.rows if r.operation == operation]


def test_the_lectures_ring_takes_68294_cycles() -> None:
    result = run_events(SCHEDULES["warp_specialized"], {**GEMM, "output_tiles": 1})
    assert result.cycles == 68294
    assert result.held == {"TC": 65536, "MEM": 64 * 768}


def test_latency_is_pipelined_and_the_agent_goes_on() -> None:
    simulation = Simulation(("a",))
    memory, copies = simulation.resource("MEM"), Barrier("copy")
    simulation.start(
        "a",
        program(
            AsyncUse(memory, "transfer", 4, 10, (copies,), 0, 0),
            AsyncUse(memory, "transfer", 4, 10, (copies,), 0, 1),
            Busy("issue", 1),
            Wait(copies, 2),
            Busy("wait_copy", 3),
        ),
    )
    assert simulation.run().rows == [
        TraceRow("a", "MEM", "transfer", 0, 0, 0, 0, 4, ""),
        TraceRow("a", "", "issue", 0, -1, 0, 0, 1, ""),
        TraceRow("a", "MEM", "transfer", 0, 1, 0, 4, 8, "MEM"),
        TraceRow("a", "", "wait_copy", 0, -1, 1, 18, 21, "copy"),
    ]


def test_a_phase_takes_as_many_arrivals_as_the_barrier_counts() -> None:
    barrier = Barrier("empty", count=2)
    seen = []
    for arrivals in range(6):
        barrier.arrivals = arrivals
        seen.append((barrier.phase, barrier.parity, barrier.passed(3), barrier.passed_parity(0)))
    assert seen == [
        (0, 0, False, False),
        (0, 0, False, False),
        (1, 1, False, True),
        (1, 1, True, True),
        (2, 0, True, False),
        (2, 0, True, False),
    ]


def ring_by_parity(starts: tuple[int, int], stages: int = 2, k_tiles: int = 5) -> EventResult:
    """Run a ring whose agents carry phase bits, as kernels do, from these start phases."""
    simulation = Simulation(("producer", "consumer"))
    memory, tensor_core = simulation.resource("MEM"), simulation.resource("TC")
    full = [Barrier("full", slot) for slot in range(stages)]
    empty = [Barrier("empty", slot) for slot in range(stages)]

    def slots(start: int) -> Iterator[tuple[int, int, int]]:
        for k in range(k_tiles):
            yield k, k % stages, (start + k // stages) & 1

    def producer() -> Program:
        for k, slot, parity in slots(starts[0]):
            yield WaitParity(empty[slot], parity)
            yield AsyncUse(memory, "transfer", 6, 9, (full[slot],), 0, k)

    def consumer() -> Program:
        for k, slot, parity in slots(starts[1]):
            yield WaitParity(full[slot], parity)
            yield Use(tensor_core, "mma", 5, 0, k)
            yield Arrive(empty[slot])

    simulation.start("producer", producer())
    simulation.start("consumer", consumer())
    return simulation.run()


def test_phase_bits_and_counted_arrivals_are_two_views_of_one_barrier() -> None:
    parameters = {"t_issue": 0, "t_transfer": 6, "t_latency": 9, "t_mma": 5, "t_epilogue": 0}
    counts = {"stages": 2, "k_tiles": 5, "output_tiles": 1}
    counted = run_events(SCHEDULES["warp_specialized"], {**GEMM, **parameters, **counts})
    by_parity = ring_by_parity((1, 0))
    for operation in ("transfer", "mma"):
        assert spans(by_parity, operation) == spans(counted, operation)


def test_start_phases_decide_between_work_deadlock_and_race() -> None:
    assert spans(ring_by_parity((1, 0)), "mma")[0] == ("consumer", 15, 20)
    with pytest.raises(Deadlock, match="producer waits for empty slot 0 phase 0"):
        ring_by_parity((0, 0))
    assert spans(ring_by_parity((1, 1)), "mma")[0][1] == 0  # reads a slot before its copy


def test_requests_of_one_time_are_granted_in_agent_order() -> None:
    simulation = Simulation(("a", "b", "c"))
    tensor_core, go = simulation.resource("TC"), Barrier("go")
    simulation.start("c", program(Busy("issue", 3), Arrive(go), Use(tensor_core, "mma", 2)))
    simulation.start("b", program(Busy("issue", 3), Use(tensor_core, "mma", 2)))
    simulation.start("a", program(Wait(go, 1), Use(tensor_core, "mma", 2)))
    assert spans(simulation.run(), "mma") == [("a", 3, 5), ("b", 5, 7), ("c", 7, 9)]


def test_an_earlier_request_comes_before_a_lower_index() -> None:
    simulation = Simulation(("a", "b", "c"))
    tensor_core = simulation.resource("TC")
    simulation.start("a", program(Busy("issue", 2), Use(tensor_core, "mma", 2)))
    simulation.start("b", program(Busy("issue", 1), Use(tensor_core, "mma", 2)))
    simulation.start("c", program(Use(tensor_core, "mma", 4)))
    assert spans(simulation.run(), "mma") == [("c", 0, 4), ("b", 4, 6), ("a", 6, 8)]


def test_what_a_use_of_no_cycles_sets_off_is_a_further_round() -> None:
    """Agent a asks for SFU at 0 too, but only after its use of TC: b has it first."""
    simulation = Simulation(("a", "b"))
    tensor_core, exponential = simulation.resource("TC"), simulation.resource("SFU")
    simulation.start("a", program(Use(tensor_core, "gemm0", 0), Use(exponential, "exp", 5)))
    simulation.start("b", program(Busy("issue", 0), Use(exponential, "exp", 5)))
    assert spans(simulation.run(), "exp") == [("b", 0, 5), ("a", 5, 10)]


def test_what_queues_behind_a_use_of_no_cycles_starts_a_round_later() -> None:
    """On TC b is ahead of a, so it is ahead on SFU as well."""
    simulation = Simulation(("a", "b", "c"))
    tensor_core, exponential = simulation.resource("TC"), simulation.resource("SFU")
    softmax = (Use(tensor_core, "gemm0", 0), Use(exponential, "exp", 5))
    simulation.start("a", program(Busy("issue", 2), *softmax))
    simulation.start("b", program(Busy("issue", 1), *softmax))
    simulation.start("c", program(Use(tensor_core, "mma", 4)))
    assert spans(simulation.run(), "exp") == [("b", 4, 9), ("a", 9, 14)]


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("arbitration", ["ordered", "fifo"])
def test_all_durations_may_be_zero(name: str, arbitration: str) -> None:
    zeros = {key: 0 for key in GEMM if key.startswith("t_")}
    attention = {"t_gemm0": 0, "t_gemm1": 0, "t_exp": 0, "t_softmax": 0, "kv_blocks": 3}
    counts = {"k_tiles": 3, "t_store": 0, "arbitration": arbitration}
    own = {one.name: one.default for one in SCHEDULES[name].declares if isinstance(one, Count)}
    own |= dict.fromkeys(SCHEDULES[name].durations, 0)
    result = run_events(SCHEDULES[name], {**GEMM, **zeros, **attention, **counts, **own})
    assert result.cycles == 0
    assert set(result.held.values()) == {0}


def test_a_service_order_holds_back_who_asked_first() -> None:
    simulation = Simulation(("a", "b"))
    tensor_core = simulation.resource("TC", service_order=["b", "a", "a"])
    asked = AsyncUse(tensor_core, "gemm0", 2, 0, ())
    simulation.start("a", program(asked, asked, Busy("issue", 1)))
    simulation.start("b", program(Busy("issue", 7), Use(tensor_core, "gemm0", 2)))
    result = simulation.run()
    assert spans(result, "gemm0") == [("b", 7, 9), ("a", 9, 11), ("a", 11, 13)]
    assert spans(result, "issue")[0] == ("a", 0, 1)  # an asynchronous use blocks nobody


def test_a_turn_that_never_comes_is_a_deadlock() -> None:
    simulation = Simulation(("a", "b"))
    tensor_core = simulation.resource("TC", service_order=["b", "a"])
    simulation.start("a", program(Use(tensor_core, "gemm0", 2)))
    with pytest.raises(Deadlock, match="a waits for TC, where the next turn is b's"):
        simulation.run()


def test_a_deadlock_names_who_waits_for_which_barrier_slot_and_phase() -> None:
    with pytest.raises(Deadlock) as caught:
        run_events(
            SCHEDULES["warp_specialized"],
            {**GEMM, "stages": 2, "mma_in_flight": 2, "k_tiles": 3},
        )
    assert str(caught.value) == (
        "deadlock at cycle 3526: producer waits for empty slot 0 phase 0 (parity 0, 0 of 1 "
        "arrivals); consumer waits for full slot 0 phase 1 (parity 1, 0 of 1 arrivals)"
    )


@pytest.mark.parametrize("name", ["warp_specialized", "persistent", "cooperative", "pingpong"])
def test_a_tile_that_fits_the_ring_may_hold_all_its_slots(name: str) -> None:
    fits = {**GEMM, "stages": 3, "mma_in_flight": 5, "k_tiles": 3}
    assert run_events(SCHEDULES[name], fits).cycles > 0
    with pytest.raises(Deadlock):
        run_events(SCHEDULES[name], {**fits, "k_tiles": 4})


@pytest.mark.parametrize("release, releases", [("consumer", 16), ("hardware", 0)])
def test_cooperative_consumers_share_each_mma(release: str, releases: int) -> None:
    parameters = {**GEMM, "k_tiles": 4, "output_tiles": 2, "release": release}
    together = run_events(SCHEDULES["cooperative"], parameters)
    alone = run_events(SCHEDULES["persistent"], parameters)
    assert together.cycles == alone.cycles
    assert [r[1:] for r in spans(together, "mma")] == [r[1:] for r in spans(alone, "mma")]
    assert len(spans(together, "epilogue")) == 4
    assert len(spans(together, "release")) == releases


def test_the_turn_orders_mmas_issued_at_the_time_it_passes() -> None:
    """Copies of tiles 1 and 2 land together: consumer_1 issues, and at once consumer_0 may."""
    ties = {"t_issue": 0, "t_transfer": 0, "t_mma": 10, "t_epilogue": 0}
    counts = {"stages": 3, "k_tiles": 2, "mma_in_flight": 2, "output_tiles": 4}
    rows = run_events(SCHEDULES["pingpong"], {**GEMM, **ties, **counts}).rows
    mmas = [row for row in rows if row.operation == "mma"]
    assert mmas[3].since == mmas[4].since
    assert [2 * row.output_tile + row.k_tile for row in mmas] == list(range(8))


def test_what_a_use_has_read_is_free_before_its_latency_is_over() -> None:
    """``released`` gets its arrival when the resource does; ``signals`` 5 cycles later."""
    simulation = Simulation(("a", "b", "c"))
    tensor_core = simulation.resource("TC")
    done, read = Barrier("done"), Barrier("read")
    simulation.start("a", program(AsyncUse(tensor_core, "mma", 3, 5, (done,), released=(read,))))
    simulation.start("b", program(Wait(done, 1), Busy("after", 1)))
    simulation.start("c", program(Wait(read, 1), Busy("after", 1)))
    starts = {row.agent: row.start for row in simulation.run().rows}
    assert starts == {"a": 0, "b": 8, "c": 3}
