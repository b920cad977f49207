"""What is left out of the run without compilation."""

from __future__ import annotations

import os

FIGURES = (
    "*/test_gallery*.py */test_reference_images.py */test_drawn_figures.py */test_heatmaps.py"
    " */test_compare.py */test_pareto.py */test_timeline_picture.py"
)

# Figures draw sweeps of up to 10^5 points, minutes each in plain Python, and hold no kernel.
collect_ignore_glob = FIGURES.split() if os.environ.get("NUMBA_DISABLE_JIT") == "1" else []
