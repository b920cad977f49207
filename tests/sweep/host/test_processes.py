"""Processes whose streams are closed, full or gone, whose environment is odd, and Ctrl-C."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.points import COMPILED

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX streams and signals")

COMMAND = [sys.executable, "-m", "sweep"]
GOOD, BAD = ["schedules"], ["simulate", "sync", "t_mma=-1"]
NEGATIVE = "warpsweep: error: t_mma=-1 cycle: must be at least 0 cycle\n"
CLOSED = "warpsweep: error: cannot write to standard output: bad file descriptor\n"
FULL = "warpsweep: error: cannot write to standard output: no space left on device\n"


def shell(arguments: list[str], streams: str, **environment: str) -> tuple[int, str, str]:
    """Run the command line with its streams redirected by a shell."""
    ran = subprocess.run(
        f"{shlex.join([*COMMAND, *arguments])} {streams}",
        shell=True,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", **environment},
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.parametrize(
    ("streams", "good", "bad"),
    [
        (">&-", (2, CLOSED), (2, NEGATIVE)),
        ("2>&-", (0, ""), (2, "")),
        (">&- 2>&-", (2, ""), (2, "")),
        ("<&- >&- 2>&-", (2, ""), (2, "")),
        ("<&-", (0, ""), (2, NEGATIVE)),
        (">/dev/full", (2, FULL), (2, NEGATIVE)),
        ("2>/dev/full", (0, ""), (2, "")),
        (">/dev/full 2>/dev/full", (2, ""), (2, "")),
        (">&- 2>/dev/full", (2, ""), (2, "")),
    ],
)
def test_streams(streams: str, good: tuple[int, str], bad: tuple[int, str]) -> None:
    if "/dev/full" in streams and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    code, out, err = shell(GOOD, streams)
    assert (code, err) == good
    assert ("warp_specialized" in out) == (code == 0)
    assert shell(BAD, streams) == (bad[0], "", bad[1])


def test_a_file_that_is_written_needs_no_stream(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    assert shell(["timeline", "sync", "--out", str(file)], "<&- >&- 2>&-") == (0, "", "")
    assert file.read_text().startswith("{")


@pytest.mark.parametrize(
    ("variable", "code", "part"),
    [
        ("NUMBA_NUM_THREADS=0", 2, "error: numba cannot start (ValueError: Number of threads"),
        ("MPLBACKEND=nonsense", 0, ""),
        ("MPLCONFIGDIR=/proc/none", 0, ""),
        ("PYTHONIOENCODING=ascii", 0, ""),
        ("HOME=/proc/none", 0, ""),
        ("WARPSWEEP_CACHE_DIR=/dev/null", 0, ""),
        ("NUMBA_CACHE_DIR=/dev/null", 0, ""),
        ("NUMBA_CACHE_LOCATOR_CLASSES=none.Such", 0, ""),
        ("TMPDIR=/proc/none", 0, ""),
    ],
)
def test_environments(variable: str, code: int, part: str, tmp_path: Path) -> None:
    name, _, value = variable.partition("=")
    out = str(tmp_path / "timeline.svg")
    drawing = name.startswith(("MPL", "HOME"))
    drawn = ["timeline", "sync", "k_tiles=1", "--out", out]
    simulated = ["simulate", "sync", "k_tiles=1"]
    ended, _, err = shell(drawn if drawing else simulated, "", **{name: value})
    assert ended == code
    assert err.count("\n") == (code == 2)
    assert part in err


def test_paths_that_are_no_text(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    for arguments in (
        ["simulate", folder + b"/caf\xe9.py"],
        ["sweep", folder + b"/caf\xe9.toml", "--out", folder + b"/caf\xe9.zarr"],
        ["timeline", "sync", "--out", folder + b"/caf\xe9/a.svg"],
        ["gpus", b"\xff\x1b[31m"],
    ):
        ran = subprocess.run([*COMMAND, *arguments], capture_output=True, timeout=60)
        assert (ran.returncode, ran.stdout) == (2, b"")
        assert ran.stderr.count(b"\n") == 1
        assert ran.stderr.decode("utf-8").strip().isprintable()
    written = subprocess.run(
        [*COMMAND, "timeline", "sync", "--out", folder + b"/caf\xe9.json"],
        capture_output=True,
        timeout=60,
    )
    assert (written.returncode, written.stdout, written.stderr) == (0, b"", b"")


PLUGIN = """[warpsweep.schedules]
leaves = leaving:SCHEDULE
"""


def test_a_plugin_that_exits_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "leaving.py").write_text("import sys, warnings\nwarnings.warn('a')\nsys.exit(3)\n")
    package = tmp_path / "leaving-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: leaving\nVersion: 1\n")
    (package / "entry_points.txt").write_text(PLUGIN)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    code, out, err = shell(["simulate", "sync", "k_tiles=1"], "", PYTHONPATH=path)
    assert (code, out.splitlines()[0].split()) == (0, ["schedule", "sync"])
    assert err == "warpsweep: warning: schedule 'leaves' (leaving:SCHEDULE): SystemExit: 3\n"


LONG = """
import sys, time
import sweep.host.interrupts, sweep.results.points
from sweep.cli.commands import main

def endless(*_, **__):
    print("ready", flush=True)
    {body}

sweep.host.interrupts.SECONDS_TO_FINISH = 1
sweep.results.points.run_block = endless
sys.argv[1:] = ["simulate", "sync"]
sys.exit(main())
"""
PYTHON_LOOP = "time.sleep(100)"
COMPILED_LOOP = "import ctypes; ctypes.CDLL(None).sleep(100); ctypes.CDLL(None).sleep(100)"
WAITING_THREAD = """
    import threading
    threading.Thread(target=time.sleep, args=(100,)).start()
    time.sleep(100)
"""


@pytest.mark.parametrize(
    ("body", "most"), [(PYTHON_LOOP, 4), (COMPILED_LOOP, 6), (WAITING_THREAD, 5)]
)
def test_ctrl_c_ends_whatever_runs(body: str, most: float) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LONG.format(body=body)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    ) as running:
        assert running.stdout is not None
        running.stdout.readline()
        begun = time.monotonic()
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
        assert time.monotonic() - begun < most
    assert running.returncode == 130
    assert set(err.splitlines()) == {"warpsweep: interrupted"}


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ("attention_pingpong kv_blocks=2000000000 arbitration=fifo", "about 400 s a point"),
        ("sync k_tiles=1000000000 --engine events", "the limit is 5,000,000 events"),
        (
            "warp_specialized k_tiles=1000000000000 stages=65536 mma_in_flight=65534"
            " t_mma=1 t_transfer=1 t_issue=1 t_latency=1",
            "repeats only after 4294901760 steps",
        ),
    ],
)
def test_what_cannot_end_is_refused_with_an_estimate(arguments: str, part: str) -> None:
    code, out, err = shell(["simulate", *arguments.split()], "")
    assert (code, out) == (2, "")
    assert part in err


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_ctrl_c_while_a_kernel_runs() -> None:
    """A run of some minutes that no limit refuses."""
    point = "simulate attention_pingpong kv_blocks=100000000 arbitration=fifo t_exp=1 t_softmax=1"
    with subprocess.Popen(
        [*COMMAND, *point.split(), "t_gemm0=1", "t_gemm1=1"], stderr=subprocess.PIPE, text=True
    ) as running:
        time.sleep(4)
        running.send_signal(signal.SIGINT)
        begun = time.monotonic()
        _, err = running.communicate(timeout=60)
        assert time.monotonic() - begun < 6
    assert running.returncode == 130
    assert err.endswith("warpsweep: interrupted\n")
