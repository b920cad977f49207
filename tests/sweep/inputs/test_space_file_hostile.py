"""Space files that nobody should write: each ends in one line with the file and the key."""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from sweep.cli.commands import main
from sweep.errors import InputError
from sweep.inputs.space_file import resolve_file

HEAD = b'schedule = "sync"\n'
LONGEST_LINE = 1000

# What stands on the right of a key; none of them is a value of any parameter.
NO_VALUES = {
    "nothing in the list": "[]",
    "false": "false",
    "true": "true",
    "list of truth values": "[true, false]",
    "date": "2020-01-31",
    "time": "12:30:00",
    "moment": "2020-01-31T12:30:00Z",
    "dates": "[2020-01-31, 2020-02-01]",
    "empty table": "{}",
    "table": "{ a = 1 }",
    "table in a table": "{ start = { stop = 1 }, stop = 2, step = 1 }",
    "tables": "[{ a = 1 }, { a = 2 }]",
    "lists": "[[1, 2], [3]]",
    "deep list": "[" * 12 + "1" + "]" * 12,
    "list too deep for us": "[" * 40 + "1" + "]" * 40,
    "list too deep for Python": "[" * 5000 + "1" + "]" * 5000,
    "empty text": '""',
    "text": '"nonsense"',
    "long text": f'"{"x" * 3000}"',
    "endless text": f'"{"x" * 100_000}"',
    "control characters": '"\\u001b[31m\\u0007"',
    "lines": '"""a\nb\nc"""',
    "emoji": '"\U0001f980"',
    "texts and numbers": '[1, "a"]',
    "nan": "nan",
    "negative nan": "-nan",
    "infinity": "inf",
    "negative infinity": "-inf",
    "numbers with nan": "[1, 2, nan]",
    "numbers with infinity": "[1.5, inf]",
    "negative": "-1",
    "negatives": "[-1, -2]",
    "huge fraction": "1e308",
    "beyond float64": "1e400",
    "64 bits": str(2**63 - 1),
    "beyond 64 bits": str(2**63),
    "below 64 bits": str(-(2**63) - 1),
    "401 digits": "1" + "0" * 400,
    "5,000 digits": "1" * 5000,
    "5,000 digits below zero": "-" + "1" * 5000,
    "5,000 digits with marks": "1_" * 5000 + "1",
    "5,000 hexadecimal digits": "0x" + "f" * 5000,
    "20,000 octal digits": "0o" + "7" * 20_000,
    "20,000 binary digits": "0b" + "1" * 20_000,
    "list with 5,000 digits": f"[1, {'1' * 5000}]",
    "list with 5,000 hexadecimal digits": f"[1, 0x{'f' * 5000}]",
}
RANGES = {
    "zero step": "{ start = 1, stop = 9, step = 0 }",
    "negative zero step": "{ start = 1, stop = 9, step = -0.0 }",
    "step away from the stop": "{ start = 1, stop = 9, step = -1 }",
    "nan step": "{ start = 1, stop = 9, step = nan }",
    "infinite step": "{ start = 1, stop = 9, step = inf }",
    "smallest step": "{ start = 1, stop = 9, step = 5e-324 }",
    "text step": '{ start = 1, stop = 9, step = "1" }',
    "list step": "{ start = 1, stop = 9, step = [1] }",
    "table step": "{ start = 1, stop = 9, step = {} }",
    "date step": "{ start = 1, stop = 9, step = 2020-01-31 }",
    "nan start": "{ start = nan, stop = 9, step = 1 }",
    "infinite stop": "{ start = 1, stop = inf, step = 1 }",
    "10^12 values": "{ start = 1, stop = 1000000000001, step = 1 }",
    "10^12 fractions": "{ start = 1, stop = 2, step = 1e-12 }",
    "10^12 in number": "{ start = 1, stop = 2, num = 1000000000000 }",
    "10^400 steps": f"{{ start = 1, stop = 1{'0' * 400}, step = 1 }}",
    "10^400 backwards": f"{{ start = 1, stop = -1{'0' * 400}, step = -1 }}",
    "10^5000 steps": f"{{ start = 1, stop = 1{'0' * 5000}, step = 1 }}",
    "16^5000 steps": f"{{ start = 1, stop = 0x{'f' * 5000}, step = 1 }}",
    "16^5000 in number": f"{{ start = 1, stop = 2, num = 0x{'f' * 5000} }}",
    "1e300": "{ start = 1, stop = 1e300, step = 1 }",
    "1e400": "{ start = 1, stop = 1e400, step = 1 }",
    "no number": "{ start = 1, stop = 2, num = 0 }",
    "fewer than none": "{ start = 1, stop = 2, num = -5 }",
    "half a number": "{ start = 1, stop = 2, num = 1.5 }",
    "number of truth": "{ start = 1, stop = 2, num = true }",
    "number of nan": "{ start = 1, stop = 2, num = nan }",
    "logarithm of zero": '{ start = 0, stop = 2, num = 3, spacing = "log" }',
    "logarithm of less": '{ start = -4, stop = -2, num = 3, spacing = "log" }',
    "spacing in a list": '{ start = 1, stop = 2, num = 3, spacing = ["log"] }',
    "spacing of nothing": "{ start = 1, stop = 2, num = 3, spacing = {} }",
    "long spacing": f'{{ start = 1, stop = 2, num = 3, spacing = "{"x" * 500}" }}',
    "both": "{ start = 1, stop = 2, num = 3, step = 1 }",
    "neither": "{ start = 1, stop = 2 }",
    "only a step": "{ step = 1 }",
    "another key": "{ start = 1, stop = 2, step = 1, by = 3 }",
}
KEYS = ("t_mma", "k_tiles", "tile", "gpu", "element_type", "mem_bytes_per_cycle", "sm_count")
FIT = {"huge fraction", "64 bits"}  # numbers that some hardware field may have

# Whole files that are wrong whatever their values, and what the message names.
FILES = {
    "empty": (b"", "schedule"),
    "blank": (b"\n\n  \n", "schedule"),
    "comment": (b"# nothing\n", "schedule"),
    "no schedule": (b"[parameters]\nt_mma = 1\n", "schedule"),
    "no value": (b"schedule = \n", "line 1"),
    "no key": (b"= 3\n", "line 1"),
    "open text": (b'schedule = "sync\n', "line 1"),
    "open list": (b'schedule = ["sync"\n', "TOML"),
    "open table": (b"[parameters\n", "line 1"),
    "two keys": (HEAD + HEAD, "line 2"),
    "two parameters": (HEAD + b"[parameters]\nt_mma = 1\nt_mma = 2\n", "line 4"),
    "two tables": (HEAD + b"[parameters]\n[parameters]\n", "line 3"),
    "two ranges": (HEAD + b"[parameters]\nt_mma = 1\n[parameters.t_mma]\nstart = 1\n", "line 4"),
    "no date": (HEAD + b"[parameters]\nt_mma = 2020-13-45\n", "line 3"),
    "no hour": (HEAD + b"[parameters]\nt_mma = 25:00:00\n", "line 3"),
    "byte order mark": (b"\xef\xbb\xbf" + HEAD, "byte order mark"),
    "UTF-16": (HEAD.decode().encode("utf-16"), "UTF-8 (line 1)"),
    "UTF-32": (HEAD.decode().encode("utf-32"), "UTF-8 (line 1)"),
    "Latin-1": (HEAD + "# größe\n".encode("latin-1"), "UTF-8 (line 2)"),
    "cut letter": (HEAD + "# ü".encode()[:-1], "UTF-8 (line 2)"),
    "surrogate": (b'schedule = "\xed\xa0\x80"', "UTF-8 (line 1)"),
    "escaped surrogate": (b'schedule = "\\ud800"', "line 1"),
    "null": (b"schedule = \x00", "line 1"),
    "null in a text": (b'schedule = "sy\x00nc"', "line 1"),
    "escape": (b'schedule = "\x1b[31m"', "line 1"),
    "carriage returns": (b'schedule = "sync"\r[parameters]\r', "line 1"),
    "zip file": (b"PK\x03\x04" + bytes(range(256)), "UTF-8"),
    "program": (b"import sweep\nsweep.run('sync')\n", "line 1"),
    "JSON": (b'{"schedule": "sync"}', "line 1"),
    "unknown key": (HEAD + b"nonsense = 1\n", "nonsense"),
    "long key": (HEAD + b"x" * 100_000 + b" = 1\n", "100,000 characters"),
    "dotted without end": (HEAD + b"a" + b".a" * 2000 + b" = 1\n", "levels deep"),
    "table without end": (HEAD + b"[a" + b".a" * 2000 + b"]\n", "levels deep"),
    "control key": (HEAD + b'"\\u001b[31m" = 1\n', r"'\x1b[31m'"),
    "parameter at the top": (HEAD + b"t_mma = 1\n", "t_mma"),
    "parameters as a list": (HEAD + b"parameters = []\n", "parameters"),
    "parameters as tables": (HEAD + b"[[parameters]]\nt_mma = 1\n", "parameters"),
    "parameters as a date": (HEAD + b"parameters = 2020-01-31\n", "parameters"),
    "zip as a list": (HEAD + b"zip = [1]\n", "zip"),
    "zip as tables": (HEAD + b"[[zip]]\nt_mma = [1]\n", "zip"),
    "zip without dimension": (HEAD + b"[zip]\nt_mma = [1]\n", "zip.t_mma"),
    "zip of one value": (HEAD + b"[zip.p]\nt_mma = 1\n", "t_mma"),
    "zip of a text": (HEAD + b'[zip.p]\nt_mma = "1"\n', "t_mma"),
    "zip of lists": (HEAD + b"[zip.p]\nt_mma = [[1], [2]]\n", "t_mma"),
    "zip of tables": (HEAD + b"[zip.p]\nt_mma = [{}]\n", "t_mma"),
    "zip of nothing": (HEAD + b"[zip.p]\nt_mma = []\n", "t_mma"),
    "zip of unequal lengths": (HEAD + b"[zip.p]\nt_mma = [1, 2]\nt_issue = [1]\n", "t_issue"),
    "zip of a range": (
        HEAD + b"[zip.p]\nt_mma = [1, 2]\nt_issue = { start = 1, stop = 9, step = 1 }\n",
        "t_issue",
    ),
    "zip of gpus": (HEAD + b'[zip.p]\nt_mma = [1, 2]\ngpu = ["b200"]\n', "gpu"),
    "given twice": (HEAD + b"[parameters]\nt_mma = 1\n[zip.p]\nt_mma = [1]\n", "t_mma"),
    "zipped twice": (HEAD + b"[zip.p]\nt_mma = [1]\n[zip.q]\nt_mma = [1]\n", "t_mma"),
    "dimension of no name": (HEAD + b'[zip.""]\nt_mma = [1]\n', "zip"),
    "dimension of control": (HEAD + b'[zip."\\u001b[31m"]\nt_mma = [1]\n', "zip"),
    "dimension of a line": (HEAD + b'[zip."a\\nb"]\nt_mma = [1]\n', "zip"),
    "dimension of a schedule": (HEAD + b"[zip.schedule]\nt_mma = [1]\n", "schedule"),
    "dimension of an output": (HEAD + b"[zip.cycles]\nt_mma = [1]\n", "cycles"),
    "dimension of a parameter": (HEAD + b"[zip.t_issue]\nt_mma = [1]\n", "t_issue"),
    "schedule among parameters": (HEAD + b'[parameters]\nschedule = "sync"\n', "schedule"),
    "unknown parameter": (HEAD + b"[parameters]\nt_mna = 1\n", "t_mna"),
    "unused parameter": (HEAD + b"[parameters]\nstages = 3\n", "stages"),
    "quoted parameter": (HEAD + b'[parameters]\n"t mma" = 1\n', "t mma"),
    "empty parameter": (HEAD + b'[parameters]\n"" = 1\n', "parameter"),
}
SCHEDULES = {
    "number": "3", "fraction": "1.5", "nan": "nan", "truth": "true", "date": "2020-01-31",
    "hexadecimal": "0x" + "f" * 5000, "no text": '""', "no name": '"nonsense"', "case": '"SYNC"',
    "long": f'"{"x" * 4000}"', "endless": f'"{"x" * 100_000}"', "control": '"\\u001b[31m"',
    "no list": "[]", "lists": '[["sync"]]', "numbers": "[1, 2]", "mixed": '["sync", 1]',
    "twice": '["sync", "sync"]', "table": "{ sync = 1 }", "tables": "[{ sync = 1 }]",
    "no file": '"missing.py"', "folder": '"/"', "null": '"\\u0000.py"', "long file":
    f'"{"x" * 1000}.py"', "deep file": f'"{"x/" * 1500}x.py"',
}  # fmt: skip


def cases() -> Iterator[tuple[str, bytes, str]]:
    for name, (content, part) in FILES.items():
        yield name, content, part
    for name, text in SCHEDULES.items():
        yield f"schedule: {name}", f"schedule = {text}\n".encode(), "schedule"
    for key in KEYS:
        for name, text in (NO_VALUES | RANGES).items():
            if key == "mem_bytes_per_cycle" and name in FIT:
                continue
            yield f"{key}: {name}", HEAD + f"[parameters]\n{key} = {text}\n".encode(), key
            if text.startswith(("[", "{")):
                yield f"{key} zipped: {name}", HEAD + f"[zip.p]\n{key} = {text}\n".encode(), key


def named(part: str, message: str) -> bool:
    """Whether a message names the key, or the line or kind of what is no TOML at all."""
    return (
        part in message.lower()
        or part in message
        or "nested too deeply" in message
        or "digits (at line 3)" in message
    )


def test_each_ends_in_one_line(tmp_path: Path) -> None:
    file, wrong, tried = tmp_path / "space.toml", [], 0
    for name, content, part in cases():
        file.write_bytes(content)
        tried += 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                resolve_file(file)
            except InputError as error:
                message = str(error)
            except BaseException as error:
                wrong.append(f"{name}: {type(error).__name__}: {str(error)[:200]}")
                continue
            else:
                wrong.append(f"{name}: is taken")
                continue
        if "\n" in message or "\x1b" in message or len(message) > LONGEST_LINE:
            wrong.append(f"{name}: {len(message)} characters: {message[:300]!r}")
        if not (str(file) in message and named(part, message)):
            wrong.append(f"{name}: names not the file and {part}: {message[:300]}")
    assert tried > 700
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ["empty", "byte order mark", "zip of unequal lengths", "null"])
def test_the_exit_code(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "space.toml"
    file.write_bytes(FILES[name][0])
    assert main(["sweep", str(file), "--out", str(tmp_path / "a.zarr")]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert str(file) in told.err
    assert [one.name for one in tmp_path.iterdir()] == ["space.toml"]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero")
def test_a_file_without_end() -> None:
    with pytest.raises(InputError, match=r"^/dev/zero: has more than 32 MiB"):
        resolve_file(Path("/dev/zero"))


def test_names_that_no_file_can_have(tmp_path: Path) -> None:
    for path in (
        tmp_path / ("x" * 5000),
        Path("\0"),
        tmp_path / "loop",
        tmp_path / os.fsdecode(b"\xff"),
    ):
        (tmp_path / "loop").unlink(missing_ok=True)
        (tmp_path / "loop").symlink_to("loop")
        with pytest.raises(InputError, match=r"^cannot read ") as caught:
            resolve_file(path)
        assert len(str(caught.value)) < LONGEST_LINE


def test_a_pipe(tmp_path: Path) -> None:
    ends = os.pipe()
    os.write(ends[1], HEAD)
    os.close(ends[1])
    assert resolve_file(Path(f"/dev/fd/{ends[0]}")).points == 1
    os.close(ends[0])


EXAMPLE = b"""schedule = ["multistage", "warp_specialized"]
[parameters]
k_tiles = 64
stages = [2, 3, 4]
tile = ["128x256x64", [128, 128, 64]]
gpu = "lecture"
t_latency = { start = 100, stop = 400, step = 10 }
t_transfer = { start = 64, stop = 4096, num = 7, spacing = "log" }
[zip.point]
t_mma = [512, 1024, 2048]
t_epilogue = { start = 640, stop = 2560, num = 3 }
"""


def test_random_damage_is_read_or_refused(tmp_path: Path) -> None:
    """Bytes replaced, removed, doubled or moved: a space, or one line."""
    file, chance, wrong = tmp_path / "space.toml", random.Random(8), []
    pieces = [b"0", b"9" * 30, b"-", b"[", b"]", b"{", b"}", b'"', b"=", b"\n", b".", b"e9", b"nan"]
    for _ in range(600):
        content = bytearray(EXAMPLE)
        for _ in range(chance.randint(1, 3)):
            at, until = sorted(chance.randrange(len(content)) for _ in range(2))
            new = chance.choice(
                [b"", chance.choice(pieces), chance.randbytes(2), content[at:until]]
            )
            content[at : chance.choice([at, at + 1, min(until, at + 20)])] = new
        file.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                resolve_file(file)
            except InputError as error:
                message = str(error)
                if "\n" in message or len(message) > LONGEST_LINE or str(file) not in message:
                    wrong.append(f"{bytes(content)!r}: {message[:300]!r}")
            except Exception as error:
                wrong.append(f"{bytes(content)!r}: {type(error).__name__}: {error}")
    assert not wrong, "\n".join(wrong[:5])
