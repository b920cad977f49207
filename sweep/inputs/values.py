"""The arrays of one schedule that kernels, outputs and budgets are given."""

from __future__ import annotations

import numpy as np

from sweep.hardware.gpu import GPU
from sweep.inputs.derivation import Derivation
from sweep.inputs.impossible import impossible_points
from sweep.inputs.rules import OCCUPANCY, THROUGHPUT
from sweep.inputs.useful_flop import useful_flop
from sweep.quantities.arrays import Array
from sweep.quantities.tile_table import Lines
from sweep.quantities.variables import RESIDENCY, VARIABLES

TABLE = "table:"
"""Before a parameter's name: the line of its table that each point has."""
RING = "ring:"
"""Before a ring's name: what one of its slots takes, in bytes, columns or registers per thread."""


def values_of(
    derivation: Derivation, many_schedules: bool
) -> tuple[dict[str, Array], dict[str, Lines]]:
    """Return the values of a schedule by name, and the lines of its tables.

    Parameters
    ----------
    derivation : Derivation
    many_schedules : bool
        Whether the schedule is one of several.

    Returns
    -------
    values : dict of str to numpy.ndarray
        Every entry of ``schedule.parameters`` and of ``RESIDENCY``: durations float64 cycles,
        counts int64, choices int8 codes in the order of the registry's choices. Of a table over
        output tiles the largest entry; which line each point has is the int64
        ``values["table:NAME"]``. Further ``clock_hz``, ``sm_count``, ``flop_per_step`` or
        ``flop`` (``useful_flop``), ``known`` (whether the tile or head dimension is),
        ``impossible`` (codes of ``infeasible_reason`` where a point cannot exist, its durations
        being placeholders there) and, where known, what the budgets need: numbers by name, and
        what a slot of each ring takes as ``values["ring:NAME"]``, ``default_block`` (whether
        attention's block was not given) and ``default_scales`` (whether scale factors were not).
    tables : dict of str to Lines
    """
    schedule, rules = derivation.schedule, derivation.rules
    if derivation.tables:
        _ = derivation.tiles  # checks their lengths
    names = dict.fromkeys((*schedule.parameters, *RESIDENCY, *THROUGHPUT))
    if derivation.known:
        names |= dict.fromkeys((*rules.budget, *_occupancy(derivation)))
    derivation.get("gpu")
    values: dict[str, Array] = {}
    tables: dict[str, Lines] = {}
    for name in names:
        quantity = derivation.get(name)
        values[name] = quantity.array
        if quantity.is_table:
            tables[name] = lines = derivation.lines(name, quantity)
            values[TABLE + name] = quantity.array
            values[name] = np.asarray(lines.numbers.max(axis=1)[quantity.array])
    if derivation.known:
        values |= _slots(derivation)
        given = any(name in derivation.given for name in ("block_m", "block_n"))
        values["default_block"] = np.full((1,) * derivation.ndim, not given)
        scaled = "scale_factors" in derivation.given
        values["default_scales"] = np.full((1,) * derivation.ndim, not scaled)
    values["impossible"] = impossible_points(derivation, many_schedules)
    if values["impossible"].any():
        for name in (*schedule.durations, "clock_hz"):
            values[name] = _placeholder(values[name])
        for lines in tables.values():
            lines.numbers = _placeholder(lines.numbers)
    for name in (*schedule.parameters, *RESIDENCY):
        if VARIABLES[name].kind == "choice":
            values[name] = values[name].astype(np.int8)
    values |= useful_flop(derivation)
    values["known"] = np.full((1,) * derivation.ndim, derivation.known)
    return values, tables


def _occupancy(derivation: Derivation) -> tuple[str, ...]:
    """Return what of an SM's limits is known; where several CTAs share it, its shared memory too.

    That is needed then, and refused with its name where it is not known.
    """
    cards = [one for one in derivation.get("gpu").labels if isinstance(one, GPU)]
    shared = (derivation.get("ctas_per_sm").array > 1).any()
    return tuple(
        name
        for name in OCCUPANCY
        if name in derivation.given
        or (shared and name == OCCUPANCY[0])
        or all(card.value(name) is not None for card in cards)
    )


def _placeholder(numbers: Array) -> Array:
    return np.where(np.isnan(numbers), 1.0, numbers)


def _slots(derivation: Derivation) -> dict[str, Array]:
    """Return what a slot of each ring takes; of what differs by tile the most."""
    found = {}
    for name, formula in derivation.rules.rings.items():
        size, by_tile = derivation.evaluate(formula, f"ring {name!r}")
        found[RING + name] = size.array.max(axis=-1) if by_tile else size.array
    return found
