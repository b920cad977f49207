"""warp_specialized as an ordinary SimPy model: the baseline of the speed benchmark."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import simpy

Process = Generator[simpy.Event, Any, None]


def warp_specialized_cycles(p: Mapping[str, Any]) -> float:
    """Simulate one point, extensions off.

    Parameters
    ----------
    p
        ``t_issue``, ``t_transfer``, ``t_latency``, ``t_mma``, ``t_epilogue`` in cycles, and
        ``stages`` and ``k_tiles``.

    Returns
    -------
    float
        Makespan in cycles.
    """
    env = simpy.Environment()
    mem = simpy.Resource(env)
    tc = simpy.Resource(env)
    empty = simpy.Container(env, capacity=p["stages"], init=p["stages"])
    full = simpy.Container(env, capacity=p["stages"])

    def copy() -> Process:
        with mem.request() as turn:
            yield turn
            yield env.timeout(p["t_transfer"])
        yield env.timeout(p["t_latency"])
        yield full.put(1)

    def producer() -> Process:
        for _ in range(p["k_tiles"]):
            yield empty.get(1)
            yield env.timeout(p["t_issue"])
            env.process(copy())

    def consumer() -> Process:
        for _ in range(p["k_tiles"]):
            yield full.get(1)
            with tc.request() as turn:
                yield turn
                yield env.timeout(p["t_mma"])
            yield empty.put(1)
        yield env.timeout(p["t_epilogue"])

    env.process(producer())
    env.run(until=env.process(consumer()))
    return float(env.now)
