"""The names that generated code uses: arguments, state and scratch of a recurrence."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from sweep.circuits import Linear, add
from sweep.plan import Plan

CHOICES = ("release", "arbitration")
HISTORY = 129
"""States between tiles that are kept: regimes that repeat after up to 64 tiles are found."""
GALLOP = 4
"""Rows of scratch that leaps over tiles need."""


class Names:
    """Argument lists of the generated functions, as text."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @cached_property
    def durations(self) -> list[str]:
        """The cycle parameters of this variant."""
        used = {event.takes for event in self.plan.events}
        return [name for name in self.plan.schedule.durations if name in used]

    @cached_property
    def counts(self) -> list[str]:
        """The counts of this variant."""
        off = {"mma_in_flight"} if self.plan.plain or self.plan.release == "hardware" else set()
        skip = {*self.plan.schedule.durations, *CHOICES, *off}
        return [name for name in self.plan.schedule.parameters if name not in skip]

    @property
    def parameters(self) -> list[str]:
        """Durations, then counts: the order of the kernel's arrays."""
        return [*self.durations, *self.counts]

    @property
    def loop_count(self) -> str:
        """The parameter that counts the steps of the main loop."""
        return self.plan.schedule.loop

    @cached_property
    def times(self) -> list[str]:
        """The main loop's state in time: lines, registers, latest ends."""
        registers = [name for one in self.plan.registers for name in one.names()]
        return [*self.plan.lines, *registers, *self.plan.latest]

    @cached_property
    def loop_integers(self) -> list[str]:
        """The main loop's state in integers: ring positions and the k-tiles done."""
        return [*self.plan.positions, *(["k_tile"] if self.plan.counts_k_tiles else [])]

    @cached_property
    def outer_times(self) -> list[str]:
        """What only tiles as a whole change: idle lines, the other consumer, hand-overs."""
        other = ["other_consumer"] if self.plan.schedule.turns == 2 else []
        return [*self.plan.idle_lines, *other, *self.plan.carried]

    @cached_property
    def integers(self) -> list[str]:
        """All the integers of the state."""
        tile_rows = self.plan.rows("tile_start", "before_drain", "tile_end")
        counts = any(row.starts_at != 0 for row in tile_rows)
        return [*self.loop_integers, *(["tiles_done"] if counts else [])]

    @property
    def ring_names(self) -> list[str]:
        """The rings' arrays."""
        return [ring.name for ring in self.plan.rings]

    @property
    def loop_state(self) -> str:
        """What a step returns."""
        return _join(self.times, self.loop_integers)

    @property
    def loop_arguments(self) -> str:
        """What a step takes."""
        return _join(self.times, self.loop_integers, self.ring_names, self.parameters)

    @property
    def main_arguments(self) -> str:
        """What the main loop with jumps takes."""
        return _join(self.times, self.loop_integers, self.scratch, self.ring_names, self.parameters)

    @property
    def state(self) -> str:
        """What a tile returns."""
        return _join(self.times, self.outer_times, self.integers)

    @property
    def arguments(self) -> str:
        """What a tile takes."""
        return _join(
            self.times,
            self.outer_times,
            self.integers,
            self.scratch,
            self.ring_names,
            self.parameters,
        )

    @property
    def tiles_arguments(self) -> str:
        """What the loop over tiles takes besides its count."""
        return _join(["round_steps", "history"]) + ", " + self.arguments

    @property
    def scratch(self) -> list[str]:
        """Arrays that hold packed states while looking for a jump."""
        return ["was", "now", "trial", "advance"]

    @property
    def agent_lines(self) -> list[str]:
        """The lines whose latest is the makespan."""
        lines = [*self.plan.lines, *self.outer_times]
        agents = {event.agent for event in self.plan.events if event.agent}
        return [line for line in lines if line in agents or line == "other_consumer"]

    @property
    def packed_size(self) -> str:
        """The length of the main loop's packed state."""
        return _sum(len(self.times), [ring.size for ring in self.plan.rings])

    @property
    def tile_packed_size(self) -> str:
        """The length of a packed state between tiles."""
        crossing = [ring.size for ring in self.plan.rings if ring.crosses_tiles]
        return _sum(len(self.times) + len(self.outer_times), crossing)

    @property
    def scratch_rows(self) -> int:
        """Rows of scratch that the kernel takes."""
        history = HISTORY + GALLOP if self.plan.schedule.tile_level else 0
        return len(self.ring_names) + len(self.scratch) + history

    @cached_property
    def ring_entries(self) -> Linear:
        """Entries of all rings together."""
        return add(*(ring.size_form for ring in self.plan.rings))

    def scratch_columns(self, largest: Mapping[str, int]) -> int:
        """Columns of scratch for points whose counts are at most ``largest``."""
        entries = sum(factor * largest.get(name, 1) for name, factor in self.ring_entries)
        return len(self.times) + len(self.outer_times) + entries

    def round_steps(self) -> str:
        """Write the number of steps after which the regime may repeat.

        2 without a ring: where circuits tie, one of two steps can be critical beside those of one.
        """
        text = "1" if self.plan.rings else "2"
        for size in self.plan.round_sizes:
            text = size if text == "1" else f"common_multiple({text}, {size})"
        return text

    def reset_lines(self) -> list[str]:
        """Statements that put the state at time 0."""
        zero = [f"{' = '.join([*self.times, *self.outer_times])} = 0.0"]
        if self.integers:
            zero.append(f"{' = '.join(self.integers)} = as_count(0)")
        zero += [f"fill({ring.name}, {ring.size}, 0.0)" for ring in self.plan.rings]
        return zero


def _join(*groups: list[str]) -> str:
    return ", ".join(name for group in groups for name in group)


def _sum(constant: int, sizes: list[str]) -> str:
    return " + ".join([str(constant), *sizes])
