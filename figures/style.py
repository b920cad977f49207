"""One look for every figure: widths, fonts and colours that stay apart for colour-blind readers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

COLUMN_INCHES = 3.4
PAGE_INCHES = 7.0

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000")
"""Okabe and Ito, *Color Universal Design* (2008)."""

RC: Mapping[str, Any] = MappingProxyType(
    {
        "figure.dpi": 150,
        "font.size": 8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "0.9",
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "legend.frameon": False,
        "lines.linewidth": 1.2,
        "svg.hashsalt": "warpsweep",
        "svg.fonttype": "none",
        "pdf.fonttype": 42,
    }
)


def house_style() -> Any:
    """Return a context in which figures have the house's look."""
    import matplotlib

    settings: Any = dict(RC)
    return matplotlib.rc_context(settings)


def axis_label(variable: Any) -> str:
    """Write an axis label from a variable's attributes."""
    name, units = variable.attrs["long_name"], variable.attrs["units"]
    return name if units == "1" else f"{name} ({units})"
