"""Rules of the house that a reader relies on: documentation, sources, units, and the README."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import analysis
import figures
import sweep
from sweep.catalogue.validation import validate
from sweep.quantities.variables import VARIABLES

ROOT = Path(__file__).parents[2]
PUBLIC = [getattr(sweep, name) for name in ("simulate", "trace", "run", "where_feasible")]


def test_readme_examples_run() -> None:
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried >= 10
    assert failed == 0


def test_readme_schedule_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    (source,) = (block for block in blocks if "SCHEDULE =" in block)
    path = tmp_path / "eager_copy.py"
    path.write_text(source)
    one = sweep.simulate(path, t_latency=300)
    assert one.cycles == sweep.simulate("register_staged", t_store=0, t_latency=300).cycles
    assert sweep.trace(path, k_tiles=2).sizes["event"] == 9


def test_readme_has_two_commands_first() -> None:
    screen = (ROOT / "README.md").read_text().split("## ")[0]
    commands = re.findall(r"^python3 -m venv .*$", screen, re.MULTILINE)
    assert len(commands) == 2
    assert "warpsweep reproduce" in commands[0]
    assert "pytest" in commands[1]


@pytest.mark.parametrize("function", PUBLIC, ids=lambda one: one.__name__)
def test_public_functions_document_their_parameters(function: object) -> None:
    text = inspect.getdoc(function) or ""
    parameters = inspect.signature(function).parameters  # type: ignore[arg-type]
    documented = [name for name in parameters if re.search(rf"^\*{{0,2}}{name}\b", text, re.M)]
    assert documented == list(parameters) or len(parameters) == 1
    assert "Examples" in text


@pytest.mark.parametrize("package", [sweep, analysis, figures], ids=lambda one: one.__name__)
def test_every_module_says_what_it_is_for(package: object) -> None:
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):  # type: ignore[attr-defined]
        assert importlib.import_module(info.name).__doc__, info.name


@pytest.mark.parametrize("name", sweep.SCHEDULES)
def test_schedules_are_sound_and_described(name: str) -> None:
    schedule = sweep.SCHEDULES[name]
    validate(schedule)
    assert schedule.name == name
    assert schedule.summary
    assert schedule.reference
    module = importlib.import_module(f"sweep.schedules.{name}")
    assert "Pseudo-code" in (module.__doc__ or "")
    assert all(parameter in VARIABLES for parameter in schedule.parameters)


@pytest.mark.parametrize("name", sweep.GPUS)
def test_every_number_of_a_gpu_has_a_source(name: str) -> None:
    gpu = sweep.GPUS[name]
    numbers = [f for f, value in vars(gpu).items() if isinstance(value, int | float)]
    assert numbers
    assert all(gpu.sources.get(field) for field in numbers), numbers


def test_imports_flow_one_way() -> None:
    pytest.importorskip("importlinter")
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as l; l()"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
