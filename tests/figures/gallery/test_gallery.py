"""Every figure of the gallery, found without a list: it draws, reads well, refuses, repeats."""

from __future__ import annotations

import re
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from matplotlib.axis import Axis
from matplotlib.figure import Figure

from figures.drawing.entry import Entry
from figures.drawing.saving import FORMATS, figure_bytes, save
from figures.drawing.style import COLUMN_INCHES, PAGE_INCHES
from figures.gallery import discover
from figures.gallery_pages import PAGE, chosen, gallery_page, write_figures
from sweep.errors import InputError
from sweep.quantities.variables import VARIABLES
from tests.support.drawn_text import collisions, texts

ENTRIES = discover()
DOCS = Path(__file__).parents[3] / "docs"


@cache
def data_of(name: str) -> Any:
    return ENTRIES[name].data()


@cache
def drawn(name: str) -> Figure:
    return ENTRIES[name].draw(data_of(name))


gallery = pytest.mark.parametrize("name", ENTRIES)


def test_the_gallery_is_there() -> None:
    assert {"utilization_against_stages", "roofline", "regime_map"} <= set(ENTRIES)


def _names(axis: Axis) -> bool:
    """Whether an axis has names at its ticks, which need no label."""
    return any(one.get_text()[:1].isalpha() for one in axis.get_ticklabels())


class TestEach:
    @gallery
    def test_is_named_after_its_file_and_says_what_it_shows(self, name: str) -> None:
        entry = ENTRIES[name]
        assert entry.data.__module__.rpartition(".")[2] == name or entry.data.__doc__
        assert re.fullmatch(r"[A-Z].*\.", entry.shows), "one sentence"

    @gallery
    def test_axes_have_labels_with_units(self, name: str) -> None:
        shown = [axes for axes in drawn(name).axes if axes.axison]
        assert not shown or any(axes.get_xlabel() or _names(axes.xaxis) for axes in shown)
        assert not shown or any(axes.get_ylabel() or _names(axes.yaxis) for axes in shown)
        for axes in shown:
            for label in (axes.get_xlabel(), axes.get_ylabel()):
                words = " ".join(label.split())
                rows = [one for one in VARIABLES.values() if words.startswith(one.long_name)]
                row = max(rows, key=lambda one: len(one.long_name), default=None)
                if row is not None and row.units != "1":
                    assert words == f"{row.long_name} ({row.units})"

    @gallery
    def test_no_text_is_drawn_over_another_or_leaves_the_page(self, name: str) -> None:
        assert collisions(drawn(name)) == []

    @gallery
    def test_fits_a_column_or_a_page_and_can_be_read(self, name: str) -> None:
        figure = drawn(name)
        assert COLUMN_INCHES <= figure.get_figwidth() <= PAGE_INCHES
        assert figure.get_figheight() <= 9.5
        assert min(one.get_fontsize() for one in texts(figure)) >= 5

    @gallery
    def test_has_a_caption_line(self, name: str) -> None:
        figure = drawn(name)
        assert figure.get_supxlabel().strip()

    @gallery
    def test_same_bytes_for_the_same_data(self, name: str) -> None:
        first, second = (ENTRIES[name].draw(data_of(name)) for _ in range(2))
        assert figure_bytes(first, "svg") == figure_bytes(second, "svg")

    @gallery
    def test_refuses_an_empty_dataset(self, name: str) -> None:
        data = data_of(name)
        empty = xr.Dataset()
        if not isinstance(data, xr.Dataset):
            empty = type(data)([xr.Dataset()] * len(data))
        with pytest.raises(InputError, match=r"^\w+: .*no (variable|dimension|attribute) '\w+'"):
            ENTRIES[name].draw(empty)

    @gallery
    def test_refuses_what_lacks_its_variables(self, name: str) -> None:
        data = data_of(name)
        if not isinstance(data, xr.Dataset):
            pytest.skip("draws more than one dataset")
        with pytest.raises(InputError) as refused:
            ENTRIES[name].draw(data.drop_vars(list(data.data_vars)))
        assert any(repr(variable) in str(refused.value) for variable in data.data_vars)

    @gallery
    def test_values_that_are_not_known_never_break_it(self, name: str) -> None:
        data = data_of(name)
        if not isinstance(data, xr.Dataset) or "event" in data.dims:
            pytest.skip("draws more than one dataset, or events")
        ENTRIES[name].draw(with_holes(data, 0.4))
        assert figure_bytes(ENTRIES[name].draw(with_holes(data, 1.0)), "svg")


def with_holes(data: xr.Dataset, share: float) -> xr.Dataset:
    """Make a share of every result NaN."""
    chance = np.random.default_rng(5)
    holed = data.copy(deep=True)
    for name, variable in data.data_vars.items():
        result = str(name) not in VARIABLES or VARIABLES[str(name)].kind == "output"
        if result and variable.dtype.kind == "f" and variable.ndim:
            values = np.where(chance.random(variable.shape) < share, np.nan, variable.values)
            holed[name] = variable.copy(data=values)
    return holed


class TestFiles:
    @pytest.mark.parametrize("kind", FORMATS)
    def test_same_bytes_in_every_format(self, kind: str) -> None:
        name = "regime_map"
        first, second = (ENTRIES[name].draw(data_of(name)) for _ in range(2))
        page = figure_bytes(first, kind)
        assert figure_bytes(second, kind) == page
        assert figure_bytes(first, kind) == page, "saved twice"

    def test_writes_the_chosen_ones(self, tmp_path: Path) -> None:
        folder = tmp_path / "new" / "folder"
        written = list(write_figures(["roofline", "stage_rule", "roofline"], folder, "svg"))
        assert [path.name for path in written] == ["roofline.svg", "stage_rule.svg"]
        assert sorted(folder.iterdir()) == sorted(written)
        assert written[0].read_bytes().startswith(b"<?xml")

    def test_all_without_names(self) -> None:
        assert chosen([]) == ENTRIES

    def test_nearest_name_where_there_is_none(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="unknown figure 'rooflin': did you mean 'roofline'"):
            list(write_figures(["rooflin"], tmp_path))
        assert not list(tmp_path.iterdir())

    def test_a_file_in_the_way(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(InputError, match="it is not a folder"):
            list(write_figures(["roofline"], tmp_path / "file"))

    def test_save_leaves_no_rest_behind(self, tmp_path: Path) -> None:
        (tmp_path / "taken.png").mkdir()
        with pytest.raises(InputError, match=r"cannot write .*taken\.png: it is a folder"):
            save(Figure(), tmp_path / "taken.png")
        with pytest.raises(InputError, match="written as pdf, svg, png, not as 'gif'"):
            save(Figure(), tmp_path / "a.gif")
        assert [path.name for path in tmp_path.iterdir()] == ["taken.png"]

    def test_files_do_not_depend_on_the_users_settings(self) -> None:
        import matplotlib

        draw = ENTRIES["roofline"].draw
        plain = figure_bytes(draw(data_of("roofline")), "svg")
        with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "svg.hashsalt": None}):
            assert figure_bytes(draw(data_of("roofline")), "svg") == plain

    def test_no_date_and_no_version_in_files(self) -> None:
        for kind in FORMATS:
            page = figure_bytes(drawn("littles_law"), kind)
            assert b"Matplotlib" not in page.split(b"</metadata>")[0]
            assert b"CreationDate" not in page


class TestPage:
    def test_every_figure_is_on_the_page(self) -> None:
        page = gallery_page(ENTRIES)
        assert (DOCS / PAGE).read_text(encoding="utf-8") == page
        for name, entry in ENTRIES.items():
            assert entry.shows in page
            assert f"warpsweep figures {name} --out" in page

    def test_every_picture_is_there(self) -> None:
        pictures = re.findall(r"\]\((gallery/\w+\.png)\)", (DOCS / PAGE).read_text("utf-8"))
        assert len(pictures) == len(ENTRIES)
        for picture in pictures:
            assert (DOCS / picture).read_bytes().startswith(b"\x89PNG")


def test_an_entry_is_plain() -> None:
    assert isinstance(ENTRIES["roofline"], Entry)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(drawn("roofline"), Figure)
