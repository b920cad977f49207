"""Generated recurrences run as the plain Python that they are, every event recorded.

The text is the one that gets compiled. A recorded run steps through everything; a run with jumps
is the text as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import sweep.compiling
from sweep.description import Schedule
from sweep.recurrence.generator import generate
from sweep.recurrence.plan import plan
from sweep.recurrence.state import Names

STATEMENT = re.compile(r"^( *)(\w+) = (.*)  # (\w+)$", re.MULTILINE)
COMPILED_IMPORT = re.compile(
    r"^from sweep\.compiling\.\w+ import (\([^)]*\)|[^(\n]*)\n", re.MULTILINE
)
Edit = Callable[[str], str]


class PlainKernel:
    """One variant of a schedule's kernel, not compiled.

    Parameters
    ----------
    edit : callable, optional
        Changes the source first: how tests plant a fault.
    """

    def __init__(
        self, schedule: Schedule, release: str, plain: bool, edit: Edit | None = None
    ) -> None:
        self.plan = plan(schedule, release, plain)
        self.names = Names(self.plan)
        self.source = generate(self.plan)
        text = edit(self.source) if edit else self.source
        text = STATEMENT.sub(r'\g<0>\n\1record("\4", \2)', text)
        text = COMPILED_IMPORT.sub("", text)
        self.namespace: dict[str, Any] = {"record": lambda name, end: None, **_helpers()}
        exec(compile(text, "<kernel>", "exec"), self.namespace)

    def run(self, p: Mapping[str, Any]) -> tuple[float, float, int]:
        """Return cycles, period and bottleneck, with jumps."""
        names = self.names
        sizes = {name: p[name] for name, _ in names.ring_entries if name}
        columns = names.scratch_columns(sizes)
        scratch = [np.zeros((names.scratch_rows, columns))]
        if names.counted_rows:
            scratch.append(np.zeros((names.counted_rows, columns), np.complex128))
        out = np.full(1, np.nan), np.full(1, np.nan), np.full(1, -1, np.int8)
        with np.errstate(all="ignore"):
            self.namespace["kernel"](*([p[one]] for one in names.parameters), *scratch, *out)
        return float(out[0][0]), float(out[1][0]), int(out[2][0])

    def step(self, p: Mapping[str, Any]) -> tuple[float, dict[str, list[float]]]:
        """Return cycles and the ends of every event in order, without a jump."""
        ends: dict[str, list[float]] = {}
        kept = dict(self.namespace)
        self.namespace["record"] = lambda name, end: ends.setdefault(name, []).append(float(end))
        self.namespace["main_loop"] = self._main_loop
        self.namespace["tiles_loop"] = self._tiles_loop
        self.namespace["steady_state"] = lambda *p: (np.nan, 0)
        self.namespace["settle"] = lambda *p: (0.0, 0)
        self.namespace["tile_bottleneck"] = lambda *p: 0
        try:
            return self.run(p)[0], ends
        finally:
            self.namespace.update(kept)

    def landings(self, p: Mapping[str, Any], loop: str) -> list[bool]:
        """Say of each call of a loop that leaps whether it lands where stepping does.

        Every time and ring entry is compared, which shows more than a makespan: what a leap gets
        wrong is often mended a step later.

        Parameters
        ----------
        loop : {"drift", "tiles_loop"}
            The loop over steps near a tie, or the one over output tiles.
        """
        names, kept, found = self.names, dict(self.namespace), []
        leaping, tiles = self.namespace[loop], loop == "tiles_loop"
        first = 2  # the state follows the steps and the round
        own = len(names.times) + len(names.loop_integers)

        def watched(*arguments: Any) -> Any:
            apart = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
            result = leaping(*arguments)
            if tiles:
                stepped = self._tiles_loop(*apart)[1:]
            else:
                self.namespace["main_loop"] = kept["main_loop"]
                state, rest = apart[first : first + own], apart[first + own + len(names.scratch) :]
                for _ in range(arguments[0] - result[0]):
                    state = _tuple(self.namespace["steady_step"](*state, *rest))
                stepped = state
            reached = result[1:]
            found.append(
                self._times(reached, arguments, tiles) == self._times(stepped, apart, tiles)
            )
            return result

        self.namespace[loop] = watched
        self.namespace["settle"] = lambda *p: (0.0, 0)
        self.namespace["tile_bottleneck"] = lambda *p: 0
        try:
            self.run(p)
        finally:
            self.namespace.update(kept)
        return found

    def _times(self, state: Sequence[Any], arguments: Sequence[Any], between: bool) -> list[float]:
        """Pick the times out of a loop's state, and the rings it carries out of the arguments."""
        names = self.names
        times = len(names.times) + (len(names.outer_times) if between else 0)
        arrays = [one for one in arguments if isinstance(one, np.ndarray) and one.ndim == 1]
        rings = zip(self.plan.rings, arrays[len(names.scratch) :], strict=False)
        carried = [array for ring, array in rings if ring.crosses_tiles or not between]
        entries = [entry for array in carried for entry in sorted(map(float, array))]
        return [*map(float, state[:times]), *entries]

    def _main_loop(self, steps: int, round_steps: int, *arguments: Any) -> Any:
        names = self.names
        own = len(names.times) + len(names.loop_integers)
        state, rest = arguments[:own], arguments[own + len(names.scratch) :]
        for _ in range(steps):
            state = _tuple(self.namespace["steady_step"](*state, *rest))
        return state if own > 1 else state[0]

    def _tiles_loop(self, tiles: int, rounds: int, _: Any, *arguments: Any) -> Any:
        own = len(self.names.times) + len(self.names.outer_times) + len(self.names.integers)
        state, rest = arguments[:own], arguments[own:]
        for _tile in range(tiles):
            state = _tuple(self.namespace["tile"](rounds, *state, *rest))
        self.namespace["record"] = lambda name, end: None  # what follows is no part of the run
        return 0.0, *state


def _tuple(state: Any) -> tuple[Any, ...]:
    return state if isinstance(state, tuple) else (state,)


@cache
def _helpers() -> dict[str, Any]:
    """Return the helpers that kernels call, run from their files with nothing compiled."""
    found: dict[str, Any] = {"inlined": _same, "function": _same, "Array": Any}
    for name in ("jump_settings", "runtime", "policy_runtime"):
        path = Path(sweep.compiling.__file__).with_name(f"{name}.py")
        text = COMPILED_IMPORT.sub("", path.read_text(encoding="utf-8"))
        exec(compile(text, "<helpers>", "exec"), found)
    return found | {"batch": lambda *sizes: _same}


def _same(function: Any) -> Any:
    return function
