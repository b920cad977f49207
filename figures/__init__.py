"""Paper-quality figures: pure functions from a dataset or a trace to a Matplotlib figure.

For a dataset of one's own: ``heatmap`` over two dimensions, ``compare`` lines or bars, ``pareto``
for what can be had of two quantities at once. ``figures.gallery`` has the ready ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sweep.lazy import lazily

if TYPE_CHECKING:
    from figures.charts.comparison import compare
    from figures.charts.fronts import pareto
    from figures.charts.heatmaps import heatmap

_WHERE = {"compare": "charts.comparison", "heatmap": "charts.heatmaps", "pareto": "charts.fronts"}

__all__ = ["compare", "heatmap", "pareto"]

__getattr__, __dir__ = lazily(__name__, _WHERE)
