"""What a gallery file says: the data of a figure, how it is drawn, and what it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Entry:
    """A figure of the gallery.

    Attributes
    ----------
    name : str
        Its name on the command line and of its file; the module's name.
    shows : str
        One sentence: what a reader should see.
    data : callable
        Computes what is drawn: a Dataset, a trace, or several of them.
    draw : callable
        A pure function from that data to a Matplotlib figure.
    """

    name: str
    shows: str
    data: Callable[[], Any]
    draw: Callable[[Any], Figure]
