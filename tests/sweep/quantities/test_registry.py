"""The registry with names that schedules declare: one meaning and unit each, whoever says so."""

from __future__ import annotations

import pytest

from sweep.errors import InputError
from sweep.quantities.registry import Names, Registry
from sweep.quantities.variable import Variable


def count(name: str, meaning: str = "", **more: object) -> Variable:
    fields: dict[str, object] = {"dtype": "int64", "default": 2, "lower": 1, "upper": 9} | more
    return Variable(name, "count", "1", meaning, **fields)  # type: ignore[arg-type]


@pytest.fixture
def registry() -> Registry:
    return Registry([count("stages", "slots"), Variable("cycles", "output", "cycle", "makespan")])


def test_own_names_follow_the_built_in_ones(registry: Registry) -> None:
    names = Names(registry, lambda row: row.kind == "count")
    assert list(names) == ["stages"]
    registry.enter("own", [count("buffers", "a meaning")])
    assert list(registry) == ["stages", "cycles", "buffers"]
    assert (list(names), names[-1], "buffers" in names, len(names)) == (
        ["stages", "buffers"],
        "buffers",
        True,
        2,
    )
    assert registry.is_built_in("stages")
    assert not registry.is_built_in("buffers")


def test_the_same_name_with_the_same_meaning_is_shared(registry: Registry) -> None:
    registry.enter("one", [count("buffers", "a meaning", default=2, lower=2)])
    registry.enter("two", [count("buffers", "a meaning", default=3, upper=20)])
    row = registry["buffers"]
    assert (row.default, row.lower, row.upper, row.long_name) == (None, 1, 20, "a meaning")


def test_no_meaning_takes_the_one_there_is(registry: Registry) -> None:
    registry.enter("one", [count("buffers")])
    assert registry["buffers"].long_name == "buffers"
    registry.enter("two", [count("buffers", "a meaning")])
    registry.enter("three", [count("buffers"), count("stages")])
    assert registry["buffers"].long_name == "a meaning"
    assert registry["stages"].long_name == "slots"


def test_another_unit_or_built_in_meaning_is_refused_naming_both(registry: Registry) -> None:
    registry.enter("one", [count("buffers", "a meaning")])
    with pytest.raises(InputError, match=r"in 'byte', and in one .* in '1'"):
        registry.enter("two", [count("more"), Variable("buffers", "count", "byte", "a", "int64")])
    assert "more" not in registry
    with pytest.raises(InputError, match=r"'stages' is .*'other'.* in the registry .*'slots'"):
        registry.enter("two", [count("stages", "other")])
    with pytest.raises(InputError, match="'cycles' is an output already; give a count another"):
        registry.enter("two", [count("cycles", "makespan")])


def test_each_schedule_has_its_meaning_of_a_name(registry: Registry) -> None:
    registry.enter("one", [count("buffers", "a meaning", default=2)])
    registry.enter("two", [count("buffers", "another", default=3)])
    assert registry["buffers"].long_name == "a meaning; another"
    assert registry.meant_by(["two"])["buffers"].long_name == "another"
    assert registry.meant_by(["two"])["buffers"].default == 3
    assert registry.meant_by(["two", "one"])["buffers"].long_name == "another; a meaning"
    assert registry.meant_by([])["stages"].long_name == "slots"


def test_an_owner_may_change_its_mind(registry: Registry) -> None:
    registry.enter("own", [count("buffers", "a meaning"), count("left", "x")])
    registry.enter("own", [count("buffers", "another", default=5)])
    assert (registry["buffers"].long_name, registry["buffers"].default) == ("another", 5)
    assert "left" in registry  # points of the earlier version may still be labelled


def test_a_snapshot_stays(registry: Registry) -> None:
    before = registry.snapshot
    registry.enter("own", [count("buffers", "a meaning")])
    assert "buffers" not in before
    again = registry.snapshot
    registry.enter("own", [count("buffers", "a meaning")])
    assert registry.snapshot is again
