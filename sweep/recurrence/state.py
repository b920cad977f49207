"""The names that generated code uses: arguments, state and scratch of a recurrence."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from sweep.compiling.jump_settings import COUNTED_ROWS, TILE_ROWS
from sweep.description.counts import Linear, add
from sweep.recurrence.code_text import end_name, line_name
from sweep.recurrence.plan import Plan

CHOICES = ("release", "arbitration")
ONCE_PER_TILE = ("tile_start", "before_drain", "tile_end")
TURN, OTHER_CONSUMER = line_name("consumer", agents=True), "other_consumer"
"""The consumer whose tile it is, and the one that waits for its turn."""


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
        return [*self.plan.lines, *registers, *map(end_name, self.plan.latest)]

    @cached_property
    def loop_integers(self) -> list[str]:
        """The main loop's state in integers: ring positions and the k-tiles done."""
        counter = ["k_tile"] if self.plan.starts("k_tile") else []
        return [*(one.name for one in self.plan.positions), *counter]

    @cached_property
    def outer_times(self) -> list[str]:
        """What only tiles as a whole change: idle lines, the other consumer, hand-overs."""
        other = [OTHER_CONSUMER] if self.plan.schedule.turns == 2 else []
        return [*self.plan.idle_lines, *other, *map(end_name, self.plan.carried)]

    @cached_property
    def integers(self) -> list[str]:
        """All the integers of the state."""
        counter = ["tiles_done"] if self.plan.starts(*ONCE_PER_TILE) else []
        return [*self.loop_integers, *counter]

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
    def counted_arguments(self) -> str:
        """What the count of a duration on the critical path takes: the state, twice its arrays."""
        arrays = [*self.scratch, "history", *self.ring_names]
        twice = [*self.ring_names, *(f"{name}_counted" for name in arrays)]
        state = [*self.times, *self.outer_times, *self.integers]
        return _join(["round_steps"], state, twice, self.parameters)

    @property
    def scratch(self) -> list[str]:
        """Arrays that hold packed states while looking for a jump."""
        return ["was", "now", "trial", "advance"]

    @property
    def all_lines(self) -> list[str]:
        """The lines whose latest is the makespan: a use ends on its resource's, if on no other."""
        other = [OTHER_CONSUMER] if self.plan.schedule.turns == 2 else []
        return [*self.plan.lines, *self.plan.idle_lines, *other]

    @property
    def loop_unsettled(self) -> str:
        """Whether some event of the main loop does not exist yet: no regime holds before."""
        return " or ".join(f"k_tile < {start}" for start in self.plan.starts("k_tile"))

    @property
    def unsettled(self) -> str:
        """The same of all events; the first tile that has one may differ from all later ones."""
        tiles = [f"tiles_done < {start} + 1" for start in self.plan.starts(*ONCE_PER_TILE)]
        return " or ".join([*([self.loop_unsettled] if self.loop_unsettled else []), *tiles])

    @property
    def scratch_rows(self) -> int:
        """Rows of scratch that the kernel takes."""
        history = TILE_ROWS if self.plan.schedule.tile_level else 0
        return len(self.ring_names) + len(self.scratch) + history

    @property
    def counted_rows(self) -> int:
        """Rows of complex scratch, for times with counts."""
        rows = len(self.ring_names) + len(self.scratch) + COUNTED_ROWS
        return rows if self.plan.schedule.tile_level else 0

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
            zero += [f"{one.name} = {one.start}" for one in self.plan.positions if one.start != "0"]
        zero += [f"fill({ring.name}, {ring.size}, 0.0)" for ring in self.plan.rings]
        return zero


def _join(*groups: list[str]) -> str:
    return ", ".join(name for group in groups for name in group)
