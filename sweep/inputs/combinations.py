"""Parameters that contradict each other, checked without an array as large as the grid."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sweep.description import Schedule
from sweep.errors import InputError
from sweep.hardware.durations import k_tiles
from sweep.inputs.derivation import Derivation
from sweep.quantities.arrays import Array
from sweep.quantities.variables import SERVICES, VARIABLES


def check_release(schedule: Schedule, values: Mapping[str, Array]) -> None:
    """Refuse MMAs in flight where the hardware releases the slots: it has no meaning there."""
    if not schedule.release_modes:
        return
    hardware = values["release"] == schedule.release_modes.index("hardware")
    in_flight = values["mma_in_flight"] > 0
    if hardware.any() and in_flight.any() and meet(hardware, in_flight):
        worst = values["mma_in_flight"].max()
        raise InputError(
            f"mma_in_flight={worst}: has no meaning with release='hardware', where it must be 0"
        )


def meet(one: Array, other: Array) -> bool:
    """Whether two masks hold at one point of the grid, looking along shared dimensions only."""
    axes = range(one.ndim)
    left = one.any(axis=tuple(i for i in axes if other.shape[i] == 1), keepdims=True)
    right = other.any(axis=tuple(i for i in axes if one.shape[i] == 1), keepdims=True)
    return bool(np.any(left & right))


def check_service(values: Mapping[str, Array]) -> None:
    """Refuse service in program order where several CTAs share an SM: nothing enforces one."""
    ordered = values["arbitration"] == SERVICES.index("ordered")
    several = values["ctas_per_sm"] > 1
    if several.any() and ordered.any() and meet(ordered, several):
        raise InputError(
            f"arbitration='ordered': nothing orders ctas_per_sm={values['ctas_per_sm'].max()} CTAs;"
            " give arbitration='fifo' or 'alternate'"
        )


def check_declared_limits(derivation: Derivation) -> None:
    """Refuse counts and factors outside the limits that their schedule declares.

    The registry knows the widest ones of all schedules that declare the name.
    """
    for name, (least, most) in derivation.rules.limits.items():
        quantity = derivation.given.get(name)
        if quantity is None:
            continue
        numbers = derivation.numbers(name)
        unit, schedule = VARIABLES[name].with_unit, derivation.schedule.name
        low, high = numbers.min().item(), numbers.max().item()
        if low < least and not quantity.is_table:  # a loop may run 0 times in a tile
            raise InputError(f"{name}={unit(low)}: must be at least {unit(least)} in {schedule}")
        if most is not None and high > most:
            raise InputError(f"{name}={unit(high)}: must be at most {unit(most)} in {schedule}")


def check_warpgroups(schedule: Schedule, values: Mapping[str, Array]) -> None:
    """Refuse warpgroups that cannot be shared out among consumers that take turns."""
    groups = values.get("consumer_warpgroups")
    if groups is None or schedule.turns == 1:
        return
    uneven = groups % schedule.turns != 0
    if uneven.any():
        raise InputError(
            f"consumer_warpgroups={groups[uneven][0]}: must be a multiple of {schedule.turns} in"
            f" {schedule.name}, whose {schedule.turns} consumers take turns"
        )


def check_k_tiles(derivation: Derivation) -> None:
    """Refuse ``k_tiles`` that are not those of ``k``, where both are given."""
    given = derivation.given
    if "k" not in given or "k_tiles" not in given:
        return
    if given["k_tiles"].is_table:
        raise InputError("k_tiles: a table over output tiles contradicts k=...; give one of them")
    count, k, size = (derivation.get(name).array for name in ("k_tiles", "k", "tile_k"))
    right = k_tiles(k, size)
    wrong = count != right
    if wrong.any():
        at = int(np.argmax(wrong))
        asked, depth, step, needed = (
            int(np.broadcast_to(one, wrong.shape).flat[at]) for one in (count, k, size, right)
        )
        raise InputError(
            f"k_tiles={asked} and k={depth} contradict each other: ceil({depth} / BK={step}) is"
            f" {needed} k-tiles; give one of them"
        )
