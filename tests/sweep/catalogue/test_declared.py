"""What a schedule declares: refused in one line that names the schedule, the name, the remedy."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from sweep.catalogue.validation import validate
from sweep.description import (
    Agent,
    Count,
    Duration,
    Event,
    Factor,
    Loop,
    Resource,
    Ring,
    Schedule,
)
from sweep.errors import InputError
from sweep.inputs.space import resolve
from tests.support.own_schedules import DRAINED, fenced

FENCE = Duration("t_fence", "time of a fence", "3")


def test_the_examples_are_sound() -> None:
    validate(fenced())
    validate(DRAINED)


@pytest.mark.parametrize(
    ("declares", "says"),
    [
        ((3,), "declares 3: must be a Count, Factor, Duration or Resource"),
        ([], "declares=\\[\\]: must be a tuple"),
        ((Count("fence ops", 3),), "count 'fence ops': the name must be an ASCII identifier"),
        ((Count("x" * 99, 3),), "the name must be an ASCII identifier of at most 64"),
        ((Count("ops", 0),), "count 'ops': default=0: must be from 1 to"),
        ((Count("ops", 3, least=-1),), "least=-1, most=.*: must be from 0 on"),
        ((Count("ops", 3, least=4, most=2),), "least=4, most=2: must be from 0 on, in this order"),
        ((Count("ops", 3, most=2),), "default=3: must be from 1 to 2"),
        ((Count("ops", 2.5),), "default=2.5: must be a whole number"),  # type: ignore[arg-type]
        ((Count("ops", True),), "default=True: must be a whole number"),
        ((Count("ops", 2, unit=3),), "unit=3: must be a str"),  # type: ignore[arg-type]
        ((Factor("share", float("nan")),), "default=nan: must be a number"),
        ((Factor("share", 2.0, most=1.0),), "default=2.0: must be from 0.0 to 1.0"),
        ((Count("t_ops", 3),), "names that begin with 't_' are durations"),
        ((Duration("fence", "x", "3"),), "names of durations begin with 't_'"),
        ((Duration("t_x", 5, "3"),), "long_name=5: must be a str"),  # type: ignore[arg-type]
        ((Count("threads", 3),), "count 'threads': commands take an argument of that name"),
        ((Count("output_tiles", 3),), "every schedule has it; it cannot be declared"),
        ((Duration("t_launch", "x", "3"),), "every schedule has it"),
        ((Count("tile_m", 3),), "formulas are given something else by that name"),
        ((Count("stage_bytes", 3),), "formulas are given something else by that name"),
        ((Count("dims", 3),), "datasets have a method of that name"),
        ((Count("ops", 3), Count("ops", 4)), "count 'ops': is declared twice"),
        ((Resource("TC"),), "resource 'TC': TC is there in every schedule"),
        ((Resource("mem"),), "MEM is there in every schedule"),
        ((Resource("X", "random"),), "service='random'"),  # type: ignore[arg-type]
        ((Resource("X"), Resource("x")), "resource 'x': is declared twice"),
        ((Duration("t_y", "y", "t_z"), Duration("t_z", "z", "t_y")), "needs 't_y' itself"),
        ((Duration("t_y", "y", "t_y + 1"),), "duration 't_y': its formula needs 't_y' itself"),
        ((Duration("t_gemm", formula="t_gemm0"),), "'t_gemm': its formula needs 't_gemm' itself"),
        ((Duration("t_y", "y", "(1"),), "duration 't_y': the formula is no expression"),
        ((Duration("t_y", "y", 3),), "the formula must be text or a function"),  # type: ignore[arg-type]
        ((Duration("t_y", "y", lambda *a: 1),), "the formula must name what it needs"),
        ((Duration("t_y", "y", "oops"),), "needs 'oops', which is not known; declare it, such as"),
        ((Duration("t_y", "y", "tile"),), "the formula needs 'tile', which is no number"),
        ((Duration("t_y", "y", "loader"),), "the formula needs 'loader', which is no number"),
        ((Duration("t_y", "y", "release"),), "needs 'release', which is not known"),
        ((Duration("t_y", "y", "cycles"),), "needs 'cycles', which is not known"),
        ((Duration("t_y", "y", "+".join(f"a{n}" for n in range(40))),), "needs 40 names; at most"),
        (tuple(Count(f"n{n}", 1) for n in range(100)), "declares 101 names; the limit is 100"),
    ],
)
def test_names(declares: Any, says: str) -> None:
    own = fenced(declares=(*declares, FENCE) if isinstance(declares, tuple) else declares)
    with pytest.raises(InputError, match=says) as caught:
        resolve(own, {})
    assert str(caught.value).startswith("schedule 'fenced': ")
    assert "\n" not in str(caught.value)


def test_a_formula_may_not_need_what_another_schedule_declares() -> None:
    resolve(fenced(), {})
    own = fenced(name="other", declares=(Duration("t_fence", "time of a fence", "fence_ops"),))
    with pytest.raises(InputError, match="needs 'fence_ops', which it does not declare"):
        resolve(own, {})


def changed(**changes: Any) -> Schedule:
    given = {one.name: getattr(DRAINED, one.name) for one in fields(DRAINED)}
    return Schedule(**(given | {"events": DRAINED.events("consumer")} | changes))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"rings": (Ring("ab", 1, (), "global", "3"),)}, "ring 'ab': memory='global': must be"),  # type: ignore[arg-type]
        ({"rings": (Ring("a b", 1, (), "shared", "3"),)}, "ring 'a b': the name must be"),
        ({"rings": (Ring("ab", 1, (), "shared", "oops"),)}, "size of ring 'ab': the formula needs"),
        ({"rings": (Ring("ab", 1, (), "shared", 3),)}, "ring 'ab': size=3: must be text"),  # type: ignore[arg-type]
        ({"rings": ("ab",)}, "ring 'ab': must be a Ring"),
        ({"flop": "2 * oops"}, "flop: the formula needs 'oops'"),
        ({"agents": (Agent("load", 0),)}, "agent 'load': warps=0: must be from 1 to 64"),
        ({"agents": (Agent("load", turns=0),)}, "agent 'load': turns=0: must be from 1 to 64"),
        ({"agents": (Agent("load", registers=20),)}, "registers=20: must be from 24 to 256 in"),
        ({"agents": (Agent("load", registers=250),)}, "registers=250: .* in steps of 8"),
        ({"agents": (Agent("load", registers=264),)}, "registers=264: must be from 24 to 256"),
        ({"agents": (Agent("load", 1.5),)}, "warps=1.5: must be a int"),  # type: ignore[arg-type]
        (
            {"agents": (Agent("a", 2, 40), Agent("b", 2, 48), Agent("c", 4, 48))},
            "registers=40 and 48: warps of one warpgroup have the same",
        ),
        ({"loops": (Loop("main", "oops"),)}, "loop 'main': counts 'oops'; counts: k_tiles"),
        ({"loops": (Loop("main", 4),)}, "the main loop's count must be the name of a count"),
        ({"loops": (Loop("end", "k_tiles"),)}, "loop 'end': another place has that name"),
        ({"loops": (Loop("a", "k_tiles"), Loop("a", "slots"))}, "loop 'a': another place has"),
        ({"loops": (Loop("a", "k_tiles"), Loop("b", -1))}, "count=-1: must be a number or a count"),
        ({"loops": (Loop("a", "k_tiles"), Loop("b", "2 ** k"))}, "write an integer, 'NAME'"),
    ],
)
def test_rings_agents_and_loops(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        validate(changed(**changes))
    assert "\n" not in str(caught.value)


def test_turns_stand_for_as_many_agents() -> None:
    assert changed(agents=(Agent("load"), Agent("mma"), Agent("drainer", turns=3))).agent_names == (
        "load",
        "mma",
        "drainer_0",
        "drainer_1",
        "drainer_2",
    )


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (
            Event("x", "mma", takes="t_y"),
            r"event 'x': takes 't_y', .*; declare Duration\('t_y', \.\.\.\)",
        ),
        (Event("x", "mma", takes="t_launch"), "takes 't_launch', which is no cycle parameter"),
        (Event("x", "mma", takes="slots"), "takes 'slots', which is no cycle parameter"),
        (Event("x", "mma", "ALU"), "unknown resource 'ALU'; resources: TC, MEM, SFU, FMA, STORE"),
        (Event("x", "mma", place="second"), "place='second'; places: k_tile, .*main, parts"),
        (Event("x", "mma", behind="oops"), "behind='oops': counts 'oops'; counts: stages, .*slots"),
        (Event("x", "mma", every=0), "every=0: must be at least 1"),
        (Event("x", "mma", skips="oops"), "skips='oops': counts 'oops'"),
        (Event("x", "someone"), "unknown agent 'someone'; agents: .*drainer"),
    ],
)
def test_rows_name_what_is_there(row: Event, says: str) -> None:
    own = replace(DRAINED, events=(*DRAINED.events("consumer"), row))
    with pytest.raises(InputError, match=says):
        validate(own)
