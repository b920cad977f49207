"""Paper-quality figures: pure functions from a dataset or a trace to a Matplotlib figure.

For a dataset of one's own: ``heatmap`` over two dimensions, ``compare`` lines or bars, ``pareto``
for what can be had of two quantities at once. ``figures.gallery`` has the ready ones.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from figures.charts.comparison import compare
    from figures.charts.fronts import pareto
    from figures.charts.heatmaps import heatmap

_WHERE = {"compare": "charts.comparison", "heatmap": "charts.heatmaps", "pareto": "charts.fronts"}

__all__ = ["compare", "heatmap", "pareto"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
