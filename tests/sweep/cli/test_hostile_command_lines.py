"""Hundreds of command lines that nobody means: each ends with a documented code and one line."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from sweep.cli.commands import main

Capture = pytest.CaptureFixture[str]

CODES = {0, 1, 2, 3, 130}
"""Done; a mismatch or violation; a mistake; a deadlock; Ctrl-C."""

TEXTS = {
    "empty": "",
    "space": " ",
    "escape": "\x1b[31mred\x1b[0m",
    "newline": "a\nb\r\nc",
    "bell": "\a\b\x7f",
    "c1": "\x9b31m",
    "bidi": "\u202egnp.exe",
    "undecodable": "caf\udce9",
    "astral": "\U0001f600",
    "long": "n" * 5000,
    "wide": "n " * 2500,
    "format": "{0} %s %d",
    "quote": "'\"`\\",
    "option": "--",
    "dash": "-",
    "minus": "-1",
    "slash": "/",
    "dots": "../../..",
    "nothing": "None",
    "own": "nowhere.py",
    "own_long": "n" * 5000 + ".py",
    "own_undecodable": "\udcff.py",
    "comma": ",",
    "commas": "sync,,sync",
    "equals": "=",
}
NUMBERS = [
    "9" * 5000, "-" + "9" * 5000, "0x" + "f" * 5000, "1" + "0" * 4200, "1e400", "-1e400", "1e308",
    "-0", "0", "-0.0", "nan", "-nan", "inf", "-inf", "1e-400", "5e-324", "0.1", "1_000", "٣", "1j",
    "True", "0b1", "0o7", "0x10", "+1", " 1", "1 ", "1e", "e1", ".", "1.", "1,5", "1:5", "[1]",
    "NaN",
    "9223372036854775807", "9223372036854775808", "18446744073709551616", "2147483648", "-1", "1/3",
]  # fmt: skip
NAMES = (
    "k_tiles output_tiles kv_blocks stages consumer_warpgroups mma_in_flight t_issue t_transfer"
    " t_latency t_mma t_epilogue t_sync t_mma_latency m n k tile gpu cluster element_type release"
    " arbitration loader head_dim clock_hz sm_count mem_bytes_per_cycle fma_lanes tc_flop_per_cycle"
).split()
SHAPES = [
    "128x128", "128x128x64x2", "0x0x0", "-1x1x1", "1e3x1x1", "x", "xx", "axbxc", "128X128X64",
    "2147483647x2147483647x2", "9" * 400 + "x1x1", "1x1x" + "9" * 5000, "128 x 128 x 64", "٣x٣x٣",
]  # fmt: skip
COMMANDS = (
    "simulate timeline sweep figures verify schedules gpus tensorcore variables reproduce"
).split()


def parameters() -> Iterator[list[str]]:
    """Give hostile values to every parameter."""
    for name, value in itertools.product(NAMES, NUMBERS):
        yield [f"{name}={value}"]
    for name, value in itertools.product(NAMES, TEXTS.values()):
        yield [f"{name}={value}"]
    for name, value in itertools.product(("tile", "cluster", "gpu"), SHAPES):
        yield [f"{name}={value}"]
    for text in (*TEXTS.values(), *NUMBERS):
        yield [text]
        yield [f"{text}=1"]


def sampled(lines: Iterator[list[str]], count: int) -> list[list[str]]:
    """Return some of the lines, the same ones every time."""
    drawn = list(lines)
    return random.Random(8).sample(drawn, min(count, len(drawn)))


def names_and_options() -> Iterator[list[str]]:
    """Give hostile names, options and option values to every command."""
    for command in COMMANDS:
        for text in TEXTS.values():
            for option in (f"--{text}", f"-{text}"):
                if option != "--":  # what follows are no options: verify would run
                    yield [command, option]
    for text in TEXTS.values():
        if text != "--":
            yield [text] if text else ["", "x"]
            yield ["simulate", text, "k_tiles=0"]
            yield ["simulate", "sync", "--gpu", text or "x"]
            yield ["simulate", "sync", "--engine", text]
            yield ["timeline", text, "k_tiles=0"]
            yield ["timeline", "sync", "--out", text, "k_tiles=0"]
            yield ["timeline", "sync", "--width", text]
            yield ["schedules", "--kernel", text or "x"]
            yield ["tensorcore", text]
            yield ["tensorcore", "banks", "--gpu", text or "x"]
            yield ["gpus", text or "x"]
            yield ["verify", text or "x"]
            yield ["figures", text or "x", "--out", "nowhere/figures"]
            yield ["sweep", text, "--out", "a.zarr"]
        yield ["verify", "x", "--points", text]
        yield ["verify", "x", "--seed", text]
        yield ["sweep", "space.toml", "--out", "a.zarr", "--threads", text]
    for number in NUMBERS:
        yield ["verify", "sync", "--points", number, "x"]
        yield ["verify", "sync", "--seed", number, "x"]
        yield ["timeline", "sync", "--width", number, "k_tiles=0"]
        yield ["sweep", "nowhere.toml", "--out", "a.zarr", "--threads", number]


def check(capsys: Capture, arguments: list[str]) -> int:
    """Run a command line, and hold what it printed against what is promised."""
    capsys.readouterr()
    code = main(arguments)
    out, err = capsys.readouterr()
    shown = [line for line in err.split("\n")[:-1] if ": compiling " not in line]
    assert code in CODES
    assert err == "" or err.endswith("\n")
    assert "Traceback" not in out + err
    for line in shown:
        assert line.isprintable()
        assert len(line) < 1600
    if code == 2:
        assert out == ""
        assert len(shown) == 1
        assert shown[0].startswith("warpsweep: error: ")
        assert len(shown[0]) > len("warpsweep: error: ")
    else:
        assert shown == []
    return code


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def short(arguments: list[str]) -> str:
    return " ".join(arguments)[:60].encode("unicode_escape").decode()


@pytest.mark.parametrize("arguments", list(names_and_options()), ids=short)
def test_names_and_options(capsys: Capture, arguments: list[str]) -> None:
    check(capsys, arguments)


@pytest.mark.parametrize("arguments", sampled(parameters(), 900), ids=short)
def test_parameters_of_a_point(capsys: Capture, arguments: list[str]) -> None:
    """Nothing is run: a parameter that sync lacks comes last."""
    assert check(capsys, ["simulate", "sync", *arguments, "kv_blocks=3"]) == 2


@pytest.mark.parametrize("arguments", sampled(parameters(), 500), ids=short)
def test_points(capsys: Capture, arguments: list[str]) -> None:
    check(capsys, ["simulate", "multistage", *arguments, "--json"])
