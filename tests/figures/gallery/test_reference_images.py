"""A few figures against the pictures in the documentation, with a tolerance for fonts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from figures.drawing.saving import save
from figures.gallery import discover

PICTURES = Path(__file__).parents[3] / "docs" / "gallery"
NAMES = ("utilization_against_stages", "timeline_output_tiles", "regime_map", "bank_conflicts")
TOLERANCE = 0.05
"""Root mean square of the difference in brightness, of 1; another figure differs by 0.2 or more."""


def brightness(path: Path) -> np.ndarray:
    from matplotlib.image import imread

    return np.asarray(imread(path)[..., :3]).mean(axis=-1)


def difference(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.sqrt(np.mean((one - other) ** 2)))


@pytest.mark.parametrize("name", NAMES)
def test_figure_is_the_picture_of_the_gallery(name: str, tmp_path: Path) -> None:
    entry = discover()[name]
    path = tmp_path / f"{name}.png"
    save(entry.draw(entry.data()), path)
    drawn, kept = brightness(path), brightness(PICTURES / f"{name}.png")
    assert drawn.shape == kept.shape
    assert difference(drawn, kept) < TOLERANCE


def test_the_tolerance_tells_figures_apart() -> None:
    pictures = [brightness(PICTURES / f"{name}.png") for name in NAMES]
    same_shape = [(a, b) for i, a in enumerate(pictures) for b in pictures[:i]]
    for one, other in same_shape:
        rows, columns = (min(x, y) for x, y in zip(one.shape, other.shape, strict=True))
        assert difference(one[:rows, :columns], other[:rows, :columns]) > 2 * TOLERANCE
