"""The tutorial runs as printed: its files, its commands and what they answer."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCKS = re.findall(r"```(python|console)\n(.*?)```", (DOCS / "tutorial.md").read_text(), re.DOTALL)


def blocks(text: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with the answer that is printed."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def answer(command: str, folder: Path) -> str:
    """Run a command as a reader does, in the reader's folder."""
    environment = os.environ | {"COLUMNS": "100", "MPLBACKEND": "agg"}
    line = re.sub(r"^warpsweep\b", "python -m sweep", command)
    line = re.sub(r"^python\b", f'"{sys.executable}"', line)
    found = subprocess.run(
        line, shell=True, cwd=folder, env=environment, capture_output=True, text=True
    )
    said = "".join(
        f"{text.rstrip()}\n"
        for text in (found.stdout + found.stderr).splitlines()
        if "compiling" not in text
    )
    assert found.returncode == 0, said
    return said


def test_it_runs_as_printed(tmp_path: Path) -> None:
    asked = 0
    for kind, text in BLOCKS:
        if kind == "python":
            name = re.match(r"# (\w+\.py)\n", text)
            assert name is not None
            (tmp_path / name[1]).write_text(text.split("\n", 1)[1])
            continue
        for command, printed in blocks(text):
            assert answer(command, tmp_path) == printed, command
            asked += 1
    assert asked >= 5
    assert (tmp_path / "residual.png").stat().st_size > 10_000


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda one: one.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / link).exists(), link
