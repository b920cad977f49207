"""Damage to a store: a resume mends it to the same bytes or says in one line what is wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep.storage.check
import sweep.storage.store
from sweep.errors import InputError
from sweep.inputs.space import Space, resolve
from sweep.quantities.variables import OUTPUTS
from sweep.storage.store import write_sweep

pytest.importorskip("zarr")

Damage = Callable[[Path], object]


def _cut(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def _flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)


DAMAGES: dict[str, Damage] = {
    "deleted": Path.unlink,
    "emptied": lambda file: file.write_bytes(b""),
    "truncated": _cut,
    "one byte flipped": _flip,
    "zeroed": lambda file: file.write_bytes(bytes(file.stat().st_size)),
    "four zeros": lambda file: file.write_bytes(bytes(4)),  # the checksum of nothing
    "garbled": lambda file: file.write_bytes(bytes(range(256)) * 2),
    "longer": lambda file: file.write_bytes(file.read_bytes() + b"\0"),
}
ROOT = "zarr.json"


def contents(path: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(path)): one.read_bytes() for one in path.rglob("*") if one.is_file()
    }


class Stores:
    """A space of four chunks, its finished store, and one that a Ctrl-C left after the first."""

    def __init__(self, folder: Path) -> None:
        self.space = resolve(
            "multistage",
            {"stages": [3, 6], "t_latency": [100.0, 900.0, 2000.0], "gpu": ["lecture", "b200"]},
        )
        self.finished, self.interrupted = folder / "finished.zarr", folder / "interrupted.zarr"
        write_sweep(self.space, self.finished)
        self.whole = contents(self.finished)
        with pytest.raises(KeyboardInterrupt):
            write_sweep(self.space, self.interrupted, threads=1, progress=_stop())

    def damaged(self, kind: str, folder: Path) -> Path:
        path = folder / "a.zarr"
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(getattr(self, kind), path)
        return path


def _stop() -> Any:
    calls: Iterator[int] = iter(range(10))

    def progress(done: int, total: int) -> None:
        if next(calls) == 1:
            raise KeyboardInterrupt

    return progress


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep.storage.store, "CHUNK_POINTS", 4)
        made = Stores(tmp_path_factory.mktemp("stores"))
        description, cached = sweep.storage.check._description, {}

        def once(space: Space, largest: Any) -> dict[Path, bytes]:
            if id(space) not in cached:
                cached[id(space)] = description(space, largest)
            return cached[id(space)]

        patch.setattr(sweep.storage.check, "_description", once)
        yield made


def resumed(stores: Stores, path: Path) -> str:
    """Go on with a store; return the refusal, "" where the store is as if nothing had happened."""
    before = contents(path)
    try:
        write_sweep(stores.space, path, resume=True)
    except InputError as error:
        assert contents(path) == before
        assert "\n" not in str(error)
        return str(error)
    assert contents(path) == stores.whole
    return ""


def test_the_stores_are_what_they_should_be(stores: Stores, tmp_path: Path) -> None:
    left = contents(stores.interrupted)
    marks = [name for name in left if name.startswith(f"{OUTPUTS[-1]}/c/")]
    assert 0 < len(marks) < 4
    assert resumed(stores, stores.damaged("interrupted", tmp_path)) == ""


@pytest.mark.parametrize("kind", ["finished", "interrupted"])
def test_each_file_by_itself(stores: Stores, tmp_path: Path, kind: str) -> None:
    """The damages take turns over the files, so that each meets every part of a store."""
    path, start = stores.damaged(kind, tmp_path), contents(getattr(stores, kind))
    for index, name in enumerate(sorted(start)):
        if kind == "interrupted" and index % 3:
            continue
        for other in contents(path).keys() - start.keys():
            (path / other).unlink()
        for other, content in start.items():
            if content != stores.whole[other]:
                (path / other).write_bytes(content)
        damage = list(DAMAGES)[(index + index // len(DAMAGES)) % len(DAMAGES)]
        DAMAGES[damage](path / name)
        refused = resumed(stores, path)
        assert bool(refused) == (name == ROOT), (name, damage, refused)
        if refused:
            (path / name).write_bytes(start[name])


@pytest.mark.parametrize("damage", DAMAGES)
def test_many_files_at_once(stores: Stores, tmp_path: Path, damage: str) -> None:
    path = stores.damaged("finished", tmp_path)
    for name in sorted(stores.whole)[::2]:
        if name != ROOT:
            DAMAGES[damage](path / name)
    assert resumed(stores, path) == ""


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_root_is_refused(stores: Stores, tmp_path: Path, damage: str) -> None:
    path = stores.damaged("finished", tmp_path)
    DAMAGES[damage](path / ROOT)
    assert resumed(stores, path).endswith(
        "is no sweep that can be gone on with; give another --out"
    )


def test_damaged_points_are_counted(stores: Stores, tmp_path: Path) -> None:
    path = stores.damaged("finished", tmp_path)
    (path / "cycles" / "c" / "0" / "0" / "0").unlink()
    _flip(path / "period" / "c" / "0" / "1" / "0")
    written = write_sweep(stores.space, path, resume=True)
    assert (written.points, written.kept, written.damaged) == (12, 6, 6)
    assert "(6 were there) (6 were damaged and are computed again)" in str(written)
    assert contents(path) == stores.whole


def test_whole_arrays_gone(stores: Stores, tmp_path: Path) -> None:
    for part in ("cycles/c", "cycles", "infeasible_reason/c", "stages", "gpu/c"):
        path = stores.damaged("finished", tmp_path)
        shutil.rmtree(path / part)
        assert resumed(stores, path) == "", part


def test_a_folder_or_file_in_the_way(stores: Stores, tmp_path: Path) -> None:
    for part in ("cycles/c/0/0/0", "cycles/zarr.json", "stages/c/0"):
        path = stores.damaged("finished", tmp_path)
        (path / part).unlink()
        (path / part).mkdir()
        assert "cannot write" in resumed(stores, path), part
    path = stores.damaged("finished", tmp_path)
    shutil.rmtree(path / "cycles")
    (path / "cycles").write_text("mine")
    assert "cannot write" in resumed(stores, path)


@pytest.mark.parametrize(
    ("name", "keys", "value"),
    [
        ("cycles/zarr.json", ["fill_value"], 0.0),
        ("cycles/zarr.json", ["shape"], [3, 3, 3]),
        ("cycles/zarr.json", ["codecs"], []),
        ("stages/zarr.json", ["data_type"], "float64"),
        ("period/zarr.json", ["attributes", "units"], "second"),
        ("zarr.json", ["consolidated_metadata", "metadata", "cycles", "fill_value"], 0.0),
        ("zarr.json", ["consolidated_metadata"], None),
        ("zarr.json", ["attributes", "parameters"], "{}"),
    ],
)
def test_metadata_that_say_something_else(
    stores: Stores, tmp_path: Path, name: str, keys: list[str], value: Any
) -> None:
    path = stores.damaged("finished", tmp_path)
    document = inner = json.loads((path / name).read_text())
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    (path / name).write_text(json.dumps(document))
    assert f"{name} is not what this sweep writes" in resumed(stores, path)


@pytest.mark.parametrize("value", ["", "{", "[]", "3", "null", '{"warpsweep": 5}'])
def test_fingerprints_that_are_none(stores: Stores, tmp_path: Path, value: str) -> None:
    path = stores.damaged("finished", tmp_path)
    document = json.loads((path / ROOT).read_text())
    document["attributes"]["space_fingerprint"] = value
    (path / ROOT).write_text(json.dumps(document))
    assert "give another --out" in resumed(stores, path)


def test_what_a_user_has_added_stays(stores: Stores, tmp_path: Path) -> None:
    path = stores.damaged("finished", tmp_path)
    document = json.loads((path / ROOT).read_text())
    document["attributes"]["note"] = "mine"
    (path / ROOT).write_text(json.dumps(document))
    (path / "notes.txt").write_text("mine")
    assert write_sweep(stores.space, path, resume=True).kept == stores.space.points
    assert xr.open_zarr(path).attrs["note"] == "mine"
    assert (path / "notes.txt").read_text() == "mine"


def test_rests_of_killed_runs_are_removed(stores: Stores, tmp_path: Path) -> None:
    path = stores.damaged("interrupted", tmp_path)
    rest = tmp_path / ".a.zarr.0123456789ab.tmp"
    (rest / "cycles").mkdir(parents=True)
    (rest / "cycles" / "zarr.json").write_text("{}")
    mine = [tmp_path / name for name in (".a.zarr.mine.tmp", ".b.zarr.0123456789ab.tmp")]
    for one in mine:
        one.mkdir()
    half = f"0.{'a1' * 16}.partial"
    (path / "cycles" / "c" / "0" / "0" / half).write_bytes(b"half")
    (path / "gpu" / "c" / half).write_bytes(b"half")
    (path / "gpu" / ".zarr.json.0123456789ab.tmp").write_bytes(b"half")
    assert resumed(stores, path) == ""
    assert sorted(tmp_path.iterdir()) == sorted([path, *mine])


def test_unfinished_points_read_as_documented(stores: Stores) -> None:
    found = xr.open_zarr(stores.interrupted).load()
    assert found.attrs["unfinished_points"] == "NaN, flags -1"
    assert set(np.unique(found.feasible)) >= {-1}
    unfinished = found[OUTPUTS[-1]] == -1
    assert 0 < int(unfinished.sum()) < stores.space.points
    assert bool(found.cycles.notnull().where(~unfinished, True).all())
