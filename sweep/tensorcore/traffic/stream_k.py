"""How many output tiles stream-K splits along K, by CUTLASS's rule."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sweep.inputs.call_arguments import Arguments
from sweep.inputs.reading import read_flag
from sweep.tensorcore.record import plain

FEWEST_K_TILES = 8
"""A unit of stream-K takes at least this many k-tiles: tiles that have no more are not split."""


def stream_k_tiles(
    output_tiles: ArrayLike,
    slots: ArrayLike,
    k_tiles: ArrayLike,
    *,
    heuristic: bool = True,
    cluster_size: ArrayLike = 1,
) -> Any:
    """Return how many tiles are split so that the last wave is full; the others are whole.

    None where the waves are full or a tile has at most 8 k-tiles; by the heuristic none where the
    tail fills at least half a wave; else everything but full waves - 1 whole waves (all tiles
    where there is at most one full wave), in whole clusters.

    Parameters
    ----------
    output_tiles, slots, k_tiles : array_like of int
        Tiles of the output, CTAs that run at once, k-tiles of a tile.
    heuristic : bool
        Whether a tail that fills at least half a wave is left as it is; otherwise stream-K is
        asked for.
    cluster_size : array_like of int

    Returns
    -------
    int or numpy.ndarray of int64

    References
    ----------
    CUTLASS, ``include/cutlass/gemm/kernel/tile_scheduler_params.h``,
    ``PersistentTileSchedulerSm90StreamKParams::get_num_sk_tiles``; Osama et al., "Stream-K",
    arXiv 2301.03598.

    Examples
    --------
    >>> stream_k_tiles([136, 544, 512, 264], [132, 170, 132, 132], 64).tolist()
    [136, 204, 0, 0]
    >>> stream_k_tiles(512, 132, 64, heuristic=False)
    248
    """
    given = Arguments()
    for name, value in (
        ("output_tiles", output_tiles),
        ("slots", slots),
        ("k_tiles", k_tiles),
        ("cluster_size", cluster_size),
    ):
        given.number(name, value)
    tiles, wave, steps, size = given.arrays().values()
    full, tail = np.divmod(tiles, wave)
    split = tiles - np.maximum(full - 1, 0) * wave
    whole = (tail == 0) | (steps <= FEWEST_K_TILES)
    if read_flag("heuristic", heuristic):
        whole |= 2 * tail >= wave
    return plain(np.where(whole, 0, split // size * size))
