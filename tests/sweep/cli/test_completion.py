"""Completion by the shell: the script, and what it offers."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sweep.catalogue.schedules import SCHEDULES
from sweep.cli.commands import cli
from sweep.cli.completion import COMPLETE
from sweep.cli.exit_codes import run_command
from sweep.hardware.gpu import GPUS
from sweep.quantities.variables import PARAMETERS

Capture = pytest.CaptureFixture[str]


def asked(instruction: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sweep"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, COMPLETE: instruction, **environment},
    )


def offered(monkeypatch: pytest.MonkeyPatch, capsys: Capture, *words: str) -> list[str]:
    """Return what bash offers where the last of these words is typed."""
    monkeypatch.setenv("COMP_WORDS", "\n".join(("warpsweep", *words)))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    capsys.readouterr()
    assert run_command(cli, [], "bash_complete") == 0
    lines = filter(None, capsys.readouterr().out.splitlines())
    return [line.removeprefix("plain,") for line in lines]


def test_the_scripts() -> None:
    ran = asked("bash_source")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert f"{COMPLETE}=bash_complete" in ran.stdout
    assert "complete -o nosort -F _warpsweep_completion warpsweep" in ran.stdout
    assert "compopt -o nospace" in ran.stdout


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells(shell: str, capsys: Capture) -> None:
    assert run_command(cli, [], f"{shell}_source") == 0
    assert f"{COMPLETE}={shell}_complete" in capsys.readouterr().out


@pytest.mark.parametrize("instruction", ["nonsense", "bash", "bash_nonsense", "csh_source", "_"])
def test_what_is_no_instruction(instruction: str, capsys: Capture) -> None:
    assert run_command(cli, [], instruction) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"warpsweep: error: {COMPLETE}={instruction!r}: must be one of bash_source, zsh_source,"
        " fish_source\n"
    )


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["sim"], ["simulate"]),
        (["ver"], ["verify"]),
        (["simulate", "pingp"], ["pingpong"]),
        (["timeline", "sync,mul"], ["sync,multistage"]),
        (["simulate", "sync", "--g"], ["--gpu"]),
        (["timeline", "sync", "--gpu", "h1"], ["h100_pcie", "h100_sxm"]),
        (["gpus", "a"], ["a100_sxm", "a100_sxm_40gb"]),
        (["tensorcore", "st"], ["stages"]),
        (["simulate", "sync", "t_ep"], ["t_epilogue="]),
        (["simulate", "sync", "gpu", "=", "b"], ["b200", "b300"]),
        (["simulate", "sync", "gpu", "="], list(GPUS)),
        (["simulate", "sync", "release", "=", "h"], ["hardware"]),
        (["simulate", "sync", "t_mma", "=", "1"], []),
        (["simulate", "sync", "nonsense", "=", "1"], []),
        (["simulate", "sync", "k_tiles", "=", "4", "sta"], ["staging_bytes_per_cycle=", "stages="]),
        (["schedules", "--kernel", "syn"], [one for one in SCHEDULES if one.startswith("syn")]),
    ],
    ids=str,
)
def test_words(
    words: list[str], found: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert offered(monkeypatch, capsys, *words) == found


def test_every_parameter(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    assert offered(monkeypatch, capsys, "simulate", "sync", "") == [f"{one}=" for one in PARAMETERS]


@pytest.mark.parametrize("position", [None, "x", ""])
def test_words_that_no_shell_has_set(
    position: str | None, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.delenv("COMP_CWORD", raising=False)
    monkeypatch.setenv("COMP_WORDS", "warpsweep sim")
    if position is not None:
        monkeypatch.setenv("COMP_CWORD", position)
    assert run_command(cli, [], "bash_complete") == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "COMP_WORDS and COMP_CWORD must say what was typed" in err


def test_files_of_schedules(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    for begun in ("./own", "../own", "own"):
        monkeypatch.setenv("COMP_WORDS", f"warpsweep\nsimulate\n{begun}")
        monkeypatch.setenv("COMP_CWORD", "2")
        assert run_command(cli, [], "bash_complete") == 0
        assert capsys.readouterr().out == f"file,{begun}\n"
