"""The command line: what it prints, its exit codes, and one line for every mistake."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import xarray as xr

import sweep
from sweep.cli.commands import main
from sweep.quantities.variables import GPU_FIELDS, VARIABLES

MODULE = (sys.executable, "-m", "sweep")
SPACE = 'schedule = "sync"\n[parameters]\nt_mma = [1, 2, 3]\n'

Capture = pytest.CaptureFixture[str]


def command(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MODULE, *arguments], capture_output=True, text=True, check=False, timeout=120, **options
    )


def printed(capsys: Capture, *arguments: str) -> str:
    assert main(arguments) == 0
    out: str = capsys.readouterr().out
    return out


def mistake(capsys: Capture, *arguments: str) -> str:
    """Return the one line on stderr of a command that ends with 2 and prints nothing."""
    capsys.readouterr()
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if ": compiling " not in line]
    assert out == ""
    assert len(lines) == 1
    assert lines[0].startswith("warpsweep: error: ")
    return lines[0].removeprefix("warpsweep: error: ")


@pytest.fixture
def space(tmp_path: Path) -> Path:
    file = tmp_path / "space.toml"
    file.write_text(SPACE)
    return file


class TestStart:
    @pytest.mark.parametrize(
        "arguments", [["--help"], ["--version"], [], ["schedules"], ["simulate", "--help"]]
    )
    def test_needs_no_heavy_library(self, arguments: list[str]) -> None:
        code = (
            "import sys; from sweep.cli.commands import main; code = main(sys.argv[1:]);"
            "heavy = {'numpy', 'numba', 'xarray', 'matplotlib', 'zarr'} & set(sys.modules);"
            "sys.exit(code or (', '.join(heavy) if heavy else 0))"
        )
        ran = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
        )
        assert (ran.returncode, ran.stderr) == (0, "")
        assert ran.stdout

    def test_version(self, capsys: Capture) -> None:
        assert printed(capsys, "--version") == f"warpsweep, version {sweep.__version__}\n"

    def test_help_is_what_no_command_prints(self, capsys: Capture) -> None:
        assert printed(capsys) == printed(capsys, "--help")

    @pytest.mark.parametrize(
        "name", ["reproduce", "simulate", "timeline", "sweep", "schedules", "gpus", "variables"]
    )
    def test_help_of_commands(self, capsys: Capture, name: str) -> None:
        assert "..." not in printed(capsys, "--help").partition("Commands:")[2]
        assert printed(capsys, name, "--help").startswith(f"Usage: warpsweep {name}")


class TestSimulate:
    def test_every_parameter_and_output_as_json(self, capsys: Capture) -> None:
        found = json.loads(
            printed(capsys, "simulate", "warp_specialized", "stages=4", "k_tiles=64", "--json")
        )
        one = sweep.simulate("warp_specialized", stages=4, k_tiles=64)
        assert found["cycles"] == 68294
        assert list(found) == list(one)
        assert found["bottleneck"] == "tensor_core"
        assert found["feasible"] == "yes"
        assert found["tile"] == "128x256x64"
        assert {name: value for name, value in found.items() if value is not None} == dict(one)

    def test_what_does_not_exist_is_null(self, capsys: Capture) -> None:
        assert main(["simulate", "warp_specialized", "mma_in_flight=4", "stages=2", "--json"]) == 3
        text = capsys.readouterr().out
        found = json.loads(text, parse_constant=pytest.fail)
        assert found["cycles"] is None
        assert "producer waits for empty slot 0" in found["verdict"]
        assert (found["feasible"], found["infeasible_reason"]) == ("no", "deadlock")

    def test_text(self, capsys: Capture) -> None:
        lines = printed(capsys, "simulate", "warp_specialized").splitlines()
        words = next(line.split() for line in lines if line.startswith("cycles"))
        assert (float(words[1]), words[2]) == (68294, "cycle")
        assert ["bottleneck", "tensor_core"] in [line.split() for line in lines]

    def test_gpu_and_engine(self, capsys: Capture) -> None:
        arguments = ("simulate", "sync", "--json", "--gpu", "h100_sxm")
        batch = json.loads(printed(capsys, *arguments))
        events = json.loads(printed(capsys, *arguments, "--engine", "events"))
        assert batch == events
        assert batch["gpu"] == "h100_sxm"
        assert batch == json.loads(printed(capsys, "simulate", "sync", "gpu=h100_sxm", "--json"))

    def test_numbers_and_names(self, capsys: Capture) -> None:
        found = json.loads(
            printed(capsys, "simulate", "sync", "t_mma=1e3", "tile=64x64x64", "k_tiles=2", "--json")
        )
        assert (found["t_mma"], found["tile"], found["k_tiles"]) == (1000, "64x64x64", 2)

    @pytest.mark.parametrize(
        ("arguments", "part"),
        [
            (["snyc"], "unknown schedule 'snyc': did you mean 'sync'?"),
            (["sync", "t_mna=1"], "unknown parameter 't_mna': did you mean 't_mma'?"),
            (["sync", "--gpu", "h100"], "unknown GPU 'h100': did you mean 'h100_sxm'?"),
            (["sync", "gpu=h100"], "unknown GPU 'h100': did you mean 'h100_sxm'?"),
            (["sync", "gpu=b200", "--gpu", "b200"], "gpu is given twice"),
            (["sync", "t_mma=-1"], "t_mma=-1 cycle: must be at least 0 cycle"),
            (["sync", "t_mma=nan"], "t_mma=nan cycle: must be finite"),
            (["sync", "t_mma=inf"], "t_mma=inf cycle: must be finite"),
            (["sync", f"t_mma={'9' * 5000}"], "t_mma=inf cycle: must be finite"),
            (["sync", "t_mma=fast"], "t_mma='fast': must be a number (in cycle)"),
            (["sync", "t_mma=True"], "t_mma='True': must be a number (in cycle)"),
            (["multistage", "stages=0"], "stages=0: must be at least 1"),
            (["multistage", "stages=2.5"], "stages=2.5: must be a whole number"),
            (["multistage", "stages=2,3"], "stages=2,3: one value is needed, not a list"),
            (["multistage", "stages=[2]"], "'warpsweep sweep' takes lists"),
            (["multistage", "stages=2:9"], "one value is needed"),
            (["multistage", "stages=2", "stages=2"], "stages is given twice"),
            (["multistage", "stages"], "'stages': must be NAME=VALUE"),
            (["multistage", "stages="], "'stages=': must be NAME=VALUE"),
            (["multistage", "=3"], "'=3': must be NAME=VALUE"),
            (["sync", "stages=3"], "stages: has no effect on sync; used by "),
            (["sync", "schedule=sync"], "unknown parameter 'schedule'"),
            (["sync", "engine=events"], "unknown parameter 'engine'"),
            (
                ["sync", "gpu=v100_sxm2", "element_type=fp16"],
                "mem_bytes_per_cycle: not known for gpu='v100_sxm2'",
            ),
            (["sync", "t_mma=1e13"], "at most 8796093022208 cycle"),
            (["sync", "tile=128x256"], "tile="),
            (["sync", "tile=128x256\n"], "tile="),
            (["sync", "--engine", "event"], "'event' is not one of 'batch', 'events'"),
            (["sync", "--jsn"], "No such option"),
            (["sync", "--gpu"], "--gpu"),
            ([], "Missing argument 'SCHEDULE'"),
        ],
        ids=str,
    )
    def test_mistakes(self, capsys: Capture, arguments: list[str], part: str) -> None:
        assert part in mistake(capsys, "simulate", *arguments)

    def test_unknown_commands(self, capsys: Capture) -> None:
        assert "Did you mean 'simulate'?" in mistake(capsys, "simulat")
        assert "No such option" in mistake(capsys, "--nonsense")


class TestTimeline:
    def test_text(self, capsys: Capture) -> None:
        text = printed(capsys, "timeline", "sync,multistage", "k_tiles=3", "stages=3")
        assert "sync  k_tiles=3" in text
        assert "multistage  stages=3  k_tiles=3" in text
        assert max(map(len, text.splitlines())) <= 80
        wide = printed(capsys, "timeline", "sync", "--width", "120")
        assert 80 < max(map(len, wide.splitlines())) <= 120

    def test_gpu(self, capsys: Capture) -> None:
        text = printed(capsys, "timeline", "sync", "--gpu", "h100_sxm", "k_tiles=2")
        assert text == printed(capsys, "timeline", "sync", "gpu=h100_sxm", "k_tiles=2")
        assert text != printed(capsys, "timeline", "sync", "k_tiles=2")

    def test_file(self, capsys: Capture, tmp_path: Path) -> None:
        file = tmp_path / "trace.json"
        assert printed(capsys, "timeline", "pingpong", "--out", str(file)) == ""
        assert json.loads(file.read_text())["traceEvents"]
        assert list(tmp_path.iterdir()) == [file]

    @pytest.mark.parametrize(
        ("arguments", "part"),
        [
            (["sync", "--width", "39"], "'--width': 39 is not in the range 40<=x<=10000"),
            (["sync", "--width", "wide"], "'wide' is not a valid integer"),
            (["sync", "--out", "{}/a.gif"], "is written as .pdf, .svg, .png, .json, not as '.gif'"),
            (["sync", "--out", "{}/a"], "is written as .pdf, .svg"),
            (["sync", "--out", "{}/none/a.json"], "there is no folder"),
            (["sync", "--out", "{}/folder.json"], "it is a folder"),
            (["sync,multistage", "--out", "{}/a.json"], "holds one schedule, not 2"),
            (["sync", "--out", "{}/a.json", "t_mma=-1"], "t_mma=-1 cycle"),
            (["sync", "--out", "{}/a.json", "--width", "80"], "--width=80 has no effect"),
            (["sync", "stages=2"], "stages: has no effect on sync"),
            (["sync", "--gpu", "h100"], "unknown GPU 'h100': did you mean 'h100_sxm'?"),
            (["sync", "--gpu", "b200", "gpu=b200"], "gpu is given twice"),
            (["sync,sync"], "is there twice"),
            (["warp_specialized", "mma_in_flight=3", "stages=2"], "warp_specialized deadlocks: "),
        ],
        ids=str,
    )
    def test_mistakes(
        self, capsys: Capture, tmp_path: Path, arguments: list[str], part: str
    ) -> None:
        (tmp_path / "folder.json").mkdir()
        assert part in mistake(capsys, "timeline", *(one.format(tmp_path) for one in arguments))
        assert [one.name for one in tmp_path.iterdir()] == ["folder.json"]


class TestSweep:
    def test_writes_what_run_returns(self, capsys: Capture, tmp_path: Path, space: Path) -> None:
        pytest.importorskip("zarr")
        out = tmp_path / "results.zarr"
        text = printed(capsys, "sweep", str(space), "--out", str(out), "--threads", "1")
        assert text == f"{out}: 3 points; infeasible: none\n"
        found = xr.open_zarr(out).load()
        for name in ("space_fingerprint", "unfinished_points"):  # of a store only
            del found.attrs[name]
        xr.testing.assert_identical(found, sweep.run("sync", t_mma=[1, 2, 3]))
        again = printed(capsys, "sweep", str(space), "--out", str(out), "--resume")
        assert "3 points (3 were there)" in again
        assert "--resume" in mistake(capsys, "sweep", str(space), "--out", str(out))

    @pytest.mark.parametrize(
        ("text", "part"),
        [
            ('schedule = "snyc"', "did you mean 'sync'"),
            ('schedule = "sync"\n[parameters]\nt_mma = []', "t_mma: an empty axis"),
            ('schedule = "sync"\n[parameters]\nt_mma = [1, -2]', "t_mma=-2 cycle: must be at"),
            ('schedule = "sync"\n[parameters]\nt_mma = [nan]', "must be finite"),
            ('schedule = "sync"\n[parameters]\nt_mma = "1"', "must be a number"),
            ('schedule = "sync"\n[parameters]\nstages = 1', "has no effect on sync"),
            ('schedule = "sync"\n[zip.p]\nt_mma = [1]\nt_issue = [1, 2]', "length 2 along"),
            ('schedule = "sync"\n[parametres]\n', "did you mean 'parameters'"),
            ("schedule = sync", "not valid TOML"),
            (
                'schedule = "sync"\n[parameters]\n'
                "t_mma = { start = 0, stop = 1e6, step = 0.5 }\n"
                "t_issue = { start = 0, stop = 1e6, step = 0.5 }\n"
                "t_latency = { start = 0, stop = 1e6, step = 0.5 }",
                "8,000,000,000,000,000,000 points take up to",
            ),
        ],
    )
    def test_mistakes_in_the_space(
        self, capsys: Capture, tmp_path: Path, space: Path, text: str, part: str
    ) -> None:
        pytest.importorskip("zarr")
        space.write_text(text)
        assert part in mistake(
            capsys, "sweep", str(space), "--out", str(tmp_path / "a.zarr"), "--resume"
        )
        assert list(tmp_path.iterdir()) == [space]

    def test_mistakes_in_options(self, capsys: Capture, tmp_path: Path, space: Path) -> None:
        out = str(tmp_path / "a.zarr")
        assert "Missing option '--out'" in mistake(capsys, "sweep", str(space))
        assert "Missing argument 'SPACE.toml'" in mistake(capsys, "sweep", "--out", out)
        assert "no such file" in mistake(capsys, "sweep", "none.toml", "--out", out)
        assert "'--threads': 0" in mistake(
            capsys, "sweep", str(space), "--out", out, "--threads", "0"
        )
        assert list(tmp_path.iterdir()) == [space]

    @pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
    def test_ctrl_c_leaves_a_sweep_to_go_on_with(self, tmp_path: Path, space: Path) -> None:
        pytest.importorskip("zarr")
        space.write_text(
            'schedule = "sync"\n[parameters]\n'
            "t_mma = { start = 0, stop = 5_000, step = 1 }\n"
            "t_latency = { start = 0, stop = 10_000, step = 1 }\n"
        )
        out = tmp_path / "a.zarr"
        with subprocess.Popen(
            [*MODULE, "sweep", str(space), "--out", str(out)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as running:
            last = out / "infeasible_reason" / "c"
            deadline = time.monotonic() + 60
            while not last.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            begun = time.monotonic()
            out_text, err = running.communicate(timeout=30)
            assert time.monotonic() - begun < 10  # 1 to 2 s where nothing else runs
        assert running.returncode == 130
        lines = [line for line in err.splitlines() if ": compiling " not in line]
        assert out_text == ""
        assert len(lines) == 1
        assert lines[0].startswith("warpsweep: interrupted: ")
        assert lines[0].endswith(f"points are in {out}; --resume goes on with them")
        part = xr.open_zarr(out).cycles
        assert bool(part[:520, 0].notnull().any())  # of some 26 rows a chunk, whichever came first
        assert not bool(part[-1, -1].notnull())


class TestReproduce:
    def test_every_covered_figure(self, capsys: Capture, tmp_path: Path) -> None:
        text = printed(capsys, "reproduce", "--out", str(tmp_path / "new"))
        assert " 0 wrong" in text
        assert sorted(one.name for one in (tmp_path / "new").iterdir()) == [
            "reproduce.json", "reproduce.txt"
        ]  # fmt: skip
        rows = json.loads(printed(capsys, "reproduce", "--json"))
        assert {"id", "expected", "computed", "tolerance", "ok"} <= set(rows[0])

    def test_a_mismatch_ends_with_1(self, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
        from analysis.reproduction import reproduce as module

        row = module.Row("a", "b", "c", 1.0, 2.0, 0.0, "1", "")
        monkeypatch.setattr(module, "reproduce", lambda: [row])
        assert main(["reproduce", "--json"]) == 1
        assert json.loads(capsys.readouterr().out)[0]["ok"] is False

    def test_unwritable(self, capsys: Capture, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        assert str(tmp_path / "file") in mistake(
            capsys, "reproduce", "--out", str(tmp_path / "file")
        )


class TestWhatThereIs:
    def test_schedules(self, capsys: Capture) -> None:
        text = printed(capsys, "schedules")
        for name, schedule in sweep.SCHEDULES.items():
            assert f"\n{name}\n" in f"\n{text}"
            assert schedule.reference in text
            assert f"    parameters  {' '.join(schedule.parameters)}\n" in text

    def test_kernels(self, capsys: Capture) -> None:
        for name in sweep.SCHEDULES:
            compile(printed(capsys, "schedules", "--kernel", name), name, "exec")
        assert "did you mean 'sync'" in mistake(capsys, "schedules", "--kernel", "snyc")

    def test_gpus(self, capsys: Capture) -> None:
        text = printed(capsys, "gpus")
        for name, gpu in sweep.GPUS.items():
            assert f"{name}: {gpu.summary}" in text
            assert all(source in text for source in gpu.sources.values())
        assert printed(capsys, "gpus", "b200") == f"{sweep.GPUS['b200']!r}\n"
        assert "did you mean 'b200'" in mistake(capsys, "gpus", "b2000")

    def test_variables(self, capsys: Capture) -> None:
        lines = printed(capsys, "variables").splitlines()
        for name, row in VARIABLES.items():
            if row.kind != "axis":
                line = next(one for one in lines if one.split()[:1] == [name])
                assert row.long_name in line
                assert row.units == "1" or f" {row.units} " in line
                assert all(meaning in line for meaning in row.flag_meanings)


class TestJson:
    """Tables as JSON: one document, and the numbers that the library has."""

    def test_gpus(self, capsys: Capture) -> None:
        found = json.loads(printed(capsys, "gpus", "--json"), parse_constant=pytest.fail)
        assert [one["name"] for one in found] == list(sweep.GPUS)
        for one in found:
            gpu = sweep.GPUS[one["name"]]
            assert {"summary", "sources", *GPU_FIELDS} <= one.keys()
            assert all(one[name] == gpu.value(name) for name in GPU_FIELDS)
            assert one["element_rates"] == dict(gpu.element_rates)
            assert one["sources"] == dict(gpu.sources)
        (b200,) = json.loads(printed(capsys, "gpus", "b200", "--json"))
        assert b200 == next(one for one in found if one["name"] == "b200")
        assert "did you mean 'b200'" in mistake(capsys, "gpus", "b2000", "--json")

    def test_schedules(self, capsys: Capture) -> None:
        found = json.loads(printed(capsys, "schedules", "--json"))
        assert [one["name"] for one in found] == list(sweep.SCHEDULES)
        for one in found:
            schedule = sweep.SCHEDULES[one["name"]]
            assert one["parameters"] == list(schedule.parameters)
            assert one["reference"] == schedule.reference
            assert one["resources"] == list(schedule.resources)
        assert "--json has no effect with --kernel=sync" in mistake(
            capsys, "schedules", "--kernel", "sync", "--json"
        )

    def test_variables(self, capsys: Capture) -> None:
        found = json.loads(printed(capsys, "variables", "--json"), parse_constant=pytest.fail)
        rows = {one["name"]: one for one in found}
        assert set(rows) == {name for name, row in VARIABLES.items() if row.kind != "axis"}
        for name, one in rows.items():
            assert one["units"] == VARIABLES[name].units
            assert one["default"] == VARIABLES[name].default
            assert one["flag_meanings"] == list(VARIABLES[name].flag_meanings)
            upper = VARIABLES[name].upper
            assert one["upper"] == (upper if upper < float("inf") else None)
        assert rows["stages"]["lower"] == 1

    @pytest.mark.parametrize("table", ["banks", "feeding", "stages", "traffic"])
    def test_tensorcore(self, capsys: Capture, table: str) -> None:
        arguments = ("tensorcore", table, "--gpu", "h100_sxm")
        found = json.loads(printed(capsys, *arguments, "--json"), parse_constant=pytest.fail)
        assert (found.pop("table"), found.pop("gpu")) == (table, "h100_sxm")
        text = printed(capsys, *arguments)
        rows = [row for part in found.values() for row in part]
        assert len(rows) > 4
        for row in rows:
            named = (row.get(name) for name in ("instruction", "tile", "gpu", "row_elements"))
            first = str(next(name for name in named if name is not None))
            assert any(first in line.split() for line in text.splitlines())

    def test_numbers_of_tensorcore(self, capsys: Capture) -> None:
        stages = json.loads(printed(capsys, "tensorcore", "stages", "--json"))["stages"]
        assert stages[0]["stage_bytes"] == 128 * 32 * 2 * 2
        assert stages[2]["needed"] == [
            {"latency_seconds": 5e-07, "stages": 2},
            {"latency_seconds": 1e-06, "stages": 3},
        ]
        banks = json.loads(printed(capsys, "tensorcore", "banks", "--json"))
        assert banks["fragments"][-1]["b"] is None
        assert banks["conflicts"][4]["ways"]["none"] == 8
        traffic = json.loads(printed(capsys, "tensorcore", "traffic", "--json"))["traffic"]
        assert traffic[0]["floor_bytes"] == 3 * 4096**2 * 2


class TestEnds:
    def test_interrupted(self, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
        def stopped(*_: Any, **__: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(sweep, "simulate", stopped)
        assert main(["simulate", "sync"]) == 130
        assert capsys.readouterr() == ("", "warpsweep: interrupted\n")

    def test_out_of_memory(self, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: Any, **__: Any) -> None:
            raise MemoryError

        monkeypatch.setattr(sweep, "simulate", full)
        assert mistake(capsys, "simulate", "sync") == "out of memory: give fewer values"

    @pytest.mark.skipif(os.name == "nt", reason="there is no SIGPIPE")
    def test_a_reader_that_goes_away(self) -> None:
        with subprocess.Popen(
            [*MODULE, "gpus"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as running:
            assert running.stdout is not None
            assert running.stderr is not None
            running.stdout.close()
            assert running.stderr.read() == b""
        assert running.returncode == 141

    def test_as_a_module(self) -> None:
        ran = command("simulate", "sync", "t_mma=-1")
        assert (ran.returncode, ran.stdout) == (2, "")
        assert ran.stderr == "warpsweep: error: t_mma=-1 cycle: must be at least 0 cycle\n"
