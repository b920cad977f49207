"""A circuit of a schedule's main loop as a term of its period, with a name in plain words.

The names follow from what the circuit contains, in the order of precedence of the output
``bottleneck``, so that a new schedule's terms have names without a line here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sweep.description import Event, Schedule
from sweep.description.circuits import Circuit, work_per_step
from sweep.description.counts import Linear, linear, linear_text
from sweep.quantities.bottlenecks import BOTTLENECKS
from sweep.quantities.variables import VARIABLES

_WORDS = {"t_transfer": "copy", "t_mma": "MMA", "t_gemm0": "GEMM0", "t_gemm1": "GEMM1"}
"""What takes a duration, where its name does not say."""


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
    words = BOTTLENECKS[flag].words
    if flag == "serial_chain":
        chain = [_operation(name) for name in order if name != "t_sync"]
        words = f"{_listed(chain)} in series"
    elif circuit.through_slot and circuit.steps != linear("stages"):
        words += f", {linear_text(circuit.steps)} slots"
    return Term(words, flag, tuple((name, counted[name]) for name in order), circuit.steps)


def _flag(circuit: Circuit, schedule: Schedule, events: tuple[Event, ...]) -> str:
    rows = BOTTLENECKS.values()
    if circuit.steps == linear(1):
        for row in rows:
            work = work_per_step(events, row.resource) if row.resource else ()
            if work and Counter(work) == Counter(circuit.takes):
                return row.name
    if circuit.through_slot:
        return next(row.name for row in rows if row.through_slot)
    there = (row for row in rows if row.duration in circuit.takes and not row.through_slot)
    named = (row.name for row in there if schedule.ring or not row.ring_only)
    return next(named, "serial_chain")


def _operation(duration: str) -> str:
    return _WORDS.get(duration, duration.removeprefix("t_"))


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else "nothing"
