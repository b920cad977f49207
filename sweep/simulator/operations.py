"""What an agent of the event-driven simulator can do: its program yields these, in order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sweep.errors import InputError

if TYPE_CHECKING:
    from sweep.simulator.barriers import Barrier
    from sweep.simulator.resources import Resource

ONCE_PER_TILE = -1
"""The ``k_tile`` of an operation that belongs to an output tile as a whole."""


class Busy(NamedTuple):
    """Occupy the agent itself for ``duration`` cycles; at 0 it goes on at once."""

    operation: str
    duration: float
    output_tile: int = 0
    k_tile: int = ONCE_PER_TILE


class Use(NamedTuple):
    """Wait for the resource, hold it ``duration`` cycles, go on when done."""

    resource: Resource
    operation: str
    duration: float
    output_tile: int = 0
    k_tile: int = ONCE_PER_TILE


class AsyncUse(NamedTuple):
    """Queue on the resource and go on at once.

    ``latency`` cycles after the resource is released each barrier of ``signals`` gets one
    arrival. Latency is pipelined: the next use starts as soon as the resource is free. Barriers
    of ``released`` get theirs without the latency: what the use has read may be overwritten.
    """

    resource: Resource
    operation: str
    duration: float
    latency: float
    signals: tuple[Barrier, ...]
    output_tile: int = 0
    k_tile: int = ONCE_PER_TILE
    released: tuple[Barrier, ...] = ()


class Arrive(NamedTuple):
    """Arrive at the barrier, at no cost; a row of no length in the trace where it has a name."""

    barrier: Barrier
    operation: str = ""
    output_tile: int = 0
    k_tile: int = ONCE_PER_TILE


class Wait(NamedTuple):
    """Go on at the barrier's n-th arrival, n = ``arrivals`` counted from the beginning."""

    barrier: Barrier
    arrivals: int


class WaitParity(NamedTuple):
    """Go on when the barrier's phase of this parity is complete (``try_wait.parity``)."""

    barrier: Barrier
    parity: int


Operation: TypeAlias = Busy | Use | AsyncUse | Arrive | Wait | WaitParity
Program: TypeAlias = Iterator[Operation]

MOST_OPERATIONS = 15_000_000
"""Of one agent: some three for each of the events that a run may keep."""


def bounded(program: Program) -> Program:
    """Return a program that is an error where it has no end."""
    operations = iter(program)
    return chain(islice(operations, MOST_OPERATIONS), _no_more(operations))


def _no_more(operations: Program) -> Program:
    for _ in operations:
        raise InputError(f"an agent's program goes on after {MOST_OPERATIONS:,} operations")
    yield from ()
