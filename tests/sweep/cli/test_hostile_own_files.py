"""Schedules of one's own that do anything at all while they are loaded or run: one line, 2."""

from __future__ import annotations

import importlib.metadata
import warnings
from pathlib import Path
from typing import Any

import pytest

import sweep
from sweep.catalogue.discovery import discover, load_schedule
from sweep.cli.commands import main
from sweep.host.streams import Notice

Capture = pytest.CaptureFixture[str]

WHOLE = """
from sweep.description import After, Event, Schedule


class Broken(Exception):
    def __str__(self):
        raise ValueError("no text either")


class Rude(BaseException):
    pass


calls = 0


def events(release):
    global calls
    calls += 1
    {in_events}
    return (
        Event("issue", "warp", takes="t_issue"),
        Event("transfer", "warp", on="MEM", takes="t_transfer", asynchronous=True),
        Event("arrive", takes="t_latency", after=(After("transfer"),)),
        Event("wait_copy", "warp", takes="t_sync", after=(After("arrive"),)),
        Event("mma", "warp", on="TC", takes="t_mma"),
    )


def program(simulation, p):
    {in_program}
    def agent():
        {in_agent}
        yield None
    simulation.start("warp", agent())


{at_import}
SCHEDULE = Schedule(
    name="own", family="gemm", summary="own", reference="this file", agents=("warp",),
    events={events}, program={program}, loader="cp_async",
    fixed_stages=2,
)
"""

ENDS = {
    "exception": "raise ValueError('a reason')",
    "lines": "raise ValueError('a\\nreason\\nof lines')",
    "control": "raise ValueError('\\x1b[31mred')",
    "long": "raise ValueError('x' * 100_000)",
    "no_text": "raise Broken",
    "base": "raise Rude('bye')",
    "exit": "raise SystemExit(3)",
    "exit_0": "import sys; sys.exit()",
    "generator_exit": "raise GeneratorExit",
    "stop": "raise StopIteration",
    "memory": "raise MemoryError",
    "recursion": "f = lambda: f(); f()",
    "lookup": "{}['t_mma']",
    "attribute": "None.t_mma",
    "zero": "1 / 0",
    "warning": "import warnings; warnings.warn('mine'); 1 / 0",
    "group": "raise ExceptionGroup('several', [ValueError(1), TypeError(2)])",
    "unicode": "'\\udcff'.encode()",
}
PLACES = ("at_import", "in_events", "in_program", "in_agent")


def write(folder: Path, **parts: str) -> str:
    text = WHOLE
    rest = dict.fromkeys(PLACES, "pass") | {"events": "events", "program": "program"} | parts
    for place, code in rest.items():
        text = text.replace("{" + place + "}", code)
    file = folder / "own.py"
    file.write_text(text)
    return str(file)


def one_line(capsys: Capture, *arguments: str) -> str:
    capsys.readouterr()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the file's own
        code = main(arguments)
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    lines = [line for line in err.split("\n") if ": compiling " not in line]
    assert len(lines) == 2
    assert lines[1] == ""
    assert lines[0].startswith("warpsweep: error: ")
    assert lines[0].isprintable()
    assert len(lines[0]) < 1600
    return lines[0]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("end", ENDS)
def test_whatever_it_does(capsys: Capture, tmp_path: Path, place: str, end: str) -> None:
    file = write(tmp_path, **{place: ENDS[end]})
    command = ["simulate", file, "k_tiles=2"]
    said = one_line(capsys, *command, *(["--engine", "events"] if place != "at_import" else []))
    if end == "exception":
        assert "ValueError: a reason" in said
    if place in ("at_import", "in_events"):
        one_line(capsys, "timeline", file)
        one_line(capsys, "schedules", "--kernel", file)


@pytest.mark.parametrize("end", ["exception", "exit", "base", "no_text"])
def test_a_second_call_that_fails_is_not_made(tmp_path: Path, end: str) -> None:
    file = write(tmp_path, in_events=f"if calls > 2: {ENDS[end]}")
    assert load_schedule(file).events("consumer") is load_schedule(file).events("consumer")


@pytest.mark.parametrize(
    "parts",
    [
        {"events": "None"},
        {"events": "3"},
        {"events": "lambda: ()"},
        {"events": "lambda release: None"},
        {"events": "lambda release: ()"},
        {"events": "lambda release: [1, 2]"},
        {"events": "lambda release: events"},
        {"events": "lambda release: (row for row in ())"},
        {"at_import": "SCHEDULE = 3; raise SystemExit"},
        {"at_import": "return"},
        {"at_import": "\0"},
        {"at_import": "é = '\\udc80'; raise ValueError(é)"},
    ],
    ids=str,
)
def test_what_is_no_description(capsys: Capture, tmp_path: Path, parts: dict[str, str]) -> None:
    one_line(capsys, "simulate", write(tmp_path, **parts))


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00", b"\0" * 100, b"SCHEDULE = 1", b"(" * 5000, b"x" * 10**6]
)
def test_what_is_no_schedule(capsys: Capture, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "own.py"
    file.write_bytes(content)
    one_line(capsys, "simulate", str(file))
    one_line(capsys, "verify", str(file))


def test_files_that_are_none(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    for name in ("folder.py", "none.py", "n" * 300 + ".py", "n" * 5000 + ".py", "\udcff.py"):
        one_line(capsys, "simulate", str(tmp_path / name))
    with pytest.raises(sweep.InputError):
        load_schedule("a\0b.py")


def test_a_program_without_end(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sweep.simulator.operations.MOST_OPERATIONS", 1000)
    endless = (
        "from sweep.simulator.operations import Busy\n        while True: yield Busy('x', 0.0)"
    )
    file = write(tmp_path, in_agent=endless)
    said = one_line(capsys, "simulate", file, "k_tiles=1", "--engine", "events")
    assert "an agent's program goes on after 1,000 operations" in said
    few = "from sweep.simulator.operations import Busy\n"
    few += "        for _ in range(1000): yield Busy('x', 1.0)"
    file = write(tmp_path, in_agent=few + "\n        return")
    assert sweep.simulate(file, k_tiles=1, engine="events").cycles == 1000


class Entry:
    """An entry point of another package."""

    value = "package:SCHEDULE"

    def __init__(self, name: str, error: BaseException | Any) -> None:
        self.name, self._error = name, error

    def load(self) -> Any:
        if isinstance(self._error, BaseException):
            raise self._error
        return self._error


def test_a_plugin_takes_no_other_down(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise ValueError

    bad = [SystemExit(3), GeneratorExit(), BaseException("x"), Broken(), ValueError("a\nb"), None]
    entries = [Entry(f"plugin{index}", error) for index, error in enumerate(bad)]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: entries)
    monkeypatch.setattr("sweep.catalogue.discovery.entry_points", lambda group: entries)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = discover()
    assert list(found) == list(sweep.SCHEDULES)
    assert [one.category for one in told] == [Notice] * len(bad)
    assert all("\n" not in str(one.message) for one in told)
    assert "plugin0" in str(told[0].message)
