from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgba

from figures.drawing.style import COLOURS
from figures.gallery import bank_conflicts as banks
from figures.gallery import dram_traffic as traffic
from figures.gallery import fragment_layout as fragments
from sweep.errors import InputError
from sweep.tensorcore import dram_traffic, fragment, ldmatrix_wavefronts, wavefronts
from tests.support.drawn import assert_legible, caption_of, legend


def _box(patch: Any) -> tuple[float, float]:
    return patch.get_x() + 0.5, patch.get_y() + 0.5


def test_every_chunk_is_drawn_at_its_banks() -> None:
    ds = banks.data()
    figure = banks.ENTRY.draw(ds)
    pictures = [axes for axes in figure.axes if axes.get_title()]
    panels = [ds.isel(row_elements=i, layout=j) for i in (0, 1) for j in (0, 1)]
    for axes, one in zip(pictures, panels, strict=True):
        address = one.address.transpose("row", "chunk").values
        known = np.argwhere(np.isfinite(address))
        assert len(axes.patches) == len(axes.texts) == len(known)
        for patch, text, (row, chunk) in zip(axes.patches, axes.texts, known, strict=True):
            bank, at = _box(patch)
            assert 128 * at + 4 * bank == address[row, chunk]
            assert text.get_text() == str(row)
            assert (to_hex(patch.get_facecolor()) == banks.READ.lower()) == (chunk == 0)
        assert f"{one.wavefronts.item():.0f} wavefronts" in axes.get_title()
    assert legend(figure)[0] == "chunk that the first matrix reads (column 0)"


@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("width", [0, 1])
def test_what_banks_deliver_is_what_the_simulation_counts(width: int, layout: int) -> None:
    ds = banks.data().isel(row_elements=width, layout=layout)
    demand = banks.demand(ds.address)
    assert demand.sum() == banks.ROWS * banks.CHUNK_BANKS
    first = ds.address.isel(chunk=0).values.astype(int)
    assert demand.max() == wavefronts(first, 16) == ds.ways
    swizzle = list(banks.LAYOUTS.values())[layout]
    assert ds.wavefronts == ldmatrix_wavefronts(ds.row_elements.item(), 2, swizzle)[0]
    bars = [axes for axes in banks.ENTRY.draw(banks.data()).axes if not axes.get_title()]
    heights = [bar.get_height() for bar in bars[2 * width + layout].patches]
    np.testing.assert_array_equal(heights, demand)


def test_banks_refuse_what_lacks_addresses() -> None:
    with pytest.raises(InputError, match="address"):
        banks.bank_conflicts(banks.data().drop_vars("address"))
    assert_legible(banks.bank_conflicts(banks.data().isel(layout=[1], row_elements=[0])))


@pytest.mark.parametrize("operand", ["a", "b", "c"])
def test_every_element_is_drawn_with_its_lane(operand: str) -> None:
    figure = fragments.ENTRY.draw(fragments.data())
    axes = figure.axes["abc".index(operand)]
    places = fragment("m16n8k16", operand)
    drawn = {
        (int(text.get_position()[1]), int(text.get_position()[0])): text.get_text()
        for text in axes.texts
    }
    expected = {
        tuple(int(one) for one in places[lane, element]): str(lane)
        for lane, element in np.ndindex(*places.shape[:2])
    }
    assert drawn == expected
    cells = {tuple(map(round, _box(one)[::-1])): one for one in axes.patches[: len(drawn)]}
    for lane, element in np.ndindex(*places.shape[:2]):
        colour = to_rgba(COLOURS[element // 2], fragments.PALE)
        assert cells[tuple(places[lane, element])].get_facecolor() == colour
    framed = {tuple(map(round, _box(one)[::-1])) for one in axes.patches[len(drawn) :]}
    assert framed == {tuple(int(n) for n in place) for place in places[fragments.LANE]}


def test_the_fragments_are_named() -> None:
    figure = fragments.ENTRY.draw(fragments.data())
    assert legend(figure) == ["elements 0, 1", "elements 2, 3", "elements 4, 5", "elements 6, 7"]
    assert [axes.get_title() for axes in figure.axes] == [
        "A, 16 x 16",
        "B, 16 x 8",
        "C and D, 16 x 8",
    ]
    assert "m16n8k16" in caption_of(figure)
    with pytest.raises(InputError, match="b_lane"):
        fragments.fragment_layout(fragments.data().drop_vars("b_lane"))


def test_traffic_bars_and_lines_are_the_dataset() -> None:
    ds = traffic.data()
    figure = traffic.ENTRY.draw(ds)
    left, right = figure.axes
    for bars, group in zip(left.containers, traffic.COMPARED, strict=True):
        heights = [bar.get_height() for bar in bars]
        np.testing.assert_array_equal(heights, 1e6 * ds.seconds.sel(group=group))
    for drawn, tile in zip(right.lines, ds.tile.values, strict=False):
        assert drawn.get_label() == tile
        np.testing.assert_array_equal(drawn.get_ydata(), 1e6 * ds.seconds.sel(tile=tile))
    single = dram_traffic(4096, 4096, 4096, "128x128", order="grouped", group=8)
    assert ds.seconds.sel(tile="128x128", group=8) == single.seconds
    assert legend(figure) == [
        "row-major order",
        "groups of 4 rows",
        "groups of 8 rows",
        "arithmetic at the dense peak",
        "everything once",
    ]
    assert left.lines[0].get_ydata()[0] == pytest.approx(1e6 * single.compute_seconds)
    assert left.lines[1].get_ydata()[0] == pytest.approx(1e6 * single.floor_seconds)
    assert "4,096 x 4,096 x 4,096" in caption_of(figure)
    assert_legible(figure)


def test_traffic_draws_parts_and_gaps() -> None:
    ds = traffic.data()
    assert_legible(traffic.dram_traffic(ds.isel(group=[0], tile=[0, 3])))
    holes = ds.assign(seconds=ds.seconds.where(ds.group != 8))
    assert_legible(traffic.dram_traffic(holes))
    with pytest.raises(InputError, match="group"):
        traffic.dram_traffic(ds.isel(group=0))
