"""Sweeps on disk: the same as in memory, whole or readable, and gone on with."""

from __future__ import annotations

import json
import shutil
import time
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep
import sweep.storage.store
from sweep.engine.blocks import Block
from sweep.engine.run import Progress
from sweep.errors import InputError
from sweep.host.work import Stop
from sweep.inputs.space import Space, resolve
from sweep.quantities.variables import OUTPUTS, VARIABLES
from sweep.storage.store import write_sweep

zarr = pytest.importorskip("zarr")

AXES: dict[str, Any] = {
    "stages": [2, 3, 4],
    "t_latency": np.arange(100.0, 4000.0, 100.0),
    "t_mma": xr.DataArray([512, 1024.5], dims="point"),
    "t_epilogue": xr.DataArray([0, 1], dims="point"),
}
SCHEDULES = ["multistage", "warp_specialized"]


@pytest.fixture
def space(monkeypatch: pytest.MonkeyPatch) -> Space:
    """A space of six chunks."""
    monkeypatch.setattr(sweep.storage.store, "CHUNK_POINTS", 80)
    return resolve(SCHEDULES, AXES)


def opened(path: Path) -> xr.Dataset:
    found: xr.Dataset = xr.open_zarr(path).load()
    for name in ("space_fingerprint", "unfinished_points"):
        del found.attrs[name]
    return found


def contents(path: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()
    }


def interrupt_after(chunks: int, monkeypatch: pytest.MonkeyPatch) -> Progress:
    """Hold back the chunks after the first few, and press Ctrl-C when those are done."""
    write, started, reported = sweep.storage.store._write_chunk, count(), count()

    def held(space: Space, chunk: Block, arrays: dict[str, Any], stop: Stop) -> None:
        waiting = next(started) >= chunks
        for _ in range(6000 * waiting):
            stop.check()
            time.sleep(0.01)
        write(space, chunk, arrays, stop)

    def progress(done: int, total: int) -> None:
        if next(reported) == chunks:
            monkeypatch.setattr(sweep.storage.store, "_write_chunk", write)
            raise KeyboardInterrupt

    monkeypatch.setattr(sweep.storage.store, "_write_chunk", held)
    return progress


def test_the_same_dataset_as_in_memory(tmp_path: Path, space: Space) -> None:
    path = tmp_path / "results.zarr"
    written = write_sweep(space, path)
    assert (written.points, written.kept) == (space.points, 0)
    expected = sweep.run(SCHEDULES, **AXES)
    found = opened(path)
    xr.testing.assert_identical(found, expected)
    for name in OUTPUTS:
        assert found[name].dtype == VARIABLES[name].dtype
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("schedule", "parameters"),
    [
        ("multistage", {"stages": 3}),
        ("sync", {"t_mma": [1.0, 2.0]}),
        (["sync"], {}),
        ("attention_pingpong", {"arbitration": ["ordered", "fifo"], "t_exp": range(5)}),
        ("warp_specialized", {"release": ["consumer", "hardware"], "t_mma_latency": [0, 9]}),
        ("pingpong", {"mma_in_flight": [0, 9], "gpu": ["lecture", "b200"]}),
    ],
)
def test_every_kind_of_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, schedule: Any, parameters: dict[str, Any]
) -> None:
    monkeypatch.setattr(sweep.storage.store, "CHUNK_POINTS", 2)
    path = tmp_path / "results.zarr"
    write_sweep(resolve(schedule, parameters), path)
    xr.testing.assert_identical(opened(path), sweep.run(schedule, **parameters))


def test_pieces_of_a_chunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, space: Space) -> None:
    write_sweep(space, tmp_path / "whole.zarr")
    monkeypatch.setattr(sweep.storage.store, "BLOCK_POINTS", 7)
    write_sweep(space, tmp_path / "pieces.zarr")
    assert contents(tmp_path / "whole.zarr") == contents(tmp_path / "pieces.zarr")


def test_the_same_bytes_for_any_number_of_threads(tmp_path: Path, space: Space) -> None:
    for threads in (1, 2, 5):
        write_sweep(space, tmp_path / f"{threads}.zarr", threads=threads)
    assert contents(tmp_path / "1.zarr") == contents(tmp_path / "2.zarr")
    assert contents(tmp_path / "1.zarr") == contents(tmp_path / "5.zarr")


def test_interrupted_and_gone_on_with(
    tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, whole = tmp_path / "results.zarr", tmp_path / "whole.zarr"
    write_sweep(space, whole)
    with pytest.raises(KeyboardInterrupt, match=r"--resume goes on with them"):
        write_sweep(space, path, progress=interrupt_after(2, monkeypatch))

    partly = opened(path)
    done = partly.cycles.notnull()
    assert 0 < int(done.sum()) < space.points
    np.testing.assert_array_equal(
        partly.cycles.where(done), sweep.run(SCHEDULES, **AXES).cycles.where(done)
    )
    assert set(np.unique(partly.feasible.where(~done))[:-1]) == {-1}
    assert "infeasible_points" not in partly.attrs or partly.attrs["infeasible_points"] == "{}"

    seen: list[int] = []
    written = write_sweep(
        space, path, resume=True, progress=lambda points, total: seen.append(points)
    )
    assert written.kept == int(done.sum()) == seen[0]
    assert seen[-1] == space.points
    assert contents(path) == contents(whole)
    assert write_sweep(space, path, resume=True).kept == space.points
    assert contents(path) == contents(whole)


def test_resume_starts_where_there_is_nothing(tmp_path: Path, space: Space) -> None:
    assert write_sweep(space, tmp_path / "results.zarr", resume=True).kept == 0


def test_infeasible_points_are_counted_over_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep.storage.store, "CHUNK_POINTS", 3)
    written = write_sweep(resolve("multistage", {"stages": range(1, 9)}), tmp_path / "a.zarr")
    assert written.infeasible == {"shared_memory": 4}
    assert json.loads(opened(tmp_path / "a.zarr").attrs["infeasible_points"]) == written.infeasible


class TestRefused:
    """One line, and nothing written or changed."""

    def refused(self, space: Space, path: Path, **options: Any) -> str:
        before = contents(path.parent) if path.parent.is_dir() else {}
        with pytest.raises(InputError) as caught:
            write_sweep(space, path, **options)
        assert (contents(path.parent) if path.parent.is_dir() else {}) == before
        assert "\n" not in str(caught.value)
        return str(caught.value)

    def test_what_is_there(self, tmp_path: Path, space: Space) -> None:
        write_sweep(space, tmp_path / "a.zarr")
        assert "is there already; give --resume" in self.refused(space, tmp_path / "a.zarr")

    @pytest.mark.parametrize(
        ("schedule", "change", "what"),
        [
            (SCHEDULES, {"stages": [2, 3, 5]}, "stages"),
            (SCHEDULES, {"stages": [2, 3]}, "dimensions"),
            (SCHEDULES[::-1], {}, "schedule"),
            (SCHEDULES, {"t_epilogue": xr.DataArray([0, 2], dims="point")}, "t_epilogue"),
            (SCHEDULES, {"gpu": "b200"}, "gpu"),
            (SCHEDULES, {"sm_count": 7}, "sm_count"),
        ],
    )
    def test_another_sweep(
        self, tmp_path: Path, space: Space, schedule: Any, change: dict[str, Any], what: str
    ) -> None:
        write_sweep(space, tmp_path / "a.zarr")
        other = resolve(schedule, AXES | change)
        message = self.refused(other, tmp_path / "a.zarr", resume=True)
        assert f"holds another sweep ({what} differs)" in message

    def test_something_else(self, tmp_path: Path, space: Space) -> None:
        (tmp_path / "a.zarr").mkdir()
        (tmp_path / "a.zarr" / "file").write_text("mine")
        message = self.refused(space, tmp_path / "a.zarr", resume=True)
        assert "is no sweep that can be gone on with" in message

    def test_names_and_places(self, tmp_path: Path, space: Space) -> None:
        assert "must end in .zarr" in self.refused(space, tmp_path / "a.nc")
        assert "there is no folder" in self.refused(space, tmp_path / "none" / "a.zarr")

    def test_too_little_disk(
        self, tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda path: type("Usage", (), {"free": 100}))
        message = self.refused(space, tmp_path / "a.zarr")
        assert "468 points take up to" in message
        assert "100 B are free" in message

    def test_no_zarr(self, tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(__import__("sys").modules, "zarr", None)
        message = self.refused(space, tmp_path / "a.zarr")
        assert "pip install 'warpsweep[store]'" in message


def test_a_full_disk_on_the_way(
    tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sweep.storage.store, "_write_chunk", full)
    with pytest.raises(InputError, match=r"cannot write .*a\.zarr: no space left on device"):
        write_sweep(space, tmp_path / "a.zarr")


class TestDatasetsFromMemory:
    """What ``sweep.run`` returns goes through zarr and netCDF unharmed."""

    def dataset(self) -> xr.Dataset:
        return sweep.run(SCHEDULES, **AXES, gpu=["lecture", "b200"])

    # zarr 3 warns that it does not specify consolidated metadata, which xarray writes
    @pytest.mark.filterwarnings("ignore:Consolidated metadata:UserWarning")
    def test_zarr(self, tmp_path: Path) -> None:
        ds = self.dataset()
        ds.to_zarr(tmp_path / "a.zarr")
        xr.testing.assert_identical(xr.open_zarr(tmp_path / "a.zarr").load(), ds)

    def test_netcdf(self, tmp_path: Path) -> None:
        pytest.importorskip("h5netcdf")
        pytest.importorskip("h5py")
        ds = self.dataset()
        ds.to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
        xr.testing.assert_identical(xr.load_dataset(tmp_path / "a.nc", engine="h5netcdf"), ds)
