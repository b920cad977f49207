"""When kernels are compiled: not at import, once, never again in a second process."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
import traceback
from dataclasses import replace
from pathlib import Path

import pytest

from sweep.catalogue.schedules import SCHEDULES
from sweep.compiling.kept import cache_folder
from sweep.description import Event
from sweep.recurrence.kernels import load, source_of
from tests.support.one_loop import ONE_LOOP
from tests.support.points import COMPILED

compiled = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")

COUNT = """
import sys
from numba.core import event
import sweep
assert not {"numba.core.registry"} - set(sys.modules)
with event.install_recorder("numba:compile") as compiles:
    cycles = sweep.simulate("NAME").cycles
from sweep.recurrence.kernels import kernel_of
stats = kernel_of(sweep.SCHEDULES["NAME"], "consumer", True).function.stats
hits, misses = sum(stats.cache_hits.values()), sum(stats.cache_misses.values())
print(cycles, len(compiles.buffer), hits, misses)
"""


def python(code: str, cache: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WARPSWEEP_CACHE_DIR": str(cache), **more}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )


def test_import_compiles_nothing_and_imports_neither_numba_nor_xarray(tmp_path: Path) -> None:
    code = """
import sys, sweep
sweep.SCHEDULES, sweep.GPUS, sweep.simulate, sweep.run, sweep.trace
heavy = {"numba", "xarray", "matplotlib", "zarr", "dask"} & set(sys.modules)
import numba.core.event as event, numba
"""
    code += "print(sorted(heavy))"
    assert python(code, tmp_path).stdout.strip() == "[]"
    assert not list(tmp_path.iterdir())


@compiled
@pytest.mark.parametrize("name", ["sync", "attention_serial"])
def test_the_second_process_compiles_nothing(name: str, tmp_path: Path) -> None:
    first, second = (python(COUNT.replace("NAME", name), tmp_path) for _ in range(2))
    cycles, compiles, hits, misses = first.stdout.split()
    assert int(compiles) > 0
    assert (hits, misses) == ("0", "1")
    assert f"compiling {name}_plain" in first.stderr
    assert second.stdout.split() == [cycles, "0", "1", "0"]
    assert second.stderr == ""


def test_variants_and_schedules_have_a_source_each() -> None:
    sources = [
        source_of(SCHEDULES[name], release, plain)
        for name in ONE_LOOP
        for release, plain in [("consumer", True), ("hardware", False)]
    ]
    assert len(set(sources)) >= len(ONE_LOOP)
    for source in sources:
        compile(source, "kernel", "exec")
        assert source.startswith('"""The recurrence of ')


@compiled
def test_a_changed_schedule_is_a_new_file(tmp_path: Path) -> None:
    """Never an old cached kernel: the file is named by what it holds."""
    code = """
from dataclasses import replace
import sweep
from sweep.description import Event
sync = sweep.SCHEDULES["sync"]
def events(release):
    return tuple(row if row.name != "store" else row for row in sync.events(release)) + EXTRA
changed = replace(sync, name="mine", events=events)
print(sweep.simulate(changed, k_tiles=1, t_mma=1, t_epilogue=5).cycles)
"""
    extra = 'Event("twice", "warp", takes="t_epilogue", place="tile_end")'
    once = python(code.replace("EXTRA", "()"), tmp_path)
    twice = python(code.replace("EXTRA", f"({extra},)"), tmp_path)
    assert float(twice.stdout) == float(once.stdout) + 5
    assert len(list(tmp_path.glob("mine_plain_*.kernel"))) == 2


def test_changing_a_row_changes_the_source() -> None:
    sync = SCHEDULES["sync"]

    def events(release: str) -> tuple[Event, ...]:
        return tuple(reversed(sync.events(release)))

    assert source_of(replace(sync, events=events)) != source_of(sync)


def test_a_module_is_named_by_its_content() -> None:
    one = load("trial", "kernel = 1")
    other = load("trial", "kernel = 2")
    again = load("trial", "kernel = 1")
    assert (one.kernel, other.kernel, again.kernel) == (1, 2, 1)
    assert one.__name__ == again.__name__ != other.__name__


def test_a_traceback_shows_the_generated_line() -> None:
    module = load("trial", "def kernel():\n    return 1 / 0  # here\n")
    with pytest.raises(ZeroDivisionError) as caught:
        module.kernel()
    assert "return 1 / 0  # here" in "".join(traceback.format_exception(caught.value))


def test_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = cache_folder.__wrapped__
    monkeypatch.setenv("WARPSWEEP_CACHE_DIR", str(tmp_path / "new" / "kernels"))
    assert find() == tmp_path / "new" / "kernels"
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    for name in (str(blocked / "kernels"), "nul\0", "n" * 5000):
        with monkeypatch.context() as patch:
            if "\0" in name:
                patch.setattr("os.environ", {"WARPSWEEP_CACHE_DIR": name})
            else:
                patch.setenv("WARPSWEEP_CACHE_DIR", name)
            assert find() is None
    monkeypatch.delenv("WARPSWEEP_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert find() == tmp_path / "xdg" / "warpsweep"
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: Path("~/.cache/warpsweep"))
    monkeypatch.chdir(tmp_path)
    assert find() is None  # a user without a home: no folder called "~" is made
    assert not (tmp_path / "~").exists()


EVERY_KIND = """
import sweep
from sweep.tensorcore.compiled_loops import count_wavefronts
from sweep.tensorcore.traffic.strips import _kernel
print(sweep.simulate("attention_serial").cycles)
print(sweep.simulate("attention_serial", arbitration="fifo").cycles)
count_wavefronts(), _kernel()
"""


@compiled
def test_without_a_home_all_runs_and_nothing_is_left(tmp_path: Path) -> None:
    """A home and a cache that cannot be made, and a temporary folder that stays empty."""
    (tmp_path / "file").write_text("no folder")
    nowhere, temporary = str(tmp_path / "file" / "home"), tmp_path / "temporary"
    temporary.mkdir()
    ran = python(
        EVERY_KIND,
        tmp_path / "file" / "kernels",
        HOME=nowhere,
        XDG_CACHE_HOME=nowhere,
        TMPDIR=str(temporary),
    )
    assert ran.stdout.split() == ["57344.0", "57344.0"]
    assert ran.stderr.count("warpsweep: compiling ") == 4
    assert "kept" not in ran.stderr
    assert not list(temporary.iterdir())


@compiled
def test_one_folder_keeps_every_kind_of_function_whole(tmp_path: Path) -> None:
    """Whatever is damaged is compiled anew: a flipped bit, a cut end, a folder, nothing at all."""
    ran = python(EVERY_KIND, tmp_path)
    assert ran.stderr.count("(kept for the next run)") == 4
    files = sorted(tmp_path.iterdir())
    assert [file.suffix for file in files] == [".kernel"] * 4
    assert not python(EVERY_KIND, tmp_path).stderr
    whole = [file.read_bytes() for file in files]
    files[0].write_bytes(whole[0][:3000] + bytes([whole[0][3000] ^ 1]) + whole[0][3001:])
    files[1].write_bytes(whole[1][:-1])
    files[2].unlink()
    files[2].mkdir()
    files[3].write_bytes(b"")
    again = python(EVERY_KIND, tmp_path)
    assert again.stdout == ran.stdout
    assert again.stderr.count("(kept for the next run)") == 4
    assert not python(EVERY_KIND, tmp_path).stderr
    assert sorted(tmp_path.iterdir()) == files


@compiled
def test_a_whole_file_of_another_kind_is_compiled_anew(tmp_path: Path) -> None:
    """The checksum is right and what it covers is no function."""
    code = "import sweep; print(sweep.simulate('attention_serial').cycles)"
    python(code, tmp_path)
    (file,) = tmp_path.iterdir()
    for content in (b"no pickle", pickle.dumps(("neither",) * 9)):
        file.write_bytes(hashlib.sha256(content).digest() + content)
        ran = python(code, tmp_path)
        assert ran.stdout == "57344.0\n"
        assert "compiling" in ran.stderr
    assert python(code, tmp_path).stderr == ""


FORK = """
import multiprocessing, sys, threading, time
import sweep
loading = threading.Thread(target=sweep.simulate, args=("sync",))
loading.start()
from sweep.compiling.kept import _LOADING
while not _LOADING._is_owned() and _LOADING.acquire(blocking=False):
    _LOADING.release()  # until the other thread has it
    time.sleep(0.001)
child = multiprocessing.get_context("fork").Process(
    target=lambda: sys.exit(int(sweep.simulate("attention_serial").cycles == 57344.0))
)
child.start()
child.join(60)
print(child.exitcode)
loading.join()
"""


@compiled
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_forked_while_a_kernel_is_loaded_runs(tmp_path: Path) -> None:
    assert python(FORK, tmp_path).stdout == "1\n"
