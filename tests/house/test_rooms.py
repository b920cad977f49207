"""Rules of the house on files, names and the one place for each thing."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import sweep
from analysis.causes.idle_time import CAUSES
from sweep.catalogue.validation import beyond_generated
from sweep.engine.run import run_space
from sweep.inputs.space import resolve
from sweep.quantities.variables import OUTPUTS, VARIABLES

ROOT = Path(__file__).parents[2]
PACKAGES = ("sweep", "analysis", "figures")
FILES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
LONGEST_FILE, LONGEST_FUNCTION = 300, 45


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Yield each function with its lines of code: no docstring, no comment, no empty line."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = node.body[0]
        documented = ast.get_docstring(node) is not None
        left_out = range(first.lineno, (first.end_lineno or 0) + 1) if documented else range(0)
        code = [
            at
            for at in range(node.lineno, (node.end_lineno or 0) + 1)
            if at not in left_out and lines[at - 1].strip() and lines[at - 1].strip()[0] != "#"
        ]
        yield node.name, len(code)


def test_files_are_short() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {path.name: n for path, n in lengths.items() if n > LONGEST_FILE} == {}


def test_functions_are_short() -> None:
    found = {(path.name, name): n for path in FILES for name, n in functions(path)}
    assert {where: n for where, n in found.items() if n > LONGEST_FUNCTION} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_two_files_have_one_name(package: str) -> None:
    stems = Counter(path.stem for path in (ROOT / package).rglob("*.py"))
    assert [stem for stem, n in stems.items() if n > 1 and stem != "__init__"] == []


def test_contracts_have_no_exceptions() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    assert len(settings["contracts"]) >= 9
    for contract in settings["contracts"]:
        assert "ignore_imports" not in contract, contract["name"]
    layered = [one for one in settings["contracts"] if one["type"] == "layers"]
    assert all(one.get("exhaustive") for one in layered if one["name"].startswith("rooms"))


@pytest.mark.parametrize("name", sweep.SCHEDULES)
def test_every_output_has_a_writer(name: str) -> None:
    space = resolve(name, {})
    assert {*OUTPUTS} <= set(run_space(space, threads=1))


@pytest.mark.parametrize("name", sweep.SCHEDULES)
def test_every_duration_of_a_generated_schedule_has_a_cause(name: str) -> None:
    schedule = sweep.SCHEDULES[name]
    if not beyond_generated(schedule, schedule.events("consumer")):
        idle = {row.takes for row in schedule.events("consumer") if row.takes and row.on != "TC"}
        assert idle <= set(CAUSES)


def test_durations_are_called_t() -> None:
    kinds = {name: row.kind for name, row in VARIABLES.items()}
    assert all(name.startswith("t_") for name, kind in kinds.items() if kind == "duration")
    assert not [
        name
        for name, kind in kinds.items()
        if name.startswith("t_") and kind != "duration" and name != "t_mem"
    ]
