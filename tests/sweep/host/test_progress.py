"""The progress bar: only on a terminal, with a rate and the time left."""

from __future__ import annotations

from typing import Any

from sweep.host.progress import ProgressBar, progress_line


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
    last = stream.text.rsplit("\r", 2)
    assert last[-1] == ""
    assert last[-2].strip() == ""


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


def test_a_terminal_that_goes_away_stops_nothing() -> None:
    stream: Any = Gone(True)
    with ProgressBar(stream) as bar:
        bar(0, 10)
        bar(10, 10)
