"""When kernels are compiled: not at import, once, never again in a second process."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from points import COMPILED
from sweep.catalogue import SCHEDULES
from sweep.description import Event
from sweep.kernel import cache_folder, load, source_of

compiled = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")

COUNT = """
import sys
from numba.core import event
import sweep
assert not {"numba.core.registry"} - set(sys.modules)
with event.install_recorder("numba:compile") as compiles:
    cycles = sweep.simulate("NAME").cycles
from sweep.kernel import kernel_of
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
        source_of(schedule, release, plain)
        for schedule in SCHEDULES.values()
        for release, plain in [("consumer", True), ("hardware", False)]
    ]
    assert len(set(sources)) >= len(SCHEDULES)
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
changed = replace(sync, events=events)
print(sweep.simulate(changed, k_tiles=1, t_mma=1, t_epilogue=5).cycles)
"""
    extra = 'Event("twice", "warp", takes="t_epilogue", place="tile_end")'
    once = python(code.replace("EXTRA", "()"), tmp_path)
    twice = python(code.replace("EXTRA", f"({extra},)"), tmp_path)
    assert float(twice.stdout) == float(once.stdout) + 5
    assert len(list(tmp_path.glob("sync_plain_*.py"))) == 2


def test_changing_a_row_changes_the_source() -> None:
    sync = SCHEDULES["sync"]

    def events(release: str) -> tuple[Event, ...]:
        return tuple(reversed(sync.events(release)))

    assert source_of(replace(sync, events=events)) != source_of(sync)


def test_the_file_is_named_by_its_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sweep.kernel._folder", lambda: tmp_path)
    one = load("trial", "kernel = 1")
    other = load("trial", "kernel = 2")
    again = load("trial", "kernel = 1")
    assert (one.kernel, other.kernel, again.kernel) == (1, 2, 1)
    assert one.__file__ == again.__file__ != other.__file__
    assert len(list(tmp_path.glob("trial_*.py"))) == 2
    assert not list(tmp_path.glob("*.tmp"))


def test_a_folder_that_cannot_be_written_falls_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    monkeypatch.setenv("WARPSWEEP_CACHE_DIR", str(blocked / "kernels"))
    folder = cache_folder()
    assert folder.is_dir()
    assert tmp_path not in folder.parents
    (folder / "probe").write_text("")
    monkeypatch.setenv("WARPSWEEP_CACHE_DIR", str(tmp_path / "new" / "kernels"))
    assert cache_folder() == tmp_path / "new" / "kernels"
    monkeypatch.delenv("WARPSWEEP_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "warpsweep"


@compiled
def test_a_run_with_an_unwritable_cache_still_works(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    code = "import sweep; print(sweep.simulate('attention_serial').cycles)"
    assert python(code, blocked / "kernels", TMPDIR=str(tmp_path)).stdout.strip() == "57344.0"
