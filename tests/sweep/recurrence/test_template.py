"""The templates run as they stand, and their holes are filled or refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sweep.compiling
from sweep.catalogue.schedules import SCHEDULES
from sweep.compiling.jump_settings import COUNTED_ROWS, HISTORY, KEPT, STRIDE, TILE_ROWS
from sweep.compiling.kept import HELPERS
from sweep.compiling.policy_runtime import MOST_COUNTED
from sweep.compiling.runtime import copy, subtract, uniform
from sweep.recurrence import example, jumps, policies, round_jumps, tile_jumps
from sweep.recurrence.general.general_kernel import tables_of
from sweep.recurrence.kernels import load, source_of
from sweep.recurrence.template import fill, text_of
from sweep.recurrence.unrolled.kernel_text import KernelText
from tests.accounts.plain_kernels import PlainKernel
from tests.accounts.tile_graphs import check_periods, tile_graph
from tests.support.one_loop import ONE_LOOP
from tests.support.points import COMPILED, GRID

TEMPLATES = ("round_jumps", "tile_jumps", "policies")
COLUMNS = 40
plain = pytest.mark.skipif(COMPILED, reason="compiled helpers cannot be called from Python")
Point = dict[str, Any]


def points(seed: int, number: int, **most: int) -> Iterator[Point]:
    """Draw points of the example, many of them just off a tie."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        k_tiles, stages = (int(rng.integers(1, most[one] + 1)) for one in ("k_tiles", "stages"))
        tie = float(rng.integers(1, 9))
        sums = [0, tie, tie, 2 * tie, k_tiles * tie, stages * tie, (stages - 1) * tie]
        names = ("t_transfer", "t_latency", "t_mma", "t_epilogue")
        off = rng.integers(-3, 4, 4) * rng.choice([0, GRID, 1 / 64, 1 / 32])
        drawn = dict(zip(names, map(float, abs(rng.choice(sums, 4) + off)), strict=True))
        yield drawn | {"stages": stages, "k_tiles": k_tiles}


def given(p: Point) -> tuple[Any, ...]:
    return np.zeros(p["stages"]), *p.values()


def scratch() -> tuple[Any, ...]:
    return tuple(np.zeros((4, COLUMNS)))


def start() -> example.Loop:
    return 0.0, 0.0, 0


def late() -> Callable[[example.Loop], bool]:
    """Stand for events that do not exist at first: jumps wait, and change nothing."""
    asked = count()
    return lambda state: next(asked) < 20


def eager(history: Any, done: int, marked: int, size: int) -> tuple[int, bool]:
    """Propose 3 tiles, whatever the state does: a leap shows itself whether it holds."""
    if done < 4:
        return 0, False
    now, before = history[(done - 1) % HISTORY], history[(done - 4) % HISTORY]
    subtract(history[STRIDE], now, before, size)
    copy(history[KEPT], now, size)
    return 3, not uniform(now, before, size)


@plain
@pytest.mark.parametrize("waiting", [False, True])
def test_rounds_are_jumped_as_they_are_stepped(
    waiting: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for p in points(1, 150, k_tiles=1200, stages=12):
        if waiting:
            monkeypatch.setattr(round_jumps, "unsettled", late())
        steps, jumping, stepping = p["k_tiles"], given(p), given(p)
        reached = round_jumps.main_loop(steps, p["stages"], start(), *scratch(), jumping)
        loop = start()
        for _ in range(steps):
            loop = example.steady_step(loop, stepping)
        assert reached == loop
        np.testing.assert_array_equal(jumping[0], stepping[0])


@plain
@pytest.mark.parametrize("waiting", [False, True])
@pytest.mark.parametrize("finds", [tile_jumps.repeating, eager])
def test_tiles_are_jumped_as_they_are_stepped(
    waiting: bool, finds: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tile_jumps, "repeating", finds)
    for p in points(2, 60, k_tiles=4, stages=14):
        if waiting:
            monkeypatch.setattr(tile_jumps, "unsettled_tile", late())
        jumping, stepping, history = given(p), given(p), np.zeros((TILE_ROWS, COLUMNS))
        _, reached = tile_jumps.tiles_loop(400, 1, history, start(), scratch(), jumping)
        state = start()
        for _ in range(400):
            state = example.tile(1, state, scratch(), stepping)
        assert reached[:2] == state[:2]
        ends = [(jumping, reached), (stepping, state)]
        oldest_first = [np.roll(ring, -slot) for (ring, *_), (_, _, slot) in ends]
        np.testing.assert_array_equal(*oldest_first)


@plain
def test_the_example_is_persistent_without_its_issue() -> None:
    kernel = PlainKernel(SCHEDULES["persistent"], "consumer", True)
    for p in points(3, 60, k_tiles=5, stages=6):
        _, state, pace, length, _ = settled(p, tiles=30)
        cycles, period, _ = kernel.run(p | {"t_issue": 0.0, "output_tiles": 30})
        assert max(state[:2]) == cycles
        assert pace / length == period


def settled(p: Point, tiles: int) -> tuple[Any, ...]:
    """Run tiles and look for the period: also what ``responds`` takes after its weights."""
    all_given, history = given(p), np.zeros((TILE_ROWS, COLUMNS))
    pace, state = tile_jumps.tiles_loop(tiles, 1, history, start(), scratch(), all_given)
    ring_counted = np.zeros(p["stages"], np.complex128)
    history_counted = np.zeros((COUNTED_ROWS, COLUMNS), np.complex128)
    rest = (1, state, all_given[0], (), history_counted, ring_counted, all_given[1:])
    pace, length = policies.settle(pace, *rest)
    return all_given, state, pace, length, rest


@plain
@pytest.mark.parametrize(("k_tiles", "stages"), [(1, 1), (2, 5), (3, 4), (4, 7)])
def test_policies_agree_with_the_graph_of_a_tile(k_tiles: int, stages: int) -> None:
    graph = tile_graph(SCHEDULES["persistent"], "consumer", k_tiles, stages, 0)
    drawn = [p | {"k_tiles": k_tiles, "stages": stages} for p in points(4, 40, k_tiles=4, stages=7)]
    found = [settled(p, tiles=12) for p in drawn]
    columns = {name: np.array([p[name] for p in drawn]) for name in drawn[0]}
    others = [name for name in SCHEDULES["persistent"].durations if name not in columns]
    columns |= {name: np.zeros(len(drawn)) for name in others}
    right, binds = check_periods(graph, columns, np.array([one[2] / one[3] for one in found]))
    assert right.all()
    durations = ("t_transfer", "t_latency", "t_mma", "t_epilogue")
    for index, name in enumerate(durations):
        weights = tuple(float(one == index) for one in range(4))
        says = [policies.responds(length, weights, *rest) for *_, length, rest in found]
        assert says == binds[name].astype(float).tolist(), name


@plain
def test_more_k_tiles_than_a_time_can_count_are_not_told() -> None:
    (p,) = points(5, 1, k_tiles=2, stages=3)
    *_, length, rest = settled(p, tiles=12)
    *others, parameters = rest
    many = (*parameters[:-1], MOST_COUNTED + 1)
    assert policies.responds(length, (1.0, 0.0, 0.0, 0.0), *others, many) == -1


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_hole_of_a_template_must_be_filled(template: str) -> None:
    text = text_of(template)
    names = {name: ["one"] for name in re.findall(r"\ball_\w+", text)}
    lines = {name: ["pass"] for name in re.findall(r"# hole: (\w+)", text)}
    filled = fill(text, names, lines)
    assert "# hole" not in filled
    assert "all_" not in filled
    for name in lines:
        fewer = {one: filling for one, filling in lines.items() if one != name}
        with pytest.raises(ValueError, match=rf"not filled: {name}$"):
            fill(text, names, fewer)
    for name in names:
        with pytest.raises(ValueError, match=rf"not filled: {name}$"):
            fill(text, {one: filling for one, filling in names.items() if one != name}, lines)
    with pytest.raises(ValueError, match="without a hole: other"):
        fill(text, names, lines | {"other": []})
    with pytest.raises(ValueError, match="not marked as it should be: # hole: size"):
        fill(text + "\n    # hole: size", names, lines)


def test_no_variables_leave_no_comma() -> None:
    text = "def step(\n    all_a: Any,\n    b: int,\n    all_c: Any,\n) -> Any:\n"
    text += "    all_a, b = step(all_a, b, all_c)\n    return all_c[0], all_a"
    filled = fill(text, {"all_a": [], "all_c": ["c", "d"]}, {})
    expected = "def step(\n    b,\n    c, d,\n):\n    b = step(b, c, d)\n    return c"
    assert filled == expected


def test_a_hole_without_statements_takes_its_block_along() -> None:
    text = "if late():  # hole: late\n    wait()\n\n    wait()\nend()"
    assert fill(text, {}, {"late": []}) == "end()"
    assert fill(text, {}, {"late": ["if x > 2:"]}).startswith("if x > 2:\n    wait()")


@pytest.mark.parametrize("template", TEMPLATES)
def test_another_text_of_a_template_is_another_kernel(
    template: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept of a kernel is named by its source, which holds the templates' text."""

    def changed(name: str) -> str:
        return text_of(name) + "    # changed\n" * (name == template)

    schedule = SCHEDULES["persistent"]
    before = source_of(schedule)
    monkeypatch.setattr(jumps, "text_of", changed)
    after = source_of(schedule)
    names = {load("trial", f"SOURCE = {source!r}").__name__ for source in (before, after)}
    assert len(names) == 2


def test_all_that_kernels_import_is_in_their_name() -> None:
    folder = Path(sweep.compiling.__file__).parent
    texts = [source_of(SCHEDULES[name]) for name in ONE_LOOP]
    texts += [KernelText(tables_of(SCHEDULES["blackwell_gemm"], "consumer")).written()]
    texts += [(folder / f"{name}.py").read_text(encoding="utf-8") for name in HELPERS]
    imported = {name for text in texts for name in re.findall(r"sweep\.compiling\.(\w+)", text)}
    assert imported == {*HELPERS, "jit", "kept"}  # the last two start Numba and keep files


def test_kernels_import_nothing_that_none_uses() -> None:
    """The list of imports is written by hand; a name too few is an error at the first run."""
    sources = [source_of(SCHEDULES[name], "consumer", False) for name in ONE_LOOP]
    head = sources[0].split("\n\n\n")[0].split("import math\n")[1]
    names = set(re.findall(r"\b(\w+)\b", re.sub(r"from \S+ import", "", head)))
    assert {"latest", "KEPT"} < names
    bodies = "\n".join(source.split("\n\n\n", 1)[1] for source in sources)
    assert names == {name for name in names if re.search(rf"\b{name}\b", bodies)}
