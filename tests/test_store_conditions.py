"""Stores where something is in the way: another writer, version, schedule, disk, kernel or name."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import sweep
import sweep.store
import sweep.store_layout
from sweep.catalogue import SCHEDULES
from sweep.errors import InputError
from sweep.space import Space, resolve
from sweep.store import write_sweep
from sweep.store_fingerprint import fingerprint
from sweep.store_lock import locked

pytest.importorskip("zarr")

POSIX = pytest.mark.skipif(os.name != "posix", reason="locks and modes of POSIX")


def contents(path: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(path)): one.read_bytes() for one in path.rglob("*") if one.is_file()
    }


@pytest.fixture
def space(monkeypatch: pytest.MonkeyPatch) -> Space:
    monkeypatch.setattr(sweep.store, "CHUNK_POINTS", 2)
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
        path, describe = tmp_path / "a.zarr", sweep.store_layout.describe

        def overtaken(*arguments: Any) -> None:
            describe(*arguments)
            monkeypatch.setattr(sweep.store_layout, "describe", describe)
            write_sweep(space, path)

        monkeypatch.setattr(sweep.store_layout, "describe", overtaken)
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
import os, signal, sweep.store
from pathlib import Path
from sweep.space import resolve
sweep.store.CHUNK_POINTS = 2
space = resolve("sync", {{"t_mma": [1.0, 2.0, 3.0]}})
sweep.store.write_sweep(space, Path({str(whole)!r}))
kill = lambda done, total: done and os.kill(os.getpid(), signal.SIGKILL)
sweep.store.write_sweep(space, Path({str(path)!r}), threads=1, progress=kill)
"""
    killed = subprocess.run(
        [sys.executable, "-c", run], env={**os.environ, "NUMBA_DISABLE_JIT": "1"}
    )
    assert killed.returncode == -9
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep.store, "CHUNK_POINTS", 2)
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


class TestSchedules:
    """Everything of a schedule is in the fingerprint."""

    @pytest.mark.parametrize(
        "change",
        [
            {"fixed_stages": 3},
            {"producer": True},
            {"turns": 2},
            {"consumer_warpgroups": 3},
            {"loader": "tma"},
            {"agents": ("thread", "other")},
            {"summary": "edited"},
        ],
    )
    def test_a_field_edited_between_halves(self, change: dict[str, Any]) -> None:
        own = dataclasses.replace(SCHEDULES["multistage"], name="mine")
        before = fingerprint(resolve(own, {}))
        after = fingerprint(resolve(dataclasses.replace(own, **change), {}))
        assert "fields of mine" in {name for name in before if before[name] != after.get(name)}

    def test_every_field_counts(self) -> None:
        own = dataclasses.replace(SCHEDULES["multistage"], name="mine")
        names = {one.name for one in dataclasses.fields(own)} - {"events", "program"}
        for name in names - {"name", "family", "agents", "tile_level"}:
            value = getattr(own, name)
            other = dataclasses.replace(own, **{name: f"{value}x" if isinstance(value, str) else 7})
            assert _fields(own) != _fields(other), name

    def test_rows_of_either_release_and_kernels(self) -> None:
        mine = dataclasses.replace(SCHEDULES["warp_specialized"], name="mine")
        rows = mine.events

        def edited(release: str) -> Any:
            found = rows(release)
            if release == "hardware":
                return (dataclasses.replace(found[0], operation="edited"), *found[1:])
            return found

        space, other = resolve(mine, {}), resolve(dataclasses.replace(mine, events=edited), {})
        assert fingerprint(space)["events of mine"] != fingerprint(other)["events of mine"]
        kernels = fingerprint(space)["kernels of mine"]
        assert kernels != fingerprint(resolve(mine, {"release": "hardware"}))["kernels of mine"]

    def test_the_resume_says_so(self, tmp_path: Path) -> None:
        own = dataclasses.replace(SCHEDULES["sync"], name="mine")
        write_sweep(resolve(own, {}), tmp_path / "a.zarr")
        edited = resolve(dataclasses.replace(own, fixed_stages=2), {})
        message = refused(edited, tmp_path / "a.zarr", resume=True)
        assert "holds another sweep (fields of mine differs)" in message


def _fields(schedule: Any) -> str:
    from sweep.store_fingerprint import _described

    return _described(schedule, resolve(SCHEDULES["multistage"], {}).values[0])["fields"]


class TestCoordinates:
    """Those that xarray objects bring."""

    def run(self, values: Any, name: str = "note") -> Space:
        axis = xr.DataArray([1.0, 2.0], dims="p", coords={name: ("p", values)})
        return resolve("sync", {"t_mma": axis})

    @pytest.mark.parametrize(
        "kind",
        [object, "U", pytest.param("T", marks=pytest.mark.skipif(np.__version__ < "2", reason=""))],
    )
    def test_text_is_told_by_what_it_says(self, tmp_path: Path, kind: Any) -> None:
        dtype = np.dtypes.StringDType() if kind == "T" else kind
        words = ["".join(["a", str(one)]) for one in range(2)]  # made anew: other addresses
        space = self.run(np.array(words, dtype=dtype))
        same = self.run(np.array(["a0", "a1"], dtype=object))
        assert fingerprint(space)["note"] == fingerprint(same)["note"]
        assert fingerprint(space)["note"] != fingerprint(self.run(["a0", "a2"]))["note"]
        write_sweep(space, tmp_path / "a.zarr")
        assert write_sweep(same, tmp_path / "a.zarr", resume=True).kept == 2
        assert xr.open_zarr(tmp_path / "a.zarr").note.values.tolist() == words

    @pytest.mark.parametrize(
        "values",
        [
            [1, 2],
            [1.5, 2.5],
            [True, False],
            [1j, 2j],
            pd.to_datetime(["2020-01-01", "2020-01-02"]),
            pd.to_timedelta([1, 2], unit="s"),
        ],
    )
    def test_numbers_and_dates(self, tmp_path: Path, values: Any) -> None:
        space = self.run(values)
        write_sweep(space, tmp_path / "a.zarr")
        assert write_sweep(space, tmp_path / "a.zarr", resume=True).kept == 2
        found = xr.open_zarr(tmp_path / "a.zarr", decode_timedelta=True).note.values
        np.testing.assert_array_equal(found, np.asarray(space.coords["note"][1]))

    @pytest.mark.parametrize(
        ("values", "kind"),
        [
            (np.array([(1, 2), "a"], dtype=object), "tuple"),
            (np.array([b"a", b"bc"]), "S2"),
            (np.array([b"a", b"bc"], dtype=object), "bytes"),
            (np.array([{}, {}], dtype=object), "dict"),
            (np.array(["a", 1.5], dtype=object), "float"),
            (np.array([object(), object()], dtype=object), "object"),
            (np.array([(1, 2.0), (3, 4.0)], dtype="i4,f8"), "i4"),
        ],
    )
    def test_objects_are_refused(self, tmp_path: Path, values: Any, kind: str) -> None:
        message = refused(self.run(values), tmp_path / "a.zarr")
        assert re.match(rf"coordinate 'note': holds values of type .*{kind}", message)

    @pytest.mark.parametrize(
        "name",
        [
            *"|.|..|../up|a/b|__own|zarr.json|a b|a\nb|\x1b[31m|a\0b|\ud800".split("|"),
            "x" * 256,
            "ü" * 128,
        ],
    )
    def test_names_that_no_folder_can_have(self, tmp_path: Path, name: str) -> None:
        message = refused(self.run([1, 2], name), tmp_path / "a.zarr")
        assert message.startswith("coordinate ")
        assert message.endswith("so cannot stand in a store; rename it")

    @pytest.mark.parametrize("name", ["x" * 255, "ü" * 127, "c", "*"])
    def test_odd_names_that_can(self, tmp_path: Path, name: str) -> None:
        write_sweep(self.run([1, 2], name), tmp_path / "a.zarr")
        assert xr.open_zarr(tmp_path / "a.zarr")[name].values.tolist() == [1, 2]

    @pytest.mark.parametrize("dim", ["x" * 300, "a/b", "..", "", "a b", "zarr.json"])
    def test_odd_dimensions(self, tmp_path: Path, dim: str) -> None:
        space = resolve("sync", {"t_mma": xr.DataArray([1.0, 2.0], dims=dim)})
        write_sweep(space, tmp_path / "a.zarr")
        assert dict(xr.open_zarr(tmp_path / "a.zarr").sizes) == {dim: 2}


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

    monkeypatch.setattr(sweep.store, "prepare", fails)
    assert "does not compile" in refused(space, tmp_path / "a.zarr")
    assert not list(tmp_path.iterdir())
