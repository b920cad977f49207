"""Ceilings that need no schedule: the roofline, and what an epilogue leaves of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analysis.checked import nonzero, plain, read
from sweep.quantities.arrays import Array


def exposed_epilogue_utilization(mainloop: ArrayLike, t_epilogue: ArrayLike) -> Array:
    """Return the Tensor Core's share of the time where each epilogue follows its main loop.

    main loop / (main loop + epilogue): what a persistent kernel tends to with many output tiles,
    and never exceeds.

    Examples
    --------
    >>> round(float(exposed_epilogue_utilization(4 * 1024, 1280)), 3)
    0.762
    """
    loop, epilogue = read(mainloop=mainloop, t_epilogue=t_epilogue)
    return np.asarray(loop / nonzero("mainloop", loop + epilogue, "mainloop + t_epilogue"))


def hidden_epilogue_utilization(
    mainloop: ArrayLike, t_epilogue: ArrayLike, output_tiles: ArrayLike
) -> Array:
    """Return the Tensor Core's share of the time where only the last epilogue is exposed.

    All main loops / (all main loops + one epilogue): no schedule exceeds it.

    Examples
    --------
    >>> round(float(hidden_epilogue_utilization(16 * 1024, 10_240, 8)), 3)
    0.928
    """
    loop, epilogue, tiles = read(
        mainloop=mainloop, t_epilogue=t_epilogue, output_tiles=output_tiles
    )
    loops = loop * tiles
    return np.asarray(loops / nonzero("mainloop", loops + epilogue, "mainloop + t_epilogue"))


def roofline(
    flop_per_byte: ArrayLike, flop_per_cycle: ArrayLike, bytes_per_cycle: ArrayLike
) -> Array:
    """Return the attainable FLOP per cycle: min(peak, intensity x bandwidth).

    Parameters
    ----------
    flop_per_byte : array_like
        Arithmetic intensity at the level whose bandwidth is given; of a k-tile at the copy path,
        2 BM BN BK / copied bytes.
    flop_per_cycle, bytes_per_cycle : array_like
        Peak and bandwidth (per second for both works too).

    References
    ----------
    S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52(4), 2009.

    Examples
    --------
    Half the lecture's bandwidth puts its tile left of the ridge, at two thirds of the peak:

    >>> intensity = 2 * 128 * 256 * 64 / 49_152
    >>> [round(float(roofline(intensity, 4096, bandwidth)) / 4096, 3) for bandwidth in (64, 32)]
    [1.0, 0.667]
    """
    intensity, peak, bandwidth = read(
        flop_per_byte=flop_per_byte, flop_per_cycle=flop_per_cycle, bytes_per_cycle=bytes_per_cycle
    )
    return np.asarray(np.minimum(peak, intensity * bandwidth))


def ridge_point(flop_per_cycle: ArrayLike, bytes_per_cycle: ArrayLike) -> Any:
    """Return the FLOP per byte from which on the peak is attainable.

    Returns
    -------
    float, or numpy.ndarray of float64

    Raises
    ------
    InputError
        If the bandwidth is not positive.

    Examples
    --------
    >>> ridge_point(4096, 64), ridge_point(4096, 32)
    (64.0, 128.0)
    """
    peak, bandwidth = read(flop_per_cycle=flop_per_cycle, bytes_per_cycle=bytes_per_cycle)
    return plain(peak / bandwidth)
