"""The progress bar: only on a terminal, in one line of it, with a rate and the time left."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from sweep.host import progress
from sweep.host.progress import ProgressBar, progress_line
from sweep.host.streams import tell
from tests.support.terminal import screen, without_codes


class Terminal:
    def __init__(self, terminal: bool) -> None:
        self.terminal = terminal
        self.text = ""

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass


def test_only_on_a_terminal() -> None:
    stream: Any = Terminal(False)
    with ProgressBar(stream) as bar:
        bar(0, 10)
        bar(10, 10)
    assert stream.text == ""


def test_leaves_a_clean_line() -> None:
    stream: Any = Terminal(True)
    with ProgressBar(stream) as bar:
        bar(0, 10)
        bar(10, 10)
    assert "100 %" in stream.text
    assert screen(f"{stream.text}next", 80)[0] == "next"
    assert not any(screen(f"{stream.text}next", 80)[1:])


@pytest.mark.parametrize("columns", [1, 2, 30, 79, 80, 120])
def test_stays_in_one_line_of_any_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(progress, "REDRAW_SECONDS", 0.0)
    stream: Any = Terminal(True)
    with ProgressBar(stream) as bar:
        for done in range(0, 10**9 + 1, 10**8):
            bar(done, 10**9)
            assert len([line for line in screen(stream.text, columns) if line]) <= 1
        drawn = without_codes(stream.text).split("\r")
    assert max(map(len, drawn)) < max(columns, 2)
    assert columns < 80 or any("points/s" in line and "left" in line for line in drawn)
    assert not any(screen(stream.text, columns))


def test_what_is_told_meanwhile_stands_above(monkeypatch: pytest.MonkeyPatch) -> None:
    stream: Any = Terminal(True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "stderr", stream)
    with ProgressBar() as bar:
        bar(0, 10)
        tell("compiling sync_plain")
        lines = screen(stream.text, 80)
        assert lines[0] == "warpsweep: compiling sync_plain"
        assert lines[1].endswith("0 of 10 points")
        bar(10, 10)
    assert sys.stderr is stream
    assert [line for line in screen(stream.text, 80) if line] == ["warpsweep: compiling sync_plain"]


def test_rate_and_time_left() -> None:
    line = progress_line(500, 10_000_500, 500, 0.25)
    assert "2.0 k points/s" in line
    assert "1:23:20 left" in line
    assert "left" not in progress_line(0, 10, 0, 0.0)
    assert "100 %" in progress_line(0, 0, 0, 0.0)


def test_a_line_fits_its_terminal() -> None:
    for columns in range(1, 140):
        for done in (0, 1, 10**6, 10**9 - 1, 10**9):
            line = progress_line(done, 10**9, done, 0.01, columns)
            assert len(line) < columns
            assert columns < 80 or "left" in line or not done
    assert progress_line(5, 10, 5, 1.0).startswith("[############............]  50 %")


class Gone(Terminal):
    def write(self, text: str) -> int:
        raise OSError(5, "Input/output error")


class Closed(Terminal):
    def write(self, text: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")


def test_a_terminal_that_goes_away_stops_nothing() -> None:
    stream: Any = Gone(True)
    before = sys.stderr
    with ProgressBar(stream) as bar:
        bar(0, 10)
        bar(10, 10)
    assert sys.stderr is before


def test_a_terminal_that_goes_away_later_stops_nothing() -> None:
    stream: Any = Terminal(True)
    before = sys.stderr
    with ProgressBar(stream) as bar:
        bar(0, 10)
        stream.__class__ = Gone
        bar(10, 10)
    assert sys.stderr is before


def test_a_pipe_that_closes_ends_no_process() -> None:
    stream: Any = Closed(True)
    with ProgressBar(stream) as bar:
        bar(0, 10)
        bar(10, 10)
