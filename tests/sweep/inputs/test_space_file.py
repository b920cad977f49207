"""Space files: what they say, and every way to get one wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep
from sweep.errors import InputError
from sweep.inputs.space import resolve
from sweep.inputs.space_file import parse_space, read_space

EXAMPLE = """
schedule = ["multistage", "warp_specialized"]

[parameters]
k_tiles = 64
stages = [2, 3, 4]
tile = ["128x256x64", [128, 128, 64]]
t_latency = { start = 100, stop = 4000, step = 10 }
t_transfer = { start = 64, stop = 4096, num = 7, spacing = "log" }

[zip.point]
t_mma = [512, 1024, 2048]
t_epilogue = { start = 640, stop = 2560, num = 3 }
"""


def read(tmp_path: Path, text: str) -> tuple[Any, dict[str, Any]]:
    file = tmp_path / "space.toml"
    file.write_text(text, encoding="utf-8")
    return read_space(file)


def refused(tmp_path: Path, text: str) -> str:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(tmp_path / "space.toml"))
    return message.partition(": ")[2]


def test_the_example(tmp_path: Path) -> None:
    schedule, parameters = read(tmp_path, EXAMPLE)
    space = resolve(schedule, parameters)
    assert space.dims == {
        "schedule": 2, "stages": 3, "tile": 2, "t_latency": 390, "t_transfer": 7, "point": 3
    }  # fmt: skip
    assert space.coords["t_latency"][1].tolist() == list(range(100, 4000, 10))
    assert space.coords["t_transfer"][1].tolist() == [64, 128, 256, 512, 1024, 2048, 4096]
    assert space.coords["t_epilogue"][0] == ("point",)
    assert space.coords["t_epilogue"][1].tolist() == [640, 1600, 2560]
    assert space.coords["tile"][1].tolist() == ["128x256x64", "128x128x64"]


def test_it_is_what_python_says(tmp_path: Path) -> None:
    schedule, parameters = read(
        tmp_path, 'schedule = "sync"\n[parameters]\nt_mma = { start = 1, stop = 9, step = 2 }\n'
        "[zip.p]\nk_tiles = [1, 2]\nt_issue = [0.5, 1]\n"
    )  # fmt: skip
    same = sweep.run(
        "sync",
        t_mma=range(1, 9, 2),
        k_tiles=xr.DataArray([1, 2], dims="p"),
        t_issue=xr.DataArray([0.5, 1], dims="p"),
    )
    xr.testing.assert_identical(sweep.run(schedule, **parameters), same)


def axis(**given: Any) -> Any:
    return parse_space({"schedule": "sync", "parameters": {"t_mma": given}})[1]["t_mma"]


def count_axis(**given: Any) -> Any:
    return parse_space({"schedule": "sync", "parameters": {"k_tiles": given}})[1]["k_tiles"]


def test_steps_leave_the_stop_out() -> None:
    assert axis(start=0, stop=1, step=0.1).tolist() == (0.1 * np.arange(10)).tolist()
    assert len(axis(start=0.0, stop=0.3, step=0.1)) == 3
    assert axis(start=3, stop=0, step=-1) == range(3, 0, -1)
    assert len(axis(start=0, stop=-1.0, step=0.5)) == 0


def test_spaced_ranges_hold_both_ends() -> None:
    assert axis(start=1, stop=2, num=3).tolist() == [1, 1.5, 2]
    assert axis(start=1, stop=100, num=3, spacing="log").tolist() == [1, 10, 100]
    assert axis(start=5, stop=7, num=1).tolist() == [5]


def test_counts_are_rounded_and_kept_once() -> None:
    assert count_axis(start=1, stop=1024, num=11, spacing="log").tolist() == [
        2**i for i in range(11)
    ]
    assert count_axis(start=1, stop=3, num=9).tolist() == [1, 2, 3]
    resolve("sync", {"k_tiles": count_axis(start=1, stop=70000, num=50, spacing="log")})


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "schedule: not given"),
        ("schedule = ", "not valid TOML"),
        ("a = 1\na = 2", "not valid TOML"),
        ('schedule = "sync"\nparameter = 3', "did you mean 'parameters'"),
        ('schedule = "sync"\nk_tiles = 3', "k_tiles: belongs under [parameters]"),
        ('schedule = "sync"\nparameters = 3', "parameters: must be a table"),
        ('schedule = "sync"\nzip = 3', "zip: must be a table"),
        ('schedule = "sync"\n[zip]\nt_mma = [1]', "zip.t_mma: must be a table"),
        ('[parameters]\nschedule = "sync"', "schedule: "),
        ('schedule = "sync"\n[parameters]\nschedule = "sync"', "belongs at the top"),
        ('schedule = "sync"\n[zip.p]\nschedule = ["sync"]', "belongs at the top"),
        ('schedule = "sync"\n[parameters]\nt_mna = 1', "did you mean 't_mma'"),
        ('schedule = "sync"\n[zip.p]\nt_mna = [1]', "did you mean 't_mma'"),
        ('schedule = "sync"\n[zip.p]\nt_mma = 1', "t_mma: must be a list or a range"),
        (
            'schedule = "sync"\n[parameters]\nt_mma = 1\n[zip.p]\nt_mma = [1]',
            "t_mma: is given twice",
        ),
    ],
)
def test_mistakes(tmp_path: Path, text: str, part: str) -> None:
    assert part in refused(tmp_path, text)


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ("{ start = 1, stp = 2, step = 1 }", "did you mean 'stop'"),
        ("{ start = 1, stop = 2 }", "either step or num"),
        ("{ start = 1, stop = 2, step = 1, num = 2 }", "either step or num"),
        ("{ stop = 2, step = 1 }", "no start"),
        ("{ start = 1, step = 1 }", "no stop"),
        ("{ start = 1, stop = 2, step = 0 }", "step=0"),
        ("{ start = 1, stop = 2, step = 0.0 }", "step=0"),
        ("{ start = nan, stop = 2, step = 1 }", "start=nan must be finite"),
        ("{ start = 1, stop = inf, num = 3 }", "stop=inf must be finite"),
        ('{ start = 1, stop = "2", num = 3 }', "stop='2' must be a number (in cycle)"),
        ("{ start = 1, stop = true, num = 3 }", "must be a number"),
        ("{ start = 1, stop = 2, num = 0 }", "num=0 must be a whole number of at least 1"),
        ("{ start = 1, stop = 2, num = 2.5 }", "num=2.5"),
        ('{ start = 1, stop = 2, num = 3, spacing = "lag" }', "did you mean 'log'"),
        ('{ start = 0, stop = 2, num = 3, spacing = "log" }', "above 0"),
        ('{ start = 1, stop = 2, step = 1, spacing = "log" }', "spacing goes with num"),
        ("{ start = 1, stop = 1e12, step = 0.5 }", "at most 100,000,000"),
        ("{ start = 1, stop = 2, num = 1000000000 }", "at most 100,000,000"),
    ],
)
def test_mistakes_in_ranges(tmp_path: Path, given: str, part: str) -> None:
    message = refused(tmp_path, f'schedule = "sync"\n[parameters]\nt_mma = {given}\n')
    assert part in message
    assert "t_mma" in message


@pytest.mark.parametrize(
    "value", ["[]", "[1, -1]", "[1, nan]", '"4"', "true", "2020-01-01", '[1, "a"]', "[[1, 2]]"]
)
def test_values_are_checked_by_what_runs_them(tmp_path: Path, value: str) -> None:
    schedule, parameters = read(tmp_path, f'schedule = "sync"\n[parameters]\nt_mma = {value}\n')
    with pytest.raises(InputError, match="t_mma"):
        resolve(schedule, parameters)


def test_columns_of_different_length(tmp_path: Path) -> None:
    found = read(tmp_path, 'schedule = "sync"\n[zip.p]\nt_mma = [1, 2]\nt_issue = [1]\n')
    with pytest.raises(InputError, match="t_issue: length 1 along dimension 'p', but t_mma has 2"):
        resolve(*found)


def test_columns_of_names_and_shapes(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        'schedule = "sync"\n[zip.p]\ngpu = ["lecture", "b200"]\n'
        'tile = ["128x64x64", [64, 64, 64]]\n',
    )
    space = resolve(*found)
    assert space.coords["tile"][1].tolist() == ["128x64x64", "64x64x64"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^cannot read .*missing\.toml: no such file"):
        read_space(tmp_path / "missing.toml")
    with pytest.raises(InputError, match=r"^cannot read "):
        read_space(tmp_path)
    binary = tmp_path / "space.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not a text file in UTF-8"):
        read_space(binary)
