"""Tile orders are bijections for every grid; stream-K takes the tiles that CUTLASS gives it."""

from __future__ import annotations

import numpy as np
import pytest

from sweep.errors import InputError
from sweep.tensorcore.traffic.orders import tile_at, tile_order
from sweep.tensorcore.traffic.stream_k import stream_k_tiles


@pytest.mark.parametrize("group", [1, 2, 3, 8, 11])
def test_every_grid_is_covered_once(group: int) -> None:
    for grid_m in range(1, 22):
        for grid_n in (1, 2, 5, 8):
            order = tile_order(grid_m, grid_n, group)
            every = {(row, column) for row in range(grid_m) for column in range(grid_n)}
            assert len(order) == len(every)
            assert set(map(tuple, order.tolist())) == every


def test_group_1_is_row_major() -> None:
    assert tile_order(3, 4).tolist() == [[i, j] for i in range(3) for j in range(4)]


def test_a_group_goes_down_first_and_the_last_one_is_clamped() -> None:
    order = tile_order(9, 2, group=8).tolist()
    assert order[:9] == [*([row, 0] for row in range(8)), [0, 1]]
    assert order[16:] == [[8, 0], [8, 1]]


def test_one_group_covers_a_low_grid() -> None:
    assert tile_order(2, 3, group=100).tolist() == tile_order(2, 3, group=2).tolist()


def test_places_are_vectorised() -> None:
    rows, columns = tile_at(np.arange(6), 3, 2, group=np.array([[1], [2]]))
    assert rows.tolist() == [[0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 2, 2]]
    assert columns.tolist() == [[0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 0, 1]]


@pytest.mark.parametrize(
    ("tiles", "slots", "k_tiles", "split", "forced"),
    [
        (136, 132, 64, 136, 136),
        (544, 170, 64, 204, 204),
        (512, 132, 64, 0, 248),
        (264, 132, 64, 0, 0),
        (136, 132, 8, 0, 0),
        (136, 132, 9, 136, 136),
        (10, 132, 64, 10, 10),
        (65, 132, 64, 65, 65),
        (66, 132, 64, 0, 66),
        (132, 132, 64, 0, 0),
        (197, 132, 64, 197, 197),
        (198, 132, 64, 0, 198),
        (199, 133, 64, 199, 199),
        (265, 132, 64, 133, 133),
    ],
)
def test_stream_k(tiles: int, slots: int, k_tiles: int, split: int, forced: int) -> None:
    assert stream_k_tiles(tiles, slots, k_tiles) == split
    assert stream_k_tiles(tiles, slots, k_tiles, heuristic=False) == forced


def test_stream_k_takes_whole_clusters() -> None:
    assert stream_k_tiles(265, 132, 64, cluster_size=2) == 132


def test_stream_k_arrays_and_refusals() -> None:
    assert stream_k_tiles(np.array([[136], [544]]), [132, 170], 64).shape == (2, 2)
    for wrong in ((0, 132, 64), (136, 0, 64), (136, 132, 0)):
        with pytest.raises(InputError, match="must be at least 1"):
            stream_k_tiles(*wrong)
