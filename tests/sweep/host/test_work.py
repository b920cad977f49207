"""Threads share work: results in order, progress, and an end that is heard."""

from __future__ import annotations

import threading
import time

import pytest

from sweep.host.work import Done, Stop, StoppedError, share_out


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("alone_here", [False, True])
def test_results_in_the_order_of_the_pieces(threads: int, alone_here: bool) -> None:
    told: list[tuple[int, int]] = []
    done = Done(100, 10, lambda points, total: told.append((points, total)))

    def square(item: int, stop: Stop) -> int:
        time.sleep(0.001 * (item % 3))
        return item * item

    sizes = {item: item + 1 for item in range(12)}
    found = share_out(list(sizes), square, sizes.__getitem__, done, threads, alone_here=alone_here)
    assert found == [item * item for item in range(12)]
    assert done.points == told[-1][0] == 10 + sum(sizes.values())
    assert [points for points, _ in told] == sorted({points for points, _ in told})
    assert {total for _, total in told} == {100}


def test_nothing_to_do() -> None:
    assert share_out([], lambda item, stop: item, lambda item: 1, Done(0), 4) == []


def test_no_more_threads_than_asked_for() -> None:
    running, most, lock = 0, 0, threading.Lock()

    def count(item: int, stop: Stop) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.005)
        with lock:
            running -= 1

    share_out(range(20), count, lambda item: 1, Done(20), 3)
    assert most == 3


def test_alone_it_runs_here_only_where_that_is_asked_for() -> None:
    def where(item: int, stop: Stop) -> int:
        return threading.get_ident()

    here = threading.get_ident()
    assert share_out([1], where, lambda item: 1, Done(1), 4, alone_here=True) == [here]
    assert share_out([1], where, lambda item: 1, Done(1), 4) != [here]


def test_what_goes_wrong_stops_all_the_rest() -> None:
    begun, stopped = [], []
    under_way = threading.Barrier(2)

    def work(item: int, stop: Stop) -> None:
        begun.append(item)
        if item < 2:
            under_way.wait(10)
        if item == 0:
            raise ValueError("no such point")
        for _ in range(5000):
            time.sleep(0.001)
            try:
                stop.check()
            except StoppedError:
                stopped.append(item)
                raise

    done = Done(100)
    with pytest.raises(ValueError, match="no such point"):
        share_out(range(100), work, lambda item: 1, done, 2)
    assert 1 in stopped
    assert set(begun) <= {0, 1, 2}
    assert done.points == 0


def test_an_interrupt_while_it_is_told_stops_all_the_rest() -> None:
    begun = []

    def tell(points: int, total: int) -> None:
        raise KeyboardInterrupt

    def work(item: int, stop: Stop) -> None:
        begun.append(item)
        for _ in range(5000 if item else 0):
            time.sleep(0.001)
            stop.check()

    done = Done(100, progress=tell)
    with pytest.raises(KeyboardInterrupt):
        share_out(range(100), work, lambda item: 1, done, 2)
    assert len(begun) <= 3
    assert done.points == 1
