"""How many stages a ring needs: the textbook rule, the corrected rule, and what fits.

The steady period of a ring is the largest of its circuits (``sweep.description.circuits``). One of
them runs through a slot and takes a round trip over the number of stages; the ring is deep enough
as soon as that one no longer exceeds the others. The textbook rule asks for as much or more,
always.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.checked import check_one_loop, choice, find_schedule, numbers, whole
from sweep.description import Schedule
from sweep.description.circuits import Circuit, circuits_of
from sweep.errors import InputError
from sweep.hardware.budgets import stages_that_fit
from sweep.quantities.arrays import Array

Numbers = Mapping[str, Array]

_GRID = 1024
MOST_UNITS = 2**62


def textbook_stages(
    t_issue: ArrayLike, t_transfer: ArrayLike, t_latency: ArrayLike, t_mma: ArrayLike
) -> Array:
    """Return 1 + ceil((t_issue + t_transfer + t_latency) / (t_mma + t_issue)).

    The rule of thumb for multistage: one stage to multiply from, and enough others to cover a copy
    at one iteration each. It never asks for too few, and often for too many (``corrected_stages``).

    Parameters
    ----------
    t_issue, t_transfer, t_latency, t_mma : array_like
        Cycles, multiples of 1/1024.

    Returns
    -------
    numpy.ndarray of float64
        Stages; inf where an iteration takes no time and a copy does.

    Examples
    --------
    >>> textbook_stages(100, 768, [300, 700, 1500], 1024).tolist()
    [3.0, 3.0, 4.0]
    """
    given = {
        "t_issue": t_issue,
        "t_transfer": t_transfer,
        "t_latency": t_latency,
        "t_mma": t_mma,
    }
    p = numbers(given, tuple(given), "the textbook rule")
    copy = p["t_issue"] + p["t_transfer"] + p["t_latency"]
    return 1 + _ceil_ratio(copy, p["t_mma"] + p["t_issue"])


def corrected_stages(
    schedule: str | Schedule = "multistage", release: str = "consumer", **durations: ArrayLike
) -> Array:
    """Return the fewest stages at which the steady period no longer depends on them.

    multistage: ceil((t_issue + t_transfer + t_latency + t_mma) / max(t_mma + t_issue, t_transfer)),
    which is 1 + ceil((t_transfer + t_latency) / (t_mma + t_issue)) where computing binds. With a
    producer: ceil(round trip / max(t_issue, t_transfer, t_mma)). Read off the schedule's circuits,
    so ``t_sync``, ``t_mma_latency`` and ``mma_in_flight`` count too. The period of the main loop
    alone: over output tiles a ring refills during epilogues, and where copies bind a deeper ring
    than this can still shorten the period per tile.

    Parameters
    ----------
    schedule : str or Schedule
        One with a ring of stages.
    release : {"consumer", "hardware"}
    **durations : array_like
        The schedule's durations in cycles except the epilogue's, and ``mma_in_flight``.

    Returns
    -------
    numpy.ndarray of float64
        Stages, at least 1; inf where no number is enough (nothing else takes time).

    Raises
    ------
    InputError
        If the schedule has no ring, or a duration is missing or out of limits.

    Examples
    --------
    >>> where = dict(t_issue=100, t_transfer=768, t_mma=1024)
    >>> corrected_stages("multistage", t_latency=[300, 700, 1500], **where).tolist()
    [2.0, 3.0, 4.0]
    """
    ring, p = _ring(schedule, release, durations)
    slots, others = _split(circuits_of(ring, choice("release", release)))
    needed = np.ones(())
    for slot in slots:
        rest = _steps(slot, p)
        takes = _time(slot, p)
        enough = np.full(np.broadcast_shapes(takes.shape, rest.shape), np.inf)
        for other in others:
            enough = np.minimum(enough, _ceil_ratio(takes * _steps(other, p), _time(other, p)))
        needed = np.maximum(needed, np.maximum(enough, 1) - rest)
    return np.asarray(needed)


def saturated_period(
    schedule: str | Schedule = "multistage", release: str = "consumer", **durations: ArrayLike
) -> Array:
    """Return the steady cycles per k-tile of a main loop whose ring is deep enough.

    Parameters as in ``corrected_stages``.

    Examples
    --------
    >>> where = dict(t_issue=100, t_transfer=768, t_latency=700, t_mma=1024)
    >>> float(saturated_period("multistage", **where))
    1124.0
    """
    ring, p = _ring(schedule, release, durations)
    _, others = _split(circuits_of(ring, choice("release", release)))
    return _largest(others, p)


class ChosenDepth(NamedTuple):
    """The depth that is wanted, the one that there is room for, and what the difference costs.

    Attributes
    ----------
    wanted : float
        The corrected rule's stages.
    fitting : int
        The most that fit, 0 where not even one does: infeasible.
    taken : int
        The smaller of the two.
    period, saturated : float
        Steady cycles per k-tile with ``taken`` and with enough stages; NaN without any.
    """

    wanted: float
    fitting: int
    taken: int
    period: float
    saturated: float

    @property
    def lost(self) -> float:
        """Share of the saturated speed that the missing stages cost, period / saturated - 1."""
        return self.period / self.saturated - 1 if self.saturated else 0.0


def choose_stages(
    schedule: str | Schedule,
    stage_bytes: int,
    smem_per_block_bytes: int,
    smem_carveout_bytes: int = 0,
    release: str = "consumer",
    **durations: float,
) -> ChosenDepth:
    """Take as many stages as the corrected rule wants, or as fit, and say what is lost.

    Parameters
    ----------
    schedule : str or Schedule
    stage_bytes, smem_per_block_bytes, smem_carveout_bytes : int
        Bytes of a slot, at least 1, of a block's shared memory, and kept from the ring.
    release : {"consumer", "hardware"}
    **durations : float
        As in ``corrected_stages``, one number each.

    Raises
    ------
    InputError
        As ``corrected_stages``, and for bytes that are not whole or out of limits.

    Examples
    --------
    Four stages of 64 KiB are wanted where three fit: 3 % slower, not a fall back to one.

    >>> depth = choose_stages("warp_specialized", 64 * 1024, 227 * 1024,
    ...                       t_issue=30, t_transfer=384, t_latency=658, t_mma=512)
    >>> depth.wanted, depth.fitting, depth.taken, depth.period, round(depth.lost, 3)
    (4.0, 3, 3, 528.0, 0.031)
    """
    ring, p = _ring(schedule, release, durations)
    for name, values in p.items():
        if values.ndim:
            raise InputError(f"{name}: must be one number, not {values.size:,}")
    circuits = circuits_of(ring, choice("release", release))
    wanted = float(corrected_stages(ring, release, **durations))
    fitting = int(
        stages_that_fit(
            whole("stage_bytes", stage_bytes),
            whole("smem_per_block_bytes", smem_per_block_bytes),
            whole("smem_carveout_bytes", smem_carveout_bytes),
            ring.producer,
        )
    )
    taken = int(min(wanted, fitting))
    period, saturated = np.nan, float(saturated_period(ring, release, **durations))
    if taken > p.get("mma_in_flight", 0):
        period = float(_largest(circuits, {**p, "stages": np.asarray(taken)}))
    return ChosenDepth(wanted, fitting, taken, period, saturated)


def _ring(
    schedule: str | Schedule, release: str, durations: Mapping[str, Any]
) -> tuple[Schedule, Numbers]:
    ring = find_schedule(schedule)
    if not ring.ring:
        raise InputError(f"schedule={ring.name!r}: has no ring of stages")
    check_one_loop(ring, "rules of stages come from circuits")
    circuits = circuits_of(ring, choice("release", release))
    used = {name for one in circuits for name in one.takes}
    used |= {name for one in circuits for name, _ in one.steps} - {"", "stages"}
    if ring.release_modes and release == "hardware":
        used -= {"mma_in_flight"}
    names = tuple(name for name in ring.parameters if name in used)
    return ring, numbers(durations, names, f"the depth of {ring.name}")


def _split(circuits: tuple[Circuit, ...]) -> tuple[list[Circuit], list[Circuit]]:
    slots = [one for one in circuits if one.through_slot]
    return slots, [one for one in circuits if not one.through_slot]


def _time(circuit: Circuit, p: Numbers) -> Array:
    return sum((p[name] for name in circuit.takes), start=np.zeros(()))


def _steps(circuit: Circuit, p: Numbers) -> Array:
    """Return the steps of a circuit, without its ``stages``."""
    rest = (factor * (p[name] if name else 1) for name, factor in circuit.steps if name != "stages")
    return np.asarray(sum(rest, start=np.zeros(())))


def _largest(circuits: list[Circuit] | tuple[Circuit, ...], p: Numbers) -> Array:
    largest = np.zeros(())
    for one in circuits:
        steps = _steps(one, p) + (p["stages"] if one.through_slot else 0)
        largest = np.maximum(largest, _time(one, p) / steps)
    return np.asarray(largest)


def _ceil_ratio(time: Array, over: Array) -> Array:
    """ceil(time / over) on whole numbers of 1/1024 cycle; 0 / 0 is 0, anything else / 0 is inf."""
    units, per = _whole_units(time), _whole_units(over)
    count = -(-units // np.where(per == 0, 1, per))
    return np.asarray(np.where(per == 0, np.where(units == 0, 0.0, np.inf), count), np.float64)


def _whole_units(cycles: Array) -> Array:
    """Return cycles in 1/1024 cycle: int64, or Python's integers where that has too few bits."""
    units = cycles * _GRID
    if np.max(units, initial=0) < MOST_UNITS:
        return np.asarray(units, np.int64)
    exact = [int(one) for one in np.ravel(units)]
    return np.array(exact, dtype=object).reshape(np.shape(units))
