"""Figures as files: the same bytes for the same figure, there whole or not at all."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from figures.drawing.style import house_style
from sweep.errors import InputError, InputTypeError, quoted
from sweep.host.files import write_bytes
from sweep.inputs.reading import read_object

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS_PER_INCH = 200
"""Of a png: a page-wide figure is 1,400 dots wide."""

_UNDATED: Mapping[str, dict[str, None]] = MappingProxyType(
    {
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
        "svg": {"Date": None, "Creator": None},
        "png": {"Software": None},
    }
)
"""Metadata to leave out: the time, and what differs between versions of Matplotlib."""

FORMATS = tuple(_UNDATED)


def figure_bytes(figure: Figure, kind: str = "pdf") -> bytes:
    """Render a figure.

    It is laid out once, at its first rendering: every format and every repetition looks the same.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    kind : {"pdf", "svg", "png"}

    Returns
    -------
    bytes
        The same for figures drawn from the same data, and the same Matplotlib.

    Raises
    ------
    InputError
        For another kind.
    """
    from matplotlib.figure import Figure

    read_object("figure", figure, Figure, "a Matplotlib figure")
    if not isinstance(kind, str) or kind not in FORMATS:
        raise InputError(f"kind={quoted(kind)}: a figure is written as {', '.join(FORMATS)}")
    metadata: Any = _UNDATED[kind]
    page = io.BytesIO()
    with house_style():
        engine = figure.get_layout_engine()
        if engine is not None:
            engine.execute(figure)
            figure.set_layout_engine("none")
        figure.savefig(page, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
    return page.getvalue()


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure to a file; the suffix says which kind.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    path : str or path
        Ends in .pdf, .svg or .png.

    Raises
    ------
    InputError
        For a kind that there is not, and where the file cannot be written.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputTypeError(f"path={quoted(path)}: must be text or a path")
    path = Path(path)
    if path.suffix.lower().lstrip(".") not in FORMATS:
        raise InputError(
            f"path={quoted(path.name)}: a figure is written as {', '.join(FORMATS)}, not as"
            f" {quoted(path.suffix.lower().lstrip('.'))}"
        )
    write_bytes(path, figure_bytes(figure, path.suffix.lower().lstrip(".")))
