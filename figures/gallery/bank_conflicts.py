"""Shared memory's 32 banks as a picture: where ldmatrix's rows lie, plain and swizzled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.drawing.entry import Entry
from figures.drawing.legends import legend_above
from figures.drawing.requirements import require
from figures.drawing.style import PAGE_INCHES, SEQUENTIAL, caption, house_style
from sweep.tensorcore import ldmatrix_wavefronts
from sweep.tensorcore.compiled_loops import BANKS
from sweep.tensorcore.shared_memory.swizzle import CHUNK_BYTES, read_swizzle, tile_addresses

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROWS = 8
"""Rows of a matrix that ldmatrix reads at once, 16 bytes of each."""
LINE_BYTES, BANK_BYTES = 128, 4
CHUNK_BANKS = CHUNK_BYTES // BANK_BYTES
ELEMENT_BYTES = 2
LAYOUTS = {"plain": None, "XOR swizzle": "xor"}
READ, PALE = "#D55E00", 0.25


def bank_conflicts(ds: xr.Dataset) -> Figure:
    """Draw a tile in shared memory, a line of 32 banks per 128 bytes, a panel per layout.

    Every box is a 16-byte chunk with its row of the tile, its shade the column that it belongs to.
    Those that the first matrix of an ldmatrix reads are bright; below stands how many words of
    them each bank has to deliver, one at a time.

    Parameters
    ----------
    ds : xarray.Dataset
        ``address`` in bytes over row_elements, layout, row and chunk, NaN where a row has no such
        chunk; ``ways`` and ``wavefronts`` of an ldmatrix.x4 over row_elements and layout.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If the dataset lacks one of them.
    """
    from matplotlib.figure import Figure

    require(
        "bank_conflicts",
        ds,
        ("address", "wavefronts", "ways"),
        ("row_elements", "layout", "row", "chunk"),
    )
    lines = [_lines(ds.address.isel(row_elements=at)) for at in range(ds.sizes["row_elements"])]
    heights = [height for count in lines for height in (count, 4)]
    with house_style():
        figure = Figure(
            figsize=(PAGE_INCHES, 0.4 + 0.18 * sum(heights) + 0.25 * len(lines)),
            layout="constrained",
        )
        grid = figure.subplots(
            len(heights), ds.sizes["layout"], height_ratios=heights, sharex=True, squeeze=False
        )
        for row, column, one in _panels(ds):
            picture, bars = grid[2 * row][column], grid[2 * row + 1][column]
            _picture(picture, one, lines[row])
            _demand(bars, one)
            if column == 0:
                picture.set_ylabel("line of\n128 bytes")
                bars.set_ylabel("words")
            if row == len(lines) - 1:
                bars.set_xlabel("bank, 4 bytes wide")
        _legend(figure)
        caption(
            figure,
            note=(
                "Boxes: chunks of eight 16-bit elements with the row of the tile. Bars: words that"
                " each bank delivers for the first 8 x 8 matrix of ldmatrix.x4, one a wavefront."
            ),
        )
    return figure


def _lines(address: xr.DataArray) -> int:
    known = address.values[np.isfinite(address.values)]
    return int(known.max(initial=0) // LINE_BYTES) + 1


def _panels(ds: xr.Dataset) -> Iterator[tuple[int, int, xr.Dataset]]:
    for row in range(ds.sizes["row_elements"]):
        for column in range(ds.sizes["layout"]):
            yield row, column, ds.isel(row_elements=row, layout=column)


def _picture(axes: Axes, ds: xr.Dataset, lines: int) -> None:
    import matplotlib as mpl
    from matplotlib.patches import Rectangle

    shades = mpl.colormaps[SEQUENTIAL]
    address = ds.address.transpose("row", "chunk").values
    chunks = int(np.isfinite(address).any(axis=0).sum())
    for (row, chunk), at in np.ndenumerate(address):
        if np.isnan(at):
            continue
        line, byte = divmod(int(at), LINE_BYTES)
        read = chunk == 0
        pale = mpl.colors.to_rgba(shades(chunk / max(chunks - 1, 1)), PALE)
        corner = (byte / BANK_BYTES - 0.5, line - 0.5)
        axes.add_patch(
            Rectangle(
                corner,
                CHUNK_BANKS,
                1,
                facecolor=READ if read else pale,
                edgecolor="white",
                linewidth=0.8,
            )
        )
        axes.text(
            corner[0] + CHUNK_BANKS / 2,
            line,
            str(row),
            ha="center",
            va="center_baseline",
            fontsize=6,
            color="white" if read else "0.35",
            fontweight="bold" if read else "normal",
        )
    axes.set(xlim=(-0.5, BANKS - 0.5), ylim=(lines - 0.5, -0.5), yticks=range(0, lines, 2))
    axes.grid(False)
    axes.set_title(
        f"{ds.layout.item()}, rows of {ds.row_elements.item()}:"
        f" {_times(ds.ways.item(), ds.wavefronts.item())}"
    )


def _times(ways: float, wavefronts: float) -> str:
    if np.isnan(ways) or np.isnan(wavefronts):
        return "not counted"
    conflict = "no conflict" if ways == 1 else f"{ways:.0f}-way conflict"
    return f"{conflict}, {wavefronts:.0f} wavefronts"


def demand(address: xr.DataArray) -> Any:
    """Return how many different words each bank has of the chunks that are read first."""
    first = address.isel(chunk=0).values
    first = first[np.isfinite(first)]
    words = np.unique((first[:, None] + BANK_BYTES * np.arange(CHUNK_BANKS)).ravel() // BANK_BYTES)
    return np.bincount(words.astype(int) % BANKS, minlength=BANKS)


def _demand(axes: Axes, ds: xr.Dataset) -> None:
    axes.bar(np.arange(BANKS), demand(ds.address), 0.8, color=READ)
    axes.set(ylim=(0, ROWS + 0.5), yticks=[0, ROWS // 2, ROWS], xticks=range(0, BANKS, CHUNK_BANKS))


def _legend(figure: Figure) -> None:
    from matplotlib.patches import Patch

    legend_above(
        figure,
        [
            Patch(color=READ, label="chunk that the first matrix reads (column 0)"),
            Patch(color="0.8", label="other chunks, shaded by column"),
        ],
    )


def data() -> xr.Dataset:
    """Lay out tiles of 64 and 32 16-bit elements a row, and count ldmatrix's wavefronts."""
    import xarray as xr

    widths = (64, 32)
    most = max(widths) * ELEMENT_BYTES // CHUNK_BYTES
    address = np.full((len(widths), len(LAYOUTS), ROWS, most), np.nan)
    counts = np.zeros((2, len(widths), len(LAYOUTS)))
    for i, width in enumerate(widths):
        row = width * ELEMENT_BYTES
        for j, swizzle in enumerate(LAYOUTS.values()):
            found = tile_addresses(ROWS, row, row, read_swizzle(swizzle), ELEMENT_BYTES)
            address[i, j, :, : row // CHUNK_BYTES] = found
            wavefronts, ideal = ldmatrix_wavefronts(width, ELEMENT_BYTES, swizzle)
            counts[:, i, j] = wavefronts, wavefronts / ideal
    over = ("row_elements", "layout")
    return xr.Dataset(
        {
            "address": ((*over, "row", "chunk"), address, {"units": "byte"}),
            "wavefronts": (over, counts[0], {"units": "1"}),
            "ways": (over, counts[1], {"units": "1"}),
        },
        coords={"row_elements": list(widths), "layout": list(LAYOUTS)},
    )


ENTRY = Entry(
    name="bank_conflicts",
    shows=(
        "Plain rows put a column's chunks into the same four or eight banks; XORing the chunk index"
        " with the row spreads them over all 32."
    ),
    data=data,
    draw=bank_conflicts,
)
