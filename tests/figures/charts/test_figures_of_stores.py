"""Figures of what comes back from disk: text as zarr 3 reads it, coordinates in chunks of Dask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import figures
import sweep
import sweep.storage.store
from figures.drawing.categories import categories
from sweep.inputs.space import resolve
from sweep.storage.store import write_sweep

pytest.importorskip("zarr")

AXES: dict[str, Any] = {
    "k_tiles": [4, 8],
    "t_mma": xr.DataArray([512.0, 1024.0], dims="point"),
    "t_latency": xr.DataArray([100.0, 900.0], dims="point"),
}
SCHEDULES = ["sync", "multistage"]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> xr.Dataset:
    monkeypatch.setattr(sweep.storage.store, "CHUNK_POINTS", 2)
    write_sweep(resolve(SCHEDULES, AXES), tmp_path / "a.zarr")
    found: xr.Dataset = xr.open_zarr(tmp_path / "a.zarr")
    return found


@pytest.mark.skipif(np.__version__ < "2", reason="NumPy has text of any length from 2.0 on")
def test_categories_of_text_of_any_length() -> None:
    words = ["sync", "multistage", "sync", "persistent"]
    for dtype in (np.dtypes.StringDType(), object, "U", "O"):
        found = categories(xr.DataArray(np.array(words, dtype=dtype), dims="x", name="schedule"))
        assert found is not None
        assert found.names == ("multistage", "persistent", "sync")
        assert found.codes.values.tolist() == [2, 0, 2, 1]
    assert categories(xr.DataArray([1.0, 2.0], dims="x")) is None


def test_which_schedule_wins(opened: xr.Dataset) -> None:
    memory = sweep.run(SCHEDULES, **AXES)
    legends = []
    for ds in (opened, memory):
        best = ds.schedule[ds.cycles.compute().argmin("schedule")].drop_vars("schedule")
        drawn = ds.isel(schedule=0).drop_vars("schedule").assign(best=best)
        figure = figures.heatmap(drawn, x="k_tiles", y="point", value="best")
        legends.append([one.get_text() for one in figure.legends[0].get_texts()])
    assert legends[0] == legends[1] == ["multistage"]


def test_opened_stores_are_drawn_like_memory(opened: xr.Dataset) -> None:
    memory = sweep.run(SCHEDULES, **AXES)
    for draw, where in (
        (lambda ds: figures.heatmap(ds, x="k_tiles", y="t_mma", value="cycles"), {"schedule": 0}),
        (lambda ds: figures.heatmap(ds, x="k_tiles", y="schedule", value="feasible"), {"point": 1}),
        (lambda ds: figures.compare(ds, x="t_latency"), {"k_tiles": 0}),
        (lambda ds: figures.compare(ds, x="k_tiles", baseline="sync"), {"point": 0}),
        (lambda ds: figures.pareto(ds, x="cycles", y="period"), {}),
    ):
        texts = []
        for ds in (opened.isel(where), memory.isel(where)):
            texts.append([one.get_text() for one in draw(ds).findobj(match=_is_text)])
        assert texts[0] == texts[1]


def _is_text(artist: Any) -> bool:
    return hasattr(artist, "get_text")
