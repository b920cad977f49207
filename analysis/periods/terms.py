"""A circuit of a schedule's main loop as a term of its period, with a name in plain words.

The names follow from what the circuit contains, in the order of precedence of the output
``bottleneck``, so that a new schedule's terms have names without a line here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sweep.description import Event, Schedule
from sweep.description.circuits import Circuit, work_per_step
from sweep.description.counts import Linear, linear, linear_text
from sweep.quantities.variables import VARIABLES

BOTTLENECK_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "none": "nothing: the point deadlocks",
        "unordered": "no fixed order of service",
        "tensor_core": "Tensor Core",
        "epilogue": "epilogue exposed",
        "exp": "exp throughput",
        "softmax": "softmax throughput",
        "copy_bandwidth": "copy bandwidth",
        "mma_latency": "MMA completion latency",
        "ring_depth": "ring too shallow for the latency",
        "copy_issue": "issue on the critical path",
        "serial_chain": "operations in series",
        "no_work": "nothing: it takes no time",
        "unsettled": "not known: no regime was found",
        "no_steady_state": "nothing: it runs, but only while a tile fits the ring",
    }
)
"""The meanings of the output ``bottleneck`` in plain words."""

RESOURCE_FLAGS = {"TC": "tensor_core", "SFU": "exp", "FMA": "softmax", "MEM": "copy_bandwidth"}

_OPERATIONS = {
    "t_issue": "issue",
    "t_transfer": "copy",
    "t_latency": "latency",
    "t_mma": "MMA",
    "t_store": "store",
    "t_sync": "barrier",
    "t_gemm0": "GEMM0",
    "t_gemm1": "GEMM1",
    "t_exp": "exp",
    "t_softmax": "softmax",
}


@dataclass(frozen=True)
class Term:
    """One ratio of a period: time over k-tiles.

    Attributes
    ----------
    name : str
        In plain words; unique within a period.
    bottleneck : str
        The meaning of the output ``bottleneck`` where this term binds and nothing before it does.
    takes : tuple of (str, int)
        Durations and how often each occurs, in the order of `sweep.quantities.variables`.
    steps : Linear
        K-tiles (blocks) that the circuit advances.
    """

    name: str
    bottleneck: str
    takes: tuple[tuple[str, int], ...]
    steps: Linear

    def time(self, p: Mapping[str, Any]) -> Any:
        """Return the circuit's time for parameters that are arrays or symbols."""
        total: Any = 0
        for name, times in self.takes:
            total = total + (p[name] if times == 1 else times * p[name])
        return total

    def advance(self, p: Mapping[str, Any]) -> Any:
        """Return the k-tiles that the circuit advances for arrays or symbols."""
        total: Any = 0
        for name, times in self.steps:
            total = total + (times if name == "" else p[name] if times == 1 else times * p[name])
        return total

    def __str__(self) -> str:
        parts = [name if times == 1 else f"{times} * {name}" for name, times in self.takes]
        time, over = " + ".join(parts) or "0", linear_text(self.steps)
        if over == "1":
            return time
        time = f"({time})" if len(parts) > 1 else time
        return f"{time} / {over if over.isidentifier() or over.isdigit() else f'({over})'}"


def term_of(circuit: Circuit, schedule: Schedule, events: tuple[Event, ...]) -> Term:
    """Name a circuit of a schedule and put its durations in the usual order."""
    counted = Counter(circuit.takes)
    order = [name for name in VARIABLES if name in counted]
    flag = _flag(circuit, schedule, events)
    words = BOTTLENECK_WORDS[flag]
    if flag == "serial_chain":
        chain = [_OPERATIONS.get(name, name) for name in order if name != "t_sync"]
        words = f"{_listed(chain)} in series"
    elif circuit.through_slot and circuit.steps != linear("stages"):
        words += f", {linear_text(circuit.steps)} slots"
    return Term(words, flag, tuple((name, counted[name]) for name in order), circuit.steps)


def _flag(circuit: Circuit, schedule: Schedule, events: tuple[Event, ...]) -> str:
    if circuit.steps == linear(1):
        for resource, flag in RESOURCE_FLAGS.items():
            work = work_per_step(events, resource)
            if work and Counter(work) == Counter(circuit.takes):
                return flag
    if circuit.through_slot:
        return "ring_depth"
    if "t_mma_latency" in circuit.takes:
        return "mma_latency"
    return "copy_issue" if schedule.ring and "t_issue" in circuit.takes else "serial_chain"


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else "nothing"
