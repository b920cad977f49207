"""What commands print: whole into pipes, laid out on terminals, never wider than those."""

from __future__ import annotations

import os
import re
from collections import Counter

import pytest

from analysis.reproduction.reproduce import Row, reproduce
from sweep.cli import printing
from sweep.cli.commands import main
from tests.support.terminal import CODES, on_a_terminal, without_codes

DEADLOCK = ("simulate", "warp_specialized", "stages=2", "mma_in_flight=4")
TABLES = [
    ("gpus",),
    ("gpus", "b200", "v100_sxm2"),
    ("variables",),
    ("schedules",),
    ("reproduce",),
    ("tensorcore", "banks"),
    ("tensorcore", "feeding"),
    ("tensorcore", "stages"),
    ("tensorcore", "traffic"),
    ("simulate", "pingpong"),
    DEADLOCK,
    ("verify", "sync", "--points", "100"),
    ("timeline", "sync", "k_tiles=2"),
]
NUMBER = re.compile(r"(?<!\S)[\d.,e+]*\d(?!\S)")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return reproduce()


def shown(capsys: Capture, *arguments: str) -> str:
    capsys.readouterr()
    assert main(arguments) == (3 if arguments == DEADLOCK else 0)
    return capsys.readouterr().out


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("arguments", TABLES, ids=" ".join)
def test_fits_the_terminal_and_loses_nothing(
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    width: int,
    rows: list[Row],
) -> None:
    monkeypatch.setattr("analysis.reproduction.reproduce.reproduce", lambda: rows)
    whole = shown(capsys, *arguments)
    assert not CODES.search(whole)
    monkeypatch.setattr(printing, "terminal_columns", lambda: width)
    fitted = without_codes(shown(capsys, *arguments))
    assert max(map(len, fitted.splitlines())) <= width
    assert all(line == line.rstrip() for line in fitted.splitlines())
    if arguments[0] != "timeline":
        assert not Counter(whole.split()) - Counter(fitted.split())  # words and numbers are whole
        assert set(NUMBER.findall(fitted)) == set(NUMBER.findall(whole))


def test_a_deadlock_says_first_what_it_is_and_what_nan_means(capsys: Capture) -> None:
    lines = shown(capsys, *DEADLOCK).splitlines()
    assert lines[0].startswith("deadlock: at cycle 3526: producer waits for empty slot 0")
    assert lines[1] == "nan: what never ends has no cycles, and no shares of them"
    assert "cycles                 nan cycle" in lines
    fits = shown(capsys, "simulate", "sync").splitlines()
    assert not any("nan" in line for line in fits)


def test_json_is_not_laid_out(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = shown(capsys, "gpus", "--json")
    monkeypatch.setattr(printing, "terminal_columns", lambda: 40)
    assert shown(capsys, "gpus", "--json") == whole


def test_pipes_do_not_look_at_the_environment(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = shown(capsys, "gpus")
    for name, value in (("COLUMNS", "40"), ("FORCE_COLOR", "1"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
        assert shown(capsys, "gpus") == whole


@pytest.mark.skipif(os.name == "nt", reason="there is no pty")
class TestOnATerminal:
    def test_gpus(self) -> None:
        for width in (80, 120):
            code, text = on_a_terminal(width, "gpus", "b200")
            assert code == 0
            assert "\x1b[1m" in text  # the title
            lines = without_codes(text).splitlines()
            assert width - 12 < max(map(len, lines)) <= width

    def test_columns_comes_first_and_no_colour_is_heard(self) -> None:
        code, text = on_a_terminal(120, "variables", COLUMNS="70", TERM="dumb")
        assert code == 0
        assert "\x1b" not in text
        assert 60 < max(map(len, text.splitlines())) <= 70

    def test_a_timeline_takes_the_terminal(self) -> None:
        code, text = on_a_terminal(100, "timeline", "sync", "k_tiles=2", NUMBA_DISABLE_JIT="1")
        assert code == 0
        assert 90 < max(map(len, text.splitlines())) <= 100
