"""What a store holds and goes by: a schedule's every field, coordinates by value and by name."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from sweep.catalogue.schedules import SCHEDULES
from sweep.description import Count, Duration, Loop, Ring
from sweep.errors import InputError
from sweep.inputs.space import Space, resolve
from sweep.storage.fingerprint import described_fields, fingerprint
from sweep.storage.store import write_sweep
from tests.support.own_schedules import fenced

pytest.importorskip("zarr")

DESCRIBED: dict[str, Any] = {
    "loops": (Loop("k_tile", "k_tiles"), Loop("out", 4)),
    "rings": (Ring("ab", "stages", {"transfer": ("mma",)}),),
    "declares": (Count("subtiles", 4),),
}
"""Other values of the fields that hold neither a text nor a number."""


def contents(path: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(path)): one.read_bytes() for one in path.rglob("*") if one.is_file()
    }


def refused(space: Space, path: Path, *, resume: bool = False) -> str:
    """Return the refusal, which is one line and leaves everything as it was."""
    before = contents(path.parent)
    with pytest.raises(InputError) as caught:
        write_sweep(space, path, resume=resume)
    assert contents(path.parent) == before
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    return str(caught.value)


class TestSchedules:
    """Everything of a schedule is in the fingerprint."""

    @pytest.mark.parametrize(
        "change",
        [
            {"fixed_stages": 3},
            {"producer": True},
            {"consumer_warpgroups": 3},
            {"loader": "tma"},
            {"agents": ("warp", "other")},
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
            changed = DESCRIBED.get(name, f"{value}x" if isinstance(value, str) else 7)
            other = dataclasses.replace(own, **{name: changed})
            assert described_fields(own) != described_fields(other), name

    def test_formulas_count_by_what_they_give(self) -> None:
        def fenced_by(factor: float) -> Any:
            formula = lambda tile_m: factor * tile_m  # noqa: E731
            return fenced(declares=(Duration("t_fence", "time of a fence", formula),))

        first, same, other = (fingerprint(resolve(fenced_by(one), {})) for one in (2, 2, 3))
        assert first == same
        assert first["values of fenced"] != other["values of fenced"]

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
