"""Useful FLOP of a run, by the shape of a schedule or by its own formula."""

from __future__ import annotations

import numpy as np

from sweep.inputs.derivation import Derivation
from sweep.quantities.arrays import Array


def useful_flop(derivation: Derivation) -> dict[str, Array]:
    """Return useful FLOP, NaN where unknown, by one of two names.

    ``flop_per_step``: per iteration of the main loop (of every warpgroup in attention);
    ``flop``: of all output tiles of an SM, where the schedule says what one of them takes.
    """
    rules = derivation.rules
    name = "flop_per_step" if rules.flop is None else "flop"
    if not derivation.known:
        return {name: np.full((1,) * derivation.ndim, np.nan)}
    if rules.flop is None:
        return {name: _per_step(derivation)}
    tiles = derivation.get("output_tiles").array
    found, by_tile = derivation.evaluate(rules.flop, "flop")
    if not by_tile:
        return {name: np.asarray(found.array * tiles)}
    counted = np.arange(found.array.shape[-1]) < tiles[..., None]
    return {name: np.asarray(np.where(counted, found.array, 0.0).sum(axis=-1))}


def _per_step(derivation: Derivation) -> Array:
    if derivation.schedule.family == "gemm":
        m, n, k = (derivation.get(f"tile_{axis}").array for axis in "mnk")
        return np.asarray(2.0 * m * n * k)
    rows, keys, width, values = (
        derivation.get(name).array for name in ("block_m", "block_n", "head_dim", "head_dim_v")
    )
    return np.asarray(2.0 * rows * keys * (width + values))
