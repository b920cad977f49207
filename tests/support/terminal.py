"""Terminals: a command on one of a given width, and what a reader sees of what is written."""

from __future__ import annotations

import os
import re
import subprocess
import sys

COMMAND = (sys.executable, "-m", "sweep")
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_a_terminal(width: int, *arguments: str, **environment: str) -> tuple[int, str]:
    """Run the command line on a pseudo-terminal; return its exit code and what it wrote."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    hidden = {"COLUMNS", "NO_COLOR", "FORCE_COLOR"}
    variables = {name: value for name, value in os.environ.items() if name not in hidden}
    with subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**variables, "TERM": "xterm-256color", **environment},
    ) as running:
        os.close(theirs)
        written = b""
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # Linux says so where the other side has closed
                break
            if not part:
                break
            written += part
        code = running.wait()
    os.close(ours)
    return code, written.decode().replace("\r\n", "\n")


def without_codes(text: str) -> str:
    """Return text without what sets colours and moves the cursor."""
    return CODES.sub("", text)


def screen(written: str, columns: int) -> list[str]:
    """Return the lines that a terminal shows after that was written to it."""
    lines, row, column = [""], 0, 0
    for match in re.finditer(r"\x1b\[(\d*)([A-Za-z])|(.)", written, re.DOTALL):
        number, code, character = match.groups()
        if code == "A":
            row = max(0, row - int(number or 1))
        elif code == "K":
            lines[row] = ""
        elif character == "\r":
            column = 0
        elif character == "\n":
            row, column = row + 1, 0
        elif character is not None:
            if column == columns:  # a terminal goes on in the next line
                row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
            lines[row] = lines[row].ljust(column)[:column] + character + lines[row][column + 1 :]
            column += 1
        lines += [""] * (row + 1 - len(lines))
    return [line.rstrip() for line in lines]
