"""Stores where something is in the way: another writer, version, schedule, disk, kernel or name."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import sweep
import sweep.storage.store
import sweep.storage.store_layout
from sweep.catalogue.schedules import SCHEDULES
from sweep.errors import InputError
from sweep.inputs.space import Space, resolve
from sweep.storage.lock import locked
from sweep.storage.store import write_sweep

pytest.importorskip("zarr")

POSIX = pytest.mark.skipif(os.name != "posix", reason="locks and modes of POSIX")


def contents(path: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(path)): one.read_bytes() for one in path.rglob("*") if one.is_file()
    }


@pytest.fixture
def space(monkeypatch: pytest.MonkeyPatch) -> Space:
    monkeypatch.setattr(sweep.storage.store, "CHUNK_POINTS", 2)
    return resolve("sync", {"t_mma": [1.0, 2.0, 3.0]})


def refused(space: Space, path: Path, *, resume: bool = False) -> str:
    """Return the refusal, which is one line and leaves everything as it was."""
    before = contents(path.parent)
    with pytest.raises(InputError) as caught:
        write_sweep(space, path, resume=resume)
    assert contents(path.parent) == before
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    return str(caught.value)


@POSIX
class TestTwoWriters:
    def test_the_second_is_refused(self, tmp_path: Path, space: Space) -> None:
        path = tmp_path / "a.zarr"
        write_sweep(space, path)
        with locked(path, path):
            assert "another run is writing it" in refused(space, path, resume=True)
        assert write_sweep(space, path, resume=True).kept == 3

    def test_while_one_writes(
        self, tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, begun, go_on = tmp_path / "a.zarr", threading.Event(), threading.Event()

        def progress(done: int, total: int) -> None:
            begun.set()
            assert go_on.wait(60)

        first = threading.Thread(
            target=write_sweep, args=(space, path), kwargs={"progress": progress}
        )
        first.start()
        assert begun.wait(60)
        with pytest.raises(InputError, match="another run is writing it"):
            write_sweep(space, path, resume=True)
        with pytest.raises(InputError, match="is there already"):
            write_sweep(space, path)
        go_on.set()
        first.join()
        assert write_sweep(space, path, resume=True).kept == 3

    def test_both_make_it_at_once(
        self, tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, describe = tmp_path / "a.zarr", sweep.storage.store_layout.describe

        def overtaken(*arguments: Any) -> None:
            describe(*arguments)
            monkeypatch.setattr(sweep.storage.store_layout, "describe", describe)
            write_sweep(space, path)

        monkeypatch.setattr(sweep.storage.store_layout, "describe", overtaken)
        with pytest.raises(InputError, match="something else has just made it"):
            write_sweep(space, path)
        assert list(tmp_path.iterdir()) == [path]
        assert write_sweep(space, path, resume=True).kept == 3

    def test_what_another_is_making_is_no_rest(self, tmp_path: Path, space: Space) -> None:
        made = tmp_path / ".a.zarr.0123456789ab.tmp"
        made.mkdir()
        with locked(made, tmp_path / "a.zarr"):
            write_sweep(space, tmp_path / "a.zarr")
            assert made.is_dir()
        write_sweep(space, tmp_path / "a.zarr", resume=True)
        assert not made.exists()

    def test_a_file_system_without_locks(
        self, tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import fcntl

        def none(*_: Any) -> None:
            raise OSError(errno.ENOLCK, "No locks available")

        monkeypatch.setattr(fcntl, "flock", none)
        assert write_sweep(space, tmp_path / "a.zarr").points == 3


@POSIX
def test_a_killed_run_is_gone_on_with(tmp_path: Path) -> None:
    path, whole = tmp_path / "a.zarr", tmp_path / "whole.zarr"
    run = f"""
import os, signal, sweep.storage.store
from pathlib import Path
from sweep.inputs.space import resolve
sweep.storage.store.CHUNK_POINTS = 2
space = resolve("sync", {{"t_mma": [1.0, 2.0, 3.0]}})
sweep.storage.store.write_sweep(space, Path({str(whole)!r}))
kill = lambda done, total: done and os.kill(os.getpid(), signal.SIGKILL)
sweep.storage.store.write_sweep(space, Path({str(path)!r}), threads=1, progress=kill)
"""
    killed = subprocess.run(
        [sys.executable, "-c", run], env={**os.environ, "NUMBA_DISABLE_JIT": "1"}
    )
    assert killed.returncode == -9
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep.storage.store, "CHUNK_POINTS", 2)
        again = write_sweep(resolve("sync", {"t_mma": [1.0, 2.0, 3.0]}), path, resume=True)
    assert 0 < again.kept <= 3
    assert contents(path) == contents(whole)


def test_another_version(tmp_path: Path, space: Space) -> None:
    path = tmp_path / "a.zarr"
    write_sweep(space, path)
    root = json.loads((path / "zarr.json").read_text())
    there = json.loads(root["attributes"]["space_fingerprint"]) | {"warpsweep": "0.0.1"}
    root["attributes"]["space_fingerprint"] = json.dumps(there)
    (path / "zarr.json").write_text(json.dumps(root))
    assert "was written by warpsweep 0.0.1, this is" in refused(space, path, resume=True)


class TestDisksAndPlaces:
    @pytest.mark.parametrize("resume", [False, True])
    def test_names_too_long(self, tmp_path: Path, space: Space, resume: bool) -> None:
        for name in ("x" * 300 + ".zarr", "x" * 4990 + ".zarr"):
            assert "file name too long" in refused(space, tmp_path / name, resume=resume)
        path = tmp_path / ("x" * 250 + ".zarr")
        write_sweep(space, path, resume=resume)
        assert write_sweep(space, path, resume=True).kept == 3

    def test_what_is_no_store(self, tmp_path: Path, space: Space) -> None:
        (tmp_path / "a.zarr").write_text("mine")
        assert "is there already" in refused(space, tmp_path / "a.zarr")
        assert "is no sweep" in refused(space, tmp_path / "a.zarr", resume=True)
        (tmp_path / "b.zarr").mkdir()
        assert "is no sweep" in refused(space, tmp_path / "b.zarr", resume=True)
        (tmp_path / "c.zarr").symlink_to(tmp_path / "nowhere")
        assert "cannot write" in refused(space, tmp_path / "c.zarr")
        (tmp_path / "d.zarr").symlink_to("d.zarr")
        assert "cannot write" in refused(space, tmp_path / "d.zarr", resume=True)
        sweep.run("sync", t_mma=[1.0, 2.0]).drop_vars(
            ["tile", "gpu", "element_type", "cluster"], errors="ignore"
        )[["cycles"]].reset_coords(drop=True).to_zarr(tmp_path / "e.zarr", consolidated=False)
        assert "is no sweep" in refused(space, tmp_path / "e.zarr", resume=True)

    def test_a_disk_that_fills_up(
        self, tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from zarr.storage import _local

        put, path, left = _local._put, tmp_path / "a.zarr", [10]

        def full(*arguments: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            return put(*arguments, **named)

        monkeypatch.setattr(_local, "_put", full)
        assert "no space left on device" in refused(space, path)  # while it is made
        assert not list(tmp_path.iterdir())
        left[0] = 1000
        with pytest.raises(InputError, match=r"cannot write .*: no space left on device"):
            write_sweep(space, path, progress=lambda *_: left.__setitem__(0, 5))  # while filled
        monkeypatch.setattr(_local, "_put", put)
        write_sweep(space, tmp_path / "whole.zarr")
        write_sweep(space, path, resume=True)
        assert contents(path) == contents(tmp_path / "whole.zarr")

    @pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
    def test_a_folder_that_may_not_be_written(self, tmp_path: Path, space: Space) -> None:
        tmp_path.chmod(0o555)
        try:
            assert "permission denied" in refused(space, tmp_path / "a.zarr")
        finally:
            tmp_path.chmod(0o755)

    def test_a_read_only_file_system(
        self, tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def read_only(*_: Any, **__: Any) -> None:
            raise OSError(errno.EROFS, "Read-only file system")

        monkeypatch.setattr(Path, "mkdir", read_only)
        assert "read-only file system" in refused(space, tmp_path / "a.zarr")

    def test_no_disk_to_ask(
        self, tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def gone(*_: Any) -> None:
            raise OSError(errno.EIO, "Input/output error")

        monkeypatch.setattr(shutil, "disk_usage", gone)
        assert "input/output error" in refused(space, tmp_path / "a.zarr")


def test_a_kernel_that_does_not_compile_leaves_no_store(
    tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise InputError("the kernel does not compile")

    monkeypatch.setattr(sweep.storage.store, "prepare", fails)
    assert "does not compile" in refused(space, tmp_path / "a.zarr")
    assert not list(tmp_path.iterdir())


def test_a_schedule_whose_name_no_file_can_have_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    own = dataclasses.replace(SCHEDULES["sync"], name="x" * 300)
    with pytest.raises(InputError, match="must be an ASCII identifier of at most 64 characters"):
        write_sweep(resolve(own, {}), tmp_path / "a.zarr")
    assert not list(tmp_path.iterdir())
